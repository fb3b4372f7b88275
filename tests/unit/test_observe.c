// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An observation where there is no page to observe; and what becomes of a watcher's counts.
 */
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include <cmocka.h>

#include "measure/observe_collect.h"
#include "sim/vdso_image.h"

#define HZ   1000000000ull /* so that a cycle is a nanosecond */
#define READ 25

static struct watcher watcher;
static struct observer_cpu cpus[2];
static struct observe_result result;
static struct errmsg err;

static void assert_near(double value, double right, double error)
{
	if (!(fabs(value - right) <= error))
		fail_msg("%.15g is not near %.15g", value, right);
}

static int setup(void **state)
{
	(void)state;
	memset(&watcher, 0, sizeof(watcher));
	memset(&result, 0, sizeof(result));
	memset(cpus, 0, sizeof(cpus));
	cpus[1].cpu = 1;
	watcher.frequency_hz = HZ;
	result.counter_hz = HZ;
	observer_init(&watcher.observer, 500, 100000);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	observe_result_release(&result);
	return 0;
}

static void collect(void)
{
	assert_int_equal(observe_collect(&watcher, cpus, 2, READ, &result, &err), 0);
}

static void record(struct histogram *histogram, u64 cycles, int times)
{
	while (times-- > 0)
		histogram_record(histogram, cycles);
}

static void test_nothing_seen(void **state)
{
	(void)state;
	collect();
	assert_int_equal(result.updates, 0);
	assert_near(result.rate_hz, 0, 0);
	assert_near(result.watched_share, 0, 0);
	assert_int_equal(result.tick.cpu, -1);
	assert_non_null(result.hazard_unavailable);
	assert_false(result.mode_known);
	assert_int_equal(result.cpu_count, 2);
}

static void test_updates(void **state)
{
	struct observer *observer = &watcher.observer;

	(void)state;
	observer->awake = 2 * HZ;
	observer->updates = 500;
	observer->looks = 1000;
	cpus[0] = (struct observer_cpu){0, HZ / 2, 100, 0, 0};
	cpus[1] = (struct observer_cpu){1, HZ / 2, 100, 70, 10};
	record(&observer->interval, 4000000, 90);
	record(&observer->interval, 5900000, 4);
	record(&observer->interval, 12000000, 3);
	record(&observer->hold, 300, 10);
	record(&observer->passed, 170, 30);
	collect();
	assert_near(result.seconds, 2, 1e-9);
	assert_near(result.rate_hz, 250, 1e-9);
	assert_near(result.period_ns, 4000000, 4000000.0 / 128);
	assert_int_equal(result.gaps, 3);
	assert_near(result.longest_gap_ns, 12000000, 0);
	assert_near(result.watched_share, 0.5, 1e-9);
	assert_near(result.look_ns, 1e6, 1);
	assert_int_equal(result.tick.cpu, 0);
	assert_near(result.cpus[1].watched_seconds, 0.5, 1e-9);
	assert_null(result.hazard_unavailable);
	assert_int_equal(result.hazard.hold_source, HOLD_SEEN);
	assert_near(result.hazard.hold_ns, 300, 3);
	assert_near(result.hazard.per_million, 250e-3 * (READ + 300), 1);
}

/* One stall says nothing of the others, but readers would meet it all the same. */
static void test_stall(void **state)
{
	struct observer *observer = &watcher.observer;

	(void)state;
	observer->awake = HZ;
	observer->updates = 250;
	record(&observer->hold, 300, 9);
	collect();
	assert_int_equal(result.remarks.count, 0);
	observe_result_release(&result);
	record(&observer->hold, 1000000, 1);
	collect();
	assert_near(result.hazard.hold_ns, 300, 3);
	assert_int_equal(result.remarks.count, 1);
	assert_non_null(strstr(result.remarks.text[0], "far longer than the median"));
}

static void test_no_gap(void **state)
{
	(void)state;
	record(&watcher.observer.interval, 4000000, 90);
	record(&watcher.observer.interval, 5900000, 4);
	collect();
	assert_int_equal(result.gaps, 0);
	assert_near(result.longest_gap_ns, 0, 0);
}

/* A stretch of sleep may begin right after a tick: then one less belongs to it. */
static void test_ticks_without_update(void **state)
{
	struct observer *observer = &watcher.observer;

	(void)state;
	record(&observer->interval, 128000000, 9);
	observer->asleep = (struct observer_asleep){.cycles = 1290000000, .stretches = 1};
	observer->asleep.updates = 9;
	collect();
	assert_int_equal(result.asleep.ticks_without_update, 0);
	observer->asleep.updates = 2;
	observe_result_release(&result);
	collect();
	assert_int_equal(result.asleep.ticks_without_update, 7);
	assert_near(result.asleep.rate_hz, 2 / 1.29, 1e-9);
}

static void test_steering(void **state)
{
	struct observer_mult *mult = &watcher.observer.mult;

	(void)state;
	*mult = (struct observer_mult){
		.known = true, .changes = 3, .least = 0.99999, .most = 1.00002};
	collect();
	assert_true(result.steering.known);
	assert_near(result.steering.least_ppm, -10, 1e-6);
	assert_near(result.steering.most_ppm, 20, 1e-6);
}

/* Reads that go to the system call meet no update. */
static void test_clock_mode_none(void **state)
{
	struct observer *observer = &watcher.observer;

	(void)state;
	observer->updates = 10;
	observer->awake = HZ;
	observer->has_fields = true;
	observer->fields.clock_mode = VDSO_CLOCKMODE_NONE;
	collect();
	assert_true(result.mode_known);
	assert_non_null(strstr(result.hazard_unavailable, "mode none"));
	observe_result_release(&result);
	memset(&result, 0, sizeof(result));
	result.counter_hz = HZ;
	observer->fields.clock_mode = VDSO_CLOCKMODE_TSC;
	collect();
	assert_null(result.hazard_unavailable);
}

/* Instead of the C library's: as if the kernel had been booted with vdso=0. */
static bool without_vdso;

__attribute__((no_sanitize("address", "thread", "undefined"))) unsigned long getauxval(
	unsigned long type)
{
	unsigned long (*real)(unsigned long type);

	if (without_vdso && type == AT_SYSINFO_EHDR)
		return 0;
	*(void **)&real = dlsym(RTLD_NEXT, "getauxval");
	return real(type);
}

static void test_no_vdso(void **state)
{
	static const volatile sig_atomic_t never;
	struct observe_config config = {.duration_ns = 1000000, .stop = &never};

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(config.cpus), &config.cpus), 0);
	without_vdso = true;
	assert_int_equal(observe_execute(&config, NULL, NULL, &result, &err), -1);
	without_vdso = false;
	assert_non_null(strstr(err.text, "the kernel's page cannot be found: "));
}

/* On whatever kernel this is; how often the watcher came to look is nobody's promise. */
static void test_this_kernel(void **state)
{
	static const volatile sig_atomic_t never;
	struct observe_config config = {.duration_ns = 20000000, .stop = &never};
	cpu_set_t before, after;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	config.cpus = before;
	if (observe_execute(&config, NULL, NULL, &result, &err)) {
		assert_non_null(strstr(err.text, "the kernel's page cannot be found: "));
		skip();
	}
	assert_int_equal(result.outcome, RUN_COMPLETE);
	assert_int_equal(result.cpu_count, CPU_COUNT(&before));
	assert_non_null(result.page.layout);
	assert_true(result.seconds > 0);
	assert_false(result.simulated);
	assert_int_equal(result.second_apart, 0);
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
}

/* A signal that came before the first look. */
static void test_stopped_at_once(void **state)
{
	static const volatile sig_atomic_t stopped = 1;
	struct observe_config config = {
		.duration_ns = 3600 * HZ, .simulate_ns = 3600 * HZ, .stop = &stopped};

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(config.cpus), &config.cpus), 0);
	if (observe_execute(&config, NULL, NULL, &result, &err))
		skip();
	assert_int_equal(result.outcome, RUN_INTERRUPTED);
	assert_false(result.simulated);
}

/* As when a cpuset shrinks: all that is left is said. */
static void test_no_cpu_left(void **state)
{
	static const volatile sig_atomic_t never;
	struct observe_config config = {.duration_ns = 1000000, .stop = &never};
	struct errmsg why;

	(void)state;
	CPU_SET(CPU_SETSIZE - 1, &config.cpus);
	assert_int_equal(observe_execute(&config, NULL, NULL, &result, &why), -1);
	assert_true(strstr(why.text, "1023 could be used") || strstr(why.text, "cannot be found"));
}

int main(void)
{
#define COLLECTED(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		COLLECTED(test_nothing_seen),
		COLLECTED(test_updates),
		COLLECTED(test_stall),
		COLLECTED(test_no_gap),
		COLLECTED(test_ticks_without_update),
		COLLECTED(test_steering),
		COLLECTED(test_clock_mode_none),
		COLLECTED(test_no_vdso),
		COLLECTED(test_this_kernel),
		COLLECTED(test_stopped_at_once),
		COLLECTED(test_no_cpu_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
