// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The law of the hazard, the interval of a rare count, and a short simulated run.
 */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "measure/hazard.h"
#include "measure/poisson.h"

static void assert_near(double value, double right, double error)
{
	if (!(fabs(value - right) <= error))
		fail_msg("%.15g is not near %.15g", value, right);
}

/* The limits that the Poisson distribution itself gives, by bisection. */
static const struct {
	u64 count;
	double low, high;
} exact[] = {
	{0, 0, 3.688879},	   {1, 0.025318, 5.571643},  {2, 0.242209, 7.224688},
	{3, 0.618672, 8.767273},   {5, 1.623486, 11.668332}, {10, 4.795389, 18.390356},
	{100, 81.36399, 121.6268},
};

static void test_poisson(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(exact); i++) {
		struct poisson_limits limits = poisson_limits(exact[i].count);

		assert_near(limits.low, exact[i].low, 1e-4);
		assert_near(limits.high, exact[i].high, 1e-4);
	}
}

/* Every count, up to more reads than anybody can make, lies within limits that grow with it. */
static void test_poisson_of_any_count(void **state)
{
	struct poisson_limits last = {-1, 0};

	(void)state;
	for (u64 count = 0; count < 1ull << 60; count += 1 + count / 7) {
		struct poisson_limits limits = poisson_limits(count);
		double width = 1.96 * sqrt((double)count);

		assert_true(limits.low <= (double)count && limits.high > (double)count);
		assert_true(limits.low > last.low && limits.high > last.high);
		assert_near(limits.low, (double)count - width, 1 + width / 10);
		assert_near(limits.high, (double)count + width, 4 + width / 10);
		last = limits;
	}
	/* Where one way of computing them gives way to the other. */
	assert_near(poisson_limits(501).low, poisson_limits(500).low + 1, 0.05);
	assert_near(poisson_limits(501).high, poisson_limits(500).high + 1, 0.05);
}

/* None of those for which the library's search for a quantile fails. */
static void test_poisson_of_each_count(void **state)
{
	(void)state;
	for (u64 count = 1; count < 12000; count++) {
		struct poisson_limits limits = poisson_limits(count);
		const double n = (double)count;

		assert_near(gsl_cdf_gamma_P(limits.low, n, 1), 0.025, 1e-5);
		assert_near(gsl_cdf_gamma_Q(limits.high, n + 1, 1), 0.025, 1e-5);
	}
}

static void test_hold_that_was_seen(void **state)
{
	const struct hold_seen hold = {
		.measured = 10,
		.p50_ns = 300,
		.passed = 30,
		.passed_p50_ns = 170,
	};
	struct hazard hazard = hazard_of(250, 25, &hold);

	(void)state;
	assert_int_equal(hazard.hold_source, HOLD_SEEN);
	assert_near(hazard.hold_ns, 300, 0);
	assert_near(hazard.per_million, 250e-9 * 325 * 1e6, 1e-9);
	assert_near(hazard.tick_cpu, 250e-9 * 25 * 1e6, 1e-9);
	/* 10 of 40 were held for 300 ns, and the others for none that was seen. */
	assert_near(hazard.least, 250e-9 * (25 + 75) * 1e6, 1e-9);
}

static void test_hold_that_was_not(void **state)
{
	struct hold_seen hold = {.passed = 30, .passed_p50_ns = 170};
	struct hazard hazard = hazard_of(1000, 25, &hold);

	(void)state;
	assert_int_equal(hazard.hold_source, HOLD_PASSED);
	assert_near(hazard.per_million, 195, 1e-9);
	assert_near(hazard.least, 25, 1e-9);
	hold = (struct hold_seen){.passed = 0};
	hazard = hazard_of(1000, 25, &hold);
	assert_int_equal(hazard.hold_source, HOLD_UNSEEN);
	assert_near(hazard.per_million, 25, 1e-9);
	/* A share cannot be more than all. */
	assert_near(hazard_of(1e9, 25, &hold).per_million, 1e6, 0);
}

static void test_what_a_run_can_have(void **state)
{
	(void)state;
	assert_int_equal(hazard_hz(0), 1);
	assert_int_equal(hazard_hz(0.4), 1);
	assert_int_equal(hazard_hz(249.6), 250);
	assert_int_equal(hazard_hz(1e9), 10000000);
	assert_int_equal(hazard_hold_ns(0), 0);
	assert_int_equal(hazard_hold_ns(299.6), 300);
	assert_int_equal(hazard_hold_ns(1e9), 1000000);
}

static void test_clocksource(void **state)
{
	const struct clocksource *tsc = hazard_clocksource(VDSO_CLOCKMODE_TSC);
	const char *why;

	(void)state;
	if (clocksources[0].usable(&why))
		assert_ptr_equal(tsc, &clocksources[0]);
	assert_ptr_equal(hazard_clocksource(VDSO_CLOCKMODE_HVCLOCK), clocksource_default());
	/* It is for tests only. */
	assert_ptr_equal(hazard_clocksource(SIM_CLOCKMODE_VIRTUAL), clocksource_default());
	assert_int_equal(hazard_clocksource(SIM_CLOCKMODE_MONOTONIC_RAW)->clock_mode,
			 SIM_CLOCKMODE_MONOTONIC_RAW);
}

/* So often, on a machine whose others may leave it no time for a read. */
#define TRIES 20

static struct hazard_run simulate(double rate_hz, double hold_ns)
{
	static struct remarks remarks;
	const struct hazard_plan plan = {
		.rate_hz = rate_hz,
		.hold_ns = hold_ns,
		.duration_ns = 200000000,
		.clock_mode = VDSO_CLOCKMODE_TSC,
	};
	struct hazard_run run = {.reads = 0};

	for (int i = 0; i < TRIES && !run.reads; i++) {
		remarks.count = 0;
		hazard_simulate(&plan, NULL, NULL, &run, &remarks);
	}
	if (!run.reads)
		fail_msg("%s", run.why);
	return run;
}

/* An update in each microsecond cannot be missed for long by whoever is running. */
static void test_simulation(void **state)
{
	struct hazard_run run = {.met = 0};
	cpu_set_t allowed;

	(void)state;
	for (int i = 0; i < TRIES && !run.met; i++)
		run = simulate(1e6, 200);
	assert_int_equal(run.hz, 1000000);
	assert_int_equal(run.hold_ns, 200);
	assert_false(run.interrupted);
	assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	if (CPU_COUNT(&allowed) < 2)
		return;
	assert_true(run.met > 0);
	assert_true(run.met <= run.reads);
	assert_true(run.per_million_95.low < run.per_million);
	assert_true(run.per_million_95.high > run.per_million);
	assert_true(run.work_ns > 0);
	assert_true(run.law_per_million > 0);
}

/* None met is a bound, and no zero. */
static void test_simulation_of_next_to_nothing(void **state)
{
	struct hazard_run run = simulate(0.1, 0);

	(void)state;
	assert_int_equal(run.hz, 1);
	assert_true(run.met <= 1);
	assert_true(run.per_million_95.high > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_poisson),
		cmocka_unit_test(test_poisson_of_any_count),
		cmocka_unit_test(test_poisson_of_each_count),

		cmocka_unit_test(test_hold_that_was_seen),
		cmocka_unit_test(test_hold_that_was_not),
		cmocka_unit_test(test_what_a_run_can_have),
		cmocka_unit_test(test_clocksource),
		cmocka_unit_test(test_simulation),
		cmocka_unit_test(test_simulation_of_next_to_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
