// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What counts as agreement: of contestants whose values are written down.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "measure/agreement.h"

static struct page_region kernel; /* in its place */
static struct host_page host_page;
static struct mirror mirror;

/* Nanoseconds that are told one after the other; those below 0 are no time. */
static long told[3];
static int next;

static int tell(clockid_t clock, struct timespec *ts)
{
	const long value = told[next++ % 3];

	(void)clock;
	*ts = (struct timespec){0, value};
	return value < 0 ? -1 : 0;
}

static const struct contestant teller = {.kind = CONTESTANT_HOST, .call = tell};

static enum agreement agree(long low, long value, long high)
{
	struct agreement_values values;

	told[0] = low;
	told[1] = value;
	told[2] = high;
	next = 0;
	return agreement_try(&mirror, &teller, &teller, CLOCK_MONOTONIC, &values);
}

static int set_up(void **state)
{
	struct vdso_time_data *page;
	struct errmsg err;

	(void)state;
	assert_int_equal(page_region_map(&kernel, &page_layout_current, 0, &err), 0);
	page = page_for_writer(&kernel);
	page->clock_data[CS_HRES_COARSE].clock_mode = VDSO_CLOCKMODE_TSC;
	host_page = (struct host_page){.data = page_for_readers(&kernel), .layout = kernel.layout};
	assert_int_equal(mirror_open(&mirror, &host_page, &err), 0);
	assert_non_null(mirror_add(&mirror, &page_layout_current, 0, &err));
	assert_int_equal(mirror_refresh(&mirror, &err), 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	mirror_close(&mirror);
	page_region_unmap(&kernel);
	return 0;
}

static void test_between_the_hosts(void **state)
{
	(void)state;
	assert_int_equal(agree(5, 6, 7), AGREEMENT_YES);
	assert_int_equal(agree(5, 5, 5), AGREEMENT_YES);
	assert_int_equal(agree(5, 4, 7), AGREEMENT_NO);
	assert_int_equal(agree(5, 8, 7), AGREEMENT_NO);
	assert_int_equal(agree(5, -1, 7), AGREEMENT_NO);
}

/* Two that tell nothing do not agree, nor is a time wrong for want of another. */
static void test_a_host_that_tells_no_time(void **state)
{
	(void)state;
	assert_int_equal(agree(-1, -1, -1), AGREEMENT_NONE);
	assert_int_equal(agree(-1, 6, -1), AGREEMENT_NONE);
	assert_int_equal(agree(-1, 6, 7), AGREEMENT_NONE);
	assert_int_equal(agree(5, 6, -1), AGREEMENT_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_between_the_hosts),
		cmocka_unit_test(test_a_host_that_tells_no_time),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
