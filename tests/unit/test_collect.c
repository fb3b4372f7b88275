// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What becomes of the counts of readers that never ran, group by group and in all.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/collect.h"

#define READERS 5
#define TIMER	30

static struct run_config config;
static struct run_shared shared;
static struct reader_thread *readers[READERS];
static struct vdso_image image;
static struct run_result result;

/* Three readers of the first group, two of the second; the counter counts nanoseconds. */
static int setup(void **state)
{
	(void)state;
	memset(&result, 0, sizeof(result));
	config = (struct run_config){
		.groups = 2,
		.group = {{.name = "some", .readers = 3}, {.name = "others", .readers = 2}},
	};
	shared = (struct run_shared){
		.config = &config,
		.counter_hz = NSEC_PER_SEC,
		.called = 500,
		.start = 1000,
		.warm_until = 2000,
		.end = 2000 + NSEC_PER_SEC,
	};
	for (u32 i = 0; i < READERS; i++) {
		const u32 number = i < 3 ? 0 : 1;

		readers[i] = aligned_alloc(CACHE_LINE, sizeof(*readers[i]));
		memset(readers[i], 0, sizeof(*readers[i]));
		shared.group[number].number = number;
		shared.group[number].config = &config.group[number];
		readers[i]->group = &shared.group[number];
		readers[i]->reader = &config.group[number].reader;
		readers[i]->cpu = (int)i % 2;
		readers[i]->first_cycles = 1000 + i;
		readers[i]->warm_cycles = 2000;
		readers[i]->last_cycles = shared.end;
		readers[i]->cpu_ns = NSEC_PER_SEC / 4;
		readers[i]->counts.reads = 100 * (i + 1);
		readers[i]->counts.changed = i;
		readers[i]->counts.longest_run = i;
		histogram_record(&readers[i]->lengths, 100 + 10 * i);
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (u32 i = 0; i < READERS; i++)
		free(readers[i]);
	run_result_release(&result);
	return 0;
}

static void collect(void)
{
	struct errmsg err;

	assert_int_equal(collect_readers(&shared, readers, &result, &err), 0);
}

static bool near(double one, double other)
{
	return fabs(one - other) < 1e-6 * (1 + fabs(other));
}

static void test_each_group_is_the_sum_of_its_readers(void **state)
{
	const struct readers_result *some = &result.group[0], *others = &result.group[1];

	(void)state;
	collect();
	assert_int_equal(some->readers, 3);
	assert_int_equal(others->readers, 2);
	assert_int_equal(result.all.readers, READERS);
	assert_int_equal(some->total.reads, 100 + 200 + 300);
	assert_int_equal(others->total.reads, 400 + 500);
	assert_int_equal(result.all.total.reads, 1500);
	assert_int_equal(some->total.changed, 0 + 1 + 2);
	assert_int_equal(others->total.changed, 3 + 4);
	assert_int_equal(result.all.total.changed, 10);
	assert_int_equal(some->total.longest_run, 2);
	assert_int_equal(others->total.longest_run, 4);
	assert_int_equal(result.all.total.longest_run, 4);
	assert_ptr_equal(some->each, &result.each[0]);
	assert_ptr_equal(others->each, &result.each[3]);
	assert_ptr_equal(result.all.each, result.each);
	for (u32 i = 0; i < READERS; i++)
		assert_int_equal(result.each[i].group, i < 3 ? 0 : 1);
	assert_true(near(result.seconds, 1));
	assert_true(near(some->reads_per_second, 600));
	assert_true(near(others->reads_per_second, 900));
	assert_true(near(some->cpu_share, 3. / 4 / 2));
	assert_true(near(others->cpu_share, 2. / 4 / 2));
	assert_true(near(result.all.cpu_share, 5. / 4 / 2));
	assert_true(near(result.first_read_ns, 500));
}

static void test_lengths(void **state)
{
	(void)state;
	collect();
	assert_true(near(result.group[0].read.mean_ns, 110));
	assert_true(near(result.group[1].read.mean_ns, 135));
	assert_true(near(result.all.read.mean_ns, 120));
	assert_true(near(result.all.read.max_ns, 140));
	assert_int_equal(result.all.read.samples, READERS);
	assert_int_equal(result.group[0].lengths.buckets, 3);
	assert_true(near(result.group[0].lengths.bucket[2].upper_ns, 120));
	assert_int_equal(result.group[1].lengths.buckets, 2);
	assert_int_equal(result.all.lengths.buckets, READERS);
}

/* Each group's own is taken out of its lengths, and of the sum of all. */
static void test_timers_that_differ(void **state)
{
	(void)state;
	readers[3]->timer_cycles = readers[4]->timer_cycles = TIMER;
	collect();
	assert_true(near(result.group[0].read.mean_ns, 110));
	assert_true(near(result.group[0].timer_ns, 0));
	assert_true(near(result.group[1].read.mean_ns, 135 - TIMER));
	assert_true(near(result.group[1].lengths.bucket[1].upper_ns, 140 - TIMER));
	assert_true(near(result.group[1].timer_ns, TIMER));
	assert_true(near(result.all.read.mean_ns, (3 * 110 + 2 * (135 - TIMER)) / 5.));
	assert_true(near(result.all.read.max_ns, 120));
	assert_int_equal(result.all.read.samples, READERS);
}

static void test_timers_that_do_not(void **state)
{
	(void)state;
	for (u32 i = 0; i < READERS; i++)
		readers[i]->timer_cycles = TIMER;
	collect();
	assert_true(near(result.all.read.mean_ns, 120 - TIMER));
	assert_true(near(result.all.timer_ns, TIMER));
}

/* Whose fault it was, and when the first was. */
static void test_faults(void **state)
{
	(void)state;
	readers[1]->counts.torn = 1;
	readers[1]->fault_cycles = 5000;
	readers[4]->counts.backwards = 2;
	readers[4]->fault_cycles = 3000;
	collect();
	assert_int_equal(result.group[0].total.torn, 1);
	assert_int_equal(result.group[0].total.backwards, 0);
	assert_int_equal(result.group[1].total.torn, 0);
	assert_int_equal(result.group[1].total.backwards, 2);
	assert_true(near(result.group[0].first_fault_ns, 4000));
	assert_true(near(result.group[1].first_fault_ns, 2000));
	assert_true(near(result.all.first_fault_ns, 2000));
}

static void test_no_faults(void **state)
{
	(void)state;
	collect();
	assert_true(result.group[0].first_fault_ns < 0);
	assert_true(result.all.first_fault_ns < 0);
}

/* An image's group tells no retries, and then all together do not; the others do. */
static void test_what_one_group_does_not_tell(void **state)
{
	(void)state;
	config.group[1].reader.image = &image;
	collect();
	assert_null(result.group[0].retries_unavailable);
	assert_non_null(result.group[1].retries_unavailable);
	assert_non_null(result.all.retries_unavailable);
}

static void test_starved(void **state)
{
	(void)state;
	readers[2]->warm_cycles = shared.end;
	readers[3]->warm_cycles = shared.end;
	readers[4]->warm_cycles = shared.end;
	collect();
	assert_int_equal(result.group[0].starved, 1);
	assert_int_equal(result.group[1].starved, 2);
	assert_int_equal(result.all.starved, 3);
}

static struct writer_thread *add_writer(struct writers *writers, const struct writer_choice *choice,
					u64 updates)
{
	struct writer_thread *thread = calloc(1, sizeof(*thread));

	assert_non_null(thread);
	*thread = (struct writer_thread){
		.choice = choice,
		.cpu = 1,
		.priority = 50,
		.warm_cycles = 2000,
		.last_cycles = 2000 + NSEC_PER_SEC,
		.updates = updates,
		.missed_ticks = updates,
	};
	histogram_record(&thread->late, updates);
	writers->thread[writers->count++] = thread;
	return thread;
}

/* What lies outside of the sequence is no update, whoever comes first. */
static void check_sum(const struct writer_choice *first, const struct writer_choice *second,
		      u64 updates)
{
	struct writers writers = {.count = 0};
	const struct writer_choice *choices[] = {first, second};
	struct errmsg err;

	result = (struct run_result){.writers = 0};
	for (u64 i = 0; i < ARRAY_SIZE(choices); i++) {
		struct writer_thread *thread = add_writer(&writers, choices[i], 10 * (i + 1));

		if (!choices[i]->kind->no_update)
			histogram_record(&thread->hold, 500);
	}
	assert_int_equal(collect_writers(&shared, &writers, &result, &err), 0);
	assert_int_equal(result.writers, 2);
	assert_int_equal(result.each_writer[0].updates, 10);
	assert_int_equal(result.each_writer[1].updates, 20);
	assert_int_equal(result.writer.updates, updates);
	assert_int_equal(result.writer.missed_ticks, updates);
	assert_true(near(result.writer.rate_hz, (double)updates));
	assert_int_equal(result.writer.late.samples, result.writer.hold.samples);
	assert_int_equal(result.writer.cpu, 1);
	assert_int_equal(result.writer.priority, 50);
	assert_int_equal(result.writer.holds.buckets, updates ? 1 : 0);
	assert_int_equal(result.each_writer[0].holds.buckets, first->kind->no_update ? 0 : 1);
	run_result_release(&result);
	writers_release(&writers);
}

static void test_sum_of_writers(void **state)
{
	static const struct writer_kind inside = {.name = "inside"};
	static const struct writer_kind outside = {.name = "outside", .no_update = true};
	static const struct writer_choice updates = {.kind = &inside}, moves = {.kind = &outside};

	(void)state;
	check_sum(&updates, &updates, 30);
	check_sum(&updates, &moves, 10);
	check_sum(&moves, &updates, 20);
	check_sum(&moves, &moves, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_each_group_is_the_sum_of_its_readers, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_lengths, setup, teardown),
		cmocka_unit_test_setup_teardown(test_timers_that_differ, setup, teardown),
		cmocka_unit_test_setup_teardown(test_timers_that_do_not, setup, teardown),
		cmocka_unit_test_setup_teardown(test_faults, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_faults, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_one_group_does_not_tell, setup, teardown),
		cmocka_unit_test_setup_teardown(test_starved, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sum_of_writers, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
