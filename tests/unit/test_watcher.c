// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A watcher on pages of our own, in every layout; and against a writer in another thread, whose own
 * count its figures must match. No figure that is looked at here depends on how long anything
 * takes.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "measure/watcher.h"
#include "sim/publish.h"
#include "tests/unit/choice_of.h"
#include "tests/unit/updates.h"
#include "writers/writer.h"

#define UPDATES 4

static struct watcher watcher;
static struct observer_cpu here;
static struct page_region region;
static struct errmsg err;
static const volatile sig_atomic_t never;

static void map(const struct page_layout *layout)
{
	if (page_region_map(&region, layout, layout->data_offset, &err))
		fail_msg("%s", err.text);
}

static void start_watching(void)
{
	const struct clocksource *cs = clocksource_default();

	here = (struct observer_cpu){.cpu = 0};
	watcher_init(&watcher, page_for_readers(&region), region.layout, cs, cs->frequency_hz(),
		     &never);
	watcher_move(&watcher, &here);
}

static void look(void)
{
	watcher_watch(&watcher, watcher_now(&watcher));
}

static void test_fields_of_every_layout(void **state)
{
	struct timekeeper told[UPDATES + 1];

	(void)state;
	make_time(told, UPDATES, VDSO_CLOCKMODE_TSC);
	for (const struct page_layout *const *layout = page_layouts; *layout; layout++) {
		const struct observer *observer = &watcher.observer;
		bool has_second = (*layout)->clock_bytes != LAYOUT_ABSENT;

		map(*layout);
		start_watching();
		for (int i = 1; i <= UPDATES; i++) {
			u32 raw = (*layout)->has_raw ? told[i].nominal_mult : 0;

			update_vsyscall(page_for_writer(&region), *layout, &told[i]);
			look();
			assert_int_equal(observer->updates, i);
			assert_int_equal(observer->fields.clock_mode, VDSO_CLOCKMODE_TSC);
			assert_int_equal(observer->fields.mult, told[i].mult);
			assert_int_equal(observer->fields.raw_mult, raw);
			assert_int_equal(observer->fields.has_second, has_second);
		}
		assert_true(observer->mult.changes > 0);
		assert_int_equal(observer->mode_changes, 1);
		/* The first look was at the empty page. */
		assert_int_equal(observer->second_looks, has_second ? UPDATES + 1 : 0);
		assert_int_equal(observer->second_apart, 0);
		page_region_unmap(&region);
	}
}

/* A page whose sequence has moved on says nothing. */
static void test_fields_of_an_update_that_is_over(void **state)
{
	struct observer_fields fields;
	struct watched_page watched;

	(void)state;
	map(&page_layout_current);
	watched_page_init(&watched, page_for_readers(&region), region.layout);
	vdso_set_sequences(page_for_writer(&region), region.layout, 12);
	assert_true(watched_page_fields(&watched, 12, 0, &fields));
	assert_false(watched_page_fields(&watched, 10, 0, &fields));
	page_region_unmap(&region);
}

static void test_odd(void **state)
{
	void *page;

	(void)state;
	map(&page_layout_current);
	page = page_for_writer(&region);
	start_watching();
	for (int i = 0; i < UPDATES; i++) {
		vdso_write_begin(page, region.layout);
		/* What stands there in an update is nobody's business. */
		WRITE_ONCE(*layout_u32(page, region.layout->mult), 5);
		look();
		assert_int_equal(watcher.observer.fields.mult, 0);
		WRITE_ONCE(*layout_u32(page, region.layout->mult), 0);
		assert_int_equal(watcher.observer.odd, i + 1);
		assert_int_equal(watcher.observer.updates, i);
		vdso_write_end(page, region.layout);
		look();
	}
	assert_int_equal(watcher.observer.updates, UPDATES);
	assert_int_equal(here.odd, UPDATES);
	page_region_unmap(&region);
}

/* The mutant: a writer that forgets the second clock's sequence. */
static void test_second_clock_left_behind(void **state)
{
	u32 *seq;

	(void)state;
	map(&page_layout_current);
	seq = layout_u32(page_for_writer(&region), 0);
	start_watching();
	WRITE_ONCE(*seq, 2);
	look();
	assert_int_equal(watcher.observer.updates, 1);
	assert_int_equal(watcher.observer.second_looks, 2);
	assert_int_equal(watcher.observer.second_apart, 1);
	page_region_unmap(&region);
}

static void test_sleep(void **state)
{
	(void)state;
	map(&page_layout_current);
	start_watching();
	vdso_set_sequences(page_for_writer(&region), region.layout, 6);
	watcher_sleep(&watcher, watcher_now(&watcher) + watcher_cycles(&watcher, 1000000));
	assert_int_equal(watcher.observer.updates, 0);
	assert_int_equal(watcher.observer.asleep.updates, 3);
	assert_true(watcher.observer.asleep.cycles >= watcher_cycles(&watcher, 1000000));
	page_region_unmap(&region);
}

static void test_stop(void **state)
{
	static volatile sig_atomic_t stopped = 1;

	(void)state;
	map(&page_layout_current);
	start_watching();
	watcher.stop = &stopped;
	watcher_watch(&watcher,
		      watcher_now(&watcher) + watcher_cycles(&watcher, 3600ull * NSEC_PER_SEC));
	assert_int_equal(watcher.observer.looks, 2);
	page_region_unmap(&region);
}

/* A real writer, in a thread of its own, that makes so many updates and goes. */
struct updates {
	struct tk_core core;
	struct writer writer;
	u64 most;
	bool over;
};

static void *write_updates(void *argument)
{
	struct updates *updates = argument;
	struct update_times times;

	while (updates->core.number < updates->most && writer_wait(&updates->writer, &times) &&
	       writer_act(&updates->writer, &times))
		;
	WRITE_ONCE(updates->over, true);
	return NULL;
}

static void start_writer(struct updates *updates, const char *spec, struct oracle *oracle)
{
	static const bool stop;
	const struct clocksource *cs = clocksource_default();
	const struct writer_choice choice = choice_of(spec);
	const struct tk_core_setup core = {
		.clocksource = cs,
		.frequency_hz = cs->frequency_hz(),
		.update_hz = choice.hz,
		.region = &region,
		.oracles = 1,
		.oracle = &oracle,
	};
	const struct writer_setup setup = {
		.choice = &choice,
		.hz = choice.hz,
		.stop = &stop,
		.core = &updates->core,
	};

	if (tk_core_start(&updates->core, &core, &err))
		fail_msg("%s", err.text);
	writer_start(&updates->writer, &setup);
}

/* Awake and asleep, moving or not, no update may be lost or counted twice. */
static void check_against_writer(const char *spec, u64 most)
{
	struct oracle *oracle = oracle_create(CLOCK_MONOTONIC, 4096, true, &err);
	struct updates updates = {.most = most};
	const struct observer *observer = &watcher.observer;
	const u64 slice = 200000;
	pthread_t thread;

	assert_non_null(oracle);
	map(&page_layout_current);
	start_writer(&updates, spec, oracle);
	start_watching();
	assert_int_equal(pthread_create(&thread, NULL, write_updates, &updates), 0);
	while (!READ_ONCE(updates.over)) {
		watcher_watch(&watcher, watcher_now(&watcher) + watcher_cycles(&watcher, slice));
		watcher_sleep(&watcher, watcher_now(&watcher) + watcher_cycles(&watcher, slice));
		watcher_move(&watcher, &here);
	}
	pthread_join(thread, NULL);
	look();
	/* The first update was there before the watcher. */
	assert_int_equal(updates.core.number, most);
	assert_int_equal(observer->updates + observer->asleep.updates, most - 1);
	assert_int_equal(observer->odd,
			 histogram_total(&observer->hold) + observer->odd_unmeasured);
	assert_true(observer->seen <= most - 1);
	assert_true(observer->elsewhere <= observer->seen);
	assert_int_equal(observer->seen, here.seen);
	assert_int_equal(observer->elsewhere, here.elsewhere);
	assert_int_equal(observer->odd + observer_passed_unseen(observer), observer->elsewhere);
	/* Unlike a kernel's, this writer may be put aside between the two sequences. */
	assert_true(observer->second_apart <= most / 20);
	assert_int_equal(observer->mode_changes, 0);
	page_region_unmap(&region);
	oracle_destroy(oracle);
}

static void test_against_writer(void **state)
{
	(void)state;
	check_against_writer("tick:hz=1000", 200);
	check_against_writer("tick:hz=10000,hold=20us", 1000);
	check_against_writer("tick:hz=1000000", 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields_of_every_layout),
		cmocka_unit_test(test_fields_of_an_update_that_is_over),
		cmocka_unit_test(test_odd),
		cmocka_unit_test(test_second_clock_left_behind),
		cmocka_unit_test(test_sleep),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_against_writer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
