// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hardware counters, by events of the kernel's own where there is no hardware to count.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/hw_counters.h"

#define PAGES 64
/* A sanitizer has memory of its own for each page, and more than one. */
#define FAULTS_MAX(pages) (8 * (pages) + 64)

static const struct hw_event faults[2] = {
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
};

/* Each page for the first time, so that each faults. */
static void touch(size_t pages)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	u8 *memory = mmap(NULL, pages * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	assert_true(memory != MAP_FAILED);
	madvise(memory, pages * size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		((volatile u8 *)memory)[i * size] = 1;
	munmap(memory, pages * size);
}

static int free_descriptor(void)
{
	const int fd = dup(STDIN_FILENO);

	close(fd);
	return fd;
}

static void need(int cause)
{
	if (cause == EACCES || cause == EPERM || cause == ENOSYS) {
		printf("skipped: %s\n", hw_counters_reason(cause));
		skip();
	}
}

static void test_counts_what_happens_between(void **state)
{
	const int before = free_descriptor();
	struct hw_counters counters;
	u64 values[HW_COUNTERS], later[HW_COUNTERS];
	struct errmsg err;

	(void)state;
	if (hw_counters_open(&counters, faults, 2, &err))
		need(counters.cause[0]);
	assert_true(counters.fd[0] >= 0 && counters.fd[1] >= 0);
	assert_int_equal(counters.cause[0], 0);
	assert_int_equal(counters.cause[HW_L1D_MISSES], ENOENT);
	touch(PAGES);
	for (size_t pages = 64 * PAGES; pages >= PAGES; pages /= 64) {
		hw_counters_begin(&counters);
		touch(pages);
		assert_true(hw_counters_end(&counters, values));
		assert_in_range(values[0], pages, FAULTS_MAX(pages));
		assert_in_range(values[1], pages, values[0]);
		assert_int_equal(values[2], 0);
		assert_int_equal(values[3], 0);
		/* Not while it is stopped. */
		touch(PAGES);
		assert_true(hw_counters_end(&counters, later));
		assert_memory_equal(later, values, sizeof(values));
	}
	hw_counters_close(&counters);
	hw_counters_close(&counters);
	assert_int_equal(free_descriptor(), before);
}

/* Time cannot be counted in the same group by an event that there is not. */
static void test_one_is_missing(void **state)
{
	const struct hw_event events[3] = {faults[0], {PERF_TYPE_SOFTWARE, 9999}, faults[1]};
	struct hw_counters counters;
	u64 values[HW_COUNTERS];
	struct errmsg err;

	(void)state;
	if (hw_counters_open(&counters, events, 3, &err))
		need(counters.cause[0]);
	assert_int_equal(counters.fd[1], -1);
	assert_true(counters.cause[1] != 0);
	hw_counters_begin(&counters);
	touch(PAGES);
	assert_true(hw_counters_end(&counters, values));
	assert_in_range(values[0], PAGES, FAULTS_MAX(PAGES));
	assert_int_equal(values[1], 0);
	assert_in_range(values[2], PAGES, values[0]);
	hw_counters_close(&counters);
}

static void test_none(void **state)
{
	const struct hw_event none[2] = {{PERF_TYPE_SOFTWARE, 9999}, faults[0]};
	const int before = free_descriptor();
	struct hw_counters counters;
	struct errmsg err;

	(void)state;
	assert_int_equal(hw_counters_open(&counters, none, 2, &err), -1);
	assert_memory_equal(err.text, "no hardware counters: ", 22);
	for (size_t i = 0; i < HW_COUNTERS; i++) {
		assert_int_equal(counters.fd[i], -1);
		assert_true(counters.cause[i] != 0);
	}
	assert_int_equal(free_descriptor(), before);
}

static void test_no_descriptors(void **state)
{
	struct rlimit old, least = {.rlim_cur = 0};
	struct hw_counters counters;
	struct errmsg err;
	int failed;

	(void)state;
	getrlimit(RLIMIT_NOFILE, &old);
	least.rlim_max = old.rlim_max;
	setrlimit(RLIMIT_NOFILE, &least);
	failed = hw_counters_open(&counters, faults, 2, &err);
	setrlimit(RLIMIT_NOFILE, &old);
	assert_int_equal(failed, -1);
	need(counters.cause[0]);
	assert_int_equal(counters.cause[0], EMFILE);
	assert_string_equal(err.text,
			    "no hardware counters: too many open files (Too many open files)");
}

/* What the real ones count, where there are any: no fewer instructions for more of them. */
static void test_hardware(void **state)
{
	struct hw_counters counters;
	u64 few[HW_COUNTERS], many[HW_COUNTERS];
	const int cause = hw_counters_try();
	struct errmsg err;

	(void)state;
	if (cause) {
		printf("skipped: %s\n", hw_counters_reason(cause));
		skip();
	}
	assert_int_equal(hw_counters_open(&counters, hw_events, HW_COUNTERS, &err), 0);
	for (int i = 0; i < 2; i++) {
		u64 *values = i ? many : few;

		hw_counters_begin(&counters);
		for (volatile int j = 0; j < (i ? 1000000 : 1000); j++)
			;
		if (!hw_counters_end(&counters, values))
			skip();
	}
	assert_true(many[HW_CYCLES] > few[HW_CYCLES]);
	if (!counters.cause[HW_INSTRUCTIONS])
		assert_true(many[HW_INSTRUCTIONS] > few[HW_INSTRUCTIONS] + 1000000);
	hw_counters_close(&counters);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_what_happens_between),
		cmocka_unit_test(test_one_is_missing),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_no_descriptors),
		cmocka_unit_test(test_hardware),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
