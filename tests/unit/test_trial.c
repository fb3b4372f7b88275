// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which page a reader is tried on: the first call is to be like those that follow.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "readers/trial.h"
#include "sim/confine.h"
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

/* What would be done over and over in a run is not done once. */
static int read_and_open(const struct vdso_time_data *page, clockid_t clock, struct timespec *ts,
			 struct read_note *note)
{
	(void)page;
	(void)clock;
	(void)ts;
	(void)note;
	return syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY) < 0;
}

static bool can_be_confined(void)
{
	int status;
	const pid_t child = fork();

	if (child == 0)
		_exit(!confine_to_clocks());
	assert_int_equal(waitpid(child, &status, 0), child);
	return status == 0;
}

static void test_system_call(void **state)
{
	struct reader reader = {
		.counted = read_and_open,
		.bare = read_and_open,
		.layout = &page_layout_current,
		.clock = CLOCK_MONOTONIC,
		.path = "opens",
	};
	struct errmsg err;

	(void)state;
	if (!can_be_confined())
		skip();
	assert_int_equal(trial_run(&reader, &err), -1);
	assert_non_null(strstr(err.text, "'opens': its code makes a system call"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page),
		cmocka_unit_test(test_system_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
