/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the two processes of a comparison share: how far it is, and all that was measured.
 */
#ifndef MEASURE_COMPARE_AREA_H
#define MEASURE_COMPARE_AREA_H

#include "measure/compare.h"
#include "measure/visit.h"
#include "sim/barrier.h"

/* Both visits of so many placements are in random order, one after the other. */
#define COMPARE_WINDOW 8

/* What one visit has found. */
struct compare_visit {
	/* The baseline, [0] is unused; without a log_ratio if there is work. */
	struct visit against[COMPARE_MAX_READERS];
	double read_ns[COMPARE_MAX_READERS];
	double work_ns;
	u32 turn; /* of its window's, in the order of time, from 0 */
};

struct compare_counts {
	u64 reads;
	u64 odd_waits;
	u64 changed;
	u64 off_cpu;
};

struct compare_hw {
	u64 reads;
	u64 value[HW_COUNTERS];
};

/* One thread's. It writes, and the parent reads what lies below `windows`. */
struct compare_lane {
	u64 windows;  /* that are finished */
	u64 last_ns;  /* when the last of them was, by the monotonic clock */
	u64 steps;    /* blocks and the like: it moves on as long as this does */
	s32 reader;   /* whose code it is in; -1: nobody's */
	bool counted; /* in that reader's counted path */
	int cpu;
	int tid;
	double block_ns;		 /* 0: not known yet */
	const char *off_cpu_unavailable; /* a constant, which both processes have */
	int hw_cause[HW_COUNTERS];
	struct compare_counts counts[COMPARE_MAX_READERS];
	struct compare_hw hw[COMPARE_MAX_READERS + 1]; /* the last: of work without a reader */
} __attribute__((aligned(CACHE_LINE)));

struct compare_area {
	/* By the parent. */
	bool stop __attribute__((aligned(CACHE_LINE)));
	u64 max_windows; /* of each thread */
	u64 visit_ns;

	/* By the child, before it begins. */
	bool begun;
	bool refused; /* err says why it could not begin */
	struct errmsg err;
	struct remarks remarks;
	int writer_cpu;
	int writer_priority;
	u64 counter_hz;
	double counter_step_ns;
	cpu_set_t used;
	u32 pages; /* of each layout */

	/* By the child, when it lets its readers go, and when all of them have come back. */
	u64 start_ns;
	bool readers_ended;
	u64 end_ns;

	/* By the child: the sequence that the writer has left odd; 0: it has not. */
	u32 left_odd;
	/* By the child, before that, and by the handler of a crash in no reader's code: the reader
	 * through whose lock was being published, from 1; 0: through none. */
	u32 publisher;

	/* By the child, when it ends. */
	bool writer_ended;
	u64 writer_ns; /* how long it updated the page, and how often in that time */
	u64 updates;
	u64 stalls;
	u32 crashed; /* the thread that crashed, from 1; by its handler */

	/* By whichever thread finds it first: a copy that does not compute what it should. */
	bool wrong;
	char wrong_text[256];

	struct compare_lane lane[COMPARE_MAX_THREADS];
	/* Of each thread in turn: windows of visits, by placement, the first and the second. */
	struct compare_visit visits[];
};

/* The visits of a thread's window: COMPARE_WINDOW placements, two each. */
static inline struct compare_visit *compare_window(const struct compare_area *area, u32 thread,
						   u64 window)
{
	return (struct compare_visit *)&area
		->visits[((u64)thread * area->max_windows + window) * 2 * COMPARE_WINDOW];
}

#endif /* MEASURE_COMPARE_AREA_H */
