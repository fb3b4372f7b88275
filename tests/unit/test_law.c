// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The law of retries, fitted to points that were made from known constants.
 */
#include <gsl/gsl_randist.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/law.h"

#define HOLD   150.0
#define READ   25.0
#define RATES  5
#define POINTS (4 * RATES)

static struct law law;
static struct law_finding finding[POINTS];

static void assert_near(double value, double right, double error)
{
	if (!(fabs(value - right) <= error))
		fail_msg("%.15g is not near %.15g", value, right);
}

/* 100 to 1 000 000 Hz, each four times. */
static double rate_of(size_t i)
{
	return pow(10, 2 + (double)(i / 4));
}

/* As many reads as are expected to have `retries` retries. */
static struct law_point point_of(double rate_hz, double hold, double read, double retries)
{
	const double reads = retries / (rate_hz * (hold + read) * 1e-9);

	return (struct law_point){
		.rate_hz = rate_hz,
		.reads = (u64)reads,
		.changed = (u64)llround(reads * rate_hz * read * 1e-9),
		.waited = (u64)llround(reads * rate_hz * hold * 1e-9),
	};
}

static void make(struct law_point *points, double retries)
{
	for (size_t i = 0; i < POINTS; i++)
		points[i] = point_of(rate_of(i), HOLD, READ, retries);
}

static void assert_holds(const struct law_constant *constant, double truth)
{
	if (!(constant->low_ns < truth && constant->high_ns > truth))
		fail_msg("%g is not within %g to %g", truth, constant->low_ns, constant->high_ns);
}

static void test_known_constants(void **state)
{
	struct law_point points[POINTS];

	(void)state;
	make(points, 10000);
	law_fit(points, POINTS, &law, finding);
	assert_true(law.known);
	assert_near(law.hold.ns, HOLD, 0.01 * HOLD);
	assert_near(law.read.ns, READ, 0.01 * READ);
	assert_holds(&law.hold, HOLD);
	assert_holds(&law.read, READ);
	assert_int_equal(law.points, POINTS);
	assert_int_equal(law.held, POINTS);
	assert_near(law.residual, 0, 0.001);
	for (size_t i = 0; i < POINTS; i++) {
		assert_true(finding[i].known && !finding[i].breaks_down);
		assert_near(finding[i].expected / (rate_of(i) * (HOLD + READ) * 1e-9), 1, 0.001);
		assert_near(finding[i].share / finding[i].expected, 1, 0.001);
		assert_true(finding[i].low < finding[i].share &&
			    finding[i].high > finding[i].share);
	}
}

/* The rate alone would tell the sum; which of the two a read met tells them apart. */
static void test_each_has_its_own_kind(void **state)
{
	struct law_point points[POINTS];

	(void)state;
	make(points, 10000);
	for (size_t i = 0; i < POINTS; i++) {
		const u64 changed = points[i].changed;

		points[i].changed = points[i].waited;
		points[i].waited = changed;
	}
	law_fit(points, POINTS, &law, finding);
	assert_near(law.hold.ns, READ, 0.01 * READ);
	assert_near(law.read.ns, HOLD, 0.01 * HOLD);
}

/* Of sweeps as they would be, 95 of 100 intervals hold the truth; more, of points that differ not.
 */
static void test_intervals(void **state)
{
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
	const int trials = 400;
	int hold = 0, read = 0;
	size_t broken = 0;

	(void)state;
	for (int trial = 0; trial < trials; trial++) {
		struct law_point points[POINTS];

		for (size_t i = 0; i < POINTS; i++) {
			/* What the machine makes of each point, beside chance. */
			const double luck = 1 + gsl_ran_gaussian(random, 0.05);
			struct law_point *point = &points[i];

			*point = point_of(rate_of(i), HOLD, READ, i < 4 ? 100 : 5000);
			point->changed = gsl_ran_poisson(random, luck * (double)point->changed);
			point->waited = gsl_ran_poisson(random, luck * (double)point->waited);
		}
		law_fit(points, POINTS, &law, finding);
		hold += law.hold.low_ns <= HOLD && law.hold.high_ns >= HOLD;
		read += law.read.low_ns <= READ && law.read.high_ns >= READ;
		broken += POINTS - law.held;
	}
	gsl_rng_free(random);
	assert_true(hold >= 0.93 * trials && read >= 0.93 * trials);
	assert_true((double)broken <= 0.05 * trials * POINTS);
}

/* No interval is so wide that it holds anything. */
static void test_intervals_are_narrow(void **state)
{
	struct law_point points[POINTS];

	(void)state;
	make(points, 10000);
	law_fit(points, POINTS, &law, finding);
	assert_true(law.hold.high_ns - law.hold.low_ns < 0.2 * HOLD);
	assert_true(law.read.high_ns - law.read.low_ns < 1.2 * READ);
	assert_true(law.read.low_ns > 0);
}

/* Where updates are so close that a read meets several, the share falls behind the rate. */
static void test_breaks_down_at_high_rates(void **state)
{
	struct law_point points[POINTS];

	(void)state;
	for (size_t i = 0; i < POINTS; i++) {
		const double rate = 100 * rate_of(i);
		const double met = 1 - exp(-rate * (HOLD + READ) * 1e-9);

		points[i] = (struct law_point){
			.rate_hz = rate,
			.reads = 100000000,
			.changed = (u64)(1e8 * met * READ / (HOLD + READ)),
			.waited = (u64)(1e8 * met * HOLD / (HOLD + READ)),
		};
	}
	law_fit(points, POINTS, &law, finding);
	/* By 8 % too few at 1 MHz, which an interval may hold, by 53 % at 10 MHz, by 94 % beyond.
	 */
	for (size_t i = 0; i < POINTS; i++)
		assert_int_equal(finding[i].breaks_down, i >= 12);
	assert_int_equal(law.held, 12);
	assert_near(law.hold.ns, HOLD, 0.04 * HOLD);
	assert_near(law.read.ns, READ, 0.04 * READ);
	assert_true(finding[POINTS - 1].residual < -0.8);
}

/* A writer whose lines have gone cold between two updates holds for longer. */
static void test_breaks_down_at_low_rates(void **state)
{
	struct law_point points[POINTS];

	(void)state;
	make(points, 1000);
	for (size_t i = 0; i < 4; i++)
		points[i] = point_of(rate_of(i), 5 * HOLD, READ, 120);
	law_fit(points, POINTS, &law, finding);
	for (size_t i = 0; i < POINTS; i++)
		assert_int_equal(finding[i].breaks_down, i < 4);
	assert_near(law.hold.ns, HOLD, 0.01 * HOLD);
	assert_near(finding[0].residual, (5 * HOLD + READ) / (HOLD + READ) - 1, 0.05);
}

/* One that is 18 % off, of a million retries, beside those of a hundred. */
static void test_many_counts_do_not_decide_alone(void **state)
{
	struct law_point points[POINTS];

	(void)state;
	make(points, 100);
	points[POINTS - 1] = point_of(1e6, 1.18 * HOLD, 1.18 * READ, 1e6);
	law_fit(points, POINTS, &law, finding);
	assert_near(law.hold.ns, HOLD, 0.05 * HOLD);
	assert_near(law.read.ns, READ, 0.05 * READ);
	assert_false(finding[POINTS - 1].breaks_down);
}

/* Kinds that differ by more than their counts and the scatter allow for make intervals wider. */
static void test_scattered_points(void **state)
{
	struct law_point points[POINTS];
	double before;

	(void)state;
	for (size_t i = 0; i < POINTS; i++)
		points[i] = point_of(rate_of(i), 100, 100, 1000);
	law_fit(points, POINTS, &law, finding);
	before = law.read.high_ns - law.read.low_ns;
	for (size_t i = 0; i < POINTS; i++)
		points[i] = point_of(rate_of(i), i % 2 ? 40 : 160, i % 2 ? 160 : 40, 1000);
	law_fit(points, POINTS, &law, finding);
	assert_int_equal(law.held, POINTS);
	assert_true(law.read.high_ns - law.read.low_ns > 2 * before);
	assert_holds(&law.read, 100);
}

static void test_few_retries(void **state)
{
	struct law_point points[3] = {
		{.rate_hz = 100, .reads = 100000, .changed = 0, .waited = 0},
		{.rate_hz = 1000, .reads = 100000000, .changed = 2500, .waited = 0},
		{.rate_hz = 10000, .reads = 10000000, .changed = 2500, .waited = 0},
	};

	(void)state;
	law_fit(points, 3, &law, finding);
	assert_near(law.read.ns, 25, 0.1);
	assert_near(law.hold.ns, 0, 0);
	assert_near(law.hold.low_ns, 0, 0);
	/* 3.69 among 1e8 reads at 1000 Hz, as many at 10 kHz, and the scatter. */
	assert_true(law.hold.high_ns > 0.018 && law.hold.high_ns < 5);
	assert_false(finding[0].breaks_down);
	assert_near(finding[0].high, 3.69e-5, 0.01e-5);
	assert_near(finding[0].residual, -1, 0);
}

/* Most points have no retry, and do not make a law of nothing for those that have. */
static void test_mostly_none(void **state)
{
	struct law_point points[POINTS];

	(void)state;
	for (size_t i = 0; i < POINTS; i++)
		points[i] = (struct law_point){.rate_hz = 1, .reads = 1000};
	points[3] = point_of(1000, HOLD, READ, 1000);
	law_fit(points, POINTS, &law, finding);
	assert_near(law.hold.ns, HOLD, 0.01 * HOLD);
	assert_int_equal(law.held, POINTS);
}

static void test_no_retry_at_all(void **state)
{
	struct law_point points[2] = {
		{.rate_hz = 100, .reads = 1000000},
		{.rate_hz = 1000, .reads = 1000000},
	};

	(void)state;
	law_fit(points, 2, &law, finding);
	assert_true(law.known);
	assert_near(law.read.ns, 0, 0);
	assert_near(law.hold.ns, 0, 0);
	assert_true(law.read.high_ns > 3 && isfinite(law.read.high_ns));
	assert_int_equal(law.held, 2);
	assert_true(isnan(finding[0].residual));
	assert_false(finding[0].breaks_down);
}

static void test_points_that_take_no_part(void **state)
{
	struct law_point points[3] = {
		{.rate_hz = 0, .reads = 1000, .changed = 999},
		{.rate_hz = 1000, .reads = 0},
		{.rate_hz = 1000, .reads = 100000000, .changed = 2500, .waited = 1000},
	};

	(void)state;
	law_fit(points, 2, &law, finding);
	assert_false(law.known);
	assert_false(finding[0].known || finding[1].known);
	law_fit(points, 3, &law, finding);
	assert_int_equal(law.points, 1);
	assert_near(law.read.ns, 25, 1e-9);
	assert_near(law.hold.ns, 10, 1e-9);
	assert_true(finding[2].known);
	law_fit(points, 0, &law, finding);
	assert_false(law.known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_constants),
		cmocka_unit_test(test_each_has_its_own_kind),
		cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_intervals_are_narrow),
		cmocka_unit_test(test_breaks_down_at_high_rates),
		cmocka_unit_test(test_breaks_down_at_low_rates),
		cmocka_unit_test(test_many_counts_do_not_decide_alone),
		cmocka_unit_test(test_scattered_points),
		cmocka_unit_test(test_few_retries),
		cmocka_unit_test(test_mostly_none),
		cmocka_unit_test(test_no_retry_at_all),
		cmocka_unit_test(test_points_that_take_no_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
