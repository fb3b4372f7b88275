/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the processor counts while a thread reads: cycles, instructions, and what went wrong in
 * between. One set belongs to the thread that opened it, and takes a file descriptor for each
 * counter.
 */
#ifndef MEASURE_HW_COUNTERS_H
#define MEASURE_HW_COUNTERS_H

#include <stdbool.h>

#include "sim/errmsg.h"
#include "sim/types.h"

enum hw_counter {
	HW_CYCLES,
	HW_INSTRUCTIONS,
	HW_BRANCH_MISSES,
	HW_L1D_MISSES,
	HW_COUNTERS,
};

/* As perf_event_open(2) names it. */
struct hw_event {
	u32 type;
	u64 config;
};

/* Those of user space alone, in the order of enum hw_counter. */
extern const struct hw_event hw_events[HW_COUNTERS];

/* All -1 in fd is a set that is not open. */
struct hw_counters {
	int fd[HW_COUNTERS];
	int cause[HW_COUNTERS]; /* why there is none of it, an errno; 0: it counts */
	u64 waited_ns;		/* so far, for others who use the counters too */
};

/*
 * Opens `count` events (HW_COUNTERS at most) as one group, for the calling thread on whatever CPU
 * it runs. None counts before hw_counters_begin. Without the first there is none of the others; any
 * other may be missing by itself. Returns 0, or -1 with a sentence in *err, and a cause for each.
 */
int hw_counters_open(struct hw_counters *counters, const struct hw_event *events, size_t count,
		     struct errmsg *err);
void hw_counters_close(struct hw_counters *counters);

/* All of them from 0. */
void hw_counters_begin(struct hw_counters *counters);

/*
 * Stops them, and tells what each has counted since hw_counters_begin; 0 of those that are missing.
 * False: they did not count all the time, since others use the counters too.
 */
bool hw_counters_end(struct hw_counters *counters, u64 values[HW_COUNTERS]);

/* Why there are no counters, or none of a kind, in words; ENODATA: they stand still. */
const char *hw_counters_reason(int cause);

/* 0, or what stands between the calling thread and its cycles. */
int hw_counters_try(void);

#endif /* MEASURE_HW_COUNTERS_H */
