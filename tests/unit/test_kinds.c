// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What each kind of writer does to time and to the page, over the virtual counter, with an oracle
 * for every clock. The mutants of time must be found by the oracle of the clock that they move.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "writers/kinds.h"

#define HZ    2596122000ull
#define FIRST (1ull << 40)

static const clockid_t clocks[] = {
	CLOCK_REALTIME,		CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_REALTIME_COARSE,
	CLOCK_MONOTONIC_COARSE, CLOCK_BOOTTIME,	 CLOCK_TAI,
};

#define CLOCKS ARRAY_SIZE(clocks)

static struct page_region region;
static struct oracle *oracle[CLOCKS];
static struct tk_core *core;
static struct writer writer;
static struct errmsg err;
static bool stop;
static u64 now;
static u64 naps;
static u32 seq_of_nap;

static void move_counter(u64 cycles)
{
	now += cycles;
	page_set_virtual_counter(&region, now);
}

/* Who pauses moves the counter on by more than any pause of these tests takes. */
int nanosleep(const struct timespec *requested, struct timespec *remaining)
{
	(void)requested;
	(void)remaining;
	naps++;
	seq_of_nap = vdso_sequence(page_for_writer(&region));
	move_counter(HZ);
	return 0;
}

static int set_up(void **state)
{
	(void)state;
	stop = false;
	naps = 0;
	now = FIRST;
	core = aligned_alloc(CACHE_LINE, sizeof(*core));
	if (!core || page_region_map(&region, &page_layout_current, 0, &err))
		return -1;
	page_set_virtual_counter(&region, now);
	for (size_t i = 0; i < CLOCKS; i++) {
		oracle[i] = oracle_create(clocks[i], 4096, true, &err);
		if (!oracle[i])
			return -1;
	}
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	for (size_t i = 0; i < CLOCKS; i++)
		oracle_destroy(oracle[i]);
	page_region_unmap(&region);
	free(core);
	return 0;
}

/* Of the core that has been started. */
static void take_writer(const char *spec)
{
	struct writer_choice choice;
	const struct writer_setup setup = {
		.choice = &choice, .hz = 1000, .seed = 1, .stop = &stop, .core = core};

	if (writer_resolve(spec, &choice, &err))
		fail_msg("%s: %s", spec, err.text);
	writer_start(&writer, &setup);
}

static void start(const char *spec)
{
	struct tk_core_setup setup = {
		.payload = PAYLOAD_TIME,
		.clocksource = clocksource_find("virtual"),
		.frequency_hz = HZ,
		.update_hz = 1000,
		.region = &region,
		.oracles = CLOCKS,
	};

	/* An oracle watches the clocks of one start. */
	tear_down(NULL);
	assert_int_equal(set_up(NULL), 0);
	setup.oracle = oracle;
	if (tk_core_start(core, &setup, &err))
		fail_msg("%s: %s", spec, err.text);
	take_writer(spec);
}

/* The next update, as if its deadline had come just now. */
static bool act(u64 cycles_later)
{
	struct update_times times = {.due = now};

	move_counter(cycles_later);
	times.begin = now;
	return writer_act(&writer, &times);
}

static struct vdso_timestamp base_of(clockid_t clock)
{
	struct vdso_timestamp base;

	timekeeper_base(&core->tk, clock, &base);
	return base;
}

/* What a clock says now, in nanoseconds. */
static s64 clock_ns(clockid_t clock)
{
	const struct vdso_timestamp base = base_of(clock);
	const u32 mult = clock == CLOCK_MONOTONIC_RAW ? core->tk.nominal_mult : core->tk.mult;
	const u64 delta = tk_core_counter(core) - core->tk.cycle_last;

	return (s64)(base.sec * NSEC_PER_SEC + ((base.nsec + delta * mult) >> core->tk.shift));
}

static void check_nothing_forbidden(const char *spec)
{
	for (size_t i = 0; i < CLOCKS; i++)
		if (oracle_forbidden_jumps(oracle[i]))
			fail_msg("%s: clock %d was made to jump", spec, clocks[i]);
}

static void test_ntp(void **state)
{
	u32 changes = 0;

	(void)state;
	start("ntp");
	for (int i = 0; i < 1000; i++) {
		const u32 mult = core->tk.mult;
		const double off = (double)core->tk.mult / (double)core->tk.nominal_mult - 1;

		assert_true(off < 501e-6 && off > -501e-6);
		assert_true(act(HZ / 1000));
		changes += core->tk.mult != mult;
	}
	assert_true(changes > 990);
	check_nothing_forbidden("ntp");
	start("ntp:ppm=0");
	for (int i = 0; i < 100; i++)
		assert_true(act(HZ / 1000));
	assert_in_range(core->tk.mult, core->tk.nominal_mult - 2, core->tk.nominal_mult + 2);
}

static void check_steps(const char *spec, const s64 *seconds, size_t count)
{
	start(spec);
	for (size_t i = 0; i < count; i++) {
		s64 realtime, monotonic, tai;

		move_counter(HZ / 20);
		realtime = clock_ns(CLOCK_REALTIME);
		monotonic = clock_ns(CLOCK_MONOTONIC);
		tai = clock_ns(CLOCK_TAI);
		assert_true(act(0));
		assert_int_equal(clock_ns(CLOCK_REALTIME) - realtime,
				 seconds[i] * (s64)NSEC_PER_SEC);
		assert_int_equal(clock_ns(CLOCK_TAI) - tai, seconds[i] * (s64)NSEC_PER_SEC);
		assert_int_equal(clock_ns(CLOCK_MONOTONIC), monotonic);
	}
	check_nothing_forbidden(spec);
}

static void test_step(void **state)
{
	(void)state;
	check_steps("step", (const s64[]){1, -1, 1, -1}, 4);
	check_steps("step:by=5s,towards=forwards", (const s64[]){5, 5, 5}, 3);
	check_steps("step:by=1h,towards=backwards", (const s64[]){-3600, -3600}, 2);
	/* 1970 is reached in sixty years, and then there is one way only. */
	start("step:by=8784h,towards=backwards");
	for (int i = 0; i < 200; i++)
		assert_true(act(HZ / 1000));
	assert_true(clock_ns(CLOCK_REALTIME) >= 0);
	check_nothing_forbidden("step");
}

static void check_leaps(const char *spec, int first, int second)
{
	const s32 tai_offset = 37;
	int leaps = 0;

	start(spec);
	for (int i = 0; i < 3000; i++) {
		const s64 realtime = clock_ns(CLOCK_REALTIME), tai = clock_ns(CLOCK_TAI);
		s64 moved;

		assert_true(act(HZ / 1000));
		moved = clock_ns(CLOCK_REALTIME) - realtime;
		assert_in_range(clock_ns(CLOCK_TAI) - tai, 999000, 1001000);
		if (moved > 0 && moved < 2000000)
			continue;
		/* Within a tick of the second's end. */
		assert_int_equal(
			(moved + (s64)NSEC_PER_SEC / 2 + (s64)NSEC_PER_SEC) / (s64)NSEC_PER_SEC - 1,
			leaps % 2 ? second : first);
		assert_true(core->tk.realtime_nsec >> core->tk.shift < 1100000);
		leaps++;
	}
	assert_true(leaps >= 2);
	assert_int_equal(core->tk.tai_offset_sec - tai_offset,
			 -(leaps / 2 * second + (leaps + 1) / 2 * first));
	check_nothing_forbidden(spec);
}

static void test_leap(void **state)
{
	(void)state;
	check_leaps("leap", 1, -1);
	check_leaps("leap:towards=insert", -1, -1);
	check_leaps("leap:towards=delete", 1, 1);
}

/*
 * Others move time on, and set it, between two ticks of the one that leaps: so often, before every
 * so manieth. Who sets it in the very moment in which a second ends keeps that from having ended.
 */
static void check_leaps_beside(const char *spec, size_t most_between, int every)
{
	/* Each of two that leap does so at its own first tick of the second, up to half a tick
	 * apart. */
	const bool both = strncmp(spec, "leap", 4) == 0;
	struct writer leap, other;
	int leaps = 0;

	start("leap:towards=insert");
	leap = writer;
	take_writer(spec);
	other = writer;
	for (int i = 0; i < 3000; i++) {
		const s32 offset = core->tk.tai_offset_sec;

		for (size_t between = 0; between < most_between && i % every == 0; between++) {
			writer = other;
			assert_true(act(HZ / 1000 / (most_between + 1)));
			other = writer;
		}
		writer = leap;
		assert_true(act(i % every ? HZ / 1000 : HZ / 1000 / (most_between + 1)));
		leap = writer;
		if (core->tk.tai_offset_sec == offset)
			continue;
		assert_true(core->tk.realtime_nsec >> core->tk.shift < (both ? 1600000 : 1100000));
		leaps++;
	}
	/* Two or three of three seconds have ended within it. */
	assert_in_range(leaps, 2, both ? 6 : 3);
	check_nothing_forbidden(spec);
}

static void test_leap_beside_others(void **state)
{
	(void)state;
	check_leaps_beside("tick", 1, 1);
	check_leaps_beside("tick", 50, 1);
	check_leaps_beside("step:by=1s", 1, 100);
	check_leaps_beside("leap:towards=insert", 1, 1);
}

static void test_suspend(void **state)
{
	(void)state;
	start("suspend:for=2ms,asleep=1h");
	for (int i = 0; i < 20; i++) {
		s64 monotonic, raw, boottime, realtime;
		const u32 mult = core->tk.mult;

		move_counter(HZ / 10);
		monotonic = clock_ns(CLOCK_MONOTONIC);
		raw = clock_ns(CLOCK_MONOTONIC_RAW);
		boottime = clock_ns(CLOCK_BOOTTIME);
		realtime = clock_ns(CLOCK_REALTIME);
		assert_true(act(0));
		/* It paused, with readers waiting, while a second went by on the counter. */
		assert_int_equal(naps, i + 1);
		assert_int_equal(seq_of_nap & 1, 1);
		assert_int_equal(clock_ns(CLOCK_MONOTONIC), monotonic);
		assert_int_equal(clock_ns(CLOCK_MONOTONIC_RAW), raw);
		assert_int_equal(clock_ns(CLOCK_BOOTTIME) - boottime, 3600 * (s64)NSEC_PER_SEC);
		assert_int_equal(clock_ns(CLOCK_REALTIME) - realtime, 3600 * (s64)NSEC_PER_SEC);
		assert_int_not_equal(core->tk.mult, mult);
	}
	check_nothing_forbidden("suspend");
}

static void check_turn(s32 mode, s32 counter)
{
	const s64 before = clock_ns(CLOCK_MONOTONIC);

	assert_true(act(0));
	/* The other counter is the machine's, and goes on. */
	assert_in_range(clock_ns(CLOCK_MONOTONIC) - before, 0, 50000000);
	assert_int_equal(core->counter_mode, counter);
	assert_int_equal(core->tk.clock_mode, mode);
	assert_int_equal(page_for_readers(&region)->clock_data[0].clock_mode, mode);
}

static void test_clocksource(void **state)
{
	const s32 mine = SIM_CLOCKMODE_VIRTUAL, other = SIM_CLOCKMODE_MONOTONIC_RAW;

	(void)state;
	start("clocksource");
	for (int i = 0; i < 4; i++) {
		check_turn(VDSO_CLOCKMODE_NONE, mine);
		check_turn(mine, mine);
		check_turn(other, other);
		assert_int_equal(core->tk.frequency_hz, NSEC_PER_SEC);
		check_turn(mine, mine);
		assert_int_equal(core->tk.frequency_hz, HZ);
	}
	start("clocksource:counters=none");
	check_turn(VDSO_CLOCKMODE_NONE, mine);
	check_turn(mine, mine);
	check_turn(VDSO_CLOCKMODE_NONE, mine);
	start("clocksource:counters=other");
	check_turn(other, other);
	check_turn(mine, mine);
	check_nothing_forbidden("clocksource");
}

static void test_timens(void **state)
{
	const u32 seq = 2;

	(void)state;
	start("timens");
	for (int i = 1; i < 10; i++) {
		assert_true(act(HZ / 100));
		assert_int_equal(core->view, i % TK_VIEWS);
		assert_int_equal(vdso_sequence(page_for_writer(&region)), seq);
		assert_int_equal(core->number, 1);
	}
}

/* However many pages there are, readers are moved once. */
static void test_timens_of_several_pages(void **state)
{
	(void)state;
	for (size_t pages = 1; pages <= 4; pages++) {
		start("timens");
		for (size_t i = 1; i < pages; i++)
			core->page[core->pages++] = core->page[0];
		for (int i = 1; i < 10; i++) {
			assert_true(act(HZ / 100));
			assert_int_equal(core->view, i % TK_VIEWS);
		}
	}
}

static void test_tz(void **state)
{
	const struct vdso_time_data *page = page_for_readers(&region);
	struct vdso_time_data before;

	(void)state;
	start("tz");
	memcpy(&before, page, sizeof(before));
	for (int i = 0; i < 50; i++) {
		const s32 west = page->tz_minuteswest, dst = page->tz_dsttime;

		assert_true(act(HZ / 1000));
		assert_true(i == 0 || west != page->tz_minuteswest);
		assert_true(i == 0 || dst != page->tz_dsttime);
		assert_in_range(page->tz_minuteswest + 12 * 60, 0, 24 * 60);
	}
	before.tz_minuteswest = page->tz_minuteswest;
	before.tz_dsttime = page->tz_dsttime;
	assert_memory_equal(page, &before, sizeof(before));
	assert_int_equal(core->number, 1);
}

static void test_storm(void **state)
{
	struct update_times times;

	(void)state;
	start("storm:burst=7");
	move_counter(HZ / 1000);
	for (int i = 0; i < 7; i++)
		assert_true(writer_wait(&writer, &times));
	/* The eighth has to wait for the next burst. */
	assert_int_equal(naps, 0);
	assert_true(writer_wait(&writer, &times));
	assert_true(naps > 0);
	start("storm");
	naps = 0;
	for (int i = 0; i < 10000; i++)
		assert_true(writer_wait(&writer, &times) && writer_act(&writer, &times));
	assert_int_equal(naps, 0);
	assert_int_equal(core->number, 10001);
	check_nothing_forbidden("storm");
}

static void test_stall(void **state)
{
	(void)state;
	start("stall:every=10ms,for=2ms");
	for (int i = 1; i <= 9; i++)
		assert_true(act(HZ / 1000));
	assert_int_equal(naps, 0);
	assert_true(act(HZ / 1000 + 1));
	assert_int_equal(naps, 1);
	assert_int_equal(seq_of_nap & 1, 1);
	assert_int_equal(vdso_sequence(page_for_writer(&region)), 22);
	assert_true(act(HZ / 1000));
	assert_int_equal(naps, 1);
	check_nothing_forbidden("stall");
}

static void test_stall_forever(void **state)
{
	(void)state;
	start("stall:every=1ms,for=forever");
	stop = true;
	assert_false(act(HZ / 1000 + 1));
	assert_int_equal(vdso_sequence(page_for_writer(&region)), 3);
	assert_int_equal(core->number, 1);
}

/* Those that waited for the lock meanwhile let no reader in. */
static void test_others_after_stall_forever(void **state)
{
	static const char *const others[] = {"tick", "step", "suspend", "tz"};
	struct vdso_time_data left;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		start("stall:every=1ms,for=forever");
		stop = true;
		assert_false(act(HZ / 1000 + 1));
		memcpy(&left, page_for_readers(&region), sizeof(left));
		take_writer(others[i]);
		assert_false(act(HZ / 1000));
		assert_memory_equal(page_for_readers(&region), &left, sizeof(left));
		assert_int_equal(core->number, 1);
	}
}

/* Mutants, and the clocks whose oracles must accuse them; all others must not. */
static const struct {
	const char *spec;
	clockid_t moved[3];
	size_t count;
} time_mutants[] = {
	{"step-moves-monotonic", {CLOCK_MONOTONIC, CLOCK_MONOTONIC_COARSE, CLOCK_BOOTTIME}, 3},
	{"leap-moves-tai", {CLOCK_TAI}, 1},
	{"suspend-moves-monotonic", {CLOCK_MONOTONIC, CLOCK_MONOTONIC_COARSE}, 2},
};

static bool is_moved(size_t mutant, clockid_t clock)
{
	for (size_t i = 0; i < time_mutants[mutant].count; i++)
		if (time_mutants[mutant].moved[i] == clock)
			return true;
	return false;
}

static void test_time_mutants(void **state)
{
	(void)state;
	for (size_t mutant = 0; mutant < ARRAY_SIZE(time_mutants); mutant++) {
		start(time_mutants[mutant].spec);
		for (int i = 0; i < 3000; i++)
			assert_true(act(HZ / 1000));
		for (size_t i = 0; i < CLOCKS; i++)
			if ((oracle_forbidden_jumps(oracle[i]) != 0) != is_moved(mutant, clocks[i]))
				fail_msg("%s: clock %d: %llu forbidden jumps",
					 time_mutants[mutant].spec, clocks[i],
					 (unsigned long long)oracle_forbidden_jumps(oracle[i]));
	}
}

/* It loses time in every clock. */
static void test_counter_loses_time(void **state)
{
	(void)state;
	start("counter-loses-time");
	for (int i = 0; i < 10; i++)
		assert_true(act(HZ / 20));
	for (size_t i = 0; i < CLOCKS; i++)
		assert_true(oracle_forbidden_jumps(oracle[i]) > 0);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_ntp),
		TEST(test_step),
		TEST(test_leap),
		TEST(test_suspend),
		TEST(test_clocksource),
		TEST(test_timens),
		TEST(test_tz),
		TEST(test_storm),
		TEST(test_stall),
		TEST(test_stall_forever),
		TEST(test_time_mutants),
		TEST(test_counter_loses_time),
		TEST(test_others_after_stall_forever),
		TEST(test_timens_of_several_pages),
		TEST(test_leap_beside_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
