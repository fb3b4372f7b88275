// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <time.h>

#include "sim/barrier.h"
#include "sim/clocksource.h"
#include "sim/random.h"
#include "sim/wide.h"
#include "writers/pace.h"

/* Longest sleep between two looks at the stop flag. */
#define SLEEP_MAX_NS 20000000
/* Deadlines that are counted one by one between two looks: a few milliseconds' worth. */
#define PASSED_BETWEEN_LOOKS 65536

static bool never_waits(const struct pace *pace)
{
	return !pace->hz && !pace->every_ns;
}

u64 pace_deadline(const struct pace *pace, u64 tick)
{
	return pace->start +
	       (pace->hz ? wide_mul_div(tick, pace->frequency_hz, pace->hz)
			 : wide_mul_div(tick * pace->every_ns, pace->frequency_hz, NSEC_PER_SEC));
}

/* The number of the last deadline on the grid that is not after this counter value. */
static u64 last_passed(const struct pace *pace, u64 cycles)
{
	u64 since = cycles - pace->start;
	u64 tick = pace->hz
			   ? wide_mul_div(since, pace->hz, pace->frequency_hz)
			   : wide_mul_div(since, NSEC_PER_SEC, pace->frequency_hz) / pace->every_ns;

	/* The division of a deadline rounds down, so the next one may have passed too. */
	if ((s64)(cycles - pace_deadline(pace, tick + 1)) >= 0)
		tick++;
	return tick;
}

/*
 * Shorter stretches would beat with the grid: in step with it they might swallow deadlines for
 * minutes. A whole cycle more than a period holds a deadline wherever it begins.
 */
static u64 at_least_a_period(const struct pace *pace, u64 cycles)
{
	const u64 period = pace_deadline(pace, 1) - pace->start + 1;

	return cycles > period ? cycles : period;
}

static u64 stretch_of(const struct pace *pace, u64 tick)
{
	return (pace_deadline(pace, tick) - pace->start) / pace->idle;
}

/* The first deadline from `tick` on that no idle stretch swallows: every other one is idle. */
static u64 skip_idle(const struct pace *pace, u64 tick)
{
	while (pace->idle && stretch_of(pace, tick) % 2)
		tick = last_passed(pace,
				   pace->start + (stretch_of(pace, tick) + 1) * pace->idle - 1) +
		       1;
	return tick;
}

/* Rounded to nearest: whole cycles may be few, and their mean must not hang on that. */
static u64 draw_distance(struct pace *pace)
{
	const double period = (double)pace->frequency_hz / pace_rate_hz(pace->hz, pace->every_ns);

	return (u64)(-log(random_unit(&pace->random)) * period + 0.5);
}

/* Goes on to deadline `tick`; one that comes at random, to the next. */
static void go_to(struct pace *pace, u64 tick)
{
	if (pace->arrivals == PACE_POISSON) {
		pace->tick++;
		pace->next += draw_distance(pace);
		return;
	}
	pace->tick = skip_idle(pace, tick);
	pace->next = pace_deadline(pace, pace->tick);
	if (pace->jitter)
		pace->next += random_below(&pace->random, pace->jitter + 1);
}

void pace_start(struct pace *pace, u64 start)
{
	pace->start = start;
	pace->next = start;
	pace->tick = 0;
	if (never_waits(pace))
		return;
	if (pace->idle)
		pace->idle = at_least_a_period(pace, pace->idle);
	go_to(pace, 1);
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

u64 pace_pass(struct pace *pace, u64 cycles)
{
	u64 passed = 0;

	if (never_waits(pace))
		return 0;
	/* A writer may be late by days: on the bare grid nobody counts one by one. */
	if (pace->arrivals == PACE_PERIODIC && !pace->idle && (s64)(cycles - pace->next) > 0) {
		u64 last = last_passed(pace, cycles - 1);

		passed = last >= pace->tick ? last - pace->tick + 1 : 1;
		go_to(pace, pace->tick + passed);
		return passed;
	}
	while ((s64)(cycles - pace->next) > 0) {
		go_to(pace, pace->tick + 1);
		passed++;
		if (passed % PASSED_BETWEEN_LOOKS == 0 && READ_ONCE(*pace->stop))
			break;
	}
	return passed;
}

u64 pace_wait(struct pace *pace, u64 *due, u64 *ticks)
{
	u64 now;

	*due = pace->next;
	now = wait_until(pace, *due);
	*ticks = 1;
	if (!now)
		return 0;
	if (never_waits(pace))
		*due = now;
	else
		*ticks = pace_pass(pace, now + 1);
	return now;
}

double pace_rate_hz(u64 hz, u64 every_ns)
{
	if (hz)
		return (double)hz;
	return every_ns ? (double)NSEC_PER_SEC / (double)every_ns : (double)INFINITY;
}
