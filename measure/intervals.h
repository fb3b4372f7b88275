/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a run comes to in each of its intervals, looked at from outside while it goes on.
 *
 * Readers store nothing for it but what measure/published.h says. Their histograms are read as
 * they grow, and what lies between two looks is an interval's. A look takes what it finds: a read
 * that ends meanwhile is in this interval or in the next, and in one of them only, so that all
 * intervals add up to the run. One thread only, the one that waits for the end.
 */
#ifndef MEASURE_INTERVALS_H
#define MEASURE_INTERVALS_H

#include "measure/reader_thread.h"
#include "measure/writers.h"

/* What all readers and writers have come to so far. */
struct interval_sums {
	u64 reads;
	u64 odd_waits;
	u64 changed;
	u64 off_cpu;
	u64 torn;
	u64 updates;
	struct histogram lengths; /* of reads, in cycles */
	struct histogram holds;
};

struct intervals {
	const struct run_shared *shared;
	struct reader_thread *const *readers;
	const struct writers *writers;
	double timer_cycles; /* in each length, if it is the same of all readers */
	bool timers_differ;  /* each reader's is taken out of its own lengths */
	bool retries_known;
	bool off_cpu_known;
	u64 due;     /* counter value of the next deadline, be it beyond the end */
	double last; /* seconds from the measured start to the last look */
	struct interval_sums now;
	struct interval_sums before;
	u32 looks; /* that the last intervals_look took */
	u64 count;
	struct run_interval *list;
};

/*
 * NULL, with a sentence in *err, if there is not the memory; else to be given to intervals_destroy.
 * What is pointed to stays the caller's.
 */
struct intervals *intervals_create(const struct run_shared *shared,
				   struct reader_thread *const *readers,
				   const struct writers *writers, struct errmsg *err);

/* The times have been set. */
void intervals_begin(struct intervals *intervals);

/*
 * Counter value of the next look, by the end as it is now, which may be put off; UINT64_MAX: there
 * is none before it.
 */
u64 intervals_due(const struct intervals *intervals);

/*
 * Looks at what all have come to. Returns the counter value that it is of, about: counts go on
 * while they are looked at, and that is the middle of the look. One in which the thread was put
 * aside is made again, a few times at most.
 */
u64 intervals_look(struct intervals *intervals);

/* Ends the interval at hand with that, at counter value `now`. It lives as long as *intervals. */
const struct run_interval *intervals_take(struct intervals *intervals, u64 now);

/*
 * After the join: the last interval, which ends with the run, `seconds` after its measured start.
 * NULL: nothing is left for one.
 */
const struct run_interval *intervals_finish(struct intervals *intervals, double seconds);

/* Passes the list of them on, which is the caller's to free then. */
struct run_interval *intervals_list(struct intervals *intervals, u64 *count);

/* Of NULL, too. */
void intervals_destroy(struct intervals *intervals);

#endif /* MEASURE_INTERVALS_H */
