// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The histogram against sorted arrays of the same values.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/histogram.h"

#define VALUES	  20000
#define PAST_LAST (1ull << HISTOGRAM_MAX_BITS)

static const double shares[] = {0,    1e-4, 0.001, 0.01,  0.1,	  0.25, 0.5,
				0.75, 0.9,  0.99,  0.999, 0.9999, 1};

static u64 random_state;

static u64 random_bits(void)
{
	u64 x = random_state += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* Above 0, up to 1. */
static double random_share(void)
{
	return ((double)(random_bits() >> 11) + 1) / (double)(1ull << 53);
}

static u64 linear_only(void)
{
	return random_bits() % HISTOGRAM_LINEAR;
}

static u64 across_the_border(void)
{
	return random_bits() % (2 * HISTOGRAM_LINEAR);
}

static u64 uniform(void)
{
	return random_bits() % 1000000;
}

static u64 exponential(void)
{
	return (u64)(-log(random_share()) * 80000);
}

/* What reads look like: nearly all short, a few interrupted. */
static u64 two_humps(void)
{
	return random_bits() % 100 ? 60 + random_bits() % 20 : 40000 + random_bits() % 9000;
}

/* All lengths that are resolved, each octave as often as any other. */
static u64 all_octaves(void)
{
	return random_bits() % (1ull << (1 + random_bits() % HISTOGRAM_MAX_BITS));
}

static u64 powers_of_two(void)
{
	return 1ull << random_bits() % HISTOGRAM_MAX_BITS;
}

static const struct {
	const char *name;
	u64 (*draw)(void);
} distributions[] = {
	{"linear only", linear_only},
	{"across the border", across_the_border},
	{"uniform", uniform},
	{"exponential", exponential},
	{"two humps", two_humps},
	{"all octaves", all_octaves},
	{"powers of two", powers_of_two},
};

static struct histogram histogram, other, sum;
static u64 values[VALUES];

static int setup(void **state)
{
	(void)state;
	memset(&histogram, 0, sizeof(histogram));
	memset(&other, 0, sizeof(other));
	memset(&sum, 0, sizeof(sum));
	random_state = 20190617;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const u64 *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/* Fills the histogram and the array, sorted, with the same. */
static void record_values(u64 (*draw)(void))
{
	memset(&histogram, 0, sizeof(histogram));
	for (int i = 0; i < VALUES; i++) {
		values[i] = draw();
		histogram_record(&histogram, values[i]);
	}
	qsort(values, VALUES, sizeof(values[0]), compare);
}

static void check_near(const char *name, double found, double exact, double tolerance)
{
	if (!(fabs(found - exact) <= exact * tolerance))
		fail_msg("%s: %.17g is not within %g of %.17g", name, found, tolerance, exact);
}

static void test_buckets_tile(void **state)
{
	u64 next = 0;

	(void)state;
	for (u32 i = 0; i < HISTOGRAM_BUCKETS; i++) {
		assert_int_equal(histogram_bucket_low(i), next);
		assert_true(histogram_bucket_width(i) > 0);
		next += histogram_bucket_width(i);
	}
	assert_int_equal(next, PAST_LAST);
}

static void test_bucket_of_its_bounds(void **state)
{
	(void)state;
	for (u32 i = 0; i < HISTOGRAM_BUCKETS; i++) {
		u64 low = histogram_bucket_low(i);
		u64 width = histogram_bucket_width(i);

		assert_int_equal(histogram_bucket(low), i);
		assert_int_equal(histogram_bucket(low + width / 2), i);
		assert_int_equal(histogram_bucket(low + width - 1), i);
	}
}

static void test_bucket_widths(void **state)
{
	(void)state;
	for (u32 i = 0; i < HISTOGRAM_BUCKETS; i++) {
		u64 low = histogram_bucket_low(i);

		if (low < HISTOGRAM_LINEAR)
			assert_int_equal(histogram_bucket_width(i), 1);
		else
			assert_true(histogram_bucket_width(i) * 128 <= low);
	}
}

static void test_empty(void **state)
{
	(void)state;
	assert_int_equal(histogram_total(&histogram), 0);
	assert_int_equal(histogram_max(&histogram), 0);
	assert_true(histogram_mean(&histogram) == 0);
	for (size_t i = 0; i < ARRAY_SIZE(shares); i++)
		assert_true(histogram_percentile(&histogram, shares[i]) == 0);
}

static void check_single(u64 value)
{
	memset(&histogram, 0, sizeof(histogram));
	histogram_record(&histogram, value);
	assert_int_equal(histogram_total(&histogram), 1);
	assert_int_equal(histogram_max(&histogram), value);
	check_near("mean", histogram_mean(&histogram), (double)value,
		   value < HISTOGRAM_LINEAR ? 0 : 1.0 / 256);
	for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
		double found = histogram_percentile(&histogram, shares[i]);

		check_near("percentile", found, (double)value,
			   value < HISTOGRAM_LINEAR ? 0 : 1.0 / 256);
		assert_true(found <= (double)value);
	}
}

static void test_single_value(void **state)
{
	(void)state;
	for (u64 value = 0; value < 2048; value++)
		check_single(value);
	for (int bit = 11; bit < HISTOGRAM_MAX_BITS; bit++) {
		check_single((1ull << bit) - 1);
		check_single(1ull << bit);
		check_single((1ull << bit) + 1);
	}
	check_single(PAST_LAST - 1);
}

static void check_percentiles(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
		size_t rank = (size_t)ceil(shares[i] * VALUES);
		u64 exact = values[rank ? rank - 1 : 0];
		double found = histogram_percentile(&histogram, shares[i]);

		check_near(name, found, (double)exact, exact < HISTOGRAM_LINEAR ? 0 : 0.01);
		assert_true(found <= (double)values[VALUES - 1]);
	}
}

static void test_percentiles(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(distributions); i++) {
		record_values(distributions[i].draw);
		check_percentiles(distributions[i].name);
	}
}

/* Rank and not interpolation: of four values, a quarter do not exceed the first. */
static void test_percentile_ranks(void **state)
{
	(void)state;
	for (u64 value = 10; value <= 40; value += 10)
		histogram_record(&histogram, value);
	assert_true(histogram_percentile(&histogram, 0) == 10);
	assert_true(histogram_percentile(&histogram, 0.25) == 10);
	assert_true(histogram_percentile(&histogram, 0.26) == 20);
	assert_true(histogram_percentile(&histogram, 0.5) == 20);
	assert_true(histogram_percentile(&histogram, 0.75) == 30);
	assert_true(histogram_percentile(&histogram, 0.76) == 40);
	assert_true(histogram_percentile(&histogram, 1) == 40);
}

static void test_total_and_max(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(distributions); i++) {
		record_values(distributions[i].draw);
		assert_int_equal(histogram_total(&histogram), VALUES);
		assert_int_equal(histogram_max(&histogram), values[VALUES - 1]);
	}
}

/* The largest need not come last, nor be longer than what is resolved. */
static void test_max_in_any_order(void **state)
{
	(void)state;
	histogram_record(&histogram, 255);
	assert_int_equal(histogram_max(&histogram), 255);
	histogram_record(&histogram, 1000003);
	histogram_record(&histogram, 1000002);
	histogram_record(&histogram, 3);
	assert_int_equal(histogram_max(&histogram), 1000003);
}

static void test_mean(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(distributions); i++) {
		double exact = 0;

		record_values(distributions[i].draw);
		for (int v = 0; v < VALUES; v++)
			exact += (double)values[v];
		check_near(distributions[i].name, histogram_mean(&histogram), exact / VALUES,
			   values[VALUES - 1] < HISTOGRAM_LINEAR ? 1e-12 : 1.0 / 256);
	}
}

static void test_add_is_recording_into_one(void **state)
{
	static struct histogram untouched;

	(void)state;
	for (size_t a = 0; a < ARRAY_SIZE(distributions); a++)
		for (size_t b = 0; b < ARRAY_SIZE(distributions); b++) {
			setup(state);
			for (int i = 0; i < VALUES / 20; i++) {
				u64 left = distributions[a].draw();
				u64 right = distributions[b].draw();

				histogram_record(&histogram, left);
				histogram_record(&other, right);
				histogram_record(&sum, left);
				histogram_record(&sum, right);
			}
			memcpy(&untouched, &other, sizeof(other));
			histogram_add(&histogram, &other);
			assert_memory_equal(&histogram, &sum, sizeof(sum));
			assert_memory_equal(&other, &untouched, sizeof(other));
		}
}

static void test_add_empty(void **state)
{
	(void)state;
	record_values(all_octaves);
	memcpy(&sum, &histogram, sizeof(sum));
	histogram_add(&histogram, &other);
	assert_memory_equal(&histogram, &sum, sizeof(sum));
	histogram_add(&other, &histogram);
	assert_memory_equal(&other, &sum, sizeof(sum));
}

/* What is taken out of each value is taken out of all that is told of them. */
static void test_add_less(void **state)
{
	static const u64 lengths[] = {3, 20, 50, 255, 256, 1000, 70000, PAST_LAST + 5};
	const u64 timer = 40;

	(void)state;
	histogram_record(&histogram, 7);
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		u64 less = lengths[i] > timer ? lengths[i] - timer : 0;

		memset(&other, 0, sizeof(other));
		memset(&sum, 0, sizeof(sum));
		histogram_record(&other, lengths[i]);
		histogram_add_less(&sum, &other, timer);
		assert_int_equal(histogram_total(&sum), 1);
		/* Of a bucket's 1 in 128 no more than half is lost. */
		assert_true(fabs(histogram_percentile(&sum, 1) - (double)less) <=
			    (double)less / 128 + 0.5);
		assert_int_equal(histogram_max(&sum), less);
		histogram_add_less(&histogram, &other, timer);
	}
	assert_int_equal(histogram_total(&histogram), ARRAY_SIZE(lengths) + 1);
	assert_int_equal(histogram.counts[0], 2);
	assert_int_equal(histogram.counts[7], 1);
	assert_int_equal(histogram.counts[10], 1);
	assert_int_equal(histogram.counts[215], 1);
	assert_int_equal(histogram.counts[216], 1);
	assert_int_equal(histogram_max(&histogram), PAST_LAST + 5 - timer);
}

/* What has had something taken out is added up with all others, wherever in its bucket it lay. */
static void test_none_is_lost_after_less(void **state)
{
	struct histogram all;

	(void)state;
	for (u64 value = 1; value < 5000; value++) {
		for (u64 timer = 0; timer < 80; timer += 13) {
			memset(&other, 0, sizeof(other));
			memset(&sum, 0, sizeof(sum));
			memset(&all, 0, sizeof(all));
			histogram_record(&other, value);
			histogram_add_less(&sum, &other, timer);
			histogram_add(&all, &sum);
			assert_int_equal(histogram_total(&all), 1);
		}
	}
}

/* What was recorded since is as if it had been recorded alone, but for how well its max is known.
 */
static void test_since(void **state)
{
	static const u64 first[] = {3, 20, 300, 5000, 70000}, then[] = {3, 7, 301, 4997, 9000};
	struct histogram before, then_alone;

	(void)state;
	memset(&then_alone, 0, sizeof(then_alone));
	for (size_t i = 0; i < ARRAY_SIZE(first); i++)
		histogram_record(&histogram, first[i]);
	before = histogram;
	for (size_t i = 0; i < ARRAY_SIZE(then); i++) {
		histogram_record(&histogram, then[i]);
		histogram_record(&then_alone, then[i]);
	}
	histogram_since(&before, &histogram);
	assert_memory_equal(before.counts, then_alone.counts, sizeof(before.counts));
	assert_true(histogram_max(&before) >= 9000);
	assert_int_equal(histogram_bucket(histogram_max(&before)), histogram_bucket(9000));
}

static void test_since_the_longest_came(void **state)
{
	struct histogram before = histogram, then;

	(void)state;
	histogram_record(&histogram, 70001);
	then = histogram;
	histogram_since(&before, &histogram);
	assert_int_equal(histogram_max(&before), 70001);
	histogram_record(&histogram, 200);
	histogram_since(&then, &histogram);
	assert_int_equal(histogram_max(&then), 200);
	assert_int_equal(histogram_total(&then), 1);
	then = histogram;
	histogram_since(&then, &histogram);
	assert_int_equal(histogram_total(&then), 0);
	assert_int_equal(histogram_max(&then), 0);
	then = histogram;
	histogram_record(&histogram, 3 * PAST_LAST);
	histogram_since(&then, &histogram);
	assert_int_equal(histogram_max(&then), 3 * PAST_LAST);
}

static void test_past_the_last_bucket(void **state)
{
	static const u64 lengths[] = {PAST_LAST,     PAST_LAST + 1,  PAST_LAST << 1,
				      3 * PAST_LAST, UINT64_MAX - 1, UINT64_MAX};
	double low = (double)histogram_bucket_low(HISTOGRAM_BUCKETS - 1);

	(void)state;
	assert_int_equal(histogram_bucket(PAST_LAST - 1), HISTOGRAM_BUCKETS - 1);
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		assert_int_equal(histogram_bucket(lengths[i]), HISTOGRAM_BUCKETS - 1);
		histogram_record(&histogram, lengths[i]);
		assert_int_equal(histogram_max(&histogram), lengths[i]);
		assert_int_equal(histogram_total(&histogram), i + 1);
	}
	assert_int_equal(histogram.counts[HISTOGRAM_BUCKETS - 1], ARRAY_SIZE(lengths));
	assert_true(histogram_percentile(&histogram, 0.5) >= low);
	assert_true(histogram_mean(&histogram) >= low);
}

static u64 at_least(u64 least)
{
	u64 found = 0;

	for (int i = 0; i < VALUES; i++)
		found += values[i] >= least;
	return found;
}

static void test_min(void **state)
{
	(void)state;
	assert_int_equal(histogram_min(&histogram), 0);
	for (size_t i = 0; i < ARRAY_SIZE(distributions); i++) {
		record_values(distributions[i].draw);
		assert_int_equal(histogram_bucket(histogram_min(&histogram)),
				 histogram_bucket(values[0]));
		assert_true(histogram_min(&histogram) <= values[0]);
	}
}

static void test_from(void **state)
{
	(void)state;
	assert_int_equal(histogram_from(&histogram, 0), 0);
	for (size_t i = 0; i < ARRAY_SIZE(distributions); i++) {
		record_values(distributions[i].draw);
		assert_int_equal(histogram_from(&histogram, 0), VALUES);
		for (int k = 0; k < VALUES; k += VALUES / 7) {
			u64 low = histogram_bucket_low(histogram_bucket(values[k]));

			assert_int_equal(histogram_from(&histogram, values[k]), at_least(low));
		}
		assert_int_equal(histogram_from(&histogram, 1ull << HISTOGRAM_MAX_BITS),
				 histogram.counts[HISTOGRAM_BUCKETS - 1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buckets_tile),
		cmocka_unit_test(test_bucket_of_its_bounds),
		cmocka_unit_test(test_bucket_widths),
		cmocka_unit_test_setup(test_empty, setup),
		cmocka_unit_test_setup(test_single_value, setup),
		cmocka_unit_test_setup(test_percentiles, setup),
		cmocka_unit_test_setup(test_percentile_ranks, setup),
		cmocka_unit_test_setup(test_total_and_max, setup),
		cmocka_unit_test_setup(test_max_in_any_order, setup),
		cmocka_unit_test_setup(test_mean, setup),
		cmocka_unit_test_setup(test_add_is_recording_into_one, setup),
		cmocka_unit_test_setup(test_add_empty, setup),
		cmocka_unit_test_setup(test_add_less, setup),
		cmocka_unit_test_setup(test_none_is_lost_after_less, setup),
		cmocka_unit_test_setup(test_since, setup),
		cmocka_unit_test_setup(test_since_the_longest_came, setup),
		cmocka_unit_test_setup(test_past_the_last_bucket, setup),
		cmocka_unit_test_setup(test_min, setup),
		cmocka_unit_test_setup(test_from, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
