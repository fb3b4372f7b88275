// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How time is kept from drifting.
 *
 * A counter of f Hz that runs p / 2^16 ppb slow makes 1e9 + p / 2^16 nanoseconds of time in f
 * cycles, so one cycle is worth
 *
 *	(1e9 * 2^16 + p) * 2^shift / (f * 2^16)		shifted nanoseconds,
 *
 * and is counted as mult of them. The difference is a fraction, but its denominator f * 2^16 is
 * the same for every mult and every p. That is the unit of `error`: 1 / (f * 2^16) of a shifted
 * nanosecond, in which the error of one cycle is a whole number,
 *
 *	error_per_cycle = (1e9 * 2^16 + p) * 2^shift - mult * f * 2^16,
 *
 * and nothing is ever rounded. The ideal is thus a straight line through every stretch of
 * constant p, joined where p changes: at the counter value of the advance in which it took hold.
 *
 * `error` is what that line is ahead of the counted time at cycle_last, both drawn back from the
 * present with their present slopes. At a counter value `offset` cycles on, the error is
 * error + offset * error_per_cycle; an advance changes slopes, and may change no value, there.
 *
 * steered_mult is the quotient of the worth of a cycle, rounded down, so error_per_cycle is at
 * least 0 and less than f * 2^16 with steered_mult and negative, or at most that, with one more.
 * Each advance looks at the sign of the error at its counter value and takes the mult that brings
 * it back. Hence the bound: between two advances that lie g cycles apart the error moves by less
 * than g units of mult, from 0 if it crosses 0 and towards 0 if not.
 *
 * After a huge gap (a stopped virtual machine) the error may be as large as one unit of mult over
 * the gap, 0.06 to 6 ppm of it for counters of 1 to 100 GHz. It is neither stepped away, which
 * readers would see as a jump, nor forgiven, which would let late ticks add up to a drift, nor
 * chased with a mult further off, which would make every frequency wrong for a while. It is worked
 * off like any other: in about the time of the gap if the worth of a cycle lies halfway between
 * two mults, in much more if it lies close to the one that was not in use, and if it equals that
 * one, the error stays as it is until the frequency is corrected.
 *
 * A change of counter changes f, and with it the unit: what the old counter still owes is in
 * general no whole number of the new one's. It is dropped, never more than the bound above, and the
 * ideal line begins anew at the time that was counted. The frequency correction goes on, so no
 * drift comes of it; and no clock's value, as the error is not part of any.
 */
#include "sim/timekeeper.h"

/* Ends far from where sums of seconds and offsets would wrap. */
#define MAX_TV_SEC ((time_t)1 << 40)

#define PPB_ONE (1ll << TIMEKEEPER_PPB_SHIFT)

static u64 shifted_second(u32 shift)
{
	return (u64)NSEC_PER_SEC << shift;
}

/* Steered up as far as it goes, and raised by the one that works off an error. */
static u64 largest_mult(u64 frequency_hz, u32 shift)
{
	return ((u64)(NSEC_PER_SEC + TIMEKEEPER_MAX_PPB) << shift) / frequency_hz + 1;
}

static bool leaves_room(u64 frequency_hz, u32 max_seconds, u32 shift)
{
	u64 mult = largest_mult(frequency_hz, shift);
	u64 nsec;

	return mult <= UINT32_MAX &&
	       !__builtin_mul_overflow(frequency_hz * max_seconds, mult, &nsec) &&
	       !__builtin_add_overflow(nsec, shifted_second(shift), &nsec);
}

void timekeeper_mult_shift(u64 frequency_hz, u32 max_seconds, u32 *mult, u32 *shift)
{
	u32 s = 32;

	while (s > 0 && !leaves_room(frequency_hz, max_seconds, s))
		s--;
	*shift = s;
	*mult = (u32)((shifted_second(s) + frequency_hz / 2) / frequency_hz);
}

/* The denominator of every error. */
static u64 error_unit(const struct timekeeper *tk)
{
	return tk->frequency_hz << TIMEKEEPER_PPB_SHIFT;
}

/* What a cycle is worth in nanoseconds, as a numerator over error_unit. */
static u64 cycle_worth(const struct timekeeper *tk)
{
	return (u64)(NSEC_PER_SEC * PPB_ONE + tk->steered_ppb);
}

/*
 * Fits in 64 bits because mult is within one of the worth of a cycle; so the low 64 of what it is
 * the difference of are enough.
 */
static s64 error_per_cycle(const struct timekeeper *tk)
{
	return (s64)((cycle_worth(tk) << tk->shift) - tk->mult * error_unit(tk));
}

static void steer_frequency(struct timekeeper *tk)
{
	tk->steered_ppb = tk->ntp_ppb;
	tk->steered_mult = (u32)wide_mul_div(cycle_worth(tk), 1ull << tk->shift, error_unit(tk));
}

static struct timespec difference(struct timespec a, struct timespec b)
{
	struct timespec d = {a.tv_sec - b.tv_sec, a.tv_nsec - b.tv_nsec};

	if (d.tv_nsec < 0) {
		d.tv_nsec += (long)NSEC_PER_SEC;
		d.tv_sec--;
	}
	return d;
}

static u64 interval_cycles(u64 frequency_hz, u64 interval_hz)
{
	return (frequency_hz + interval_hz / 2) / interval_hz;
}

static int check_counter(const struct timekeeper_counter *counter, u64 interval_hz,
			 struct errmsg *err)
{
	u64 hz = counter->frequency_hz;

	if (hz < TIMEKEEPER_MIN_HZ || hz > TIMEKEEPER_MAX_HZ)
		return errmsg_set(err, "counter frequency %llu Hz is not within 1 kHz to 100 GHz",
				  (unsigned long long)hz);
	if (interval_hz < 1 || interval_hz > hz / 2)
		return errmsg_set(err, "%llu intervals a second are not within 1 to %llu",
				  (unsigned long long)interval_hz, (unsigned long long)(hz / 2));
	if (counter->mask & (counter->mask + 1))
		return errmsg_set(err, "counter mask 0x%llx is not of the form 2^n - 1",
				  (unsigned long long)counter->mask);
	/* Half the range tells late from early, and a tick may be an interval late. */
	if (counter->mask / 4 < interval_cycles(hz, interval_hz))
		return errmsg_set(err, "counter mask 0x%llx has no room for four intervals",
				  (unsigned long long)counter->mask);
	return 0;
}

static struct timekeeper_counter counter_of(const struct timekeeper_start *start)
{
	return (struct timekeeper_counter){start->frequency_hz, start->mask, start->clock_mode};
}

static int check_time(const char *name, struct timespec t, struct errmsg *err)
{
	if (t.tv_sec < 0 || t.tv_sec > MAX_TV_SEC)
		return errmsg_set(err, "%s cannot start at %lld s: not within 0 to 2^40", name,
				  (long long)t.tv_sec);
	if (t.tv_nsec < 0 || t.tv_nsec >= (long)NSEC_PER_SEC)
		return errmsg_set(err, "%s cannot start at %ld ns of a second", name, t.tv_nsec);
	return 0;
}

static int check_start(const struct timekeeper_start *start, struct errmsg *err)
{
	const struct timekeeper_counter counter = counter_of(start);

	if (check_counter(&counter, start->interval_hz, err) ||
	    check_time("REALTIME", start->realtime, err) ||
	    check_time("MONOTONIC", start->monotonic, err) ||
	    check_time("BOOTTIME", start->boottime, err))
		return -1;
	if (start->realtime.tv_sec + start->tai_offset_sec < 0)
		return errmsg_set(err, "TAI cannot start %d s from REALTIME: it would be negative",
				  start->tai_offset_sec);
	return 0;
}

/* All that follows from the counter and interval_hz. */
static void take_counter(struct timekeeper *tk, const struct timekeeper_counter *counter)
{
	u64 wraps_sec = counter->mask / counter->frequency_hz;
	u32 max_seconds = TIMEKEEPER_MAX_SECONDS;
	u64 largest;

	/* A counter that wraps sooner need not be planned for longer, and gains precision. */
	if (wraps_sec < max_seconds)
		max_seconds = wraps_sec ? (u32)wraps_sec : 1;
	tk->frequency_hz = counter->frequency_hz;
	tk->mask = counter->mask;
	tk->clock_mode = counter->clock_mode;
	tk->cycle_interval = interval_cycles(tk->frequency_hz, tk->interval_hz);
	timekeeper_mult_shift(tk->frequency_hz, max_seconds, &tk->nominal_mult, &tk->shift);
	largest = (UINT64_MAX - shifted_second(tk->shift)) /
		  largest_mult(tk->frequency_hz, tk->shift);
	tk->max_cycles = largest < tk->mask ? largest : tk->mask;
	steer_frequency(tk);
	tk->mult = tk->steered_mult;
	tk->error = (struct wide){0, 0};
}

/* This state begins at a counter value, where the one before ended at a value of its counter. */
static void join(struct timekeeper *tk, u64 ended_cycles, u64 began_cycles)
{
	tk->ended_cycles = ended_cycles;
	tk->began_cycles = began_cycles;
}

int timekeeper_init(struct timekeeper *tk, const struct timekeeper_start *start, u64 cycles,
		    struct errmsg *err)
{
	const struct timekeeper_counter counter = counter_of(start);

	if (check_start(start, err))
		return -1;
	*tk = (struct timekeeper){
		.cycle_last = cycles & start->mask,
		.interval_hz = start->interval_hz,
	};
	take_counter(tk, &counter);
	join(tk, tk->cycle_last, tk->cycle_last);
	tk->realtime_sec = (u64)start->realtime.tv_sec;
	tk->realtime_nsec = (u64)start->realtime.tv_nsec << tk->shift;
	tk->coarse_nsec = (u32)start->realtime.tv_nsec;
	tk->raw_sec = (u64)start->monotonic.tv_sec;
	tk->raw_nsec = (u64)start->monotonic.tv_nsec << tk->shift;
	tk->wall_to_monotonic = difference(start->monotonic, start->realtime);
	tk->boot_offset = difference(start->boottime, start->monotonic);
	tk->tai_offset_sec = start->tai_offset_sec;
	return 0;
}

static u64 cycles_since_last(const struct timekeeper *tk, u64 cycles)
{
	u64 delta = (cycles - tk->cycle_last) & tk->mask;

	return delta > tk->mask / 2 ? 0 : delta;
}

/* A division only when a second is full; in 128 bits, because a tick may be years late. */
static void accumulate(u64 *sec, u64 *nsec, u32 shift, u64 cycles, u32 mult)
{
	u64 second = shifted_second(shift);
	struct wide sum = wide_add(wide_mul(cycles, mult), (struct wide){.low = *nsec});

	if (sum.high || sum.low >= second)
		*sec += wide_div(sum, second, nsec).low;
	else
		*nsec = sum.low;
}

/*
 * `by` is less than a second and, downwards, less than what was accumulated just before: the
 * seconds that are borrowed from are there.
 */
static void move_realtime(struct timekeeper *tk, s64 by)
{
	s64 second = (s64)shifted_second(tk->shift);
	s64 nsec = (s64)tk->realtime_nsec + by;

	if (nsec < 0) {
		nsec += second;
		tk->realtime_sec--;
	} else if (nsec >= second) {
		nsec -= second;
		tk->realtime_sec++;
	}
	tk->realtime_nsec = (u64)nsec;
}

/* Changes slopes at `offset` cycles after cycle_last, and no value there. */
static void steer(struct timekeeper *tk, u64 offset)
{
	s64 old_error_per_cycle = error_per_cycle(tk);
	struct wide error = wide_add(tk->error, wide_mul_signed(offset, old_error_per_cycle));
	bool behind = !wide_is_negative(error) && !wide_is_zero(error);
	u32 old_mult = tk->mult;

	if (tk->steered_ppb != tk->ntp_ppb)
		steer_frequency(tk);
	tk->mult = tk->steered_mult + behind;
	tk->error = wide_add(tk->error,
			     wide_mul_signed(offset, old_error_per_cycle - error_per_cycle(tk)));
	move_realtime(tk, ((s64)old_mult - (s64)tk->mult) * (s64)offset);
}

static void accumulate_cycles(struct timekeeper *tk, u64 cycles)
{
	accumulate(&tk->realtime_sec, &tk->realtime_nsec, tk->shift, cycles, tk->mult);
	accumulate(&tk->raw_sec, &tk->raw_nsec, tk->shift, cycles, tk->nominal_mult);
	tk->error = wide_add(tk->error, wide_mul_signed(cycles, error_per_cycle(tk)));
	tk->cycle_last = (tk->cycle_last + cycles) & tk->mask;
}

static void take_coarse(struct timekeeper *tk)
{
	tk->coarse_nsec = (u32)(tk->realtime_nsec >> tk->shift);
}

u64 timekeeper_advance(struct timekeeper *tk, u64 cycles)
{
	u64 delta = cycles_since_last(tk, cycles);
	u64 intervals = delta / tk->cycle_interval;
	u64 whole = intervals * tk->cycle_interval;

	if (!intervals)
		return 0;
	accumulate_cycles(tk, whole);
	steer(tk, delta - whole);
	take_coarse(tk);
	join(tk, cycles & tk->mask, cycles & tk->mask);
	return intervals;
}

void timekeeper_forward(struct timekeeper *tk, u64 cycles)
{
	accumulate_cycles(tk, cycles_since_last(tk, cycles));
	steer(tk, 0);
	take_coarse(tk);
	join(tk, tk->cycle_last, tk->cycle_last);
}

/* Rounded down, so that nanoseconds are not negative. */
static struct timespec timespec_of(s64 ns)
{
	s64 sec = ns / (s64)NSEC_PER_SEC;
	s64 nsec = ns % (s64)NSEC_PER_SEC;

	if (nsec < 0) {
		nsec += (s64)NSEC_PER_SEC;
		sec--;
	}
	return (struct timespec){.tv_sec = (time_t)sec, .tv_nsec = (long)nsec};
}

static struct timespec sum(struct timespec a, struct timespec b)
{
	struct timespec s = {a.tv_sec + b.tv_sec, a.tv_nsec + b.tv_nsec};

	if (s.tv_nsec >= (long)NSEC_PER_SEC) {
		s.tv_nsec -= (long)NSEC_PER_SEC;
		s.tv_sec++;
	}
	return s;
}

/* REALTIME moves; MONOTONIC, and BOOTTIME which hangs on it, do not. */
static int set_realtime(struct timekeeper *tk, struct timespec by, s32 tai_by, struct errmsg *err)
{
	u64 second = shifted_second(tk->shift);
	u64 nsec = tk->realtime_nsec + ((u64)by.tv_nsec << tk->shift);
	u64 carry = nsec >= second;
	s64 sec = (s64)(tk->realtime_sec + (u64)by.tv_sec + carry);
	s64 tai_offset_sec = (s64)tk->tai_offset_sec + tai_by;

	if (sec < 0 || sec > MAX_TV_SEC)
		return errmsg_set(err, "REALTIME cannot move to %lld s: not within 0 to 2^40",
				  (long long)sec);
	if (tai_offset_sec < INT32_MIN || tai_offset_sec > INT32_MAX || sec + tai_offset_sec < 0)
		return errmsg_set(err,
				  "REALTIME cannot move to %lld s: TAI, %lld s from it, would "
				  "be out of range",
				  (long long)sec, (long long)tai_offset_sec);
	tk->realtime_sec = (u64)sec;
	tk->realtime_nsec = nsec - carry * second;
	tk->wall_to_monotonic = difference(tk->wall_to_monotonic, by);
	tk->tai_offset_sec = (s32)tai_offset_sec;
	take_coarse(tk);
	return 0;
}

int timekeeper_step(struct timekeeper *tk, s64 ns, struct errmsg *err)
{
	if (set_realtime(tk, timespec_of(ns), 0, err))
		return -1;
	tk->steps++;
	return 0;
}

int timekeeper_leap(struct timekeeper *tk, int seconds, struct errmsg *err)
{
	if (seconds != 1 && seconds != -1)
		return errmsg_set(err, "%d leap seconds at once: only 1 or -1", seconds);
	if (set_realtime(tk, (struct timespec){.tv_sec = seconds}, -seconds, err))
		return -1;
	tk->leaps++;
	return 0;
}

int timekeeper_resume(struct timekeeper *tk, u64 cycles, u64 asleep_ns, struct errmsg *err)
{
	const struct timespec asleep = {
		.tv_sec = (time_t)(asleep_ns / NSEC_PER_SEC),
		.tv_nsec = (long)(asleep_ns % NSEC_PER_SEC),
	};

	if (set_realtime(tk, asleep, 0, err))
		return -1;
	tk->boot_offset = sum(tk->boot_offset, asleep);
	join(tk, tk->cycle_last, cycles & tk->mask);
	tk->cycle_last = tk->began_cycles;
	steer(tk, 0);
	tk->suspends++;
	return 0;
}

static u64 rescale(u64 nsec, u32 from_shift, u32 to_shift)
{
	return to_shift > from_shift ? nsec << (to_shift - from_shift)
				     : nsec >> (from_shift - to_shift);
}

int timekeeper_change_counter(struct timekeeper *tk, const struct timekeeper_counter *counter,
			      u64 cycles, struct errmsg *err)
{
	u32 old_shift = tk->shift;

	if (check_counter(counter, tk->interval_hz, err))
		return -1;
	take_counter(tk, counter);
	tk->realtime_nsec = rescale(tk->realtime_nsec, old_shift, tk->shift);
	tk->raw_nsec = rescale(tk->raw_nsec, old_shift, tk->shift);
	join(tk, tk->cycle_last, cycles & tk->mask);
	tk->cycle_last = tk->began_cycles;
	tk->counter_changes++;
	return 0;
}

u64 timekeeper_jumps(const struct timekeeper *tk, clockid_t clock)
{
	switch (clock) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
		return tk->steps + tk->leaps + tk->suspends;
	case CLOCK_TAI:
		return tk->steps + tk->suspends;
	case CLOCK_BOOTTIME:
		return tk->suspends;
	default:
		return 0;
	}
}

int timekeeper_set_frequency(struct timekeeper *tk, s64 ppb_shifted, struct errmsg *err)
{
	const s64 limit = TIMEKEEPER_MAX_PPB * PPB_ONE;

	if (ppb_shifted < -limit || ppb_shifted > limit)
		return errmsg_set(err, "frequency correction %.3f ppm is beyond %d ppm",
				  (double)ppb_shifted / (1000.0 * (double)PPB_ONE),
				  TIMEKEEPER_MAX_PPB / 1000);
	tk->ntp_ppb = ppb_shifted;
	return 0;
}
