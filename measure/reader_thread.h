/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One reader of a run: the loop that reads, checks every read, and times it.
 *
 * The length of a read is the distance between the counter values that two successive reads used:
 * no timer is added to the path. One block of TIMED_BLOCKS is timed so, and every read of it.
 * Where a reader uses no counter (coarse time), one block of TIMED_COARSE_BLOCKS has a counter
 * reading after each read; the cost of that is taken out later.
 *
 * Each read is judged while the next one is under way, since the counter's own latency leaves
 * room for it. The straight line of the check covers the usual case, a clean read under the same
 * update as before; all else goes to reader_settle.
 */
#ifndef MEASURE_READER_THREAD_H
#define MEASURE_READER_THREAD_H

#include <pthread.h>

#include "measure/baseline.h"
#include "measure/escape.h"
#include "measure/histogram.h"
#include "measure/published.h"
#include "measure/shared.h"
#include "measure/work.h"

/* The blocks that are not timed keep the loop near the bare path. */
#define TIMED_BLOCKS	    8
#define TIMED_COARSE_BLOCKS 16

/*
 * What a clean read under the update at hand must look like. Of code that tells nothing the
 * sequence is looked at from outside.
 */
struct expectation {
	u64 seq_events; /* seq, and no events, as they lie in the note */
	u64 cycle_last;
	u64 mult;
	u64 base; /* nanoseconds << shift since the start of second sec; wraps */
	s64 sec;
	u32 shift;
};

struct read_slot {
	struct timespec ts;
	struct read_note note;
};

struct reader_thread {
	/* Set before the thread starts. */
	const struct run_shared *shared;
	const struct group_shared *group;
	const struct reader *reader;
	const struct group_view *view; /* what it is given; changes between two blocks only */
	struct baseline *baseline;     /* NULL unless this reader takes it */
	struct work work;
	int cpu;
	pthread_t thread;

	/* The thread's own, read by others after the join. */
	struct expectation expect;
	struct oracle_update update; /* that expect was made from; number 0: none */
	bool have_last;		     /* the last read was right, and under `update` */
	/* Of an image's code: what the last right read returned, and the first update it may have
	 * used; 0: there was none */
	u64 last_ns;
	u64 last_number;
	u64 oldest;	  /* update that reads from here on may use; an earlier one is stale */
	u64 last_read;	  /* counter value of it */
	bool gap;	  /* it was off its CPU, and no read so far was long enough to show that */
	u64 round_cycles; /* of the run's own blocks since the baseline was last taken */
	u64 round_reads;
	u64 block_reads;   /* reads of the last block */
	u64 switch_cycles; /* a switch away and back takes longer */
	const char *off_cpu_unavailable;
	double work_cycles;  /* of one piece of work */
	double timer_cycles; /* in each length: beside work, and for a reader without a counter */
	u64 first_cycles;    /* when the gate opened for it */
	u64 warm_cycles;     /* when it began to count; 0 if it never did */
	u64 last_cycles;
	u64 cpu_ns;	  /* CPU time that it had while it counted */
	u64 whole_cpu_ns; /* since the gate opened */
	bool strayed;	  /* it was not on its CPU after some block */
	u64 fault_cycles; /* when its first faulty read was judged; 0 if none was. Others
			     may look before the join whether it is 0 */
	struct reader_counts counts;
	struct read_slot slot[4];
	struct histogram lengths;
	bool foreign; /* its code may have to be left in the middle of a block */
	struct reader_counts whole_blocks; /* counts at the beginning of such a block */
	struct escape escape;		   /* of an image's code */

	/* What others look at while it runs, on a line of its own. */
	u64 blocks __attribute__((aligned(CACHE_LINE))); /* done so far */
	struct published published;			 /* if the run asks for it */
} __attribute__((aligned(CACHE_LINE)));

/* Whether a timer is in each of its lengths, which is known before it starts. */
bool reader_thread_has_timer(const struct reader_thread *thread);

/* The thread's function; `argument` is a struct reader_thread. */
void *reader_thread_main(void *argument);

#endif /* MEASURE_READER_THREAD_H */
