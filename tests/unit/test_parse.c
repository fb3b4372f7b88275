// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/parse.h"

#define UNTOUCHED 0xdeadbeefu

/* A refusal must quote the text, or its beginning, and say what would be right. */
static void assert_sentence(const struct errmsg *err, const char *text, const char *right)
{
	char quoted[64];

	snprintf(quoted, sizeof(quoted), "'%.40s", text);
	if (strncmp(err->text, quoted, strlen(quoted)) != 0 || !strstr(err->text, right))
		fail_msg("\"%s\" does not quote %s or does not say \"%s\"", err->text, quoted,
			 right);
	assert_in_range(strlen(err->text), 1, sizeof(err->text) - 2);
}

static void count_is(const char *text, u64 least, u64 most, u64 expected)
{
	u64 count = UNTOUCHED;
	struct errmsg err;

	assert_int_equal(parse_count(text, least, most, &count, &err), 0);
	assert_int_equal(count, expected);
}

static void count_refused(const char *text, u64 least, u64 most)
{
	u64 count = UNTOUCHED;
	struct errmsg err = {""};
	char right[64];

	snprintf(right, sizeof(right), "from %llu to %llu", (unsigned long long)least,
		 (unsigned long long)most);
	assert_int_equal(parse_count(text, least, most, &count, &err), -1);
	assert_int_equal(count, UNTOUCHED);
	assert_sentence(&err, text, right);
}

static void test_count(void **state)
{
	(void)state;
	count_is("1", 1, 4096, 1);
	count_is("4096", 1, 4096, 4096);
	count_is("0010", 1, 4096, 10);
	count_is("0", 0, 1, 0);
	count_is("18446744073709551615", 0, UINT64_MAX, UINT64_MAX);
}

static void test_count_refused(void **state)
{
	static const char *const wrong[] = {
		"",	    "0",   "4097", "-1",    "+1",
		" 1",	    "1 ",  "1x",   "x",	    "0x10",
		"1.0",	    "1e3", "1\n",  "1,000", "-18446744073709551615",
		"\xd9\xa1",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		count_refused(wrong[i], 1, 4096);
	/* 2^64, and 2^64 + 1, which wraps to what would be right. */
	count_refused("18446744073709551616", 0, UINT64_MAX);
	count_refused("18446744073709551617", 1, 4096);
	count_refused("99999999999999999999999999999999999999999999999999999999999999999999", 1,
		      4096);
}

static void duration_is(const char *text, u64 expected)
{
	u64 ns = UNTOUCHED;
	struct errmsg err = {""};

	if (parse_duration(text, 0, UINT64_MAX, &ns, &err))
		fail_msg("%s: %s", text, err.text);
	assert_int_equal(ns, expected);
}

static void duration_refused(const char *text, u64 least, u64 most, const char *right)
{
	u64 ns = UNTOUCHED;
	struct errmsg err = {""};

	if (parse_duration(text, least, most, &ns, &err) != -1)
		fail_msg("'%s' was taken for %llu ns", text, (unsigned long long)ns);
	assert_int_equal(ns, UNTOUCHED);
	assert_sentence(&err, text, right);
}

static void test_duration(void **state)
{
	(void)state;
	duration_is("10s", 10000000000);
	duration_is("500ms", 500000000);
	duration_is("250us", 250000);
	duration_is("100ns", 100);
	duration_is("1.5s", 1500000000);
	duration_is("2m", 120000000000);
	duration_is("1h", 3600000000000);
	duration_is("0.25h", 900000000000);
	duration_is("0s", 0);
	duration_is("0", 0);
	duration_is("007ms", 7000000);
	duration_is("1.000000000000000000000000000000s", 1000000000);
	duration_is("0.000000001s", 1);
	duration_is("3.0ns", 3);
	/* 5e-11 of a minute: the unit itself has no factor of 10 left for the last digit. */
	duration_is("0.00000000005m", 3);
	duration_is("18446744073.709551615s", UINT64_MAX);
}

static void test_duration_refused(void **state)
{
	static const char *const malformed[] = {
		"",	"s",	"ms",	"-1s",	  "+1s",  " 1s",  "1 s",  "1s ",
		"1S",	"1x",	"1sec", "1s2s",	  ".5s",  "1.s",  "1.",	  "1..5s",
		"1,5s", "1e3s", "0x1s", "1.5.5s", "1ms5", "infs", "nans", "1\xc2\xb5s",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(malformed); i++)
		duration_refused(malformed[i], 0, UINT64_MAX, "is not a time: a number and ns");
	duration_refused("10", 0, UINT64_MAX, "has no unit: write 10s, 10ms");
	duration_refused("1.5", 0, UINT64_MAX, "has no unit: write 1.5s");
	duration_refused("0", 1, 1000000000, "is not a time from 1ns to 1s");
	duration_refused("0.0", 0, UINT64_MAX, "has no unit");
	duration_refused("1.5ns", 0, UINT64_MAX, "not a whole number of nanoseconds");
	duration_refused("0.0000000001s", 0, UINT64_MAX, "not a whole number of nanoseconds");
	duration_refused("0.0000000000000000000000001h", 0, UINT64_MAX, "not a whole number");
}

static void test_duration_range(void **state)
{
	(void)state;
	duration_refused("0s", 1, 1000000000, "from 1ns to 1s");
	duration_refused("999us", 1000000, 3600000000000, "from 1ms to 1h");
	duration_refused("3600.000000001s", 1000000, 3600000000000, "from 1ms to 1h");
	duration_refused("18446744073709551616ns", 0, UINT64_MAX, "from 0s to");
	duration_refused("18446744073709551615s", 0, UINT64_MAX, "from 0s to");
	duration_refused("18446744073.709551616s", 0, UINT64_MAX, "from 0s to");
	/* (2^64 + 10^9) / 10^9 seconds wrap to one second. */
	duration_refused("18446744074.709551616s", 1, 2000000000, "from 1ns to 2s");
	duration_refused("5124096h", 0, UINT64_MAX, "from 0s to");
}

static void size_is(const char *text, u64 expected)
{
	u64 bytes = UNTOUCHED;
	struct errmsg err;

	assert_int_equal(parse_size(text, 0, UINT64_MAX, &bytes, &err), 0);
	assert_int_equal(bytes, expected);
}

static void test_size(void **state)
{
	static const char *const wrong[] = {"",	    "K",   "63",   "2G",
					    "-64",  "64k", "64KB", "64 K",
					    "1.5M", "64B", "64T",  "18014398509481985K"};

	(void)state;
	size_is("0", 0);
	size_is("64", 64);
	size_is("64K", 65536);
	size_is("3M", 3145728);
	size_is("1G", 1073741824);
	size_is("17179869183G", 17179869183ull << 30);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		u64 bytes = UNTOUCHED;
		struct errmsg err;

		assert_int_equal(parse_size(wrong[i], 64, 1 << 30, &bytes, &err), -1);
		assert_int_equal(bytes, UNTOUCHED);
		assert_sentence(&err, wrong[i], "from 64 to 1G");
	}
}

static void cpus_are(const char *text, const char *expected)
{
	struct errmsg err = {""};
	cpu_set_t cpus;

	if (parse_cpu_list(text, &cpus, &err))
		fail_msg("%s: %s", text, err.text);
	for (size_t cpu = 0; cpu < strlen(expected); cpu++)
		assert_int_equal(CPU_ISSET(cpu, &cpus) != 0, expected[cpu] == 'x');
	for (size_t cpu = strlen(expected); cpu < CPU_SETSIZE; cpu++)
		assert_false(CPU_ISSET(cpu, &cpus));
}

static void test_cpu_list(void **state)
{
	static const char *const wrong[] = {
		"",
		",",
		"0,",
		",0",
		"0,,1",
		"3-2",
		"-1",
		"1-",
		"0-3:",
		"0-3:0",
		"a",
		"0x1",
		"1024",
		"0-1024",
		"0 1",
		"0, 1",
		"1-2-3",
		"0-3:-1",
		"4294967296",
		"18446744073709551616",
		"0-18446744073709551615",
		"0-3:18446744073709551615",
		"1:2",
	};
	cpu_set_t cpus, before;
	struct errmsg err;

	(void)state;
	cpus_are("0", "x");
	cpus_are("0,2-3", "x.xx");
	cpus_are("3,1", ".x.x");
	cpus_are("1-1", ".x");
	cpus_are("0-6:3", "x..x..x");
	cpus_are("0-1,1-2", "xxx");
	assert_int_equal(parse_cpu_list("0-1023", &cpus, &err), 0);
	assert_int_equal(CPU_COUNT(&cpus), 1024);
	CPU_ZERO(&before);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		CPU_ZERO(&cpus);
		assert_int_equal(parse_cpu_list(wrong[i], &cpus, &err), -1);
		assert_true(CPU_EQUAL(&cpus, &before));
		assert_sentence(&err, wrong[i], "as in 0,2-3");
	}
}

static void work_is(const char *text, enum work_kind kind, u64 amount)
{
	struct work_spec work = {WORK_ALU, UNTOUCHED};
	struct errmsg err;

	assert_int_equal(parse_work(text, &work, &err), 0);
	assert_int_equal(work.kind, kind);
	assert_int_equal(work.amount, amount);
}

static void work_refused(const char *text, const char *quoted, const char *right)
{
	struct work_spec work = {WORK_ALU, UNTOUCHED};
	struct errmsg err;

	assert_int_equal(parse_work(text, &work, &err), -1);
	assert_int_equal(work.amount, UNTOUCHED);
	assert_sentence(&err, quoted, right);
}

static void test_work(void **state)
{
	(void)state;
	work_is("none", WORK_NONE, 0);
	work_is("alu:1", WORK_ALU, 1);
	work_is("alu:1000000", WORK_ALU, 1000000);
	work_is("cache:64", WORK_CACHE, 64);
	work_is("cache:48K", WORK_CACHE, 49152);
	work_is("cache:1G", WORK_CACHE, 1 << 30);
	work_is("cold", WORK_COLD, 0);
	work_refused("", "", "one of none, alu:N, cache:SIZE");
	work_refused("alu", "alu", "one of none");
	work_refused("None", "None", "one of none");
	work_refused("none:1", "none:1", "one of none");
	work_refused("alu:", "", "from 1 to 1000000");
	work_refused("alu:0", "0", "from 1 to 1000000");
	work_refused("alu:1000001", "1000001", "from 1 to 1000000");
	work_refused("alu:1K", "1K", "from 1 to 1000000");
	work_refused("cache:0", "0", "from 64 to 1G");
	work_refused("cache:2G", "2G", "from 64 to 1G");
	work_refused("cache:100", "100", "multiple of 64");
}

/* Where the machine tells how large its first level is. */
static void test_work_by_level(void **state)
{
	const long level = sysconf(_SC_LEVEL1_DCACHE_SIZE);

	(void)state;
	if (level <= 0) {
		work_refused("cache:1L1", "1L1", "give bytes");
		return;
	}
	work_is("cache:1L1", WORK_CACHE, (u64)level);
	work_is("cache:0.5L1", WORK_CACHE, (u64)level / 2);
	work_is("cache:4L1", WORK_CACHE, (u64)level * 4);
	work_refused("cache:4L2", "4L2", "as in 0.5L1");
	work_refused("cache:0L1", "0L1", "as in 0.5L1");
	work_refused("cache:4XL1", "4XL1", "as in 0.5L1");
	work_refused("cache:0x1L1", "0x1L1", "as in 0.5L1");
	work_refused("cache:1e0L1", "1e0L1", "as in 0.5L1");
	work_refused("cache:1.0.0L1", "1.0.0L1", "as in 0.5L1");
	work_refused("cache:0L1", "0L1", "from 64 to 1G");
	work_refused("cache:99999999999L1", "99999999999L1", "as in 0.5L1");
	work_refused("cache:L1", "L1", "from 64 to 1G");
}

/* The end of the sentence, which says what would be right, must survive a long text. */
static void test_long_text(void **state)
{
	char text[4096];

	(void)state;
	memset(text, '7', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	count_refused(text, 1, 4096);
	duration_refused(text, 0, UINT64_MAX, "has no unit");
	text[sizeof(text) - 2] = 's';
	duration_refused(text, 1, 1000000000, "is not a time from 1ns to 1s");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_count),	       cmocka_unit_test(test_count_refused),
		cmocka_unit_test(test_duration),       cmocka_unit_test(test_duration_refused),
		cmocka_unit_test(test_duration_range), cmocka_unit_test(test_size),
		cmocka_unit_test(test_cpu_list),       cmocka_unit_test(test_work),
		cmocka_unit_test(test_work_by_level),  cmocka_unit_test(test_long_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
