// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which page a reader is tried on: the first call is to be like those that follow.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "readers/trial.h"
#include "sim/layout.h"

#define WRONG_PAGE 77

static int read_sequence(const struct vdso_time_data *page, struct read_note *note)
{
	if (note)
		note->seq = page->clock_data[CS_HRES_COARSE].seq;
	return 0;
}

static int read_data(const struct vdso_time_data *page, clockid_t clock, struct timespec *ts,
		     struct read_note *note)
{
	(void)clock;
	(void)ts;
	if (page->clock_data[CS_HRES_COARSE].clock_mode == VDSO_CLOCKMODE_TIMENS)
		return WRONG_PAGE;
	return read_sequence(page, note);
}

/* Its page has an odd sequence and no offset; behind it lies the one with the data. */
static int read_namespace(const struct vdso_time_data *page, clockid_t clock, struct timespec *ts,
			  struct read_note *note)
{
	const struct vdso_clock *in_front = &page->clock_data[CS_HRES_COARSE];

	(void)ts;
	if (in_front->clock_mode != VDSO_CLOCKMODE_TIMENS || !(in_front->seq & 1) ||
	    in_front->offset[clock].sec || in_front->offset[clock].nsec)
		return WRONG_PAGE;
	return read_sequence(page_behind_namespace(page), note);
}

static int try_reader(reader_fn *read, bool in_namespace, bool *tells)
{
	struct reader reader = {
		.counted = read,
		.bare = read,
		.layout = &page_layout_current,
		.clock = CLOCK_MONOTONIC,
		.in_namespace = in_namespace,
	};
	struct errmsg err;
	int failed = trial_run(&reader, &err);

	*tells = reader.tells;
	return failed;
}

static void test_page(void **state)
{
	bool tells;

	(void)state;
	assert_int_equal(try_reader(read_data, false, &tells), 0);
	assert_true(tells);
	assert_int_equal(try_reader(read_namespace, true, &tells), 0);
	assert_true(tells);
	assert_int_equal(try_reader(read_data, true, &tells), -1);
	assert_int_equal(try_reader(read_namespace, false, &tells), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
