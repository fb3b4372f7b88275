/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is this reader faster than that one? Blocks of all of them, next to each other and in random
 * order, in the same threads and under the same writer, at one placement of their code after the
 * other.
 *
 * All of it happens in a child process, so that code which crashes or hangs takes no result with
 * it.
 */
#ifndef MEASURE_COMPARE_H
#define MEASURE_COMPARE_H

#include <signal.h>

#include "measure/effect.h"
#include "measure/hw_counters.h"
#include "measure/machine.h"
#include "measure/path.h"
#include "measure/progress.h"
#include "measure/run.h"

#define COMPARE_MAX_READERS 8
#define COMPARE_MAX_THREADS 64
#define COMPARE_KEPT	    256 /* placements of which a reader's effects are kept one by one */

struct compare_config {
	size_t readers; /* 2 to COMPARE_MAX_READERS */
	/* The first is the baseline. They stay the caller's; images get attached. */
	struct reader *reader[COMPARE_MAX_READERS];
	/* Threads, CPUs, clock source, work, seed, and the writer unless there is to be none. */
	struct run_config run;
	bool has_writer;
	u64 duration_ns;	   /* at most */
	double precision_percent;  /* stop when all 95 % intervals are that narrow; 0: do not */
	double resolution_percent; /* differences that do not matter */
	bool placement_still;	   /* every reader stays where its code was put first */
	bool figures;		   /* progress is to say how wide the intervals are so far */
};

/* What was seen of one reader. */
struct compare_reader {
	bool placement_still; /* its code was not moved */
	double read_ns;	      /* median of the visits' usual block; of a read, work taken out */
	/* Of its counted path, which is not timed. */
	struct path_figures path;	 /* of one quiet call, where its code lay first */
	const char *retries_unavailable; /* NULL: they were counted */
	u64 reads;
	u64 odd_waits;
	u64 changed;
	u64 off_cpu;
	/* What hardware counted of its bare path, not while it was timed, work taken out. */
	u64 hw_reads;			 /* 0: none were counted */
	double hw_per_read[HW_COUNTERS]; /* NAN: none of this kind */
	/* Against the baseline; nothing in it for the baseline itself. */
	struct effect effect;
	struct effect_conclusion conclusion;
	struct errmsg unavailable; /* why there is no effect; empty: there is */
	/*
	 * The effect at single placements, the mean of both visits, those that disagree included;
	 * of more than there is room for, some that are spread evenly. None if it was held still.
	 */
	double placement_percent[COMPARE_KEPT];
	size_t placements_kept;
	bool imprecise; /* its interval is wider than was asked for, or there is none */
};

enum compare_outcome {
	COMPARE_COMPLETE,
	COMPARE_INTERRUPTED,
	COMPARE_BROKEN, /* a reader's code crashed, hung, or read what it should not */
};

struct compare_result {
	enum compare_outcome outcome;
	char broken[256]; /* which, and how */
	struct machine machine;
	struct remarks remarks;
	double seconds; /* until all readers had come back; until the last visit, if it broke */
	u64 counter_hz;
	double counter_step_ns;
	double work_ns; /* of a piece of work with no reader; 0: there is none */
	int writer_cpu; /* if there is a writer */
	int writer_priority;
	bool writer_known; /* what follows is; not if the comparison broke */
	u64 updates;
	u64 stalls;	/* updates within which it was stopped */
	double rate_hz; /* of the time in which the writer ran */
	u32 pages;	/* of each layout, between which readers of different pages changed */
	u32 threads;
	int cpu[COMPARE_MAX_THREADS]; /* of the readers' threads */
	double block_ns;	      /* about; 0: none was timed */
	u64 visits;		      /* of all threads */
	u64 placements;		      /* 0: none was varied */
	/* Why off-CPU retries are not told apart from changed ones; NULL: they are. */
	const char *off_cpu_unavailable;
	struct errmsg hw_unavailable[HW_COUNTERS]; /* why there is none; empty: there is */
	struct compare_reader reader[COMPARE_MAX_READERS];
};

/*
 * Compares, until the duration is over, the precision is reached, or *stop is not 0. The calling
 * thread must be the process's only one. Returns 0 when there is a result, whatever became of the
 * readers; -1 with a sentence in *err when it could not begin.
 */
int compare_execute(const struct compare_config *config, progress_fn *progress, void *context,
		    const volatile sig_atomic_t *stop, struct compare_result *result,
		    struct errmsg *err);

#endif /* MEASURE_COMPARE_H */
