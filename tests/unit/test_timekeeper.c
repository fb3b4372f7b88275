// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The timekeeper against arithmetic in 128 bits, which rounds nothing.
 *
 * The bound that every run here is held to, at every tick: time is within one unit of mult, over
 * the longest stretch between two advances so far, of the ideal. In nanoseconds that is the
 * stretch's cycles >> shift, and one more for a reader, who drops the fraction. With one tick an
 * interval it is, for 2.596122 GHz and a shift of 24, 155 ns at 1 interval a second, 1.5 ns at
 * 100, 0.15 ns at 1000; it does not depend on how long a run lasts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "sim/timekeeper.h"
#include "tests/unit/big.h"
#include "tests/unit/clock_values.h"

static const u64 frequencies[] = {19200000, 24000000, 1000000000, 2596122000, 3333333333};
static const u64 interval_rates[] = {1, 100, 250, 1000, 1000000};
static const clockid_t steered_clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME,
					   CLOCK_TAI};

#define PPB(n)	     ((s64)(n) * (1 << TIMEKEEPER_PPB_SHIFT))
#define MAX_STEERING PPB(TIMEKEEPER_MAX_PPB)
#define MINUTE	     60
#define DAY	     86400

/* 2^-16 ppb are the finest step there is; the last two are of no particular value. */
static const s64 steerings[] = {0, 1, -1, MAX_STEERING, -MAX_STEERING, PPB(12345) + 6789, -777777};

static u64 random_state;

static u64 random_below(u64 limit)
{
	u64 x = random_state += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return (x ^ x >> 31) % limit;
}

/* One timekeeper, and beside it what it should have come to. */
struct run {
	struct timekeeper tk;
	struct timekeeper_start start;
	u64 begin;   /* counter value at the start */
	u64 now;     /* counter value of the last tick, not masked */
	u64 since;   /* that of the last tick that accumulated */
	u64 longest; /* stretch between two of those */
	s64 ppb;     /* steering in force */
	big ideal;   /* steered time since the start, at `since`, over hz * 2^16 */
	big seen;    /* REALTIME at `now`, shifted */
};

static void check(const struct run *run, bool holds, const char *claim)
{
	if (!holds)
		fail_msg("%s: %llu Hz, %llu intervals a second, steered by %lld, %llu cycles on",
			 claim, (unsigned long long)run->start.frequency_hz,
			 (unsigned long long)run->start.interval_hz, (long long)run->ppb,
			 (unsigned long long)(run->now - run->begin));
}

static u64 unit_of(const struct run *run)
{
	return run->start.frequency_hz << TIMEKEEPER_PPB_SHIFT;
}

/* What a cycle should be worth in shifted nanoseconds, over hz * 2^16. */
static big worth_of(const struct run *run)
{
	return big_shift_left(big_of((u64)(PPB(NSEC_PER_SEC) + run->ppb)), run->tk.shift);
}

static struct timekeeper_start ordinary_start(u64 frequency_hz, u64 interval_hz)
{
	return (struct timekeeper_start){.frequency_hz = frequency_hz,
					 .mask = UINT64_MAX,
					 .clock_mode = VDSO_CLOCKMODE_TSC,
					 .interval_hz = interval_hz,
					 .realtime = {1700000000, 999999999},
					 .monotonic = {4321, 123456789},
					 .boottime = {54321, 23456789},
					 .tai_offset_sec = 37};
}

static void start_run(struct run *run, struct timekeeper_start start, u64 cycles)
{
	struct errmsg err;

	*run = (struct run){.start = start, .begin = cycles, .now = cycles, .since = cycles};
	assert_int_equal(timekeeper_init(&run->tk, &start, cycles, &err), 0);
	run->seen = base_of(&run->tk, CLOCK_REALTIME);
	random_state = start.frequency_hz + start.interval_hz;
}

static void set_frequency(struct run *run, s64 ppb_shifted)
{
	struct errmsg err;

	assert_int_equal(timekeeper_set_frequency(&run->tk, ppb_shifted, &err), 0);
}

static void check_continuity(const struct run *run, const struct timekeeper *before)
{
	s64 turn = (s64)run->tk.mult - (s64)before->mult;
	u64 cycles = run->now;

	for (size_t i = 0; i < ARRAY_SIZE(steered_clocks); i++)
		check(run,
		      big_equal(shifted_at(before, steered_clocks[i], cycles),
				shifted_at(&run->tk, steered_clocks[i], cycles)),
		      "a steered clock jumps");
	check(run,
	      big_equal(shifted_at(before, CLOCK_MONOTONIC_RAW, cycles),
			shifted_at(&run->tk, CLOCK_MONOTONIC_RAW, cycles)),
	      "raw time jumps");

	/* A reader whose counter value lies elsewhere meets the change of slope, and no more. */
	cycles += random_below(1000);
	for (int side = 0; side < 2; side++) {
		s64 away = (s64)(cycles - run->now) * turn;
		s64 jump = (s64)(read_ns(&run->tk, CLOCK_MONOTONIC, cycles) -
				 read_ns(before, CLOCK_MONOTONIC, cycles));
		s64 most = ((away < 0 ? -away : away) >> run->tk.shift) + 1;

		check(run, jump >= -most && jump <= most, "a reader near the update sees a jump");
		cycles = run->tk.cycle_last + (run->now - run->tk.cycle_last) / 2;
	}
}

static void check_offset(const struct run *run, clockid_t clock, struct timespec from)
{
	const struct timespec *realtime = &run->start.realtime;
	big sec = big_of_signed((s64)from.tv_sec - (s64)realtime->tv_sec);
	big nsec = big_of_signed((s64)from.tv_nsec - (s64)realtime->tv_nsec);
	big offset = big_shift_left(big_add(big_mul(sec, NSEC_PER_SEC), nsec), run->tk.shift);

	check(run,
	      big_equal(big_sub(base_of(&run->tk, clock), base_of(&run->tk, CLOCK_REALTIME)),
			offset),
	      "a clock loses its offset");
}

static void check_offsets(const struct run *run)
{
	struct timespec tai = run->start.realtime;

	tai.tv_sec += run->start.tai_offset_sec;
	check_offset(run, CLOCK_MONOTONIC, run->start.monotonic);
	check_offset(run, CLOCK_BOOTTIME, run->start.boottime);
	check_offset(run, CLOCK_TAI, tai);
}

static void check_carries(const struct run *run)
{
	struct vdso_timestamp base;
	u64 second = second_of(&run->tk);

	for (size_t i = 0; i < ARRAY_SIZE(steered_clocks); i++) {
		timekeeper_base(&run->tk, steered_clocks[i], &base);
		check(run, base.nsec < second, "a second is not carried");
	}
	timekeeper_base(&run->tk, CLOCK_MONOTONIC_RAW, &base);
	check(run, base.nsec < second, "a raw second is not carried");
	timekeeper_base(&run->tk, CLOCK_MONOTONIC_COARSE, &base);
	check(run, base.nsec < NSEC_PER_SEC, "a coarse second is not carried");
}

static void check_coarse(const struct run *run, const struct timekeeper *before)
{
	static const clockid_t pairs[][2] = {{CLOCK_REALTIME_COARSE, CLOCK_REALTIME},
					     {CLOCK_MONOTONIC_COARSE, CLOCK_MONOTONIC}};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		big coarse = base_of(&run->tk, pairs[i][0]);

		check(run,
		      big_equal(coarse,
				big_div(base_of(&run->tk, pairs[i][1]), 1ull << run->tk.shift)),
		      "coarse time is not the base");
		check(run, big_compare(coarse, base_of(before, pairs[i][0])) >= 0,
		      "coarse time goes back");
	}
}

/* Where a clock started, in shifted nanoseconds. */
static big start_of(const struct timekeeper *tk, const struct timespec *from)
{
	big sec = big_product((u64)from->tv_sec, second_of(tk));

	return big_add(sec, big_of((u64)from->tv_nsec << tk->shift));
}

static void check_raw(const struct run *run)
{
	const struct timekeeper *tk = &run->tk;
	big passed = big_product(run->now - run->begin, tk->nominal_mult);

	check(run,
	      big_equal(shifted_at(tk, CLOCK_MONOTONIC_RAW, run->now),
			big_add(start_of(tk, &run->start.monotonic), passed)),
	      "raw time is not cycles * nominal_mult");
}

/* How far the ideal is ahead of time at the last tick, over hz * 2^16. */
static big behind(const struct run *run)
{
	const struct timekeeper *tk = &run->tk;
	big passed = big_sub(shifted_at(tk, CLOCK_REALTIME, run->now),
			     start_of(tk, &run->start.realtime));

	return big_sub(run->ideal, big_mul(passed, unit_of(run)));
}

static void check_bound(const struct run *run)
{
	big bound = big_product(unit_of(run), run->longest);
	big slow = big_product(unit_of(run), run->tk.steered_mult);
	big fraction = big_sub(worth_of(run), slow);

	check(run, big_compare(big_magnitude(behind(run)), bound) <= 0, "time leaves its bound");
	check(run,
	      big_compare(fraction, big_of(0)) >= 0 &&
		      big_compare(fraction, big_of(unit_of(run))) < 0,
	      "steered_mult is not the frequency rounded down");
	check(run, run->tk.mult == run->tk.steered_mult || run->tk.mult == run->tk.steered_mult + 1,
	      "mult is not one of the two it may be");
}

static void check_accumulated(struct run *run, const struct timekeeper *before)
{
	u64 stretch = run->now - run->since;

	run->ideal = big_add(run->ideal, big_mul(worth_of(run), stretch));
	run->ppb = run->tk.ntp_ppb;
	run->since = run->now;
	if (run->longest < stretch)
		run->longest = stretch;
	check_continuity(run, before);
	check_coarse(run, before);
	check_raw(run);
	check_offsets(run);
	check_carries(run);
	check_bound(run);
}

/* One tick, `cycles` after the one before, and all that must hold of it. */
static void tick(struct run *run, u64 cycles)
{
	u64 start_of_interval = run->tk.cycle_last;
	struct timekeeper before;
	u64 intervals;
	big seen;

	memcpy(&before, &run->tk, sizeof(before));
	run->now += cycles;
	intervals = ((run->now - start_of_interval) & run->tk.mask) / run->tk.cycle_interval;
	check(run, timekeeper_advance(&run->tk, run->now) == intervals, "intervals are miscounted");
	check(run,
	      run->tk.cycle_last ==
		      ((start_of_interval + intervals * run->tk.cycle_interval) & run->tk.mask),
	      "cycle_last is not at the start of an interval");
	if (intervals)
		check_accumulated(run, &before);
	else
		check(run, memcmp(&before, &run->tk, sizeof(before)) == 0,
		      "state changes without a whole interval");
	seen = shifted_at(&run->tk, CLOCK_REALTIME, run->now);
	check(run, big_compare(seen, run->seen) >= 0, "time goes back");
	run->seen = seen;
}

enum rhythm {
	REGULAR,   /* one an interval, but never at its end */
	EARLY,	   /* up to half an interval: most accumulate nothing */
	IRREGULAR, /* up to two intervals */
	LATE,	   /* irregular, and a few up to a thousand intervals late */
	RHYTHMS
};

static u64 next_gap(const struct run *run, enum rhythm rhythm)
{
	u64 interval = run->tk.cycle_interval;

	switch (rhythm) {
	case REGULAR:
		return run->now == run->begin ? interval + interval / 3 : interval;
	case EARLY:
		return random_below(interval / 2 + 1);
	case LATE:
		if (random_below(64) == 0)
			return random_below(1000 * interval);
		__attribute__((fallthrough));
	default:
		return random_below(2 * interval + 1);
	}
}

static void for_each_counter(void (*test)(u64 frequency_hz, u64 interval_hz))
{
	for (size_t f = 0; f < ARRAY_SIZE(frequencies); f++)
		for (size_t i = 0; i < ARRAY_SIZE(interval_rates); i++)
			test(frequencies[f], interval_rates[i]);
}

static void steadily_steered(u64 frequency_hz, u64 interval_hz)
{
	for (size_t s = 0; s < ARRAY_SIZE(steerings); s++)
		for (enum rhythm rhythm = 0; rhythm < RHYTHMS; rhythm++) {
			struct run run;

			start_run(&run, ordinary_start(frequency_hz, interval_hz), 987654321);
			set_frequency(&run, steerings[s]);
			for (int i = 0; i < 3000; i++)
				tick(&run, next_gap(&run, rhythm));
		}
}

static void test_steady_steering(void **state)
{
	(void)state;
	for_each_counter(steadily_steered);
}

static void differently_steered(u64 frequency_hz, u64 interval_hz)
{
	for (enum rhythm rhythm = 0; rhythm < RHYTHMS; rhythm++) {
		struct run run;

		start_run(&run, ordinary_start(frequency_hz, interval_hz), UINT64_MAX - 12345);
		for (int i = 0; i < 20000; i++) {
			if (random_below(20) == 0)
				set_frequency(&run, steerings[random_below(ARRAY_SIZE(steerings))]);
			tick(&run, next_gap(&run, rhythm));
		}
	}
}

static void test_changing_steering(void **state)
{
	(void)state;
	for_each_counter(differently_steered);
}

/*
 * Three days with a tick about every ten seconds, whatever the interval: an error that grew would
 * pass the bound of 21 seconds' worth of one unit of mult ten thousand times over.
 */
static void days_long(u64 frequency_hz, u64 interval_hz)
{
	for (size_t s = 0; s < ARRAY_SIZE(steerings); s++) {
		struct run run;

		start_run(&run, ordinary_start(frequency_hz, interval_hz), 0);
		set_frequency(&run, steerings[s]);
		while (run.now < 3 * DAY * frequency_hz)
			tick(&run, random_below(20 * frequency_hz) + 1);
		assert_true(run.longest <= 21 * frequency_hz);
	}
}

static void test_days(void **state)
{
	(void)state;
	for_each_counter(days_long);
}

/* The same in a reader's own terms, nothing shifted, and with no tick left out. */
static void every_tick(u64 frequency_hz, u64 interval_hz, u64 seconds, s64 ppb)
{
	struct timekeeper_start start = ordinary_start(frequency_hz, interval_hz);
	u64 first, cycles, end = seconds * frequency_hz;
	struct timekeeper tk;
	struct errmsg err;
	s64 slack, from;

	assert_int_equal(timekeeper_init(&tk, &start, 0, &err), 0);
	assert_int_equal(timekeeper_set_frequency(&tk, PPB(ppb), &err), 0);
	first = cycles = tk.cycle_interval;
	timekeeper_advance(&tk, first);
	from = (s64)read_ns(&tk, CLOCK_MONOTONIC, first);
	slack = (s64)(2 * tk.cycle_interval >> tk.shift) + 2;
	for (u64 i = 0; cycles < end; i++) {
		cycles += tk.cycle_interval + (i & 1);
		timekeeper_advance(&tk, cycles);
		if (i % 16 == 0) {
			big passed = big_product(cycles - first, (u64)(NSEC_PER_SEC + ppb));
			s64 ideal = (s64)big_low(big_div(passed, frequency_hz));
			s64 error = (s64)read_ns(&tk, CLOCK_MONOTONIC, cycles) - from - ideal;

			assert_in_range(error + slack, 0, 2 * slack);
		}
	}
}

static void test_every_tick(void **state)
{
	(void)state;
	every_tick(2596122000, 100, DAY, 0);
	every_tick(3333333333, 1000, 20 * MINUTE, 499999);
	every_tick(19200000, 1000000, 2, -31);
	every_tick(24000000, 250, 3 * 60 * MINUTE, -500000);
}

/*
 * At 24 MHz a cycle is worth two thirds of the way from one mult to the next. Two seconds make
 * time fall behind, so mult is raised by one; the hour puts it ahead by a third of an hour's worth
 * of one unit. The other way round it is behind by two thirds, and needs two hours.
 */
static void one_late_tick(u64 ticks_before, u64 ticks_until_recovered)
{
	big error, tick_bound;
	struct run run;
	u64 hz = 24000000;

	start_run(&run, ordinary_start(hz, 1), 1000);
	for (u64 i = 0; i < ticks_before; i++)
		tick(&run, hz);
	tick_bound = big_product(unit_of(&run), hz);
	tick(&run, 60 * MINUTE * hz);
	error = big_magnitude(behind(&run));
	assert_true(big_compare(error, big_mul(tick_bound, 1000)) > 0);
	for (u64 i = 0; big_compare(error, tick_bound) > 0; i++) {
		big before = error;

		assert_true(i <= ticks_until_recovered);
		tick(&run, hz);
		error = big_magnitude(behind(&run));
		assert_true(big_compare(error, before) < 0);
	}
}

static void test_late_tick_is_worked_off(void **state)
{
	(void)state;
	one_late_tick(1, 60 * MINUTE / 2 + 2);
	one_late_tick(3, 2 * 60 * MINUTE + 2);
}

/* A loop over intervals would not come back from this, nor would 64 bits hold it. */
static void test_years_late(void **state)
{
	(void)state;
	for (size_t f = 0; f < ARRAY_SIZE(frequencies); f++) {
		u64 gap = 25ull * 365 * DAY * frequencies[f];
		struct timekeeper_start start = ordinary_start(frequencies[f], 1000000);
		struct timekeeper tk;
		struct errmsg err;
		big raw, passed;

		assert_int_equal(timekeeper_init(&tk, &start, 5, &err), 0);
		raw = big_add(base_of(&tk, CLOCK_MONOTONIC_RAW), big_product(gap, tk.nominal_mult));
		passed = big_add(base_of(&tk, CLOCK_MONOTONIC), big_product(gap, tk.mult));
		assert_int_equal(timekeeper_advance(&tk, 5 + gap), gap / tk.cycle_interval);
		assert_true(big_equal(shifted_at(&tk, CLOCK_MONOTONIC_RAW, 5 + gap), raw));
		assert_true(big_equal(shifted_at(&tk, CLOCK_MONOTONIC, 5 + gap), passed));
		assert_true(tk.realtime_nsec < second_of(&tk) && tk.raw_nsec < second_of(&tk));
	}
}

/*
 * 1.9 s at 1 GHz: second 1 is barely full when mult steered up takes back nine tenths of 500 us.
 * 54 ns is what one unit of mult makes in 0.9 s.
 */
static void test_base_is_borrowed_from_seconds(void **state)
{
	struct timekeeper_start start = ordinary_start(1000000000, 1);
	struct run run;

	(void)state;
	start.realtime = (struct timespec){0, 0};
	start_run(&run, start, 0);
	set_frequency(&run, MAX_STEERING);
	tick(&run, 1900000000);
	assert_int_equal(run.tk.realtime_sec, 0);
	assert_in_range(run.tk.realtime_nsec >> run.tk.shift, NSEC_PER_SEC - 450000,
			NSEC_PER_SEC - 450000 + 54);
	assert_int_equal(read_ns(&run.tk, CLOCK_REALTIME, 1900000000), 1900000000);
}

/* The same with mult steered down: the base moves on, over the end of a second. */
static void test_base_is_carried_into_seconds(void **state)
{
	struct timekeeper_start start = ordinary_start(1000000000, 1);
	struct run run;

	(void)state;
	start.realtime = (struct timespec){0, 999900000};
	start_run(&run, start, 0);
	set_frequency(&run, -MAX_STEERING);
	tick(&run, 1900000000);
	assert_int_equal(run.tk.realtime_sec, 2);
	assert_in_range(run.tk.realtime_nsec >> run.tk.shift, 350000, 350000 + 54);
	assert_int_equal(read_ns(&run.tk, CLOCK_REALTIME, 1900000000), 2899900000);
}

static void test_start(void **state)
{
	struct timekeeper_start start = ordinary_start(2596122000, 1000);
	struct timekeeper tk;
	struct errmsg err;

	(void)state;
	start.tai_offset_sec = -5;
	assert_int_equal(timekeeper_init(&tk, &start, 777, &err), 0);
	assert_int_equal(read_ns(&tk, CLOCK_REALTIME, 777), 1700000000999999999);
	assert_int_equal(read_ns(&tk, CLOCK_TAI, 777), 1699999995999999999);
	assert_int_equal(read_ns(&tk, CLOCK_MONOTONIC, 777), 4321123456789);
	assert_int_equal(read_ns(&tk, CLOCK_MONOTONIC_RAW, 777), 4321123456789);
	assert_int_equal(read_ns(&tk, CLOCK_BOOTTIME, 777), 54321023456789);
	assert_true(big_equal(base_of(&tk, CLOCK_REALTIME_COARSE), big_of(1700000000999999999)));
	assert_true(big_equal(base_of(&tk, CLOCK_MONOTONIC_COARSE), big_of(4321123456789)));
	assert_true(big_equal(base_of(&tk, CLOCK_PROCESS_CPUTIME_ID), big_of(0)));
	assert_in_range(tk.wall_to_monotonic.tv_nsec, 0, NSEC_PER_SEC - 1);
	assert_in_range(tk.boot_offset.tv_nsec, 0, NSEC_PER_SEC - 1);
	assert_int_equal(tk.clock_mode, VDSO_CLOCKMODE_TSC);
	assert_int_equal(tk.cycle_interval, 2596122);
}

static void expect_refused(const struct timekeeper_start *start, const char *word)
{
	struct timekeeper tk, before;
	struct errmsg err = {""};

	memset(&tk, 0x5a, sizeof(tk));
	memcpy(&before, &tk, sizeof(tk));
	assert_int_equal(timekeeper_init(&tk, start, 0, &err), -1);
	if (!strstr(err.text, word))
		fail_msg("\"%s\" says nothing of %s", err.text, word);
	assert_memory_equal(&tk, &before, sizeof(tk));
}

#define REFUSED(field, value, word)                                             \
	do {                                                                    \
		struct timekeeper_start start = ordinary_start(24000000, 1000); \
                                                                                \
		start.field = (value);                                          \
		expect_refused(&start, (word));                                 \
	} while (0)

static void test_start_out_of_range(void **state)
{
	(void)state;
	REFUSED(frequency_hz, 0, "frequency");
	REFUSED(frequency_hz, 999, "frequency");
	REFUSED(frequency_hz, 100000000001, "frequency");
	REFUSED(interval_hz, 0, "intervals");
	REFUSED(interval_hz, 12000001, "intervals");
	REFUSED(interval_hz, UINT64_MAX, "intervals");
	REFUSED(mask, 0, "mask");
	REFUSED(mask, 0xfffffffe, "mask");
	REFUSED(mask, (1u << 16) - 1, "mask");
	REFUSED(realtime.tv_sec, -1, "REALTIME");
	REFUSED(realtime.tv_sec, ((time_t)1 << 40) + 1, "REALTIME");
	REFUSED(realtime.tv_nsec, -1, "REALTIME");
	REFUSED(realtime.tv_nsec, 1000000000, "REALTIME");
	REFUSED(monotonic.tv_sec, -1, "MONOTONIC");
	REFUSED(monotonic.tv_nsec, 1000000000, "MONOTONIC");
	REFUSED(boottime.tv_sec, -1, "BOOTTIME");
	REFUSED(boottime.tv_nsec, 1000000000, "BOOTTIME");
	REFUSED(tai_offset_sec, -1700000001, "TAI");
}

static void test_start_at_the_edges(void **state)
{
	static const u64 hz[] = {TIMEKEEPER_MIN_HZ, TIMEKEEPER_MAX_HZ};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(hz); i++) {
		struct timekeeper_start start = ordinary_start(hz[i], hz[i] / 2);
		struct run run;

		start.realtime = (struct timespec){(time_t)1 << 40, 999999999};
		start.monotonic = start.boottime = (struct timespec){0, 0};
		start_run(&run, start, UINT64_MAX);
		assert_int_equal(run.tk.cycle_interval, 2);
		for (int t = 0; t < 1000; t++) {
			set_frequency(&run, t & 8 ? MAX_STEERING : -MAX_STEERING);
			tick(&run, random_below(7));
		}
		start.interval_hz = 1;
		start_run(&run, start, 0);
		for (int t = 0; t < 1000; t++) {
			set_frequency(&run, t & 8 ? MAX_STEERING : -MAX_STEERING);
			tick(&run, random_below(3 * hz[i]));
		}
	}
}

static void test_counter_before_cycle_last(void **state)
{
	struct timekeeper before;
	struct run run;

	(void)state;
	start_run(&run, ordinary_start(24000000, 1000), 1000000);
	tick(&run, 24000 * 3 + 5);
	set_frequency(&run, PPB(-700));
	memcpy(&before, &run.tk, sizeof(before));
	assert_int_equal(timekeeper_advance(&run.tk, run.tk.cycle_last - 1), 0);
	assert_int_equal(timekeeper_advance(&run.tk, run.tk.cycle_last - 24000 * 10), 0);
	assert_int_equal(timekeeper_advance(&run.tk, 0), 0);
	assert_memory_equal(&run.tk, &before, sizeof(before));
	tick(&run, 24000);
}

/* Half of the range tells late from early, so a tick may be that late, less what is left over. */
static void narrow_counter(u64 frequency_hz, u64 mask)
{
	struct timekeeper_start start = ordinary_start(frequency_hz, 250);
	u64 interval;
	struct run run;

	start.mask = mask;
	start_run(&run, start, mask - 100000);
	interval = run.tk.cycle_interval;
	for (int i = 0; i < 20000; i++) {
		if (random_below(20) == 0)
			set_frequency(&run, steerings[random_below(ARRAY_SIZE(steerings))]);
		tick(&run, random_below((i & 63) == 0 ? mask / 2 - interval : 2 * interval));
		assert_true(run.tk.cycle_last <= mask);
	}
	assert_true(run.now / mask > 20);
	assert_true(run.tk.max_cycles <= mask);
	assert_int_equal(timekeeper_advance(&run.tk, run.tk.cycle_last - 2 * interval), 0);
}

static void test_narrow_counter(void **state)
{
	(void)state;
	for (size_t f = 0; f < ARRAY_SIZE(frequencies); f++)
		narrow_counter(frequencies[f], UINT32_MAX);
	narrow_counter(3579545, (1 << 24) - 1);
	narrow_counter(TIMEKEEPER_MAX_HZ, (1ull << 38) - 1);
}

static void test_frequency_out_of_range(void **state)
{
	struct errmsg err = {""};
	struct timekeeper before;
	struct run run;

	(void)state;
	start_run(&run, ordinary_start(24000000, 1000), 0);
	set_frequency(&run, -MAX_STEERING);
	memcpy(&before, &run.tk, sizeof(before));
	assert_int_equal(timekeeper_set_frequency(&run.tk, MAX_STEERING + 1, &err), -1);
	assert_non_null(strstr(err.text, "500 ppm"));
	assert_int_equal(timekeeper_set_frequency(&run.tk, -MAX_STEERING - 1, &err), -1);
	assert_int_equal(timekeeper_set_frequency(&run.tk, INT64_MIN, &err), -1);
	assert_memory_equal(&run.tk, &before, sizeof(before));
	set_frequency(&run, MAX_STEERING);
}

/* Only an advance that accumulates lets it take hold, and then from its counter value on. */
static void test_frequency_takes_hold(void **state)
{
	u64 hz = 1000000000;
	struct run run;
	u64 from;

	(void)state;
	start_run(&run, ordinary_start(hz, 10), 0);
	set_frequency(&run, PPB(100000));
	tick(&run, hz / 20);
	assert_int_equal(run.tk.steered_ppb, 0);
	tick(&run, hz / 10);
	assert_int_equal(run.tk.steered_ppb, PPB(100000));
	from = read_ns(&run.tk, CLOCK_MONOTONIC, run.now);
	assert_int_equal(from, 4321123456789 + 150000000);
	tick(&run, hz);
	from = read_ns(&run.tk, CLOCK_MONOTONIC, run.now) - from;
	assert_in_range(from, 1000100000 - 62, 1000100000 + 62);
}

/* Without rounding: the largest mult that steering may ever come to. */
static u64 most_mult(u64 frequency_hz, u32 shift)
{
	big worth = big_shift_left(big_of(PPB(NSEC_PER_SEC) + MAX_STEERING), shift);

	return big_low(big_div(worth, frequency_hz << TIMEKEEPER_PPB_SHIFT)) + 1;
}

static bool leaves_room(u64 frequency_hz, u32 max_seconds, u32 shift)
{
	u64 mult = most_mult(frequency_hz, shift);
	big sum = big_add(big_product(mult, frequency_hz * max_seconds),
			  big_shift_left(big_of(NSEC_PER_SEC), shift));

	return mult >> 32 == 0 && big_high(sum) == 0;
}

static void check_mult_shift(u64 frequency_hz, u32 max_seconds)
{
	u32 mult, shift;
	big miss;

	timekeeper_mult_shift(frequency_hz, max_seconds, &mult, &shift);
	assert_in_range(shift, 1, 32);
	assert_true(leaves_room(frequency_hz, max_seconds, shift));
	assert_true(shift == 32 || !leaves_room(frequency_hz, max_seconds, shift + 1));
	miss = big_sub(big_product(frequency_hz, mult),
		       big_shift_left(big_of(NSEC_PER_SEC), shift));
	assert_true(big_compare(big_mul(big_magnitude(miss), 2), big_of(frequency_hz)) <= 0);
}

static void test_mult_shift(void **state)
{
	static const u32 seconds[] = {1, 2, 60, 178, 600, 3600, DAY};
	u32 mult, shift;

	(void)state;
	for (size_t s = 0; s < ARRAY_SIZE(seconds); s++) {
		check_mult_shift(TIMEKEEPER_MAX_HZ, seconds[s]);
		for (u64 hz = TIMEKEEPER_MIN_HZ; hz < TIMEKEEPER_MAX_HZ; hz += hz / 97 + 1)
			check_mult_shift(hz, seconds[s]);
	}
	timekeeper_mult_shift(1000000000, 600, &mult, &shift);
	assert_int_equal(mult, 1 << 24);
	assert_int_equal(shift, 24);
}

/* A reader up to max_cycles late needs no more than 64 bits, one beyond may. */
static void test_max_cycles(void **state)
{
	(void)state;
	for (u64 hz = TIMEKEEPER_MIN_HZ; hz < TIMEKEEPER_MAX_HZ; hz += hz / 7 + 1) {
		u64 most, base;
		struct run run;

		start_run(&run, ordinary_start(hz, 1), 0);
		most = most_mult(hz, run.tk.shift);
		base = second_of(&run.tk) - 1;
		assert_true(big_high(big_add(big_product(run.tk.max_cycles, most), big_of(base))) ==
			    0);
		assert_true(big_high(big_add(big_product(run.tk.max_cycles + 1, most),
					     big_of(base + 1))) != 0);
		assert_true(run.tk.max_cycles >= 600 * hz);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mult_shift),
		cmocka_unit_test(test_max_cycles),
		cmocka_unit_test(test_start),
		cmocka_unit_test(test_start_out_of_range),
		cmocka_unit_test(test_start_at_the_edges),
		cmocka_unit_test(test_steady_steering),
		cmocka_unit_test(test_changing_steering),
		cmocka_unit_test(test_days),
		cmocka_unit_test(test_every_tick),
		cmocka_unit_test(test_late_tick_is_worked_off),
		cmocka_unit_test(test_years_late),
		cmocka_unit_test(test_base_is_borrowed_from_seconds),
		cmocka_unit_test(test_base_is_carried_into_seconds),
		cmocka_unit_test(test_counter_before_cycle_last),
		cmocka_unit_test(test_narrow_counter),
		cmocka_unit_test(test_frequency_out_of_range),
		cmocka_unit_test(test_frequency_takes_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
