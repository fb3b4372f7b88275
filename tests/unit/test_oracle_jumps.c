// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The oracle where time is set, sleeps, is counted by another counter and is steered: what the
 * writer may not do, and what a reader may see that is nobody's fault.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "sim/barrier.h"
#include "sim/oracle.h"
#include "tests/unit/big.h"
#include "tests/unit/clock_values.h"
#include "tests/unit/updates.h"

#define CLOCKS	     ARRAY_SIZE(clocks)
#define PPB(n)	     ((s64)(n) * (1 << TIMEKEEPER_PPB_SHIFT))
#define MAX_STEERING PPB(TIMEKEEPER_MAX_PPB)
#define SEC	     ((s64)NSEC_PER_SEC)
#define YEAR	     (365 * 86400 * SEC)
#define START	     (1ull << 40)

static const struct timekeeper_counter counters[] = {
	{HZ, INT64_MAX, VDSO_CLOCKMODE_TSC},
	{1000000000, INT64_MAX, VDSO_CLOCKMODE_TSC},
	{24000000, INT64_MAX, VDSO_CLOCKMODE_TSC},
	{TIMEKEEPER_MAX_HZ, INT64_MAX, VDSO_CLOCKMODE_TSC},
	{3333333333, UINT32_MAX, VDSO_CLOCKMODE_TSC},
};
#define SLOW   2 /* of a cycle that is worth more than a nanosecond */
#define NARROW 4 /* and so of a shift that differs from the others' */

static u64 random_state;

static u64 random_below(u64 limit)
{
	u64 x = random_state += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return (x ^ x >> 31) % limit;
}

/* A writer with an oracle for each clock. */
struct watched {
	struct timekeeper tk;
	u64 now;
	u64 number;
	struct oracle *oracles[CLOCKS];
};

static void tell(struct watched *w)
{
	w->number++;
	for (size_t i = 0; i < CLOCKS; i++)
		oracle_tell(w->oracles[i], w->number, &w->tk);
}

static void start_watched(struct watched *w, size_t counter, u64 updates)
{
	const struct timekeeper_start start = {
		.frequency_hz = counters[counter].frequency_hz,
		.mask = counters[counter].mask,
		.clock_mode = VDSO_CLOCKMODE_TSC,
		.interval_hz = 4000,
		.realtime = {1700000000, 990000000},
		.monotonic = {4321, 980000000},
		.boottime = {54321, 970000000},
		.tai_offset_sec = 37,
	};
	struct errmsg err;

	*w = (struct watched){.now = START};
	random_state = 1 + counter;
	assert_int_equal(timekeeper_init(&w->tk, &start, w->now, &err), 0);
	for (size_t i = 0; i < CLOCKS; i++) {
		w->oracles[i] = oracle_create(clocks[i], updates, true, &err);
		assert_non_null(w->oracles[i]);
	}
	tell(w);
}

static void stop_watched(struct watched *w)
{
	for (size_t i = 0; i < CLOCKS; i++)
		oracle_destroy(w->oracles[i]);
}

static struct oracle *oracle_for(const struct watched *w, clockid_t clock)
{
	size_t i = 0;

	while (clocks[i] != clock)
		i++;
	return w->oracles[i];
}

/* In counter values that a clock of this mask shows. */
static u64 shown(const struct watched *w)
{
	return w->now & w->tk.mask;
}

static void advance(struct watched *w, u64 cycles)
{
	w->now += cycles;
	timekeeper_advance(&w->tk, shown(w));
}

static void forward(struct watched *w, u64 cycles)
{
	w->now += cycles;
	timekeeper_forward(&w->tk, shown(w));
}

static void steer(struct watched *w, s64 ppb_shifted)
{
	struct errmsg err;

	assert_int_equal(timekeeper_set_frequency(&w->tk, ppb_shifted, &err), 0);
}

static void step(struct watched *w, s64 ns)
{
	struct errmsg err;

	assert_int_equal(timekeeper_step(&w->tk, ns, &err), 0);
}

static void leap(struct watched *w, int seconds)
{
	struct errmsg err;

	assert_int_equal(timekeeper_leap(&w->tk, seconds, &err), 0);
}

static void resume(struct watched *w, u64 cycles, u64 asleep_ns)
{
	struct errmsg err;

	w->now = cycles;
	assert_int_equal(timekeeper_resume(&w->tk, shown(w), asleep_ns, &err), 0);
}

static void change_counter(struct watched *w, u64 counter, u64 cycles)
{
	struct errmsg err;

	w->now = cycles;
	assert_int_equal(timekeeper_change_counter(&w->tk, &counters[counter], cycles, &err), 0);
}

/*
 * Writers that do to one clock what they may not. Each is done once, rightly but for its fault, and
 * exactly the clocks that it moves must hear of it.
 */
struct fault {
	const char *name;
	void (*commit)(struct watched *w);
	clockid_t moved[CLOCKS + 1]; /* ended by -1 */
};

static void step_forgets_offset(struct watched *w)
{
	struct timespec kept = w->tk.wall_to_monotonic;

	forward(w, 12345);
	step(w, -3 * SEC);
	w->tk.wall_to_monotonic = kept;
}

/* A nanosecond is what is allowed for. */
static void step_loses_two_nanoseconds(struct watched *w)
{
	forward(w, 12345);
	step(w, 3 * SEC);
	w->tk.wall_to_monotonic.tv_nsec -= 2;
}

static void step_moves_boottime(struct watched *w)
{
	forward(w, 12345);
	step(w, 3 * SEC);
	w->tk.boot_offset.tv_sec -= 3;
}

static void leap_forgets_tai(struct watched *w)
{
	advance(w, PERIOD);
	leap(w, -1);
	w->tk.tai_offset_sec--;
}

static void leap_moves_monotonic(struct watched *w)
{
	advance(w, PERIOD);
	leap(w, 1);
	w->tk.wall_to_monotonic.tv_sec++;
}

static void suspend_moves_monotonic(struct watched *w)
{
	struct timespec kept = w->tk.wall_to_monotonic;

	forward(w, 12345);
	resume(w, 77, 7 * (u64)SEC);
	w->tk.wall_to_monotonic = kept;
}

static void suspend_moves_raw(struct watched *w)
{
	forward(w, 12345);
	resume(w, 77, 7 * (u64)SEC);
	w->tk.raw_sec += 7;
}

/* The counter stands at another value, and nobody looked. */
static void suspend_forgets_base(struct watched *w)
{
	forward(w, 12345);
	resume(w, w->now + 20000, 7 * (u64)SEC);
	w->tk.cycle_last -= 20000;
}

static void suspend_without_forward(struct watched *w)
{
	w->now += 12345;
	resume(w, 77, 7 * (u64)SEC);
}

static void change_without_forward(struct watched *w)
{
	w->now += 12345;
	change_counter(w, 1, 77);
}

static void change_keeps_shifted_time(struct watched *w)
{
	u64 realtime_nsec;

	forward(w, 12345);
	realtime_nsec = w->tk.realtime_nsec;
	change_counter(w, NARROW, 77);
	w->tk.realtime_nsec = realtime_nsec;
}

static void change_loses_raw(struct watched *w)
{
	forward(w, 12345);
	change_counter(w, 1, 77);
	w->tk.raw_nsec -= 2ull << w->tk.shift;
}

static void change_reads_counter_late(struct watched *w)
{
	forward(w, 12345);
	change_counter(w, 1, 77);
	w->tk.cycle_last += 50;
	w->tk.began_cycles += 100;
}

static void tick_loses_an_interval(struct watched *w)
{
	advance(w, PERIOD);
	w->tk.cycle_last += w->tk.cycle_interval;
}

static void tick_forgets_what_passed(struct watched *w)
{
	u64 nsec = w->tk.realtime_nsec;

	forward(w, PERIOD);
	w->tk.realtime_nsec = nsec;
}

#define ALL_STEERED                                                                        \
	CLOCK_REALTIME, CLOCK_TAI, CLOCK_BOOTTIME, CLOCK_MONOTONIC, CLOCK_REALTIME_COARSE, \
		CLOCK_MONOTONIC_COARSE
#define OF_MONOTONIC CLOCK_MONOTONIC, CLOCK_MONOTONIC_COARSE
#define END	     -1

static const struct fault faults[] = {
	{"step that forgets the offset", step_forgets_offset, {OF_MONOTONIC, CLOCK_BOOTTIME, END}},
	{"step that loses 2 ns", step_loses_two_nanoseconds, {OF_MONOTONIC, CLOCK_BOOTTIME, END}},
	{"step that moves BOOTTIME", step_moves_boottime, {CLOCK_BOOTTIME, END}},
	{"leap that forgets TAI", leap_forgets_tai, {CLOCK_TAI, END}},
	{"leap that moves MONOTONIC", leap_moves_monotonic, {OF_MONOTONIC, CLOCK_BOOTTIME, END}},
	{"suspend that moves MONOTONIC", suspend_moves_monotonic, {OF_MONOTONIC, END}},
	{"suspend that moves RAW", suspend_moves_raw, {CLOCK_MONOTONIC_RAW, END}},
	{"suspend that forgets the base",
	 suspend_forgets_base,
	 {OF_MONOTONIC, CLOCK_MONOTONIC_RAW, END}},
	{"suspend without a forward",
	 suspend_without_forward,
	 {OF_MONOTONIC, CLOCK_MONOTONIC_RAW, END}},
	{"change without a forward",
	 change_without_forward,
	 {ALL_STEERED, CLOCK_MONOTONIC_RAW, END}},
	{"change that keeps shifted time", change_keeps_shifted_time, {ALL_STEERED, END}},
	{"change that loses raw time", change_loses_raw, {CLOCK_MONOTONIC_RAW, END}},
	{"change that reads the counter late",
	 change_reads_counter_late,
	 {ALL_STEERED, CLOCK_MONOTONIC_RAW, END}},
	{"tick that loses an interval",
	 tick_loses_an_interval,
	 {ALL_STEERED, CLOCK_MONOTONIC_RAW, END}},
	{"tick that forgets what has passed", tick_forgets_what_passed, {ALL_STEERED, END}},
};

static bool is_moved(const struct fault *fault, clockid_t clock)
{
	for (const clockid_t *moved = fault->moved; *moved != END; moved++)
		if (*moved == clock)
			return true;
	return false;
}

static void commit(const struct fault *fault)
{
	struct watched w;

	start_watched(&w, 0, 0);
	advance(&w, PERIOD + 12345);
	tell(&w);
	fault->commit(&w);
	tell(&w);
	for (int i = 0; i < 10; i++) {
		advance(&w, PERIOD);
		tell(&w);
	}
	for (size_t i = 0; i < CLOCKS; i++) {
		u64 found = oracle_forbidden_jumps(w.oracles[i]);

		if (found != is_moved(fault, clocks[i]))
			fail_msg("%s: clock %d is found %llu times", fault->name, (int)clocks[i],
				 (unsigned long long)found);
	}
	stop_watched(&w);
}

static void test_forbidden_jumps(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		commit(&faults[i]);
}

static void check_not_accused(const struct watched *w, const char *what)
{
	for (size_t i = 0; i < CLOCKS; i++)
		if (oracle_forbidden_jumps(w->oracles[i]))
			fail_msg("update %llu, %s: clock %d is accused",
				 (unsigned long long)w->number, what, (int)clocks[i]);
}

/* The fraction that a counter has no room for may be what a nanosecond was full by. */
static void test_a_fraction_may_be_dropped(void **state)
{
	struct watched w;

	(void)state;
	start_watched(&w, 1, 0);
	forward(&w, PERIOD);
	tell(&w);
	forward(&w, PERIOD);
	change_counter(&w, 0, 77);
	assert_int_equal(w.tk.realtime_nsec % (1ull << w.tk.shift), 0);
	w.tk.realtime_nsec--;
	w.tk.raw_nsec--;
	tell(&w);
	check_not_accused(&w, "a fraction is dropped");
	stop_watched(&w);
}

/* Who is not asked for order says nothing: a stamp jumps by what it is. */
static void test_forbidden_jumps_not_asked_for(void **state)
{
	struct timekeeper stamps[10];
	struct errmsg err;

	(void)state;
	make_stamps(stamps, 9, VDSO_CLOCKMODE_TSC);
	for (int ordered = 0; ordered < 2; ordered++) {
		struct oracle *oracle = oracle_create(CLOCK_MONOTONIC, 0, ordered, &err);

		for (u64 number = 1; number < 10; number++)
			oracle_tell(oracle, number, &stamps[number]);
		assert_int_equal(oracle_forbidden_jumps(oracle), ordered ? 8 : 0);
		oracle_destroy(oracle);
	}
}

static s64 next_step(const struct watched *w)
{
	static const s64 scales[] = {1, 1000, SEC, 3600 * SEC, 20 * YEAR};
	s64 scale = scales[random_below(ARRAY_SIZE(scales))];
	s64 ns = (s64)random_below(2 * (u64)scale + 1) - scale;
	s64 sec = (s64)w->tk.realtime_sec;

	/* Within what 64 bits of nanoseconds hold. */
	return sec + ns / SEC < 100 || sec + ns / SEC > 9000000000 ? (1700000000 - sec) * SEC : ns;
}

/* A counter is given room, if it is a narrow one. */
static u64 next_gap(const struct watched *w)
{
	u64 interval = w->tk.cycle_interval;

	return random_below(16) ? random_below(3 * interval) : random_below(200) * interval;
}

/* Whatever a writer may do, told at once. */
static const char *do_something(struct watched *w)
{
	u64 deed = random_below(100);

	if (random_below(10) == 0)
		steer(w, (s64)random_below(2 * (u64)MAX_STEERING + 1) - MAX_STEERING);
	if (deed < 50) {
		advance(w, next_gap(w));
		return "a tick";
	}
	forward(w, next_gap(w));
	if (deed < 55)
		return "a forward";
	if (deed < 70) {
		step(w, next_step(w));
		return "a step";
	}
	if (deed < 80) {
		leap(w, deed & 1 ? 1 : -1);
		return "a leap";
	}
	if (deed < 90) {
		resume(w, random_state >> 2, random_below(1000000000000));
		return "a suspend";
	}
	change_counter(w, random_below(ARRAY_SIZE(counters)), random_state >> 2);
	return "a change of counter";
}

static void test_nothing_allowed_is_accused(void **state)
{
	(void)state;
	for (size_t counter = 0; counter < ARRAY_SIZE(counters); counter++) {
		struct watched w;

		start_watched(&w, counter, 0);
		for (int i = 0; i < 20000; i++) {
			const char *what = do_something(&w);

			tell(&w);
			check_not_accused(&w, what);
		}
		/* A state may be told twice, also after a change of counter. */
		forward(&w, 5);
		change_counter(&w, 0, 7);
		for (int i = 0; i < 3; i++) {
			tell(&w);
			timekeeper_advance(&w.tk, 8);
		}
		step(&w, -5);
		tell(&w);
		check_not_accused(&w, "the same again");
		stop_watched(&w);
	}
}

/* Jumps and counters are told with the update that has them first. */
static void test_updates_tell_of_jumps(void **state)
{
	struct oracle_update update;
	struct watched w;

	(void)state;
	start_watched(&w, 0, 0);
	forward(&w, 100);
	step(&w, -5);
	tell(&w);
	advance(&w, PERIOD);
	leap(&w, 1);
	tell(&w);
	forward(&w, 100);
	resume(&w, 100, 5);
	tell(&w);
	forward(&w, 100);
	change_counter(&w, 1, 5);
	tell(&w);
	w.tk.raw_sec++;
	tell(&w);
	for (size_t i = 0; i < CLOCKS; i++) {
		bool realtime = clocks[i] == CLOCK_REALTIME || clocks[i] == CLOCK_REALTIME_COARSE;
		bool tai = clocks[i] == CLOCK_TAI, boottime = clocks[i] == CLOCK_BOOTTIME;
		const u64 step_counts = realtime || tai, leap_counts = realtime;
		const u64 suspend_counts = realtime || tai || boottime;
		const u64 jumps[] = {0,
				     0,
				     step_counts,
				     step_counts + leap_counts,
				     step_counts + leap_counts + suspend_counts,
				     step_counts + leap_counts + suspend_counts,
				     step_counts + leap_counts + suspend_counts};
		const u32 numbers[] = {0, 0, 0, 0, 1, 2, 2};

		for (u64 n = 1; n <= 6; n++) {
			assert_true(oracle_recall(w.oracles[i], n, &update));
			assert_int_equal(update.jumps, jumps[n]);
			assert_int_equal(update.counter, numbers[n]);
			assert_int_equal(update.forbidden,
					 n == 6 && clocks[i] == CLOCK_MONOTONIC_RAW);
		}
	}
	stop_watched(&w);
}

static u64 value(const struct oracle *oracle, u64 number, u64 cycles)
{
	struct oracle_update update;

	assert_true(oracle_recall(oracle, number, &update));
	return oracle_nanoseconds(&update, cycles);
}

/* Two reads, by what they used; and whether they are found, and counted as steered back. */
static void check_reads(struct oracle *oracle, u64 before, u64 before_cycles, u64 after,
			u64 after_cycles, u32 backwards, u64 steered)
{
	u64 counted = oracle_steered_back(oracle);
	u32 found = oracle_order(oracle, before, value(oracle, before, before_cycles), after,
				 value(oracle, after, after_cycles));

	counted = oracle_steered_back(oracle) - counted;
	if (found != backwards || counted != steered)
		fail_msg("%llu ns, then %llu ns: %u times backwards, %llu steered back",
			 (unsigned long long)value(oracle, before, before_cycles),
			 (unsigned long long)value(oracle, after, after_cycles), found,
			 (unsigned long long)counted);
}

/* Back by hours and by years, and on again. Within a jump nothing else is excused. */
static void step_back(clockid_t clock, s64 ns)
{
	struct oracle *oracle;
	struct watched w;
	u64 stepped;

	start_watched(&w, 0, 0);
	oracle = oracle_for(&w, clock);
	forward(&w, PERIOD);
	step(&w, -ns);
	tell(&w);
	stepped = w.now;
	check_reads(oracle, 1, stepped, 2, stepped + 10, 0, 0);
	check_reads(oracle, 2, stepped + 10000, 2, stepped + 20, 1, 0);
	forward(&w, PERIOD);
	tell(&w);
	check_reads(oracle, 2, w.now, 3, w.now + 10, 0, 0);
	check_reads(oracle, 2, w.now + 10000, 3, w.now, 1, 0);
	/* From before the step to two updates after it. */
	check_reads(oracle, 1, stepped, 3, w.now + 5, 0, 0);
	/* The page cannot go back, whatever jumped. */
	check_reads(oracle, 3, w.now, 2, w.now - PERIOD, 1, 0);
	forward(&w, PERIOD);
	step(&w, ns);
	tell(&w);
	check_reads(oracle, 3, w.now, 4, w.now + 1, 0, 0);
	check_reads(oracle, 4, w.now, 3, w.now, 1, 0);
	check_reads(oracle, 4, w.now + 100, 4, w.now, 1, 0);
	assert_int_equal(oracle_forbidden_jumps(oracle), 0);
	stop_watched(&w);
}

static void test_steps_back_are_no_fault(void **state)
{
	static const s64 steps[] = {1000000, SEC, 3600 * SEC, 12 * 86400 * SEC, 50 * YEAR};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		step_back(CLOCK_REALTIME, steps[i]);
		step_back(CLOCK_TAI, steps[i]);
	}
}

/* A coarse clock jumps with its clock; and what it tells under one update it does not take back. */
static void test_coarse_step_back(void **state)
{
	struct oracle *oracle;
	struct watched w;

	(void)state;
	start_watched(&w, 0, 0);
	oracle = oracle_for(&w, CLOCK_REALTIME_COARSE);
	forward(&w, PERIOD);
	step(&w, -SEC);
	tell(&w);
	check_reads(oracle, 1, 0, 2, 0, 0, 0);
	oracle = oracle_for(&w, CLOCK_MONOTONIC_COARSE);
	check_reads(oracle, 1, 0, 2, 0, 0, 0);
	assert_int_equal(oracle_order(oracle, 1, value(oracle, 1, 0), 2, value(oracle, 1, 0) - 1),
			 1);
	stop_watched(&w);
}

/* What one thread read under an update is not held against another's read after the step. */
static void test_steps_across_threads(void **state)
{
	struct oracle *oracle;
	struct watched w;

	(void)state;
	start_watched(&w, 0, 0);
	oracle = oracle_for(&w, CLOCK_REALTIME);
	for (int i = 0; i < 4; i++) {
		forward(&w, PERIOD);
		if (i == 1 || i == 2)
			step(&w, i == 1 ? -SEC : SEC);
		tell(&w);
	}
	/* Updates 2 to 3 step back, 3 to 4 forth. One thread, then another, which goes on. */
	check_reads(oracle, 2, START + 2 * PERIOD, 3, START + 2 * PERIOD + 9, 0, 0);
	check_reads(oracle, 2, START + 2 * PERIOD - 100, 3, START + 2 * PERIOD + 5, 0, 0);
	check_reads(oracle, 1, START + PERIOD - 100, 3, START + 2 * PERIOD + 3, 0, 0);
	check_reads(oracle, 2, START + 2 * PERIOD + 2, 4, START + 3 * PERIOD + 9, 0, 0);
	/* Where no step lies between it still is: update 4 told as much before 5 began. */
	check_reads(oracle, 4, START + 4 * PERIOD + 500, 5, START + 4 * PERIOD + 600, 0, 0);
	check_reads(oracle, 4, START + 4 * PERIOD, 5, START + 4 * PERIOD + 100, 1, 0);
	check_reads(oracle, 4, START + 4 * PERIOD + 800, 5, START + 4 * PERIOD + 900, 1, 0);
	stop_watched(&w);
}

/* When the earlier update is forgotten, only a clock that never jumped is known to go back. */
static void test_forgotten_jumps(void **state)
{
	struct oracle *realtime, *monotonic;
	u64 realtime_ns, monotonic_ns;
	struct watched w;

	(void)state;
	start_watched(&w, 0, 0);
	realtime = oracle_for(&w, CLOCK_REALTIME);
	monotonic = oracle_for(&w, CLOCK_MONOTONIC);
	realtime_ns = value(realtime, 1, START);
	monotonic_ns = value(monotonic, 1, START);
	for (int i = 0; i < 100; i++) {
		advance(&w, PERIOD);
		tell(&w);
	}
	assert_int_equal(oracle_order(realtime, 1, realtime_ns, 101, realtime_ns - 1), 1);
	forward(&w, PERIOD);
	step(&w, -SEC);
	tell(&w);
	assert_int_equal(oracle_order(realtime, 1, realtime_ns, 102, realtime_ns - 1), 0);
	assert_int_equal(oracle_order(monotonic, 1, monotonic_ns, 102, monotonic_ns - 1), 1);
	stop_watched(&w);
}

/* Two updates, the second with a slower slope, of which readers hear `late` cycles late. */
static void slow_down(struct watched *w, size_t counter)
{
	start_watched(w, counter, 0);
	steer(w, MAX_STEERING);
	advance(w, 2 * w->tk.cycle_interval + 5);
	tell(w);
	steer(w, -MAX_STEERING);
	advance(w, 2 * w->tk.cycle_interval + 77);
	tell(w);
}

/*
 * A read under the update before, a millisecond late, and one under the update after, so many
 * cycles later. The slope goes from 500 ppm fast to 500 ppm slow: a microsecond in a millisecond.
 */
static void check_slowed(clockid_t clock, s64 cycles, u32 backwards, u64 steered)
{
	struct watched w;
	u64 late;

	slow_down(&w, 0);
	late = w.now + PERIOD;
	check_reads(oracle_for(&w, clock), 2, late, 3, late + (u64)cycles, backwards, steered);
	check_reads(oracle_for(&w, clock), 2, late + 1000, 2, late + 996, 1, 0);
	stop_watched(&w);
}

static void test_steered_back(void **state)
{
	static const clockid_t steered[] = {CLOCK_REALTIME, CLOCK_TAI, CLOCK_BOOTTIME,
					    CLOCK_MONOTONIC};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(steered); i++) {
		/* The counter stood, or went on by less than a microsecond, or by more. */
		check_slowed(steered[i], 0, 0, 1);
		check_slowed(steered[i], 2000, 0, 1);
		check_slowed(steered[i], 3000, 0, 0);
		/* It went back. */
		check_slowed(steered[i], -4, 1, 0);
		check_slowed(steered[i], -2000, 1, 0);
		check_slowed(steered[i], -(s64)PERIOD, 1, 0);
	}
	/* RAW runs by a slope of its own. */
	check_slowed(CLOCK_MONOTONIC_RAW, 0, 0, 0);
	check_slowed(CLOCK_MONOTONIC_RAW, -4, 1, 0);
}

/* Neither a time that the earlier update never tells nor one in a second far away. */
static void test_steered_back_from_what_was_never_told(void **state)
{
	struct oracle *oracle;
	struct watched w;
	u64 late, ns;

	(void)state;
	slow_down(&w, SLOW);
	oracle = oracle_for(&w, CLOCK_MONOTONIC);
	late = w.now + w.tk.frequency_hz / 1000;
	check_reads(oracle, 2, late, 3, late, 0, 1);
	ns = value(oracle, 2, late);
	/* A cycle is worth 41 ns. */
	assert_int_equal(oracle_order(oracle, 2, ns - 1, 3, value(oracle, 3, late)), 1);
	assert_int_equal(oracle_order(oracle, 2, ns + 1, 3, value(oracle, 3, late)), 1);
	/* Before it began, and long after. */
	assert_int_equal(oracle_order(oracle, 2, 4000 * (u64)SEC, 3, 3999 * (u64)SEC), 1);
	assert_int_equal(oracle_order(oracle, 2, UINT64_MAX, 3, 5000 * (u64)SEC), 1);
	assert_int_equal(oracle_steered_back(oracle), 1);
	stop_watched(&w);
}

/* Other threads' reads are judged by the same rule, each way. */
static void test_steered_back_across_threads(void **state)
{
	struct oracle *oracle;
	struct watched w;
	u64 late;

	(void)state;
	slow_down(&w, 0);
	oracle = oracle_for(&w, CLOCK_MONOTONIC);
	late = w.now + PERIOD;
	/* One that knows 2 until late, and 3 far later; one that knows 3 at once after that. */
	check_reads(oracle, 2, late, 3, late + 10000, 0, 0);
	check_reads(oracle, 2, w.now, 3, late + 10, 0, 1);
	/* A counter that runs behind the first one's, in the one and in the other. */
	check_reads(oracle, 2, w.now, 3, late - 10, 1, 0);
	stop_watched(&w);

	slow_down(&w, 0);
	oracle = oracle_for(&w, CLOCK_MONOTONIC);
	check_reads(oracle, 2, w.now, 3, late - 10, 0, 0);
	check_reads(oracle, 2, late - 20, 3, late + 10000, 0, 1);
	check_reads(oracle, 2, late, 3, late + 10000, 1, 0);
	stop_watched(&w);
}

/*
 * Two counters' values cannot be compared: readers wait while it is changed, and none is late.
 * `begins` is what the counter says afterwards.
 */
static void change_under_readers(u64 begins)
{
	struct oracle *oracle;
	struct watched w;
	u64 changed;

	start_watched(&w, 0, 0);
	oracle = oracle_for(&w, CLOCK_MONOTONIC);
	forward(&w, PERIOD);
	changed = w.now;
	change_counter(&w, SLOW, begins);
	tell(&w);
	check_reads(oracle, 1, changed, 2, begins, 0, 0);
	check_reads(oracle, 1, changed + 5, 2, begins, 1, 0);
	stop_watched(&w);

	start_watched(&w, 0, 0);
	oracle = oracle_for(&w, CLOCK_MONOTONIC);
	forward(&w, PERIOD);
	changed = w.now;
	resume(&w, begins, 5);
	tell(&w);
	check_reads(oracle, 1, changed, 2, begins, 0, 0);
	check_reads(oracle, 1, changed + 5, 2, begins, 1, 0);
	stop_watched(&w);
}

static void test_no_steering_excuses_a_change_of_counter(void **state)
{
	(void)state;
	change_under_readers(10);
	change_under_readers(START + PERIOD + 3);
	change_under_readers(START * 4);
}

/* What the writer may not do is not laid to the slope. */
static void test_no_steering_excuses_a_forbidden_jump(void **state)
{
	struct oracle *oracle;
	struct watched w;

	(void)state;
	start_watched(&w, 0, 0);
	oracle = oracle_for(&w, CLOCK_MONOTONIC);
	step_forgets_offset(&w);
	tell(&w);
	check_reads(oracle, 1, w.now, 2, w.now + 100, 1, 0);
	check_reads(oracle, 1, w.now - 9, 2, w.now + 200, 1, 0);
	stop_watched(&w);
}

/* Neither does a coarse clock have a slope: forged, as a right timekeeper never takes it back. */
static void test_no_steering_excuses_a_coarse_clock(void **state)
{
	struct oracle *oracle;
	struct watched w;

	(void)state;
	slow_down(&w, 0);
	w.tk.coarse_nsec -= 1000;
	tell(&w);
	oracle = oracle_for(&w, CLOCK_MONOTONIC_COARSE);
	check_reads(oracle, 3, 0, 4, 0, 1, 0);
	stop_watched(&w);
}

/*
 * By trying: whether there are a counter value at which the earlier update says `before_ns`, and
 * one not before it at which the later one says `after_ns`, when they were said at or near these.
 */
static bool may_be(const struct timekeeper *earlier, u64 before, u64 before_ns,
		   const struct timekeeper *later, u64 after, u64 after_ns)
{
	u64 first = before, last = after;

	while (read_ns(earlier, CLOCK_MONOTONIC, first - 1) == before_ns)
		first--;
	while (read_ns(later, CLOCK_MONOTONIC, last + 1) == after_ns)
		last++;
	return first <= last;
}

static u64 excused, accused;

/* By an oracle that nobody has asked before: no other read is held against these. */
static void try_read(const struct timekeeper *earlier, u64 before_ns,
		     const struct timekeeper *later, u64 after_ns, bool right)
{
	struct errmsg err;
	struct oracle *oracle = oracle_create(CLOCK_MONOTONIC, 0, true, &err);
	u64 steered;
	u32 found;

	oracle_tell(oracle, 1, earlier);
	oracle_tell(oracle, 2, later);
	found = oracle_order(oracle, 1, before_ns, 2, after_ns);
	steered = oracle_steered_back(oracle);
	oracle_destroy(oracle);
	if (found != !right || steered != (right && after_ns < before_ns))
		fail_msg("%llu ns, then %llu: %u times backwards, %llu steered back",
			 (unsigned long long)before_ns, (unsigned long long)after_ns, found,
			 (unsigned long long)steered);
	excused += steered;
	accused += found;
}

static void try_reads(size_t counter, u64 seed)
{
	struct timekeeper earlier, later;
	struct watched w;
	u64 late;

	start_watched(&w, counter, 0);
	random_state = seed;
	steer(&w, (s64)random_below((u64)MAX_STEERING));
	advance(&w, random_below(w.tk.frequency_hz / 100));
	earlier = w.tk;
	steer(&w, -(s64)random_below((u64)MAX_STEERING));
	advance(&w, random_below(w.tk.frequency_hz / 100));
	later = w.tk;
	late = w.now + 100 + random_below(w.tk.frequency_hz / 100);
	stop_watched(&w);
	for (int i = 0; i < 300; i++) {
		u64 before = late + random_below(20), after = late + random_below(20);
		u64 before_ns = read_ns(&earlier, CLOCK_MONOTONIC, before);
		u64 after_ns = read_ns(&later, CLOCK_MONOTONIC, after);
		bool right = after_ns >= before_ns ||
			     may_be(&earlier, before, before_ns, &later, after, after_ns);

		try_read(&earlier, before_ns, &later, after_ns, right);
	}
}

static void test_steered_back_by_trying(void **state)
{
	(void)state;
	excused = accused = 0;
	for (size_t counter = 0; counter < 4; counter++)
		for (int i = 0; i < 10; i++)
			try_reads(counter, (u64)i);
	assert_true(excused > 100 && accused > 100);
}

/* A time of whole microseconds, or seconds, is compared with one that is rounded as well. */
static void test_steered_back_when_rounded(void **state)
{
	const u64 quantum = 1000;
	struct oracle *oracle;
	struct watched w;
	u64 late, ns;

	(void)state;
	slow_down(&w, 0);
	oracle = oracle_for(&w, CLOCK_MONOTONIC);
	/* Just over a microsecond's end under 2, and so just before it under 3. */
	late = w.now + PERIOD;
	while (value(oracle, 2, late) % quantum)
		late++;
	ns = value(oracle, 2, late);
	assert_true(value(oracle, 3, late + 10) / quantum < ns / quantum);
	assert_int_equal(oracle_order_rounded(oracle, 2, ns, 3,
					      value(oracle, 3, late + 10) / quantum * quantum,
					      quantum),
			 0);
	assert_int_equal(oracle_steered_back(oracle), 1);
	/* A microsecond further back it was not the slope. */
	assert_int_equal(oracle_order_rounded(oracle, 2, ns, 3, ns - 3 * quantum, quantum), 1);
	assert_int_equal(oracle_order_rounded(oracle, 2, ns, 2, ns - quantum, quantum), 1);
	assert_int_equal(oracle_order_rounded(oracle, 2, ns - quantum, 2, ns, quantum), 0);
	stop_watched(&w);
}

/*
 * Readers of a counter that they move themselves, each of one clock, beside a writer that does all
 * there is to do and publishes late. The page is a sequence and the oracle's memory.
 */
#define READERS	     3
#define MANY_UPDATES (CONTEND_TSAN ? 100u : 400u)

struct scene {
	struct watched w;
	u64 counter;
	u32 seq; /* twice the number of the update, and odd while readers wait */
	bool stop;
	clockid_t clock;
	u64 lag; /* cycles by which a reader looks at the past, of READERS + 1 reads one */
	u64 backwards;
	u64 reads; /* of all readers, as they are made */
};

static u64 counter_after(struct scene *scene, u64 cycles)
{
	return __atomic_add_fetch(&scene->counter, cycles, __ATOMIC_SEQ_CST);
}

/* One read, and false when it met an update. */
static bool read_once(struct scene *scene, u64 lag, u64 *number, u64 *ns)
{
	struct oracle_update update;
	u32 seq = __atomic_load_n(&scene->seq, __ATOMIC_SEQ_CST);
	u64 cycles = counter_after(scene, 7) - lag;

	*number = oracle_number(oracle_for(&scene->w, scene->clock), seq);
	if (seq & 1 || !oracle_recall(oracle_for(&scene->w, scene->clock), *number, &update))
		return false;
	*ns = oracle_nanoseconds(&update, cycles);
	return __atomic_load_n(&scene->seq, __ATOMIC_SEQ_CST) == seq;
}

static void *read_on(void *argument)
{
	struct scene *scene = argument;
	struct oracle *oracle = oracle_for(&scene->w, scene->clock);
	u64 number, ns, last_number = 0, last_ns = 0, backwards = 0, reads = 0;

	while (!__atomic_load_n(&scene->stop, __ATOMIC_RELAXED)) {
		if (!read_once(scene, reads % (READERS + 1) ? 0 : scene->lag, &number, &ns))
			continue;
		if (last_number)
			backwards += oracle_order(oracle, last_number, last_ns, number, ns);
		last_number = number;
		last_ns = ns;
		if (reads++ % 16 == 0)
			sched_yield();
		__atomic_fetch_add(&scene->reads, 1, __ATOMIC_RELAXED);
	}
	__atomic_fetch_add(&scene->backwards, backwards, __ATOMIC_RELAXED);
	return NULL;
}

/* Now and then the writer makes sure that it is met. */
static void let_them_read(struct scene *scene)
{
	u64 reads = __atomic_load_n(&scene->reads, __ATOMIC_RELAXED);

	if (random_below(4) == 0)
		while (__atomic_load_n(&scene->reads, __ATOMIC_RELAXED) < reads + READERS)
			sched_yield();
}

static void set_sequence(struct scene *scene, u64 seq)
{
	__atomic_store_n(&scene->seq, (u32)seq, __ATOMIC_SEQ_CST);
}

/* The writer reads the counter, and by the time that it publishes it is later. */
static void update_late(struct scene *scene)
{
	struct watched *w = &scene->w;
	u64 deed = random_below(4);

	w->now = counter_after(scene, random_below(2 * PERIOD));
	steer(w, (s64)random_below(2 * (u64)MAX_STEERING + 1) - MAX_STEERING);
	if (deed)
		timekeeper_advance(&w->tk, w->now);
	else
		timekeeper_forward(&w->tk, w->now);
	if (deed == 0)
		step(w, next_step(w));
	if (deed == 1)
		leap(w, random_below(2) ? 1 : -1);
	tell(w);
	counter_after(scene, random_below(PERIOD));
	let_them_read(scene);
	set_sequence(scene, 2 * w->number);
	let_them_read(scene);
}

/* Readers wait from before the counter is looked at. */
static void update_while_they_wait(struct scene *scene)
{
	struct watched *w = &scene->w;

	set_sequence(scene, 2 * w->number + 1);
	w->now = counter_after(scene, PERIOD);
	timekeeper_forward(&w->tk, w->now);
	if (random_below(2))
		resume(w, START + random_below(START), random_below(1000000000));
	else
		change_counter(w, random_below(4), START + random_below(START));
	__atomic_store_n(&scene->counter, w->now, __ATOMIC_SEQ_CST);
	tell(w);
	set_sequence(scene, 2 * w->number);
}

static void play(struct scene *scene, clockid_t clock, u64 lag)
{
	pthread_t readers[READERS];

	*scene = (struct scene){.clock = clock, .lag = lag};
	start_watched(&scene->w, 0, MANY_UPDATES + 1);
	scene->counter = scene->w.now;
	scene->seq = 2;
	for (int i = 0; i < READERS; i++)
		assert_int_equal(pthread_create(&readers[i], NULL, read_on, scene), 0);
	for (u32 i = 0; i < MANY_UPDATES; i++)
		if (random_below(16))
			update_late(scene);
		else
			update_while_they_wait(scene);
	__atomic_store_n(&scene->stop, true, __ATOMIC_RELAXED);
	for (int i = 0; i < READERS; i++)
		pthread_join(readers[i], NULL);
}

static void test_threads_are_not_accused(void **state)
{
	struct scene scene;
	u64 steered = 0;

	(void)state;
	for (size_t i = 0; i < CLOCKS; i++) {
		play(&scene, clocks[i], 0);
		if (scene.backwards)
			fail_msg("clock %d: %llu of %llu reads go back", (int)clocks[i],
				 (unsigned long long)scene.backwards,
				 (unsigned long long)scene.reads);
		check_not_accused(&scene.w, "the end");
		if (is_coarse(clocks[i]))
			assert_int_equal(oracle_steered_back(scene.w.oracles[i]), 0);
		steered += oracle_steered_back(scene.w.oracles[i]);
		stop_watched(&scene.w);
	}
	assert_true(steered > 0);
}

/* A reader whose counter lags behind is found all the same, in every clock that has a slope. */
static void test_threads_with_a_lag_are_found(void **state)
{
	struct scene scene;

	(void)state;
	for (size_t i = 0; i < CLOCKS; i++) {
		if (is_coarse(clocks[i]))
			continue;
		play(&scene, clocks[i], 100000);
		assert_true(scene.backwards > 0);
		stop_watched(&scene.w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forbidden_jumps),
		cmocka_unit_test(test_a_fraction_may_be_dropped),
		cmocka_unit_test(test_forbidden_jumps_not_asked_for),
		cmocka_unit_test(test_nothing_allowed_is_accused),
		cmocka_unit_test(test_updates_tell_of_jumps),
		cmocka_unit_test(test_steps_back_are_no_fault),
		cmocka_unit_test(test_coarse_step_back),
		cmocka_unit_test(test_steps_across_threads),
		cmocka_unit_test(test_forgotten_jumps),
		cmocka_unit_test(test_steered_back),
		cmocka_unit_test(test_steered_back_from_what_was_never_told),
		cmocka_unit_test(test_steered_back_across_threads),
		cmocka_unit_test(test_steered_back_when_rounded),
		cmocka_unit_test(test_steered_back_by_trying),
		cmocka_unit_test(test_no_steering_excuses_a_change_of_counter),
		cmocka_unit_test(test_no_steering_excuses_a_forbidden_jump),
		cmocka_unit_test(test_no_steering_excuses_a_coarse_clock),
		cmocka_unit_test(test_threads_are_not_accused),
		cmocka_unit_test(test_threads_with_a_lag_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
