// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/watch.h"
#include "sim/publish.h"
#include "tests/unit/choice_of.h"

/* The counter is moved by hand and counts nanoseconds, so no test waits. */
#define LOOK_NS 200000000ull
#define SECOND	1000000000ull

static struct page_region region;
static struct run_config config;
static struct run_shared shared;
static struct reader_thread *readers[2];
static const struct writers nobody;
static struct watch watch;
static u64 now;
static char sentence[256];

static int setup(void **state)
{
	struct errmsg err;

	(void)state;
	assert_int_equal(page_region_map(&region, &page_layout_current, 0, &err), 0);
	now = SECOND;
	page_set_virtual_counter(&region, now);
	config = (struct run_config){
		.groups = 1,
		.group = {{.readers = 2}},
		.writers = 1,
		.writer = {choice_of("tick:hz=1000")},
		.clocksource = clocksource_find("virtual"),
	};
	shared = (struct run_shared){
		.config = &config,
		.page = page_for_readers(&region),
		.counter_hz = NSEC_PER_SEC,
	};
	for (int i = 0; i < 2; i++) {
		readers[i] = aligned_alloc(CACHE_LINE, sizeof(*readers[i]));
		memset(readers[i], 0, sizeof(*readers[i]));
	}
	vdso_set_sequences(page_for_writer(&region), &page_layout_current, 20);
	assert_int_equal(watch_begin(&watch, &shared, readers, &nobody, true, &err), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	watch_end(&watch);
	for (int i = 0; i < 2; i++)
		free(readers[i]);
	page_region_unmap(&region);
	return 0;
}

static bool look_after(u64 ns)
{
	now += ns;
	page_set_virtual_counter(&region, now);
	return watch_look(&watch, sentence, sizeof(sentence));
}

static void update(void)
{
	vdso_set_sequences(page_for_writer(&region), &page_layout_current,
			   vdso_sequence(page_for_writer(&region)) + 2);
}

/* Seconds of watched time until the watch cries, or 1000 if it does not. */
static u64 cries_after(bool updates, bool first_reads, bool second_reads)
{
	for (u64 looks = 1; looks <= 5000; looks++) {
		if (updates)
			update();
		readers[0]->blocks += first_reads;
		readers[1]->blocks += second_reads;
		if (look_after(LOOK_NS))
			return looks * LOOK_NS / SECOND;
	}
	return 1000;
}

static void test_all_well(void **state)
{
	(void)state;
	assert_int_equal(cries_after(true, true, true), 1000);
	/* One that is put aside by its scheduler is not stuck as long as others get on. */
	assert_int_equal(cries_after(true, true, false), 1000);
}

static void test_writer_stops_odd(void **state)
{
	(void)state;
	assert_false(look_after(LOOK_NS));
	vdso_write_begin(page_for_writer(&region), &page_layout_current);
	readers[0]->blocks = 7;
	assert_false(look_after(LOOK_NS));
	assert_in_range(cries_after(false, false, false), 1, CONTEND_TSAN ? 20 : 4);
	assert_non_null(strstr(sentence, "stuck in update 11"));
	assert_non_null(strstr(sentence, "odd"));
	assert_non_null(strstr(sentence, "2 of 2 readers"));
}

static void test_writer_stops_even(void **state)
{
	(void)state;
	assert_in_range(cries_after(false, true, true), 1, CONTEND_TSAN ? 20 : 4);
	assert_non_null(strstr(sentence, "after update 10"));
	assert_non_null(strstr(sentence, "1000 Hz"));
}

static void test_slow_rate_is_given_time(void **state)
{
	(void)state;
	config.writer[0].hz = 1;
	assert_in_range(cries_after(false, true, true), 20, 40);
}

/* So is one that stops for a while as it was told to; one that goes on is looked for in its place.
 */
static void test_idle_writer_is_given_time(void **state)
{
	(void)state;
	config.writer[0] = choice_of("tick:hz=1000,nohz=10s,jitter=1s");
	assert_in_range(cries_after(false, true, true), 220, 300);
	config.writer[config.writers++] = choice_of("tick:hz=1000");
	update();
	assert_in_range(cries_after(false, true, true), 1, CONTEND_TSAN ? 20 : 4);
	assert_non_null(strstr(sentence, "2000 Hz"));
}

/* Nobody waits for the updates of one that makes none. */
static void test_writer_without_updates(void **state)
{
	static const struct spec_key no_keys[] = {{.name = NULL}};
	static const struct writer_kind kind = {
		.name = "beside", .keys = no_keys, .no_update = true};

	(void)state;
	config.writer[0] = (struct writer_choice){.kind = &kind};
	config.writer[0].value[WRITER_EVERY] = 1000000;
	assert_int_equal(cries_after(false, true, true), 1000);
}

static void test_shared_cpu_is_given_time(void **state)
{
	struct errmsg err;

	(void)state;
	watch_end(&watch);
	assert_int_equal(watch_begin(&watch, &shared, readers, &nobody, false, &err), 0);
	assert_in_range(cries_after(false, true, true), 1, CONTEND_TSAN ? 20 : 4);
}

static void test_readers_stop(void **state)
{
	(void)state;
	assert_in_range(cries_after(true, false, false), 2, CONTEND_TSAN ? 30 : 10);
	assert_non_null(strstr(sentence, "none of 2 readers"));
}

/* SIGSTOP, a debugger, a suspended machine: the watcher was away itself, and saw nothing. */
static void test_watcher_was_away(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++) {
		assert_false(look_after(1000 * SECOND));
		update();
		readers[0]->blocks++;
		assert_false(look_after(LOOK_NS));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_all_well, setup, teardown),
		cmocka_unit_test_setup_teardown(test_writer_stops_odd, setup, teardown),
		cmocka_unit_test_setup_teardown(test_writer_stops_even, setup, teardown),
		cmocka_unit_test_setup_teardown(test_slow_rate_is_given_time, setup, teardown),
		cmocka_unit_test_setup_teardown(test_idle_writer_is_given_time, setup, teardown),
		cmocka_unit_test_setup_teardown(test_writer_without_updates, setup, teardown),
		cmocka_unit_test_setup_teardown(test_shared_cpu_is_given_time, setup, teardown),
		cmocka_unit_test_setup_teardown(test_readers_stop, setup, teardown),
		cmocka_unit_test_setup_teardown(test_watcher_was_away, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
