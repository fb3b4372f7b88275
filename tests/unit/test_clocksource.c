// SPDX-License-Identifier: GPL-2.0-or-later
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#endif

#include <cmocka.h>

#include "sim/clocksource.h"
#include "sim/layout.h"

static struct page_region region;
static const struct vdso_time_data *page;

static int map_page(void **state)
{
	struct errmsg err;

	(void)state;
	if (page_region_map(&region, &page_layout_current, 0, &err))
		return -1;
	page = page_for_readers(&region);
	return 0;
}

static int unmap_page(void **state)
{
	(void)state;
	page_region_unmap(&region);
	return 0;
}

static bool moves_by_itself(const struct clocksource *cs)
{
	return cs->clock_mode != SIM_CLOCKMODE_VIRTUAL;
}

/* The record that a counter may need. */
static void start_record(const struct clocksource *cs)
{
	struct pvclock_host host;

	if (cs->has_record)
		pvclock_start(&host, pvclock_for_host(&region),
			      clocksource_find("tsc")->frequency_hz(),
			      clocksource_read(VDSO_CLOCKMODE_TSC, page), 1000000);
}

static void for_each_running(void (*test)(const struct clocksource *cs))
{
	const char *why;
	int tested = 0;

	for (const struct clocksource *cs = clocksources; cs->name; cs++)
		if (moves_by_itself(cs) && cs->usable(&why)) {
			start_record(cs);
			test(cs);
			tested++;
		}
	assert_true(tested > 0);
}

static void moves_forward(const struct clocksource *cs)
{
	u64 first = clocksource_read(cs->clock_mode, page);
	u64 last = first;

	/* Some counters stand still for a thousand readings. */
	for (int i = 0; i < 100000; i++) {
		u64 now = clocksource_read(cs->clock_mode, page);

		if (now < last)
			fail_msg("%s goes from %llu to %llu", cs->name, (unsigned long long)last,
				 (unsigned long long)now);
		last = now;
	}
	if (last == first)
		fail_msg("%s does not move", cs->name);
	assert_true((last & cs->mask) == last);
}

static void test_moves_forward(void **state)
{
	(void)state;
	for_each_running(moves_forward);
}

static u64 raw_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (u64)now.tv_sec * NSEC_PER_SEC + (u64)now.tv_nsec;
}

#if defined(__x86_64__) || defined(__i386__)
static u64 compilers_tsc(void)
{
	u64 cycles;

	/* Not the compiler's _mm_lfence, which it has only where it may use SSE2 for all else. */
	__asm__ __volatile__("lfence" ::: "memory");
	cycles = __rdtsc();
	__asm__ __volatile__("lfence" ::: "memory");
	return cycles & INT64_MAX;
}
#endif

static void check_between(const char *name, u64 (*known)(void))
{
	const struct clocksource *cs = clocksource_find(name);
	const char *why;

	assert_non_null(cs);
	for (int i = 0; i < 1000 && cs->usable(&why); i++) {
		u64 before = known();
		u64 now = clocksource_read(cs->clock_mode, page);
		u64 after = known();

		if (now < before || now > after)
			fail_msg("%s reads %llu between %llu and %llu", name,
				 (unsigned long long)now, (unsigned long long)before,
				 (unsigned long long)after);
	}
}

/* Every bit counts, and no reading strays past the ones around it. */
static void test_agrees_with_others_readings(void **state)
{
	(void)state;
	check_between("monotonic_raw", raw_ns);
#if defined(__x86_64__) || defined(__i386__)
	check_between("tsc", compilers_tsc);
	check_between("tsc-lfence", compilers_tsc);
#endif
}

/* The counter and CLOCK_MONOTONIC_RAW at one moment: of many tries the least interrupted. */
struct moment {
	u64 cycles;
	u64 ns;
	u64 width_ns;
};

static struct moment take_moment(s32 clock_mode)
{
	struct moment best = {.width_ns = UINT64_MAX};

	for (int i = 0; i < 100; i++) {
		u64 before = raw_ns();
		u64 cycles = clocksource_read(clock_mode, page);
		u64 width = raw_ns() - before;

		if (width < best.width_ns)
			best = (struct moment){cycles, before + width / 2, width};
	}
	return best;
}

/* How far, in ppm, the counter's time is from the raw clock's over 50 ms. */
static double frequency_error_ppm(const struct clocksource *cs, u64 hz)
{
	const struct timespec pause = {0, 50000000};
	struct moment start, end;
	double counted, passed;

	start = take_moment(cs->clock_mode);
	nanosleep(&pause, NULL);
	end = take_moment(cs->clock_mode);
	counted = (double)(end.cycles - start.cycles) / (double)hz * NSEC_PER_SEC;
	passed = (double)(end.ns - start.ns);
	assert_true(passed >= 50e6);
	return (counted / passed - 1) * 1e6;
}

static void has_its_frequency(const struct clocksource *cs)
{
	double error = 0;

	/* A host that stops this machine at the wrong moment does not do so three times running. */
	for (int i = 0; i < 3; i++) {
		error = frequency_error_ppm(cs, cs->frequency_hz());
		if (error > -1000 && error < 1000)
			return;
	}
	fail_msg("%s is %.0f ppm off its frequency", cs->name, error);
}

static void test_frequency(void **state)
{
	(void)state;
	for_each_running(has_its_frequency);
}

static void step_divides(const struct clocksource *cs)
{
	u64 step = clocksource_step(cs->clock_mode, page);
	u64 last = clocksource_read(cs->clock_mode, page);

	assert_true(step > 0);
	for (int i = 0; i < 1000; i++) {
		u64 now = clocksource_read(cs->clock_mode, page);

		/* A record makes nanoseconds of the steps, now more, now fewer. */
		if (!cs->has_record && (now - last) % step)
			fail_msg("%s has step %llu, but moved by %llu", cs->name,
				 (unsigned long long)step, (unsigned long long)(now - last));
		last = now;
	}
}

static void test_step_divides_differences(void **state)
{
	(void)state;
	for_each_running(step_divides);
}

static double least_mean_cost(s32 clock_mode)
{
	const int readings = 500, runs = 20;
	u64 least = UINT64_MAX;

	for (int run = 0; run < runs; run++) {
		u64 start = clocksource_read(clock_mode, page);
		u64 end = start;

		for (int i = 0; i < readings; i++)
			end = clocksource_read(clock_mode, page);
		least = end - start < least ? end - start : least;
	}
	return (double)least / readings;
}

static void costs_what_it_costs(const struct clocksource *cs)
{
	double cost = clocksource_cost(cs->clock_mode, page);
	double expected = least_mean_cost(cs->clock_mode);

	if (!(cost > expected / 5 && cost < expected * 5))
		fail_msg("%s is said to cost %g cycles, and costs %g", cs->name, cost, expected);
}

static void test_cost(void **state)
{
	(void)state;
	for_each_running(costs_what_it_costs);
	assert_true(clocksource_cost(SIM_CLOCKMODE_VIRTUAL, page) == 0);
}

static void test_find(void **state)
{
	(void)state;
	for (const struct clocksource *cs = clocksources; cs->name; cs++) {
		assert_ptr_equal(clocksource_find(cs->name), cs);
		assert_true(*cs->name && *cs->summary);
	}
	assert_null(clocksource_find("hpet"));
	assert_null(clocksource_find(""));
	assert_null(clocksource_find("virtua"));
	assert_null(clocksource_find("virtual "));
}

static u64 record_hz(const char *spec)
{
	struct clocksource_choice choice;
	struct errmsg err;

	if (clocksource_resolve(spec, &choice, &err))
		fail_msg("%s", err.text);
	assert_true(choice.clocksource->has_record);
	assert_string_equal(choice.clocksource->name, "pvclock");
	return choice.hz;
}

static void test_resolve(void **state)
{
	struct clocksource_choice choice;
	struct errmsg err;

	(void)state;
	for (const struct clocksource *cs = clocksources; cs->name; cs++) {
		assert_int_equal(clocksource_resolve(cs->name, &choice, &err), 0);
		assert_ptr_equal(choice.clocksource, cs);
		if (!cs->has_record)
			assert_int_equal(choice.hz, 0);
	}
	if (!clocksource_find("pvclock"))
		return;
	assert_int_equal(record_hz("pvclock"), 10);
	assert_int_equal(record_hz("pvclock:hz=0"), 0);
	assert_int_equal(record_hz("pvclock:hz=1000000"), 1000000);
}

static void test_resolve_refuses(void **state)
{
	static const char *const wrong[] = {"",
					    ":hz=1",
					    "hpet",
					    "virtua",
					    "monotonic_raw:hz=10",
					    "virtual:hz=",
					    "virtual:bogus=1"};
	static const char *const wrong_pvclock[] = {
		"pvclock:",	 "pvclock:hz",	       "pvclock:hz=",	  "pvclock:hz=-1",
		"pvclock:hz=1k", "pvclock:hz=1000001", "pvclock:bogus=1", "pvclock:hz=1,hz=1"};
	struct clocksource_choice choice;
	struct errmsg err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_int_equal(clocksource_resolve(wrong[i], &choice, &err), -1);
	for (size_t i = 0; i < ARRAY_SIZE(wrong_pvclock); i++)
		assert_int_equal(clocksource_resolve(wrong_pvclock[i], &choice, &err), -1);
	clocksource_resolve("monotonic_raw:hz=10", &choice, &err);
	assert_string_equal(err.text, "clock source 'monotonic_raw' has no key 'hz': it has none");
}

/* A record moves as far as the TSC does, however a nanosecond rounds. */
static void test_step_of_a_record(void **state)
{
	const struct clocksource *cs = clocksource_find("pvclock");
	const char *why;
	u64 tsc_step;

	(void)state;
	if (!cs || !cs->usable(&why))
		skip();
	start_record(cs);
	tsc_step = clocksource_step(VDSO_CLOCKMODE_TSC, page) * NSEC_PER_SEC /
		   clocksource_find("tsc")->frequency_hz();
	assert_in_range(clocksource_step(cs->clock_mode, page), tsc_step > 1 ? tsc_step - 1 : 1,
			tsc_step + 1);
}

static void test_default(void **state)
{
	const struct clocksource *chosen = clocksource_default();
	const char *why;

	(void)state;
	assert_true(chosen->selectable);
	assert_true(chosen->usable(&why));
	for (const struct clocksource *cs = clocksources; cs != chosen; cs++)
		assert_false(cs->selectable && cs->usable(&why));
}

static void test_the_unusable_say_why(void **state)
{
	(void)state;
	for (const struct clocksource *cs = clocksources; cs->name; cs++) {
		const char *why = NULL;

		if (!cs->usable(&why))
			assert_true(why && *why);
	}
	assert_true(clocksource_find("monotonic_raw")->usable(NULL));
}

static const struct clocksource *virtual_counter(void)
{
	const struct clocksource *cs = clocksource_find("virtual");

	assert_non_null(cs);
	assert_int_equal(cs->clock_mode, SIM_CLOCKMODE_VIRTUAL);
	assert_false(cs->selectable);
	return cs;
}

static void test_virtual_moves_only_by_hand(void **state)
{
	static const u64 positions[] = {1, 2, 1000, 7, INT64_MAX, 0, 1ull << 62, 42};
	s32 mode = virtual_counter()->clock_mode;

	(void)state;
	page_set_virtual_counter(&region, 0);
	assert_int_equal(clocksource_read(mode, page), 0);
	for (size_t i = 0; i < ARRAY_SIZE(positions); i++) {
		page_set_virtual_counter(&region, positions[i]);
		for (int reading = 0; reading < 1000; reading++)
			assert_int_equal(clocksource_read(mode, page), positions[i]);
	}
	assert_int_equal(clocksource_step(mode, page), 1);
	assert_int_equal(clocksource_read(mode, page), 42);
}

/* Moving the virtual counter must leave the pages beside it alone. */
static void test_virtual_has_its_own_page(void **state)
{
	static struct vdso_time_data before;

	(void)state;
	memcpy(&before, page, sizeof(before));
	page_set_virtual_counter(&region, INT64_MAX);
	assert_memory_equal(page, &before, sizeof(before));
	assert_memory_equal(page_for_namespace(&region), &before, sizeof(before));
}

#define HAND_STEP 40

static void *move_on(void *stop)
{
	for (u64 cycles = 0; !smp_load_acquire((bool *)stop); cycles += HAND_STEP)
		page_set_virtual_counter(&region, cycles);
	return NULL;
}

/* Another thread moves the counter for as long as `watch` watches. */
static void while_it_moves(void (*watch)(s32 clock_mode))
{
	s32 mode = virtual_counter()->clock_mode;
	pthread_t mover;
	bool stop = false;

	page_set_virtual_counter(&region, 0);
	assert_int_equal(pthread_create(&mover, NULL, move_on, &stop), 0);
	watch(mode);
	smp_store_release(&stop, true);
	pthread_join(mover, NULL);
}

static u64 step_seen, readings_moved, readings_back;

/* With one CPU for both, the counter may stand still for many steps on end. */
static void watch_step(s32 clock_mode)
{
	step_seen = 1;
	for (int tries = 0; tries < 20000 && step_seen == 1; tries++)
		step_seen = clocksource_step(clock_mode, page);
}

static void watch_order(s32 clock_mode)
{
	u64 last = clocksource_read(clock_mode, page);

	readings_moved = readings_back = 0;
	for (u64 tries = 0; tries < 1000000000 && readings_moved < 100; tries++) {
		u64 now = clocksource_read(clock_mode, page);

		readings_moved += now != last;
		readings_back += now < last;
		last = now;
	}
}

static void test_virtual_step(void **state)
{
	(void)state;
	while_it_moves(watch_step);
	assert_int_equal(step_seen % HAND_STEP, 0);
}

static void test_virtual_reads_in_order(void **state)
{
	(void)state;
	while_it_moves(watch_order);
	assert_int_equal(readings_moved, 100);
	assert_int_equal(readings_back, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_resolve),
		cmocka_unit_test(test_resolve_refuses),
		cmocka_unit_test(test_step_of_a_record),
		cmocka_unit_test(test_default),
		cmocka_unit_test(test_the_unusable_say_why),
		cmocka_unit_test(test_moves_forward),
		cmocka_unit_test(test_agrees_with_others_readings),
		cmocka_unit_test(test_frequency),
		cmocka_unit_test(test_step_divides_differences),
		cmocka_unit_test(test_cost),
		cmocka_unit_test(test_virtual_moves_only_by_hand),
		cmocka_unit_test(test_virtual_has_its_own_page),
		cmocka_unit_test(test_virtual_step),
		cmocka_unit_test(test_virtual_reads_in_order),
	};

	return cmocka_run_group_tests(tests, map_page, unmap_page);
}
