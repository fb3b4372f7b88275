// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Histograms as results keep them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/lengths.h"

#define HZ 2000000000ull /* two cycles a nanosecond */

static struct histogram histogram;
static struct lengths lengths;

static int setup(void **state)
{
	(void)state;
	memset(&histogram, 0, sizeof(histogram));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	lengths_release(&lengths);
	return 0;
}

static void record(u64 cycles, u64 times)
{
	while (times--)
		histogram_record(&histogram, cycles);
}

static void make(double foreign)
{
	lengths_release(&lengths);
	assert_int_equal(lengths_make(&lengths, &histogram, foreign, HZ), 0);
}

static void check_bucket(u32 index, double lower_ns, double upper_ns, u64 count)
{
	const struct length_bucket *bucket = &lengths.bucket[index];

	assert_true(index < lengths.buckets);
	assert_true(fabs(bucket->lower_ns - lower_ns) < 1e-9);
	assert_true(fabs(bucket->upper_ns - upper_ns) < 1e-9);
	assert_int_equal(bucket->count, count);
}

static void test_none(void **state)
{
	(void)state;
	make(0);
	assert_int_equal(lengths.buckets, 0);
	assert_null(lengths.bucket);
}

static void test_exact_ones(void **state)
{
	(void)state;
	record(40, 3);
	record(41, 2);
	record(255, 1);
	make(0);
	assert_int_equal(lengths.buckets, 3);
	check_bucket(0, 20, 20, 3);
	check_bucket(1, 20.5, 20.5, 2);
	check_bucket(2, 127.5, 127.5, 1);
}

/* 1000 and 1003 lie in one bucket of four, 2000 to 2007 is another's. */
static void test_wide_ones(void **state)
{
	(void)state;
	record(1000, 1);
	record(1003, 4);
	record(2000, 2);
	record(2007, 1);
	make(0);
	assert_int_equal(lengths.buckets, 2);
	check_bucket(0, 500, 501.5, 5);
	check_bucket(1, 1000, 1003.5, 3);
}

static void test_none_beyond_the_longest(void **state)
{
	(void)state;
	record(2000, 2);
	make(0);
	check_bucket(0, 1000, 1000, 2);
}

/* Longer than the last bucket begins. */
static void test_the_longest_of_all(void **state)
{
	const u64 beyond = 5ull << HISTOGRAM_MAX_BITS;

	(void)state;
	record(beyond, 1);
	make(0);
	check_bucket(0, (double)histogram_bucket_low(HISTOGRAM_BUCKETS - 1) / 2, (double)beyond / 2,
		     1);
}

static void test_what_is_foreign_is_taken_out(void **state)
{
	(void)state;
	record(90, 1);
	record(98, 2);
	record(100, 4);
	record(130, 8);
	make(100);
	assert_int_equal(lengths.buckets, 2);
	check_bucket(0, 0, 0, 7);
	check_bucket(1, 15, 15, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_none, setup, teardown),
		cmocka_unit_test_setup_teardown(test_exact_ones, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wide_ones, setup, teardown),
		cmocka_unit_test_setup_teardown(test_none_beyond_the_longest, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_longest_of_all, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_is_foreign_is_taken_out, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
