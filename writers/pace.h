/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a writer is to act: deadlines in counter values. They lie on an absolute grid that never
 * drifts: deadline k is start + k periods, whatever became of those before it. They may come late
 * by chance (jitter), stop for a while (idle stretches, as of a kernel whose CPU has nothing to
 * do), or come at random altogether, as independent events do.
 */
#ifndef WRITERS_PACE_H
#define WRITERS_PACE_H

#include "sim/page.h"
#include "sim/types.h"

enum pace_arrivals {
	PACE_PERIODIC,
	PACE_POISSON, /* each distance is drawn from an exponential distribution */
};

struct pace {
	s32 clock_mode;
	const struct vdso_time_data *page; /* where the counter is read */
	u64 frequency_hz;
	u64 hz;	      /* deadlines a second; 0: every_ns says */
	u64 every_ns; /* between two deadlines; 0 as well: there is no wait */
	enum pace_arrivals arrivals;
	u64 jitter; /* cycles: a periodic deadline comes late by 0 to this much, each as likely */
	/*
	 * Cycles: stretches of this length with deadlines and without take turns; 0: none.
	 * pace_start raises it to a little more than a period.
	 */
	u64 idle;
	u64 random;	  /* state of what is drawn */
	bool may_spin;	  /* false: sleep only, since somebody else needs the CPU */
	const bool *stop; /* raised by whoever wants the wait to end */

	/* pace_start sets these. */
	u64 start; /* counter value of deadline 0 */
	u64 tick;  /* number of the next deadline on the grid; counts them if they come at random */
	u64 next;  /* when that is due */
};

/*
 * How much earlier than a deadline a sleeper that may spin asks to be woken, in nanoseconds: longer
 * than a wake-up takes on most machines.
 */
#define PACE_WAKE_EARLY_NS 60000

/* The first deadline is one period after `start`, or later. */
void pace_start(struct pace *pace, u64 start);

/* Counter value of deadline `tick` on the grid. */
u64 pace_deadline(const struct pace *pace, u64 tick);

/*
 * Waits for the next deadline: sleeps while there is time, then spins. Gives the deadline in *due
 * and, in *ticks, how many deadlines have passed since the last call, at least 1; a late tick is
 * not made up for. Deadlines within an idle stretch are none. Returns the counter value at the end
 * of the wait, or 0 when the stop flag was raised; it looks at the flag at least every 20 ms.
 */
u64 pace_wait(struct pace *pace, u64 *due, u64 *ticks);

/*
 * How many deadlines before this counter value nobody has waited for. Passes over them; once the
 * stop flag is raised no more than 65536 of those that come at random, or stop for a while.
 */
u64 pace_pass(struct pace *pace, u64 cycles);

/* Deadlines a second, or their mean; infinite where there is no wait. */
double pace_rate_hz(u64 hz, u64 every_ns);

#endif /* WRITERS_PACE_H */
