/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's timekeeper in miniature: it turns a counter into the clocks of the page.
 *
 * Time is kept as whole seconds and nanoseconds << shift at the counter value cycle_last, and
 * ticks on in whole intervals of cycle_interval cycles; what is left of an interval stays in the
 * counter until it is whole. What else is done to time begins by bringing it up to a counter value.
 * mult is steered so that time follows the counter's frequency, corrected by the NTP frequency,
 * without drift: the error is added up exactly, and mult is raised by one for as long as time is
 * behind.
 *
 * So time is never further from its ideal than one unit of mult makes over the longest stretch
 * between two advances (cycles >> shift nanoseconds), however long it runs.
 *
 * Nothing here is locked: one thread at a time may use a timekeeper.
 */
#ifndef SIM_TIMEKEEPER_H
#define SIM_TIMEKEEPER_H

#include <time.h>

#include "sim/errmsg.h"
#include "sim/page.h"
#include "sim/types.h"
#include "sim/wide.h"

#define TIMEKEEPER_MIN_HZ 1000u
#define TIMEKEEPER_MAX_HZ 100000000000u

/*
 * Seconds. So long after an update a reader's arithmetic may need 128 bits, and not before, unless
 * the counter wraps. The kernel plans for ten minutes as well.
 */
#define TIMEKEEPER_MAX_SECONDS 600u

#define TIMEKEEPER_PPB_SHIFT 16
#define TIMEKEEPER_MAX_PPB   500000

struct timekeeper {
	/* Constants of the counter. */
	u64 frequency_hz;
	u64 mask;	  /* of the counter's width */
	u64 max_cycles;	  /* largest delta that a reader may turn into time in 64 bits */
	u32 shift;	  /* at most 32 */
	u32 nominal_mult; /* never steered; raw time uses it */
	/*
	 * Only published: nothing here looks at it. Its owner may set it to VDSO_CLOCKMODE_NONE, so
	 * that readers are told of no counter while time is kept by it all the same, and back.
	 */
	s32 clock_mode;

	/* The interval of accumulation. */
	u64 interval_hz; /* as asked for */
	u64 cycle_interval;

	/* State at cycle_last. */
	u64 cycle_last;
	u32 mult; /* steered_mult or one more */
	u64 realtime_sec;
	u64 realtime_nsec; /* << shift, less than a second */
	u64 raw_sec;
	u64 raw_nsec; /* << shift, less than a second */
	/*
	 * Plain, goes with realtime_sec. Here always realtime_nsec >> shift; a field of its own so
	 * that a stamp can tell the coarse clocks from the others.
	 */
	u32 coarse_nsec;

	/* REALTIME + wall_to_monotonic = MONOTONIC; MONOTONIC + boot_offset = BOOTTIME. */
	struct timespec wall_to_monotonic; /* tv_nsec is 0 to 999 999 999 */
	struct timespec boot_offset;	   /* the same */
	s32 tai_offset_sec;		   /* TAI = REALTIME + this */

	/* Steering. */
	s64 ntp_ppb;	   /* frequency correction asked for, in 2^-16 parts per billion */
	s64 steered_ppb;   /* the one in force */
	u32 steered_mult;  /* largest mult that does not run fast under steered_ppb */
	struct wide error; /* signed: ideal time less time counted; unit: see the .c */

	/*
	 * Where this state begins, and where the one before it ended: one moment, as the counter of
	 * each tells it. They differ after a resume or a change of counter. Every clock that was
	 * not made to jump says the same there under both states. A step and a leap leave them
	 * alone.
	 */
	u64 ended_cycles;
	u64 began_cycles;

	/* How often each was asked for. */
	u64 steps;
	u64 leaps;
	u64 suspends;
	u64 counter_changes;
};

/*
 * mult and shift that turn cycles of a counter of frequency_hz (TIMEKEEPER_MIN_HZ to
 * TIMEKEEPER_MAX_HZ) into nanoseconds. mult is rounded to nearest; shift is the largest, up to 32,
 * that leaves room for this: mult steered as far up as it goes fits in 32 bits, and what a reader
 * computes max_seconds (1 to 86400) after an update, cycles * mult plus a base of less than a
 * second, in 64.
 */
void timekeeper_mult_shift(u64 frequency_hz, u32 max_seconds, u32 *mult, u32 *shift);

/* What a timekeeper starts from. The times are not negative, tv_sec at most 2^40. */
struct timekeeper_start {
	u64 frequency_hz; /* TIMEKEEPER_MIN_HZ to TIMEKEEPER_MAX_HZ */
	u64 mask;	  /* 2^n - 1, room for four intervals at least */
	s32 clock_mode;
	u64 interval_hz; /* intervals of accumulation in a second, 1 to frequency_hz / 2 */
	struct timespec realtime;
	struct timespec monotonic;
	struct timespec boottime;
	s32 tai_offset_sec;
};

/*
 * Starts a timekeeper at counter value `cycles`; RAW starts at the value of MONOTONIC. An interval
 * is rounded to the nearest whole cycle. Returns 0, or -1 with a sentence in *err when a value is
 * out of range; *tk is then unchanged.
 */
int timekeeper_init(struct timekeeper *tk, const struct timekeeper_start *start, u64 cycles,
		    struct errmsg *err);

/*
 * Accumulates every whole interval that lies between cycle_last and `cycles`, steers mult, and
 * carries into seconds. The time at `cycles` is the same, to the fraction of a nanosecond, before
 * and after. A counter value before cycle_last counts as no time passed; "before" is what lies
 * more than half the counter's range ahead. Returns how many intervals were accumulated, 0 if none
 * was whole; the state is then unchanged. Takes no longer for many intervals than for one.
 *
 * Beyond `cycles` the slopes differ: a reader that still has the state before parts from one that
 * has the state after by the change of mult times the cycles since, so publish soon. The dither of
 * one unit stays below the worth of a cycle for the first `mult` cycles; a step in frequency of
 * n ppm takes time back, or on, by n ns for each ms that passes before it is published.
 *
 * Coarse time never goes back: a mult steered up makes the base at cycle_last earlier, but by no
 * more than about a thousandth of an interval, and at least one whole interval has been added.
 */
u64 timekeeper_advance(struct timekeeper *tk, u64 cycles);

/*
 * Accumulates all that lies between cycle_last and `cycles`, the part of an interval included, and
 * steers mult: cycle_last becomes `cycles`, and the next interval begins there. No clock's value
 * there changes, not even by a fraction of a nanosecond; coarse time moves on to it. "Before" is
 * as above: a counter value before cycle_last leaves all values, and cycle_last, as they are.
 *
 * It is the first half of what follows. Whoever checks that clocks do not jump (sim/oracle.h) has
 * to be told of every state between two moments: after a timekeeper_advance that did not return 0,
 * or a timekeeper_forward with any number of timekeeper_step and timekeeper_leap or one
 * timekeeper_resume or one timekeeper_change_counter, before the next.
 *
 * Before a resume or a change of counter, readers must wait from before the counter value is read
 * that this is given, until the update is published: one that read the old counter later would tell
 * a time that is then taken back.
 */
void timekeeper_forward(struct timekeeper *tk, u64 cycles);

/*
 * Sets the clock: REALTIME, its coarse clock and TAI move by `ns` from cycle_last on, the others
 * do not. Returns 0, or -1 with a sentence in *err when REALTIME would leave 0 to 2^40 s or TAI
 * would be negative; *tk is then unchanged.
 */
int timekeeper_step(struct timekeeper *tk, s64 ns, struct errmsg *err);

/*
 * A leap second: REALTIME and its coarse clock move by `seconds`, 1 to delete one and -1 to insert
 * one, from cycle_last on; TAI and the others do not. When a second ends is the caller's business.
 * Returns as timekeeper_step does, and -1 for other numbers of seconds.
 */
int timekeeper_leap(struct timekeeper *tk, int seconds, struct errmsg *err);

/*
 * Goes on after a sleep of `asleep_ns`, which began at cycle_last: call timekeeper_forward with the
 * counter value of that moment before. MONOTONIC, its coarse clock and RAW go on from where they
 * stood; REALTIME, its coarse clock, TAI and BOOTTIME have moved on by `asleep_ns`. cycle_last
 * becomes `cycles`, the counter value now, which the sleep may have changed to anything. mult is
 * steered. Returns as timekeeper_step does.
 */
int timekeeper_resume(struct timekeeper *tk, u64 cycles, u64 asleep_ns, struct errmsg *err);

/* A counter to keep time by; the ranges are those of struct timekeeper_start. */
struct timekeeper_counter {
	u64 frequency_hz;
	u64 mask;
	s32 clock_mode;
};

/*
 * Keeps time by another counter, which says `cycles` when the old one says cycle_last: call
 * timekeeper_forward with the old counter's value of that moment before. mult, shift, max_cycles
 * and cycle_interval become those of a start with this counter; interval_hz and the frequency
 * correction stay. Clocks say the same nanosecond there as before, at most a fraction of one is
 * dropped; and the error is forgotten (see the .c). Returns 0, or -1 with a sentence in *err when a
 * value is out of range; *tk is then unchanged.
 */
int timekeeper_change_counter(struct timekeeper *tk, const struct timekeeper_counter *counter,
			      u64 cycles, struct errmsg *err);

/*
 * How often a clock was made to jump so far: by steps, leaps and suspends REALTIME and its coarse
 * clock, by steps and suspends TAI, by suspends BOOTTIME; the others, and what is no clock, never.
 */
u64 timekeeper_jumps(const struct timekeeper *tk, clockid_t clock);

/*
 * Number of the counter: rises by one whenever counter values begin anew, with a resume or a change
 * of counter. Values of different numbers cannot be compared.
 */
static inline u64 timekeeper_counter_number(const struct timekeeper *tk)
{
	return tk->suspends + tk->counter_changes;
}

/*
 * Sets the NTP frequency correction, in 2^-16 parts per billion, within ±TIMEKEEPER_MAX_PPB; -1
 * with a sentence in *err beyond. It takes hold where mult is steered next: at `cycles` of a
 * timekeeper_advance that does not return 0, of a timekeeper_forward, timekeeper_resume or
 * timekeeper_change_counter. Raw time is not touched.
 */
int timekeeper_set_frequency(struct timekeeper *tk, s64 ppb_shifted, struct errmsg *err);

static inline void timekeeper_add_offset(struct vdso_timestamp *base, struct timespec offset,
					 u32 shift)
{
	u64 second = (u64)NSEC_PER_SEC << shift;

	base->sec += (u64)offset.tv_sec;
	base->nsec += (u64)offset.tv_nsec << shift;
	if (base->nsec >= second) {
		base->nsec -= second;
		base->sec++;
	}
}

/*
 * What an update publishes for a clock: seconds, and nanoseconds << shift of less than a second;
 * plain nanoseconds for the coarse clocks. Zeros for a clock id that the page does not have.
 *
 * Inline because the writer computes it while it holds the sequence odd, as the kernel does: its
 * cost is part of the hold. With a constant clock id no branch but the carry is left.
 */
static inline void timekeeper_base(const struct timekeeper *tk, clockid_t clock,
				   struct vdso_timestamp *base)
{
	bool coarse = clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE;
	u32 shift = coarse ? 0 : tk->shift;

	*base = (struct vdso_timestamp){tk->realtime_sec,
					coarse ? tk->coarse_nsec : tk->realtime_nsec};
	switch (clock) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
		break;
	case CLOCK_BOOTTIME:
		timekeeper_add_offset(base, tk->boot_offset, shift);
		__attribute__((fallthrough));
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_COARSE:
		timekeeper_add_offset(base, tk->wall_to_monotonic, shift);
		break;
	case CLOCK_TAI:
		base->sec += (u64)(s64)tk->tai_offset_sec;
		break;
	case CLOCK_MONOTONIC_RAW:
		*base = (struct vdso_timestamp){tk->raw_sec, tk->raw_nsec};
		break;
	default:
		*base = (struct vdso_timestamp){0, 0};
		break;
	}
}

#endif /* SIM_TIMEKEEPER_H */
