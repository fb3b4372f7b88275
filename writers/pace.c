// SPDX-License-Identifier: GPL-2.0-or-later
#include <time.h>

#include "sim/barrier.h"
#include "sim/clocksource.h"
#include "sim/wide.h"
#include "writers/pace.h"

/* Longest sleep between two looks at the stop flag. */
#define SLEEP_MAX_NS 20000000

void pace_start(struct pace *pace, u64 start)
{
	pace->start = start;
	pace->tick = 1;
}

u64 pace_deadline(const struct pace *pace, u64 tick)
{
	return pace->start + wide_mul_div(tick, pace->frequency_hz, pace->hz);
}

static void sleep_ns(u64 ns)
{
	struct timespec duration = {0, (long)(ns < SLEEP_MAX_NS ? ns : SLEEP_MAX_NS)};

	nanosleep(&duration, NULL);
}

static u64 wait_until(const struct pace *pace, u64 due)
{
	const u64 early_ns = pace->may_spin ? PACE_WAKE_EARLY_NS : 0;
	const u64 early = early_ns * pace->frequency_hz / NSEC_PER_SEC;

	while (!READ_ONCE(*pace->stop)) {
		u64 now = clocksource_read(pace->clock_mode, pace->page);

		if ((s64)(now - due) >= 0)
			return now;
		if (due - now <= early)
			cpu_relax();
		else
			sleep_ns(wide_mul_div(due - now, NSEC_PER_SEC, pace->frequency_hz) -
				 early_ns);
	}
	return 0;
}

u64 pace_last_passed(const struct pace *pace, u64 cycles)
{
	u64 tick = wide_mul_div(cycles - pace->start, pace->hz, pace->frequency_hz);

	/* The division of a deadline rounds down, so the next one may have passed too. */
	if ((s64)(cycles - pace_deadline(pace, tick + 1)) >= 0)
		tick++;
	return tick;
}

u64 pace_wait(struct pace *pace, u64 *due, u64 *ticks)
{
	u64 now, last;

	*due = pace_deadline(pace, pace->tick);
	now = wait_until(pace, *due);
	if (!now)
		return 0;
	last = pace_last_passed(pace, now);
	if (last < pace->tick)
		last = pace->tick;
	*ticks = last - pace->tick + 1;
	pace->tick = last + 1;
	return now;
}
