// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is made of the counts of readers and writers that never ran, looked at now and then.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/intervals.h"

#define READERS 2
#define EACH_NS 100000000ull
#define TIMER	30

static struct run_config config;
static struct run_shared shared;
static struct reader_thread *readers[READERS];
static struct reader reader;
static const struct reader fine = {.uses_counter = true};
static struct group_shared group;
static struct writers writers;
static struct writer_thread writer;
static struct writer_choice choice;
static struct intervals *intervals;

static const struct writer_kind inside = {.name = "inside"};
static const struct writer_kind outside = {.name = "outside", .no_update = true};

/* The counter counts nanoseconds; a second is measured, from 1000 on. */
static int setup(void **state)
{
	struct errmsg err;

	(void)state;
	config = (struct run_config){
		.groups = 1,
		.group = {{.name = "readers", .readers = READERS}},
		.writers = 1,
		.duration_ns = NSEC_PER_SEC,
		.interval_ns = EACH_NS,
		.clocksource = clocksource_find("monotonic_raw"),
	};
	memset(&shared, 0, sizeof(shared));
	shared.config = &config;
	shared.counter_hz = NSEC_PER_SEC;
	shared.warm_until = 1000;
	shared.end = shared.warm_until + config.duration_ns;
	memset(&reader, 0, sizeof(reader));
	for (u32 i = 0; i < READERS; i++) {
		readers[i] = aligned_alloc(CACHE_LINE, sizeof(*readers[i]));
		memset(readers[i], 0, sizeof(*readers[i]));
		readers[i]->shared = &shared;
		readers[i]->reader = &reader;
		readers[i]->group = &group;
	}
	choice = (struct writer_choice){.kind = &inside};
	writer = (struct writer_thread){.choice = &choice};
	writers.count = 1;
	writers.thread[0] = &writer;
	intervals = intervals_create(&shared, readers, &writers, &err);
	assert_non_null(intervals);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	intervals_destroy(intervals);
	for (u32 i = 0; i < READERS; i++)
		free(readers[i]);
	return 0;
}

static bool near(double one, double other)
{
	return fabs(one - other) < 1e-9 * (1 + fabs(other));
}

static u64 at_ms(u64 ms)
{
	return shared.warm_until + ms * 1000000;
}

static const struct run_interval *take(u64 now)
{
	intervals_look(intervals);
	return intervals_take(intervals, now);
}

/* Reads of one length, as many of them changed attempts as told. */
static void read_on(u32 which, u64 reads, u64 changed, u64 cycles)
{
	struct reader_thread *thread = readers[which];

	thread->counts.reads += reads;
	thread->counts.changed += changed;
	while (reads--)
		histogram_record(&thread->lengths, cycles);
}

static void tell(u32 which)
{
	published_tell(&readers[which]->published, &readers[which]->counts);
}

static void update(u64 hold)
{
	writer.updates++;
	writer.counting = true;
	histogram_record(&writer.hold, hold);
}

static void test_each_has_what_came_in_it(void **state)
{
	const struct run_interval *interval;

	(void)state;
	intervals_begin(intervals);
	read_on(0, 10, 1, 20);
	read_on(1, 5, 0, 40);
	tell(0);
	tell(1);
	update(70);
	interval = take(at_ms(100));
	assert_true(near(interval->start_s, 0));
	assert_true(near(interval->seconds, 0.1));
	assert_int_equal(interval->reads, 15);
	assert_int_equal(interval->changed, 1);
	assert_int_equal(interval->samples, 15);
	assert_true(near(interval->p50_ns, 20));
	assert_true(near(interval->p99_ns, 40));
	assert_int_equal(interval->updates, 1);
	assert_true(near(interval->hold_max_ns, 70));

	read_on(0, 3, 2, 50);
	tell(0);
	update(60);
	update(65);
	interval = take(at_ms(205));
	assert_true(near(interval->start_s, 0.1));
	assert_true(near(interval->seconds, 0.105));
	assert_int_equal(interval->reads, 3);
	assert_int_equal(interval->changed, 2);
	assert_int_equal(interval->samples, 3);
	assert_true(near(interval->p50_ns, 50));
	assert_int_equal(interval->updates, 2);
	assert_int_equal(interval->holds, 2);
	assert_true(near(interval->hold_max_ns, 65));
}

/* What was not told, or came after the last look, is in the last one. */
static void test_the_last_one_has_the_rest(void **state)
{
	const struct run_interval *interval;

	(void)state;
	intervals_begin(intervals);
	read_on(0, 10, 0, 20);
	tell(0);
	take(at_ms(100));
	read_on(0, 7, 3, 20);
	read_on(1, 8, 0, 20);
	readers[1]->counts.odd_waits = 4;
	readers[1]->counts.off_cpu = 5;
	readers[1]->counts.torn = 6;
	update(80);
	interval = intervals_finish(intervals, 0.15);
	assert_non_null(interval);
	assert_true(near(interval->start_s, 0.1));
	assert_true(near(interval->seconds, 0.05));
	assert_int_equal(interval->reads, 15);
	assert_int_equal(interval->odd_waits, 4);
	assert_int_equal(interval->changed, 3);
	assert_int_equal(interval->off_cpu, 5);
	assert_int_equal(interval->torn, 6);
	assert_int_equal(interval->samples, 15);
	assert_int_equal(interval->updates, 1);
	assert_int_equal(run_interval_retries(interval), 12);
}

static void test_nothing_is_left(void **state)
{
	u64 count;

	(void)state;
	intervals_begin(intervals);
	read_on(0, 10, 0, 20);
	tell(0);
	take(at_ms(100));
	/* Its readers had ended before that look. */
	assert_null(intervals_finish(intervals, 0.09));
	free(intervals_list(intervals, &count));
	assert_int_equal(count, 1);
}

/* Warm-up is no interval's: its counts are still to be forgotten. */
static void test_nobody_counts_yet(void **state)
{
	const struct run_interval *interval;

	(void)state;
	intervals_begin(intervals);
	read_on(0, 10, 1, 20);
	writer.updates = 5;
	histogram_record(&writer.hold, 10);
	interval = take(at_ms(100));
	assert_int_equal(interval->reads, 0);
	assert_int_equal(interval->samples, 0);
	assert_int_equal(interval->updates, 0);
	assert_int_equal(interval->holds, 0);
}

static void test_a_writer_outside_of_the_sequence(void **state)
{
	(void)state;
	choice.kind = &outside;
	intervals_begin(intervals);
	update(10);
	assert_int_equal(take(at_ms(100))->updates, 0);
}

/* A reader that reads no counter is timed by one of its own. */
static void test_timers(void **state)
{
	(void)state;
	shared.counter_cost = TIMER;
	intervals_begin(intervals);
	read_on(0, 4, 0, 100);
	tell(0);
	assert_true(near(take(at_ms(100))->p50_ns, 100 - TIMER));
}

static void test_timers_that_differ(void **state)
{
	const struct run_interval *interval;

	(void)state;
	shared.counter_cost = TIMER;
	readers[1]->reader = &fine;
	readers[0]->timer_cycles = TIMER;
	intervals_begin(intervals);
	read_on(1, 4, 0, 60);
	read_on(0, 6, 0, 80);
	tell(0);
	tell(1);
	interval = take(at_ms(100));
	assert_int_equal(interval->samples, 10);
	assert_true(near(interval->p50_ns, 80 - TIMER));
	assert_true(near(interval->p99_ns, 60));
}

static void test_what_is_not_told(void **state)
{
	(void)state;
	intervals_begin(intervals);
	assert_true(take(at_ms(100))->retries_known);
	reader.no_retries = "it does not tell";
	readers[1]->off_cpu_unavailable = "no restartable sequences";
	intervals_begin(intervals);
	assert_false(take(at_ms(200))->retries_known);
	/* It says so when it begins to count. */
	assert_true(take(at_ms(300))->off_cpu_known);
	tell(1);
	assert_false(take(at_ms(400))->off_cpu_known);
}

static void test_when_they_are_due(void **state)
{
	(void)state;
	intervals_begin(intervals);
	assert_int_equal(intervals_due(intervals), at_ms(100));
	take(at_ms(100));
	assert_int_equal(intervals_due(intervals), at_ms(200));
	/* A look that came late puts off none that is still to come. */
	take(at_ms(437));
	assert_int_equal(intervals_due(intervals), at_ms(500));
	/* The last one ends with the run. */
	take(at_ms(899));
	assert_int_equal(intervals_due(intervals), at_ms(900));
	take(at_ms(900));
	assert_true(intervals_due(intervals) == UINT64_MAX);
}

/* Nor is there one of next to no time at the end. */
static void test_a_sliver_is_none(void **state)
{
	(void)state;
	shared.end = at_ms(200) + 500000;
	intervals_begin(intervals);
	take(at_ms(100));
	assert_true(intervals_due(intervals) == UINT64_MAX);
	/* But if the end is put off it is one like the others. */
	shared.end = at_ms(400);
	assert_int_equal(intervals_due(intervals), at_ms(200));
}

/* Its own time is none that it was put aside for, however short the intervals are. */
static void test_a_look_is_not_made_again_for_its_own_cost(void **state)
{
	int times = 0;

	(void)state;
	config.interval_ns = 100;
	/* It may be put aside indeed, but hardly each time. */
	do {
		intervals_look(intervals);
		assert_in_range(intervals->looks, 1, 3);
	} while (intervals->looks > 1 && ++times < 1000);
	assert_int_equal(intervals->looks, 1);
}

int main(void)
{
#define WITH_INTERVALS(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		WITH_INTERVALS(test_each_has_what_came_in_it),
		WITH_INTERVALS(test_the_last_one_has_the_rest),
		WITH_INTERVALS(test_nothing_is_left),
		WITH_INTERVALS(test_nobody_counts_yet),
		WITH_INTERVALS(test_a_writer_outside_of_the_sequence),
		WITH_INTERVALS(test_timers),
		WITH_INTERVALS(test_timers_that_differ),
		WITH_INTERVALS(test_what_is_not_told),
		WITH_INTERVALS(test_when_they_are_due),
		WITH_INTERVALS(test_a_sliver_is_none),
		WITH_INTERVALS(test_a_look_is_not_made_again_for_its_own_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
