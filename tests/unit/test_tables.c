// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What programs read of a run beside JSON: comma-separated values, percentiles as HdrHistogram
 * prints them, and the lines of intervals.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/intervals_csv.h"
#include "report/intervals_text.h"
#include "report/lengths_csv.h"
#include "report/lengths_hgrm.h"

static char *text;
static size_t size;

static FILE *begin(void)
{
	free(text);
	return open_memstream(&text, &size);
}

static int teardown(void **state)
{
	(void)state;
	free(text);
	text = NULL;
	return 0;
}

static void write_hgrm(const struct lengths *lengths)
{
	FILE *out = begin();
	struct errmsg err;

	assert_int_equal(report_lengths_hgrm(out, lengths, &err), 0);
	fclose(out);
}

static void has(const char *line)
{
	if (!strstr(text, line))
		fail_msg("no \"%s\" in\n%s", line, text);
}

/* What HdrHistogram_c 0.11 prints of the same values, but for its own number of buckets. */
static void test_hgrm_of_a_few(void **state)
{
	struct length_bucket buckets[] = {{2, 2, 1}, {4, 4, 10}};
	const struct lengths lengths = {2, buckets};

	(void)state;
	write_hgrm(&lengths);
	assert_string_equal(text, "       Value   Percentile   TotalCount 1/(1-Percentile)\n\n"
				  "       2.000     0.000000            1         1.00\n"
				  "       4.000     0.100000           11         1.11\n"
				  "       4.000     1.000000           11          inf\n"
				  "#[Mean    =        3.818, StdDeviation   =        0.575]\n"
				  "#[Max     =        4.000, Total count    =           11]\n"
				  "#[Buckets =           33, SubBuckets     =          256]\n"
				  "# Value is in nanoseconds\n");
}

/* One length in each of a thousand buckets: each level's value follows. */
static void test_hgrm_levels(void **state)
{
	struct length_bucket buckets[1000];
	const struct lengths lengths = {1000, buckets};

	(void)state;
	for (u32 i = 0; i < 1000; i++)
		buckets[i] = (struct length_bucket){i + 1, i + 1, 1};
	write_hgrm(&lengths);
	has("     100.000     0.100000          100         1.11\n");
	has("     500.000     0.500000          500         2.00\n");
	has("     550.000     0.550000          550         2.22\n");
	has("     750.000     0.750000          750         4.00\n");
	has("     775.000     0.775000          775         4.44\n");
	has("     938.000     0.937500          938        16.00\n");
	has("    1000.000     1.000000         1000          inf\n");
	assert_null(strstr(text, " 0.525000 "));
}

static void test_hgrm_of_none(void **state)
{
	const struct lengths lengths = {0, NULL};

	(void)state;
	write_hgrm(&lengths);
	has("\n\n#[Mean    =        0.000, StdDeviation   =        0.000]\n");
}

static void test_lengths_csv(void **state)
{
	struct length_bucket buckets[] = {{20, 20, 3}, {500, 501.5, 1}};
	const struct lengths lengths = {2, buckets};
	FILE *out = begin();
	struct errmsg err;

	(void)state;
	assert_int_equal(report_lengths_csv(out, &lengths, &err), 0);
	fclose(out);
	assert_string_equal(text, "lower_ns,upper_ns,count,cumulative_share\n"
				  "20,20,3,0.75\n"
				  "500,501.5,1,1\n");
}

static const struct run_interval whole = {
	.start_s = 1,
	.seconds = 0.5,
	.reads = 2000000,
	.odd_waits = 2,
	.changed = 20,
	.off_cpu = 4,
	.retries_known = true,
	.off_cpu_known = true,
	.torn = 1,
	.samples = 250000,
	.p50_ns = 28.1,
	.p99_ns = 31.25,
	.updates = 500,
	.holds = 499,
	.hold_max_ns = 4200,
};

/* In which nothing happened, and of readers that tell nothing. */
static const struct run_interval empty = {.start_s = 1.5, .seconds = 0.5};

static void test_intervals_csv(void **state)
{
	struct run_interval both[] = {whole, empty};
	const struct run_result result = {.intervals = 2, .interval = both};
	FILE *out = begin();
	struct errmsg err;

	(void)state;
	assert_int_equal(report_intervals_csv(out, &result, &err), 0);
	fclose(out);
	assert_string_equal(text,
			    "start_s,seconds,reads,reads_per_second,read_samples,read_p50_ns,"
			    "read_p99_ns,retries,retries_per_million,odd_wait,changed,off_cpu,torn,"
			    "updates,update_rate_hz,hold_samples,hold_max_ns\n"
			    "1,0.5,2000000,4000000,250000,28.1,31.25,26,13,2,20,4,1,500,1000,499,"
			    "4200\n"
			    "1.5,0.5,0,0,0,,,,,,,,0,0,0,0,\n");
}

static void test_interval_lines(void **state)
{
	FILE *out = begin();
	char *line, *rest;
	size_t length;

	(void)state;
	report_interval_head(out);
	report_interval_line(out, &whole);
	report_interval_line(out, &empty);
	fclose(out);
	has("    1.500      4000000       28.1       31.2       1.00      10.00       2.00       "
	    "1000.0      4200.0\n");
	has("    2.000            0        n/a        n/a        n/a        n/a        n/a         "
	    " "
	    "0.0         n/a\n");
	/* Columns stand below one another. */
	rest = text;
	length = strcspn(text, "\n");
	while ((line = strsep(&rest, "\n")) && *line)
		assert_int_equal(strlen(line), length);
}

static void test_disk_full(void **state)
{
	const struct lengths lengths = {0, NULL};
	struct errmsg err;
	FILE *out = fopen("/dev/full", "w");

	(void)state;
	assert_int_equal(report_lengths_hgrm(out, &lengths, &err), -1);
	assert_string_equal(err.text, "No space left on device");
	fclose(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_hgrm_of_a_few, teardown),
		cmocka_unit_test_teardown(test_hgrm_levels, teardown),
		cmocka_unit_test_teardown(test_hgrm_of_none, teardown),
		cmocka_unit_test_teardown(test_lengths_csv, teardown),
		cmocka_unit_test_teardown(test_intervals_csv, teardown),
		cmocka_unit_test_teardown(test_interval_lines, teardown),
		cmocka_unit_test_teardown(test_disk_full, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
