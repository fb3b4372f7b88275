// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sweep's grid, how long its points take, and short sweeps.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli/sweep_axis.h"
#include "measure/sweep.h"

static void assert_near(double value, double right, double error)
{
	if (!(fabs(value - right) <= error))
		fail_msg("%.15g is not near %.15g", value, right);
}

static void assert_axis(const struct sweep_axis *axis, size_t count, const u64 *values)
{
	assert_int_equal(axis->count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(axis->value[i], values[i]);
}

static void test_span(void **state)
{
	struct sweep_axis axis;

	(void)state;
	sweep_axis_span(&axis, 100, 1000000, 5);
	assert_axis(&axis, 5, (u64[]){100, 1000, 10000, 100000, 1000000});
	sweep_axis_span(&axis, 1, 64, 4);
	assert_axis(&axis, 4, (u64[]){1, 4, 16, 64});
	sweep_axis_span(&axis, 1, 4096, 2);
	assert_axis(&axis, 2, (u64[]){1, 4096});
	/* There are not so many whole numbers. */
	sweep_axis_span(&axis, 1, 4, SWEEP_MAX_AXIS);
	assert_axis(&axis, 4, (u64[]){1, 2, 3, 4});
	sweep_axis_span(&axis, 7, 7, 3);
	assert_axis(&axis, 1, (u64[]){7});
	sweep_axis_span(&axis, 3, 1000, 1);
	assert_axis(&axis, 1, (u64[]){3});
	sweep_axis_span(&axis, 1, 10000000, SWEEP_MAX_AXIS);
	for (size_t i = 1; i < axis.count; i++)
		assert_true(axis.value[i] > axis.value[i - 1]);
	assert_int_equal(axis.value[axis.count - 1], 10000000);
}

static const struct {
	const char *text;
	size_t count;
	u64 value[SWEEP_MAX_AXIS];
} right[] = {
	{"100..1000000", 5, {100, 1000, 10000, 100000, 1000000}},
	{"100..10000/2", 2, {100, 10000}},
	{"1..4/4", 4, {1, 2, 3, 4}},
	{"1..4", 4, {1, 2, 3, 4}},
	{"100,1000,5000", 3, {100, 1000, 5000}},
	{"5000,100", 2, {5000, 100}},
	{"42", 1, {42}},
};

static void test_axis_from_text(void **state)
{
	struct sweep_axis axis;
	struct errmsg err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(right); i++) {
		if (sweep_axis_parse(right[i].text, 1, 10000000, 5, &axis, &err))
			fail_msg("%s: %s", right[i].text, err.text);
		assert_axis(&axis, right[i].count, right[i].value);
	}
}

static const struct {
	const char *text;
	const char *why;
} wrong[] = {
	{"", "'' is not a whole number from 1 to 1000"},
	{"0", "'0' is not"},
	{"1001", "'1001' is not"},
	{"1..", "'' is not"},
	{"..5", "'' is not"},
	{"1...5", "'.5' is not"},
	{"0..5", "'0' is not"},
	{"5..1001", "'1001' is not"},
	{"5..2", "'5..2': the first number is not smaller than the last"},
	{"5..5", "the first number is not smaller"},
	{"1..5/", "'' is not a whole number from 2 to 64"},
	{"1..5/1", "'1' is not a whole number from 2 to 64"},
	{"1..5/65", "'65' is not"},
	{"1..4/64", "'1..4/64': only 4 of those 64 differ as whole numbers; give fewer, or a list"},
	{"1..5/2/2", "'2/2' is not"},
	{"1,,2", "'' is not"},
	{"1,2,", "'' is not"},
	{"1,2,1", "1 stands there twice"},
	{"1,2..4", "'1,2' is not"},
	{"10/2", "'10/2' is not"},
	{"1 ,2", "'1 ' is not"},
	{"99999999999999999999999999999999999999999", "is not a whole number"},
};

static void test_axis_refused(void **state)
{
	struct sweep_axis axis = {.count = 1, .value = {77}};
	char many[8 * SWEEP_MAX_AXIS] = "1";
	struct errmsg err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_int_equal(sweep_axis_parse(wrong[i].text, 1, 1000, 5, &axis, &err), -1);
		if (!strstr(err.text, wrong[i].why))
			fail_msg("%s: %s", wrong[i].text, err.text);
	}
	for (int i = 2; i <= SWEEP_MAX_AXIS + 1; i++)
		sprintf(many + strlen(many), ",%d", i);
	assert_int_equal(sweep_axis_parse(many, 1, 1000, 5, &axis, &err), -1);
	assert_non_null(strstr(err.text, "more than 64 values"));
	assert_axis(&axis, 1, (u64[]){77});
}

static const struct sweep_config timing = {.retries = 100, .max_time_ns = 8ull * NSEC_PER_SEC};

static double next_s(u32 runs, double seconds, u64 retried)
{
	const struct sweep_point point = {
		.readers = 1,
		.runs = runs,
		.asked_ns = (u64)llround(seconds * NSEC_PER_SEC),
		.retried = retried,
	};

	return (double)sweep_next_ns(&timing, &point) / NSEC_PER_SEC;
}

static void test_how_long(void **state)
{
	const struct sweep_point many = {.readers = 64}, most = {.readers = 4096};

	(void)state;
	/* The first run; where many share a CPU each is to have it. */
	assert_near(next_s(0, 0, 0), 1, 0.01);
	assert_true(sweep_next_ns(&timing, &many) > 1100000000);
	assert_int_equal(sweep_next_ns(&timing, &most), 8ull * NSEC_PER_SEC);
	/* Then as long as it takes, and a fifth longer for chance. */
	assert_near(next_s(1, 1, 60), 1, 1e-6);
	assert_near(next_s(1, 1, 99), 21.0 / 99, 1e-6);
	assert_near(next_s(1, 1, 30), 3, 1e-6);
	/* No more than there is time, nor than few retries tell. */
	assert_near(next_s(1, 1, 10), 7, 1e-6);
	assert_near(next_s(1, 0.1, 1), 0.8, 1e-6);
	assert_near(next_s(2, 0.5, 0), 4, 1e-6);
	assert_near(next_s(3, 5, 0), 3, 1e-6);
	/* The end: it has them, or its time. */
	assert_near(next_s(1, 1, 100), 0, 0);
	assert_near(next_s(1, 1, 101), 0, 0);
	assert_near(next_s(3, 8, 99), 0, 0);
	assert_near(next_s(3, 7.96, 0), 0, 0);
	/* Not so short that the warm-up is longer. */
	assert_near(next_s(2, 0.01, 99), 0.05, 1e-6);
}

static void test_bound(void **state)
{
	(void)state;
	assert_true(sweep_is_bound(&timing, &(struct sweep_point){.retried = 99}));
	assert_false(sweep_is_bound(&timing, &(struct sweep_point){.retried = 100}));
}

static void make_config(struct sweep_config *config)
{
	struct writer_choice writer;
	struct errmsg err;

	*config = (struct sweep_config){
		.hz = {2, {100, 20000}},
		.readers = {2, {1, 3}},
		.clocksource = clocksource_default(),
		.writer_cpu = -1,
		.priority = PRIORITY_NONE,
		.seed = 7,
		.retries = 1,
		.max_time_ns = 60000000,
	};
	assert_int_equal(reader_resolve("hres", &config->reader, &err), 0);
	assert_int_equal(writer_resolve("tick:hold=300ns", &writer, &err), 0);
	config->writer = writer;
}

static void test_grid(void **state)
{
	struct sweep_config config;
	struct sweep_result result;
	struct run_config run;
	struct errmsg err;

	(void)state;
	make_config(&config);
	assert_int_equal(sweep_result_begin(&config, &result, &err), 0);
	assert_int_equal(result.points, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(result.point[i].hz, i < 2 ? 100 : 20000);
		assert_int_equal(result.point[i].readers, i % 2 ? 3 : 1);
		assert_int_equal(result.point[i].state, SWEEP_OPEN);
	}
	assert_true(result.machine.cpus_online >= 1);
	sweep_result_release(&result);
	sweep_configure(&config, 20000, 3, 5000000, &run);
	assert_int_equal(run.writer[0].hz, 20000);
	assert_int_equal(run.group[0].readers, 3);
	assert_int_equal(run.duration_ns, 5000000);
	assert_int_equal(run.writer[0].value[WRITER_HOLD], 300);
	assert_int_equal(run.seed, 7);
	reader_release(&config.reader);
}

/* Points that are not sound tell nothing of lengths. */
static void test_what_enters_the_law(void **state)
{
	struct sweep_point points[] = {
		{.state = SWEEP_DONE,
		 .rate_hz = 1000,
		 .reads = 1e8,
		 .retried = 3500,
		 .waited = 1000},
		{.state = SWEEP_DONE, .rate_hz = 1000, .reads = 100, .retried = 90, .torn = 1},
		{.state = SWEEP_DONE, .rate_hz = 1000, .reads = 100, .retried = 90, .backwards = 1},
		{.state = SWEEP_STALLED, .rate_hz = 1000, .reads = 100, .retried = 90},
		{.state = SWEEP_FAILED, .rate_hz = 1000, .reads = 100, .retried = 90},
		{.state = SWEEP_OPEN, .rate_hz = 1000, .reads = 100, .retried = 90},
		/* Retries off the CPU are in none of the counts that are used. */
		{.state = SWEEP_DONE,
		 .rate_hz = 1000,
		 .reads = 1e8,
		 .retried = 3500,
		 .waited = 1000,
		 .off_cpu = 100000},
	};
	const struct sweep_result result = {.points = ARRAY_SIZE(points), .point = points};
	struct law_finding finding[ARRAY_SIZE(points)];
	struct law law;

	(void)state;
	sweep_law(&result, &law, finding);
	assert_int_equal(law.points, 2);
	assert_near(law.hold.ns, 10, 1e-6);
	assert_near(law.read.ns, 25, 1e-6);
	for (size_t i = 0; i < ARRAY_SIZE(points); i++)
		assert_int_equal(finding[i].known, i == 0 || i == 6);
}

struct seen {
	int kept;
	int drawn;
	size_t number;
	sig_atomic_t stop;
	int stop_after;	  /* points kept */
	bool stop_within; /* a run */
};

static void on_progress(const struct sweep_progress *progress, void *context)
{
	struct seen *seen = context;

	seen->drawn++;
	assert_true(progress->number >= seen->number && progress->number <= progress->points);
	assert_true(progress->share_done >= 0 && progress->share_done <= 1);
	assert_true(progress->seconds_left >= 0);
	seen->number = progress->number;
	if (seen->stop_within)
		seen->stop = 1;
}

static void on_keep(const struct sweep_result *result, void *context)
{
	struct seen *seen = context;

	assert_true(result->point[seen->kept].state != SWEEP_OPEN);
	seen->stop = ++seen->kept >= seen->stop_after;
}

static void run_sweep(struct sweep_result *result, struct seen *seen)
{
	const struct sweep_hooks hooks = {
		.progress = on_progress, .keep = on_keep, .context = seen, .stop = &seen->stop};
	struct sweep_config config;
	struct errmsg err;

	make_config(&config);
	assert_int_equal(sweep_result_begin(&config, result, &err), 0);
	if (sweep_execute(&config, &hooks, result, &err))
		fail_msg("%s", err.text);
	reader_release(&config.reader);
}

static void test_sweep(void **state)
{
	struct sweep_result result;
	struct seen seen = {.stop_after = 9};

	(void)state;
	run_sweep(&result, &seen);
	assert_int_equal(seen.kept, 4);
	assert_true(seen.drawn >= 4);
	assert_int_equal(seen.number, 4);
	assert_false(result.interrupted);
	assert_true(result.seconds > 0);
	for (size_t i = 0; i < 4; i++) {
		const struct sweep_point *point = &result.point[i];

		assert_true(point->state == SWEEP_DONE || point->state == SWEEP_FAILED);
		assert_true(point->runs >= 1);
		assert_true(point->waited <= point->retried && point->retried <= point->reads);
		assert_int_equal(point->torn, 0);
		if (point->updates)
			assert_true(point->rate_hz > 0 && point->hold_samples);
	}
	sweep_result_release(&result);
}

static void test_stop(void **state)
{
	struct sweep_result result;
	struct seen seen = {.stop_after = 2};

	(void)state;
	run_sweep(&result, &seen);
	assert_int_equal(seen.kept, 2);
	assert_true(result.interrupted);
	assert_false(result.signalled);
	assert_int_equal(result.point[2].state, SWEEP_OPEN);
	assert_int_equal(result.point[2].reads, 0);
	assert_int_equal(result.point[3].state, SWEEP_OPEN);
	sweep_result_release(&result);
}

/* A point that is to have more than one run, and is told to end in the first. */
static void test_stop_within_a_point(void **state)
{
	struct seen seen = {.stop_within = true};
	const struct sweep_hooks hooks = {
		.progress = on_progress, .context = &seen, .stop = &seen.stop};
	struct sweep_result result;
	struct sweep_config config;
	struct errmsg err;

	(void)state;
	make_config(&config);
	config.retries = 1000000000;
	config.max_time_ns = 1500000000;
	assert_int_equal(sweep_result_begin(&config, &result, &err), 0);
	if (sweep_execute(&config, &hooks, &result, &err))
		fail_msg("%s", err.text);
	assert_true(result.interrupted);
	assert_int_equal(result.point[0].state, SWEEP_OPEN);
	assert_int_equal(result.point[0].runs, 0);
	assert_int_equal(result.point[0].reads, 0);
	assert_int_equal(result.point[0].hz, 100);
	reader_release(&config.reader);
	sweep_result_release(&result);
}

static void raise_signal(const struct sweep_progress *progress, void *context)
{
	struct seen *seen = context;

	(void)progress;
	/* The first call comes before there is a run. */
	if (++seen->drawn == 2)
		raise(SIGINT);
}

static void test_signal_within_a_run(void **state)
{
	struct seen seen = {.drawn = 0};
	const struct sweep_hooks hooks = {
		.progress = raise_signal, .context = &seen, .stop = &seen.stop};
	struct sweep_result result;
	struct sweep_config config;
	struct errmsg err;

	(void)state;
	make_config(&config);
	config.retries = 1000000000;
	config.max_time_ns = 1500000000;
	assert_int_equal(sweep_result_begin(&config, &result, &err), 0);
	if (sweep_execute(&config, &hooks, &result, &err))
		fail_msg("%s", err.text);
	assert_true(result.interrupted);
	assert_true(result.signalled);
	assert_int_equal(result.point[0].state, SWEEP_OPEN);
	reader_release(&config.reader);
	sweep_result_release(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_span),
		cmocka_unit_test(test_axis_from_text),
		cmocka_unit_test(test_axis_refused),
		cmocka_unit_test(test_how_long),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_grid),
		cmocka_unit_test(test_what_enters_the_law),
		cmocka_unit_test(test_sweep),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_stop_within_a_point),
		cmocka_unit_test(test_signal_within_a_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
