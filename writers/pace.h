/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Absolute deadlines, hz of them a second, in counter values. They never drift: deadline k is
 * start + k * frequency / hz, whatever became of those before it.
 */
#ifndef WRITERS_PACE_H
#define WRITERS_PACE_H

#include "sim/page.h"
#include "sim/types.h"

struct pace {
	s32 clock_mode;
	const struct vdso_time_data *page; /* where the counter is read */
	u64 frequency_hz;
	u64 hz;
	u64 start;	  /* counter value of deadline 0 */
	u64 tick;	  /* number of the next deadline */
	bool may_spin;	  /* false: sleep only, since somebody else needs the CPU */
	const bool *stop; /* raised by whoever wants the wait to end */
};

/*
 * How much earlier than a deadline a sleeper that may spin asks to be woken, in nanoseconds: longer
 * than a wake-up takes on most machines.
 */
#define PACE_WAKE_EARLY_NS 60000

/* Deadline 1 is one period after `start`. */
void pace_start(struct pace *pace, u64 start);

/* Counter value of deadline `tick`. */
u64 pace_deadline(const struct pace *pace, u64 tick);

/* The number of the last deadline that is not after this counter value, which is not before start.
 */
u64 pace_last_passed(const struct pace *pace, u64 cycles);

/*
 * Waits for the next deadline: sleeps while there is time, then spins. Gives the deadline in *due
 * and, in *ticks, how many deadlines have passed since the last call, at least 1; a late tick is
 * not made up for. Returns the counter value at the end of the wait, or 0 when the stop flag was
 * raised; it looks at the flag at least every 20 ms.
 */
u64 pace_wait(struct pace *pace, u64 *due, u64 *ticks);

#endif /* WRITERS_PACE_H */
