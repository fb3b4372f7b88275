// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/put_off.h"
#include "sim/publish.h"

/* The counter is told, not read, and counts nanoseconds. */
#define MS     1000000ull
#define SECOND (1000 * MS)

static struct page_region region;
static struct run_config config;
static struct run_shared shared;
static struct reader_thread *readers[2];
static struct put_off put_off;

static int setup(void **state)
{
	struct errmsg err;

	(void)state;
	assert_int_equal(page_region_map(&region, &page_layout_current, 0, &err), 0);
	config = (struct run_config){.duration_ns = SECOND};
	shared = (struct run_shared){
		.config = &config,
		.page = page_for_readers(&region),
		.counter_hz = NSEC_PER_SEC,
		.end = SECOND,
	};
	for (int i = 0; i < 2; i++) {
		readers[i] = aligned_alloc(CACHE_LINE, sizeof(*readers[i]));
		memset(readers[i], 0, sizeof(*readers[i]));
	}
	vdso_set_sequences(page_for_writer(&region), &page_layout_current, 20);
	put_off_begin(&put_off, &shared, readers, 2);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++)
		free(readers[i]);
	page_region_unmap(&region);
	return 0;
}

static u64 end_after_look(u64 now)
{
	put_off_look(&put_off, now);
	return shared.end;
}

static void test_there_is_time_left(void **state)
{
	(void)state;
	assert_int_equal(end_after_look(500 * MS), SECOND);
	assert_true(put_off_by_ns(&put_off) == 0);
}

static void test_nobody_measures(void **state)
{
	u64 now = SECOND - 1 * MS;

	(void)state;
	assert_true(end_after_look(now) > SECOND);
	assert_true(put_off_by_ns(&put_off) > 0);
	/* Some seconds, and no more. */
	while (now < shared.end) {
		put_off_look(&put_off, now);
		now += 100 * MS;
	}
	assert_in_range(shared.end, 3 * SECOND, 7 * SECOND);
}

static void test_one_measures(void **state)
{
	u64 end;

	(void)state;
	readers[1]->warm_cycles = 100;
	assert_int_equal(end_after_look(SECOND - MS), SECOND);
	/* It comes while the end is put off: that is kept, and no more is added. */
	readers[1]->warm_cycles = 0;
	put_off.measuring = false;
	assert_true(end_after_look(SECOND - MS) > SECOND);
	readers[1]->warm_cycles = 100;
	end = shared.end;
	assert_int_equal(end_after_look(end - MS), end);
}

/* Readers wait for it: that is no want of a CPU. */
static void test_writer_stays_odd(void **state)
{
	(void)state;
	vdso_write_begin(page_for_writer(&region), &page_layout_current);
	put_off_look(&put_off, 500 * MS);
	assert_int_equal(end_after_look(SECOND - MS), SECOND);
}

/* An odd sequence that moves is a writer at work. */
static void test_writer_goes_on(void **state)
{
	(void)state;
	vdso_write_begin(page_for_writer(&region), &page_layout_current);
	put_off_look(&put_off, 500 * MS);
	vdso_write_end(page_for_writer(&region), &page_layout_current);
	vdso_write_begin(page_for_writer(&region), &page_layout_current);
	assert_true(end_after_look(SECOND - MS) > SECOND);
}

/* Then writers may have gone. */
static void test_too_late(void **state)
{
	(void)state;
	assert_int_equal(end_after_look(SECOND), SECOND);
}

static void test_naps(void **state)
{
	u64 now = 0;

	(void)state;
	/* There is a look before the end. */
	while (SECOND - now > 10 * MS) {
		now += put_off_nap_ns(&put_off, now, 10 * SECOND);
		assert_true(now < SECOND);
	}
	/* Of a run that is over soon, too. */
	config.duration_ns = MS;
	for (now = SECOND - MS; now < SECOND - MS / 2;) {
		now += put_off_nap_ns(&put_off, now, 10 * SECOND);
		assert_true(now < SECOND);
	}
	assert_int_equal(put_off_nap_ns(&put_off, 0, 200 * MS), 200 * MS);
	/* None is needed once somebody measures. */
	put_off.measuring = true;
	assert_in_range(put_off_nap_ns(&put_off, 0, 10 * SECOND), SECOND, SECOND + MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_there_is_time_left, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nobody_measures, setup, teardown),
		cmocka_unit_test_setup_teardown(test_one_measures, setup, teardown),
		cmocka_unit_test_setup_teardown(test_writer_stays_odd, setup, teardown),
		cmocka_unit_test_setup_teardown(test_writer_goes_on, setup, teardown),
		cmocka_unit_test_setup_teardown(test_too_late, setup, teardown),
		cmocka_unit_test_setup_teardown(test_naps, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
