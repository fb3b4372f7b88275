// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Intervals of data whose true median is known. The random numbers are the same in every run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <math.h>
#include <stddef.h>

#include <cmocka.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "measure/interval.h"
#include "sim/types.h"

#define MAX_VALUES 2000

/* The same whatever the configuration: all but one draw fewer, which is less exact. */
#ifdef CONTEND_TEST_ONCE
#define DRAWS 1000
#define SLACK 0
#else
#define DRAWS 400
#define SLACK 0.01
#endif

static double values[MAX_VALUES];
static double scratch[MAX_VALUES];
static gsl_rng *random_numbers;

/* What timings look like: skewed, and one in twenty disturbed. */
static double skewed(void)
{
	double value = 1 + 0.01 * gsl_ran_exponential(random_numbers, 1);

	return gsl_rng_uniform(random_numbers) < 0.05 ? 3 * value : value;
}

/* All disturbed ones lie above. */
static double skewed_median(void)
{
	return 1 - 0.01 * log(1 - 0.5 / 0.95);
}

/* White noise on top of what forgets itself after `lasts` values. */
static void fill_correlated(size_t n, double lasts)
{
	const double keep = exp(-1 / lasts);
	double drift = gsl_ran_gaussian(random_numbers, 1);

	for (size_t i = 0; i < n; i++) {
		drift = keep * drift + sqrt(1 - keep * keep) * gsl_ran_gaussian(random_numbers, 1);
		values[i] = drift + gsl_ran_gaussian(random_numbers, 0.5);
	}
}

static bool holds(const struct interval *interval, double truth)
{
	assert_true(interval->known);
	assert_true(interval->low <= interval->estimate);
	assert_true(interval->estimate <= interval->high);
	return interval->low <= truth && truth <= interval->high;
}

static void test_independent_values(void **state)
{
	static const size_t sizes[] = {6, 7, 20, 47, 48, 100, 101, 150, 1000, MAX_VALUES};

	(void)state;
	for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
		int held = 0;

		for (int draw = 0; draw < DRAWS; draw++) {
			struct interval interval;

			for (size_t i = 0; i < sizes[s]; i++)
				values[i] = skewed();
			interval = interval_of_median(values, sizes[s], scratch);
			held += holds(&interval, skewed_median());
		}
		if (held < (0.945 - SLACK) * DRAWS || held > (0.99 + SLACK) * DRAWS)
			fail_msg("of %zu values %d of %d intervals hold", sizes[s], held, DRAWS);
	}
}

/* As sure where neighbours hang together: a batch of batches is all that helps. */
static void test_neighbours_alike(void **state)
{
	static const struct {
		double lasts, least;
	} cases[] = {{0.5, 0.945}, {4, 0.945}, {20, 0.945}, {40, 0.94}, {100, 0.9}, {280, 0.8}};

	(void)state;
	for (size_t c = 0; c < ARRAY_SIZE(cases); c++) {
		int held = 0;

		for (int draw = 0; draw < DRAWS; draw++) {
			struct interval interval;

			fill_correlated(MAX_VALUES, cases[c].lasts);
			interval = interval_of_median(values, MAX_VALUES, scratch);
			held += holds(&interval, 0);
		}
		if (held < (cases[c].least - SLACK) * DRAWS)
			fail_msg("lasting %g values: %d of %d intervals hold", cases[c].lasts, held,
				 DRAWS);
	}
}

/* Four times as many values halve it. */
static void test_more_values_tell_more(void **state)
{
	double width[2] = {0, 0};

	(void)state;
	for (int draw = 0; draw < DRAWS; draw++)
		for (int more = 0; more < 2; more++) {
			size_t n = more ? MAX_VALUES : MAX_VALUES / 4;
			struct interval interval;

			for (size_t i = 0; i < n; i++)
				values[i] = skewed();
			interval = interval_of_median(values, n, scratch);
			width[more] += interval.high - interval.low;
		}
	assert_true(width[1] > 0.4 * width[0] && width[1] < 0.6 * width[0]);
}

/* A step in the middle: the interval reaches from one half to the other. */
static void test_step(void **state)
{
	struct interval interval;

	(void)state;
	for (size_t i = 0; i < 1000; i++)
		values[i] = (i < 500 ? 1 : 2) + 0.01 * gsl_rng_uniform(random_numbers);
	interval = interval_of_median(values, 1000, scratch);
	assert_true(interval.known && interval.low < 1.01 && interval.high > 2);
}

static void test_too_few(void **state)
{
	(void)state;
	for (size_t n = 1; n < INTERVAL_MIN_VALUES; n++) {
		struct interval interval;

		for (size_t i = 0; i < n; i++)
			values[i] = (double)(n - i);
		interval = interval_of_median(values, n, scratch);
		assert_false(interval.known);
		assert_true(interval.estimate == (double)(n + 1) / 2);
	}
}

static void test_all_the_same(void **state)
{
	struct interval interval;

	(void)state;
	for (size_t i = 0; i < 500; i++)
		values[i] = 1.25;
	interval = interval_of_median(values, 500, scratch);
	assert_true(interval.known);
	assert_true(interval.low == 1.25 && interval.estimate == 1.25 && interval.high == 1.25);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_independent_values),
		cmocka_unit_test(test_neighbours_alike),
		cmocka_unit_test(test_more_values_tell_more),
		cmocka_unit_test(test_step),
		cmocka_unit_test(test_too_few),
		cmocka_unit_test(test_all_the_same),
	};
	int failed;

	random_numbers = gsl_rng_alloc(gsl_rng_mt19937);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	gsl_rng_free(random_numbers);
	return failed;
}
