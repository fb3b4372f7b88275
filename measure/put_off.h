/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end of a run in whose measured time no reader was given a CPU yet: it is put off, since a run
 * in which nothing was read says nothing.
 */
#ifndef MEASURE_PUT_OFF_H
#define MEASURE_PUT_OFF_H

#include "measure/reader_thread.h"

/* By no more: less than the watch takes for a run that is stuck. */
#define PUT_OFF_MOST_NS 5000000000ull

struct put_off {
	struct run_shared *shared;
	struct reader_thread *const *readers;
	u32 count;
	bool measuring; /* some reader is */
	u32 seq;	/* of the page, at the last look */
	u64 asked;	/* the end that was asked for; counter values */
	u64 latest;	/* that it is put off to */
};

/* After the run's times are set, before the gate opens. The readers stay the caller's. */
void put_off_begin(struct put_off *put_off, struct run_shared *shared,
		   struct reader_thread *const *readers, u32 count);

/*
 * A look at the counter value `now`, by the one thread that may write the shared end: where that is
 * near, nobody has begun to measure, and no writer stays in the middle of an update, which readers
 * would wait for, it is put off by a step, up to some seconds in all.
 */
void put_off_look(struct put_off *put_off, u64 now);

/* Until the next look, in nanoseconds: no more than `most`, and before the end comes too near. */
u64 put_off_nap_ns(const struct put_off *put_off, u64 now, u64 most);

/* Nanoseconds between the end that was asked for and the one that it came to; 0: the same. */
double put_off_by_ns(const struct put_off *put_off);

#endif /* MEASURE_PUT_OFF_H */
