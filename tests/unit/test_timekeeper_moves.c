// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is done to time besides ticking: forwards, steps, leap seconds, suspends and changes of
 * counter, alone and in random order, against arithmetic in 128 bits.
 *
 * Values are compared in units of 2^-32 ns, which hold every shift there is, so that the clocks of
 * two counters can be told apart to the last bit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "sim/timekeeper.h"
#include "tests/unit/big.h"
#include "tests/unit/clock_values.h"

#define PPB(n)	     ((s64)(n) * (1 << TIMEKEEPER_PPB_SHIFT))
#define MAX_STEERING PPB(TIMEKEEPER_MAX_PPB)
#define SEC	     ((s64)NSEC_PER_SEC)
#define YEAR	     (365 * 86400 * SEC)
#define MOST_SEC     (1ll << 40)

static const clockid_t fine_clocks[] = {CLOCK_REALTIME, CLOCK_TAI, CLOCK_BOOTTIME, CLOCK_MONOTONIC,
					CLOCK_MONOTONIC_RAW};
enum {
	REALTIME,
	TAI,
	BOOTTIME,
	MONOTONIC,
	RAW,
	FINE_CLOCKS
};

static const struct timekeeper_counter counters[] = {
	{2596122000, INT64_MAX, VDSO_CLOCKMODE_TSC}, {1000000000, UINT64_MAX, 3},
	{24000000, UINT64_MAX, VDSO_CLOCKMODE_TSC},  {3333333333, UINT32_MAX, VDSO_CLOCKMODE_TSC},
	{TIMEKEEPER_MAX_HZ, UINT64_MAX, 4},	     {19200000, (1 << 24) - 1, 5},
	{50000, UINT64_MAX, VDSO_CLOCKMODE_TSC},
};

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
	u64 now;		/* counter value of the last moment, of the counter in use */
	big apart[FINE_CLOCKS]; /* ns by which a clock should be ahead of MONOTONIC; not for RAW */
	u64 jumps[FINE_CLOCKS];
	const char *what; /* was done last */
	u64 done;

	/* Since the counter was changed. */
	big origin;  /* MONOTONIC then, shifted */
	big raw;     /* RAW at `now`, shifted */
	big ideal;   /* steered time since then, over hz * 2^16 */
	s64 ppb;     /* steering in force */
	u64 since;   /* cycles since mult was steered */
	u64 longest; /* the most that those came to */
};

static void check(const struct run *run, bool holds, const char *claim)
{
	if (!holds)
		fail_msg("%s, after %s as deed %llu, with %llu Hz", claim, run->what,
			 (unsigned long long)run->done, (unsigned long long)run->tk.frequency_hz);
}

static big clock_at(const struct timekeeper *tk, size_t clock, u64 cycles)
{
	return big_shift_left(shifted_at(tk, fine_clocks[clock], cycles), 32 - tk->shift);
}

static struct timekeeper_start start_with(const struct timekeeper_counter *counter)
{
	return (struct timekeeper_start){.frequency_hz = counter->frequency_hz,
					 .mask = counter->mask,
					 .clock_mode = counter->clock_mode,
					 .interval_hz = 1000,
					 .realtime = {1700000000, 999999999},
					 .monotonic = {4321, 123456789},
					 .boottime = {54321, 23456789},
					 .tai_offset_sec = 37};
}

static void begin_counter(struct run *run, u64 cycles)
{
	run->now = cycles & run->tk.mask;
	run->origin = shifted_at(&run->tk, CLOCK_MONOTONIC, run->now);
	run->raw = shifted_at(&run->tk, CLOCK_MONOTONIC_RAW, run->now);
	run->ideal = big_of(0);
	run->ppb = run->tk.ntp_ppb;
	run->since = run->longest = 0;
}

static void start_run(struct run *run, const struct timekeeper_counter *counter, u64 cycles)
{
	struct timekeeper_start start = start_with(counter);
	struct errmsg err;

	*run = (struct run){.what = "the start"};
	random_state = counter->frequency_hz;
	assert_int_equal(timekeeper_init(&run->tk, &start, cycles, &err), 0);
	run->apart[REALTIME] =
		big_of((1700000000ull - 4321) * NSEC_PER_SEC + 999999999 - 123456789);
	run->apart[TAI] = big_add(run->apart[REALTIME], big_of(37 * (u64)NSEC_PER_SEC));
	run->apart[BOOTTIME] = big_of(50000 * (u64)NSEC_PER_SEC - 100000000);
	begin_counter(run, cycles);
}

/* Every clock against MONOTONIC, and the jumps that are said to have been asked for. */
static void check_apart(const struct run *run)
{
	const struct timekeeper *tk = &run->tk;

	for (size_t i = 0; i < MONOTONIC; i++)
		check(run,
		      big_equal(big_sub(base_of(tk, fine_clocks[i]), base_of(tk, CLOCK_MONOTONIC)),
				big_shift_left(run->apart[i], tk->shift)),
		      "a clock is not where it should be beside MONOTONIC");
	for (size_t i = 0; i < FINE_CLOCKS; i++)
		check(run, timekeeper_jumps(tk, fine_clocks[i]) == run->jumps[i],
		      "jumps are miscounted");
	check(run, timekeeper_jumps(tk, CLOCK_REALTIME_COARSE) == run->jumps[REALTIME],
	      "jumps of REALTIME_COARSE are miscounted");
	check(run, timekeeper_jumps(tk, CLOCK_MONOTONIC_COARSE) == 0, "MONOTONIC_COARSE may jump");
}

static void check_form(const struct run *run, const struct timekeeper *before)
{
	static const clockid_t pairs[][2] = {{CLOCK_REALTIME_COARSE, CLOCK_REALTIME},
					     {CLOCK_MONOTONIC_COARSE, CLOCK_MONOTONIC}};
	const struct timekeeper *tk = &run->tk;
	struct vdso_timestamp base;

	for (size_t i = 0; i < FINE_CLOCKS; i++) {
		timekeeper_base(tk, fine_clocks[i], &base);
		check(run, base.nsec < second_of(tk), "a second is not carried");
		check(run, base.sec <= MOST_SEC + 1000000000, "a second is far out of range");
	}
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		check(run,
		      big_equal(base_of(tk, pairs[i][0]),
				big_div(base_of(tk, pairs[i][1]), 1ull << tk->shift)),
		      "coarse time is not the base");
	check(run,
	      big_compare(base_of(tk, CLOCK_MONOTONIC_COARSE),
			  base_of(before, CLOCK_MONOTONIC_COARSE)) >= 0,
	      "coarse time goes back");
	check(run, tk->cycle_last <= tk->mask, "cycle_last is out of the counter's range");
}

/* Clocks at the moment that is recorded, less what `jumped` says in ns, under both states. */
static void check_join(const struct run *run, const struct timekeeper *before, const big *jumped)
{
	const struct timekeeper *tk = &run->tk;
	bool same_counter = timekeeper_counter_number(tk) == timekeeper_counter_number(before);
	u64 ended_cycles = same_counter ? tk->began_cycles : tk->ended_cycles;
	big unit = big_of(1ull << (32 - tk->shift));

	for (size_t i = 0; i < FINE_CLOCKS; i++) {
		big ended = big_add(clock_at(before, i, ended_cycles),
				    jumped ? big_shift_left(jumped[i], 32) : big_of(0));
		big lost = big_sub(ended, clock_at(tk, i, tk->began_cycles));

		if (tk->shift >= before->shift)
			check(run, big_equal(lost, big_of(0)), "a clock jumps");
		check(run, big_compare(lost, big_of(0)) >= 0, "a clock jumps on");
		check(run, big_compare(lost, unit) < 0, "a clock loses a unit");
		check(run,
		      big_equal(big_div(ended, 1ull << 32),
				big_div(clock_at(tk, i, tk->began_cycles), 1ull << 32)),
		      "a clock says another nanosecond");
	}
}

/* The ideal since the counter was changed, and RAW, which is plain multiplication. */
static void check_time(const struct run *run)
{
	const struct timekeeper *tk = &run->tk;
	u64 unit = tk->frequency_hz << TIMEKEEPER_PPB_SHIFT;
	big passed = big_sub(shifted_at(tk, CLOCK_MONOTONIC, run->now), run->origin);
	big behind = big_sub(run->ideal, big_mul(passed, unit));

	check(run, big_compare(big_magnitude(behind), big_product(unit, run->longest)) <= 0,
	      "time leaves its bound");
	check(run, big_equal(shifted_at(tk, CLOCK_MONOTONIC_RAW, run->now), run->raw),
	      "raw time is not cycles * nominal_mult");
	check(run, tk->steered_ppb == run->ppb, "another steering is in force");
	check(run, tk->mult - tk->steered_mult <= 1, "mult is not one of the two it may be");
}

static void pass(struct run *run, u64 cycles)
{
	big worth = big_shift_left(big_of((u64)(PPB(NSEC_PER_SEC) + run->ppb)), run->tk.shift);

	run->now = (run->now + cycles) & run->tk.mask;
	run->since += cycles;
	run->ideal = big_add(run->ideal, big_mul(worth, cycles));
	run->raw = big_add(run->raw, big_product(cycles, run->tk.nominal_mult));
	if (run->longest < run->since)
		run->longest = run->since;
}

static void check_all(const struct run *run, const struct timekeeper *before, const big *jumped)
{
	check_join(run, before, jumped);
	check_apart(run);
	check_form(run, before);
	check_time(run);
}

static void advance(struct run *run, u64 cycles)
{
	struct timekeeper before = run->tk;

	run->what = "an advance";
	pass(run, cycles);
	if (timekeeper_advance(&run->tk, run->now)) {
		run->since = 0;
		run->ppb = run->tk.ntp_ppb;
		check(run, run->tk.ended_cycles == run->now && run->tk.began_cycles == run->now,
		      "the moment of an advance is not recorded");
	}
	check_all(run, &before, NULL);
}

static void forward(struct run *run, u64 cycles)
{
	struct timekeeper before = run->tk;

	run->what = "a forward";
	pass(run, cycles);
	timekeeper_forward(&run->tk, run->now);
	run->since = 0;
	run->ppb = run->tk.ntp_ppb;
	check(run, run->tk.cycle_last == run->now, "cycle_last is not where it was brought");
	check(run, run->tk.ended_cycles == run->now && run->tk.began_cycles == run->now,
	      "the moment of a forward is not recorded");
	check_all(run, &before, NULL);
}

/* Adds a jump of so many ns to a clock that is not MONOTONIC's. */
static void jump(struct run *run, big *jumped, size_t clock, big ns)
{
	jumped[clock] = ns;
	run->apart[clock] = big_add(run->apart[clock], ns);
	run->jumps[clock]++;
}

static void none_jumps(big *jumped)
{
	for (size_t i = 0; i < FINE_CLOCKS; i++)
		jumped[i] = big_of(0);
}

static void step(struct run *run, s64 ns)
{
	struct timekeeper before = run->tk;
	big jumped[FINE_CLOCKS];
	struct errmsg err;

	run->what = "a step";
	none_jumps(jumped);
	jump(run, jumped, REALTIME, big_of_signed(ns));
	jump(run, jumped, TAI, big_of_signed(ns));
	if (timekeeper_step(&run->tk, ns, &err))
		fail_msg("step by %lld: %s", (long long)ns, err.text);
	check_all(run, &before, jumped);
}

static void leap(struct run *run, int seconds)
{
	struct timekeeper before = run->tk;
	big jumped[FINE_CLOCKS];
	struct errmsg err;

	run->what = "a leap second";
	none_jumps(jumped);
	jump(run, jumped, REALTIME, big_of_signed(seconds * SEC));
	assert_int_equal(timekeeper_leap(&run->tk, seconds, &err), 0);
	check_all(run, &before, jumped);
}

static void resume(struct run *run, u64 cycles, u64 asleep_ns)
{
	struct timekeeper before = run->tk;
	big jumped[FINE_CLOCKS];
	struct errmsg err;

	run->what = "a suspend";
	none_jumps(jumped);
	for (size_t i = REALTIME; i <= BOOTTIME; i++)
		jump(run, jumped, i, big_of(asleep_ns));
	if (timekeeper_resume(&run->tk, cycles, asleep_ns, &err))
		fail_msg("%s", err.text);
	run->now = cycles & run->tk.mask;
	run->ppb = run->tk.ntp_ppb;
	check(run, run->tk.ended_cycles == before.cycle_last, "the end before is not recorded");
	check(run, run->tk.began_cycles == run->now && run->tk.cycle_last == run->now,
	      "the state does not begin at the counter's new value");
	check_all(run, &before, jumped);
}

static void change_counter(struct run *run, const struct timekeeper_counter *counter, u64 cycles)
{
	struct timekeeper_start start = start_with(counter);
	struct timekeeper before = run->tk, fresh;
	struct errmsg err;

	run->what = "a change of counter";
	if (timekeeper_change_counter(&run->tk, counter, cycles, &err))
		fail_msg("%s", err.text);
	check(run, run->tk.ended_cycles == before.cycle_last, "the end before is not recorded");
	begin_counter(run, cycles);
	check(run, run->tk.began_cycles == run->now && run->tk.cycle_last == run->now,
	      "the state does not begin at the new counter's value");
	assert_int_equal(timekeeper_init(&fresh, &start, 0, &err), 0);
	check(run,
	      run->tk.mask == fresh.mask && run->tk.frequency_hz == fresh.frequency_hz &&
		      run->tk.shift == fresh.shift && run->tk.max_cycles == fresh.max_cycles &&
		      run->tk.nominal_mult == fresh.nominal_mult &&
		      run->tk.clock_mode == fresh.clock_mode &&
		      run->tk.cycle_interval == fresh.cycle_interval,
	      "the counter is not the one that was given");
	check_all(run, &before, NULL);
}

static void set_frequency(struct run *run, s64 ppb_shifted)
{
	struct errmsg err;

	assert_int_equal(timekeeper_set_frequency(&run->tk, ppb_shifted, &err), 0);
}

/* Up to two intervals, sometimes a thousand if the counter has the room, sometimes none. */
static u64 next_gap(const struct run *run)
{
	u64 interval = run->tk.cycle_interval;
	u64 room = run->tk.mask / 2 - ((run->now - run->tk.cycle_last) & run->tk.mask);
	u64 most = random_below(64) ? 2 * interval : 1000 * interval;

	return random_below(16) ? random_below((most < room ? most : room) + 1) : 0;
}

/* Back or on, from nothing up to years; and back to the middle of what there is. */
static s64 next_step(const struct run *run)
{
	static const s64 scales[] = {1, 1000, SEC, 3600 * SEC, 40 * YEAR};
	s64 scale = scales[random_below(ARRAY_SIZE(scales))];
	s64 ns = (s64)random_below(2 * (u64)scale + 1) - scale;
	s64 sec = (s64)run->tk.realtime_sec;

	if (sec + ns / SEC < 100 || sec + ns / SEC > MOST_SEC - 100)
		return (2000000000 - sec) * SEC;
	return ns;
}

static void do_something(struct run *run)
{
	const u64 deed = random_below(100);

	run->done++;
	if (random_below(10) == 0)
		set_frequency(run, (s64)random_below(2 * (u64)MAX_STEERING + 1) - MAX_STEERING);
	if (deed < 50) {
		advance(run, next_gap(run));
		return;
	}
	/* What does not read the counter need not be preceded by a forward. */
	if (deed < 60 || deed >= 80)
		forward(run, next_gap(run));
	if (deed >= 60 && deed < 80)
		step(run, next_step(run));
	else if (deed < 86)
		leap(run, deed & 1 ? 1 : -1);
	else if (deed < 94)
		resume(run, random_state, random_below(random_below(2) ? 1000000000000000 : 5));
	else
		change_counter(run, &counters[random_below(ARRAY_SIZE(counters))], random_state);
}

static void test_all_in_random_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
		struct run run;

		start_run(&run, &counters[i], UINT64_MAX - 1000000);
		for (int deeds = 0; deeds < 50000; deeds++)
			do_something(&run);
	}
}

/* Days of one counter, in which nothing but time that stands still could make a drift. */
static void test_no_drift(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
		struct run run;

		start_run(&run, &counters[i], 0);
		set_frequency(&run, PPB(-12345) + 678);
		for (int deeds = 0; deeds < 20000; deeds++) {
			u64 most = run.tk.mask / 4 < 20 * run.tk.frequency_hz
					   ? run.tk.mask / 4
					   : 20 * run.tk.frequency_hz;

			forward(&run, random_below(most));
			if (deeds % 3 == 0)
				resume(&run, random_state, random_below(1000000));
			if (deeds % 5 == 0)
				step(&run, deeds % 2 ? SEC : -SEC);
			advance(&run, random_below(most));
		}
		assert_true(run.longest <= 41 * run.tk.frequency_hz);
	}
}

/* Half an interval is accumulated to the last bit, and the next interval begins there. */
static void test_forward(void **state)
{
	struct run run;

	(void)state;
	start_run(&run, &counters[2], 1000);
	forward(&run, 11999);
	assert_int_equal(run.tk.cycle_last, 12999);
	assert_int_equal(read_ns(&run.tk, CLOCK_MONOTONIC, 12999), 4321123456789 + 499958);
	assert_true(big_equal(base_of(&run.tk, CLOCK_MONOTONIC_COARSE),
			      big_of(4321123456789 + 499958)));
	advance(&run, 23999);
	assert_int_equal(run.tk.cycle_last, 12999);
	advance(&run, 1);
	assert_int_equal(run.tk.cycle_last, 36999);
	assert_int_equal(run.tk.steps + run.tk.leaps + run.tk.suspends + run.tk.counter_changes, 0);
}

/* A counter value before cycle_last leaves every value; where mult is steered is there. */
static void test_forward_to_the_past(void **state)
{
	struct timekeeper before;
	struct run run;

	(void)state;
	start_run(&run, &counters[0], 1000000);
	forward(&run, 500);
	before = run.tk;
	timekeeper_forward(&run.tk, run.now - 1);
	timekeeper_forward(&run.tk, 0);
	assert_int_equal(run.tk.cycle_last, run.now);
	assert_int_equal(run.tk.ended_cycles, run.now);
	assert_int_equal(run.tk.began_cycles, run.now);
	for (size_t i = 0; i < FINE_CLOCKS; i++)
		assert_true(big_equal(base_of(&before, fine_clocks[i]),
				      base_of(&run.tk, fine_clocks[i])));
	forward(&run, 500);
}

/* From each of the operations that steer, a frequency that was set before is in force. */
static void test_frequency_takes_hold(void **state)
{
	struct run run;

	(void)state;
	start_run(&run, &counters[1], 0);
	set_frequency(&run, PPB(100000));
	step(&run, 5);
	leap(&run, 1);
	assert_int_equal(run.tk.steered_ppb, 0);
	forward(&run, 10);
	assert_int_equal(run.tk.steered_ppb, PPB(100000));
	set_frequency(&run, PPB(-100000));
	resume(&run, 77, 5);
	assert_int_equal(run.tk.steered_ppb, PPB(-100000));
	set_frequency(&run, PPB(3));
	change_counter(&run, &counters[2], 0);
	assert_int_equal(run.tk.steered_ppb, PPB(3));
}

static void test_step(void **state)
{
	struct run run;

	(void)state;
	start_run(&run, &counters[2], 0);
	step(&run, 1);
	assert_int_equal(read_ns(&run.tk, CLOCK_REALTIME, 0), 1700000001000000000);
	step(&run, -1);
	assert_int_equal(read_ns(&run.tk, CLOCK_REALTIME, 0), 1700000000999999999);
	step(&run, -1700000000 * SEC);
	assert_int_equal(read_ns(&run.tk, CLOCK_REALTIME, 0), 999999999);
	assert_int_equal(read_ns(&run.tk, CLOCK_TAI, 0), 37999999999);
	step(&run, -999999999);
	assert_int_equal(read_ns(&run.tk, CLOCK_REALTIME, 0), 0);
	step(&run, INT64_MAX);
	assert_int_equal(read_ns(&run.tk, CLOCK_REALTIME, 0), INT64_MAX);
	assert_int_equal(read_ns(&run.tk, CLOCK_MONOTONIC, 0), 4321123456789);
	assert_int_equal(run.tk.steps, 5);
	advance(&run, 24001);
}

static void refuses(const struct timekeeper *tk, const struct timekeeper *before, int result,
		    const struct errmsg *err, const char *word)
{
	assert_int_equal(result, -1);
	if (!strstr(err->text, word))
		fail_msg("\"%s\" says nothing of %s", err->text, word);
	assert_memory_equal(tk, before, sizeof(*tk));
}

static void test_out_of_range(void **state)
{
	struct timekeeper tk, before;
	struct timekeeper_start start = start_with(&counters[0]);
	struct errmsg err = {""};

	(void)state;
	memset(&before, 0, sizeof(before));
	start.realtime = (struct timespec){5, 10};
	assert_int_equal(timekeeper_init(&tk, &start, 0, &err), 0);
	memcpy(&before, &tk, sizeof(tk));
	refuses(&tk, &before, timekeeper_step(&tk, -5 * SEC - 11, &err), &err, "REALTIME");
	refuses(&tk, &before, timekeeper_step(&tk, INT64_MIN, &err), &err, "REALTIME");
	refuses(&tk, &before, timekeeper_leap(&tk, 2, &err), &err, "leap");
	refuses(&tk, &before, timekeeper_leap(&tk, 0, &err), &err, "leap");
	assert_int_equal(timekeeper_step(&tk, -5 * SEC - 10, &err), 0);
	memcpy(&before, &tk, sizeof(tk));
	refuses(&tk, &before, timekeeper_leap(&tk, -1, &err), &err, "REALTIME");

	start.tai_offset_sec = -5;
	assert_int_equal(timekeeper_init(&tk, &start, 0, &err), 0);
	memcpy(&before, &tk, sizeof(tk));
	refuses(&tk, &before, timekeeper_step(&tk, -SEC, &err), &err, "TAI");
	assert_int_equal(timekeeper_leap(&tk, -1, &err), 0);

	start.realtime = (struct timespec){MOST_SEC, 0};
	assert_int_equal(timekeeper_init(&tk, &start, 0, &err), 0);
	memcpy(&before, &tk, sizeof(tk));
	refuses(&tk, &before, timekeeper_step(&tk, SEC, &err), &err, "REALTIME");
	refuses(&tk, &before, timekeeper_step(&tk, INT64_MAX, &err), &err, "REALTIME");
	refuses(&tk, &before, timekeeper_leap(&tk, 1, &err), &err, "REALTIME");
	refuses(&tk, &before, timekeeper_resume(&tk, 0, (u64)SEC, &err), &err, "REALTIME");
	refuses(&tk, &before, timekeeper_resume(&tk, 0, UINT64_MAX, &err), &err, "REALTIME");
	assert_int_equal(timekeeper_step(&tk, SEC - 1, &err), 0);
}

static void test_counter_out_of_range(void **state)
{
	static const struct {
		struct timekeeper_counter counter;
		const char *word;
	} bad[] = {
		{{999, UINT64_MAX, 1}, "frequency"},
		{{TIMEKEEPER_MAX_HZ + 1, UINT64_MAX, 1}, "frequency"},
		{{1999, UINT64_MAX, 1}, "intervals"},
		{{1000000000, UINT64_MAX - 1, 1}, "mask"},
		{{1000000000, (1 << 21) - 1, 1}, "mask"},
	};
	struct timekeeper tk, before;
	struct timekeeper_start start = start_with(&counters[0]);
	struct errmsg err = {""};

	(void)state;
	assert_int_equal(timekeeper_init(&tk, &start, 0, &err), 0);
	memcpy(&before, &tk, sizeof(tk));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		refuses(&tk, &before, timekeeper_change_counter(&tk, &bad[i].counter, 0, &err),
			&err, bad[i].word);
}

/* Insert and delete: REALTIME tells a second twice, or leaves one out; TAI counts on. */
static void test_leap(void **state)
{
	struct run run;

	(void)state;
	start_run(&run, &counters[2], 0);
	leap(&run, -1);
	assert_int_equal(run.tk.tai_offset_sec, 38);
	assert_int_equal(read_ns(&run.tk, CLOCK_REALTIME, 0), 1699999999999999999);
	assert_int_equal(read_ns(&run.tk, CLOCK_TAI, 0), 1700000037999999999);
	leap(&run, 1);
	leap(&run, 1);
	assert_int_equal(run.tk.tai_offset_sec, 36);
	assert_int_equal(read_ns(&run.tk, CLOCK_REALTIME, 0), 1700000001999999999);
	assert_int_equal(read_ns(&run.tk, CLOCK_TAI, 0), 1700000037999999999);
	assert_int_equal(run.tk.leaps, 3);
}

static void test_resume(void **state)
{
	struct run run;

	(void)state;
	start_run(&run, &counters[1], 1000000);
	forward(&run, 10);
	resume(&run, 3, 7 * (u64)SEC + 5);
	assert_int_equal(run.tk.suspends, 1);
	assert_int_equal(run.tk.ended_cycles, 1000010);
	assert_int_equal(run.tk.began_cycles, 3);
	assert_int_equal(read_ns(&run.tk, CLOCK_MONOTONIC, 4), 4321123456789 + 11);
	assert_int_equal(read_ns(&run.tk, CLOCK_MONOTONIC_RAW, 4), 4321123456789 + 11);
	assert_int_equal(read_ns(&run.tk, CLOCK_BOOTTIME, 4), 54328023456789 + 16);
	assert_int_equal(read_ns(&run.tk, CLOCK_REALTIME, 4), 1700000007999999999 + 16);
	assert_int_equal(read_ns(&run.tk, CLOCK_TAI, 4), 1700000044999999999 + 16);
}

static void test_change_counter(void **state)
{
	struct run run;
	u64 ns;

	(void)state;
	start_run(&run, &counters[2], 500);
	forward(&run, 24000001);
	ns = read_ns(&run.tk, CLOCK_MONOTONIC, 24000501);
	assert_in_range(ns, 4322123456789 + 39, 4322123456789 + 43);
	change_counter(&run, &counters[1], 10);
	assert_int_equal(run.tk.counter_changes, 1);
	assert_int_equal(run.tk.cycle_interval, 1000000);
	assert_int_equal(run.tk.clock_mode, 3);
	assert_int_equal(read_ns(&run.tk, CLOCK_MONOTONIC, 10), ns);
	assert_int_equal(read_ns(&run.tk, CLOCK_MONOTONIC, 1000000010), ns + NSEC_PER_SEC);
	change_counter(&run, &counters[5], 1ull << 40 | 7);
	assert_int_equal(run.tk.cycle_last, 7);
}

/* Readers are told of no counter, and time goes on by it. */
static void test_no_counter_is_only_published(void **state)
{
	struct run run, other;

	(void)state;
	start_run(&run, &counters[0], 0);
	start_run(&other, &counters[0], 0);
	run.tk.clock_mode = VDSO_CLOCKMODE_NONE;
	for (int i = 0; i < 100; i++) {
		forward(&run, 1000000);
		forward(&other, 1000000);
		advance(&run, 2600000);
		advance(&other, 2600000);
	}
	assert_int_equal(run.tk.clock_mode, VDSO_CLOCKMODE_NONE);
	run.tk.clock_mode = counters[0].clock_mode;
	assert_memory_equal(&run.tk, &other.tk, sizeof(run.tk));
	assert_int_equal(run.tk.counter_changes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forward),
		cmocka_unit_test(test_forward_to_the_past),
		cmocka_unit_test(test_frequency_takes_hold),
		cmocka_unit_test(test_step),
		cmocka_unit_test(test_leap),
		cmocka_unit_test(test_resume),
		cmocka_unit_test(test_change_counter),
		cmocka_unit_test(test_out_of_range),
		cmocka_unit_test(test_counter_out_of_range),
		cmocka_unit_test(test_no_counter_is_only_published),
		cmocka_unit_test(test_all_in_random_order),
		cmocka_unit_test(test_no_drift),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
