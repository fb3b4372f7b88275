// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What an observer makes of looks that are made up, so that nothing depends on time.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "measure/observer.h"

#define CLOSE	  100
#define NEAR	  1000
#define PERIOD	  100000
#define FAR	  (NEAR * 10)
#define A_GLIMPSE 10

static void assert_near(double value, double right, double error)
{
	if (fabs(value - right) > error)
		fail_msg("%.15g is not near %.15g", value, right);
}

struct watch {
	struct observer observer;
	struct observer_cpu cpus[2];
	u32 seq;
	u64 now;
};

static int setup(void **state)
{
	struct watch *watch = calloc(1, sizeof(*watch));

	assert_non_null(watch);
	observer_init(&watch->observer, CLOSE, NEAR);
	watch->cpus[1].cpu = 1;
	watch->now = 1000000;
	*state = watch;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

static struct observer_look look_of(struct watch *watch, u64 later, u32 seq)
{
	watch->now += later;
	watch->seq = seq;
	return (struct observer_look){.seq = seq, .cycles = watch->now};
}

/* As the watcher does it: at a glance if nothing is new. */
static void look(struct watch *watch, u64 later, u32 seq)
{
	struct observer_look look = look_of(watch, later, seq);

	if (!observer_glance(&watch->observer, seq, watch->now))
		observer_look(&watch->observer, &look);
}

static void look_off_cpu(struct watch *watch, u64 later, u32 seq)
{
	struct observer_look look = look_of(watch, later, seq);

	look.off_cpu = true;
	observer_look(&watch->observer, &look);
}

static void look_at(struct watch *watch, u32 seq, struct observer_fields fields)
{
	struct observer_look look = look_of(watch, A_GLIMPSE, seq);

	look.fields = &fields;
	observer_look(&watch->observer, &look);
}

static void move(struct watch *watch, int cpu, u64 later, u32 seq)
{
	struct observer_look look = look_of(watch, later, seq);

	observer_move(&watch->observer, &watch->cpus[cpu], &look);
}

static void wake(struct watch *watch, u64 later, u32 seq)
{
	struct observer_look look = look_of(watch, later, seq);

	observer_wake(&watch->observer, &look);
}

/* Close looks for a while, at a page that does not change. */
static void stare(struct watch *watch, u64 length)
{
	u64 until = watch->now + length;

	while (watch->now < until)
		look(watch, until - watch->now < CLOSE ? until - watch->now : CLOSE, watch->seq);
}

static void test_nothing_happens(void **state)
{
	struct watch *watch = *state;
	const struct observer *observer = &watch->observer;

	move(watch, 0, 0, 10);
	stare(watch, PERIOD);
	assert_int_equal(observer->updates, 0);
	assert_int_equal(observer->seen, 0);
	assert_int_equal(observer->interruptions, 0);
	assert_int_equal(observer->awake, PERIOD);
	assert_int_equal(watch->cpus[0].watched, PERIOD);
	assert_int_equal(observer->looks, PERIOD / CLOSE + 1);
}

/* Another CPU's: no interruption, and too short to be seen odd. */
static void test_passes_between_two_looks(void **state)
{
	struct watch *watch = *state;
	const struct observer *observer = &watch->observer;

	move(watch, 0, 0, 10);
	look(watch, A_GLIMPSE, 12);
	stare(watch, PERIOD);
	look(watch, CLOSE, 14);
	assert_int_equal(observer->updates, 2);
	assert_int_equal(observer->seen, 2);
	assert_int_equal(observer->elsewhere, 2);
	assert_int_equal(observer->odd, 0);
	assert_int_equal(observer_passed_unseen(observer), 2);
	assert_int_equal(histogram_max(&observer->passed), CLOSE);
	assert_int_equal(histogram_total(&observer->interval), 1);
	assert_int_equal(histogram_max(&observer->interval), PERIOD + CLOSE);
	assert_int_equal(watch->cpus[0].elsewhere, 2);
}

/* Its own CPU's: always within an interruption. */
static void test_comes_with_an_interruption(void **state)
{
	struct watch *watch = *state;
	const struct observer *observer = &watch->observer;

	move(watch, 0, 0, 10);
	look(watch, CLOSE + 1, 12);
	look(watch, NEAR, 14);
	assert_int_equal(observer->updates, 2);
	assert_int_equal(observer->seen, 2);
	assert_int_equal(observer->elsewhere, 0);
	assert_int_equal(observer_passed_unseen(observer), 0);
	assert_int_equal(observer->interruptions, 2);
	assert_int_equal(observer->interrupted, CLOSE + 1 + NEAR);
	assert_int_equal(observer->longest_interruption, NEAR);
	assert_int_equal(observer->off_cpu, 0);
	assert_int_equal(watch->cpus[0].watched, 0);
	assert_int_equal(histogram_max(&observer->interval), NEAR);
}

/* However short it seems, on its way off its CPU and back the thread was no witness. */
static void test_short_absence(void **state)
{
	struct watch *watch = *state;
	const struct observer *observer = &watch->observer;

	move(watch, 0, 0, 10);
	look_off_cpu(watch, A_GLIMPSE, 12);
	assert_int_equal(observer->seen, 1);
	assert_int_equal(observer->elsewhere, 0);
	assert_int_equal(observer->interruptions, 1);
	assert_int_equal(watch->cpus[0].watched, 0);
}

/* Counted, but nobody knows when it was. */
static void test_missed(void **state)
{
	struct watch *watch = *state;
	const struct observer *observer = &watch->observer;

	move(watch, 0, 0, 10);
	look(watch, A_GLIMPSE, 12);
	/* One, at some time during a long absence; then seven; then three between close looks. */
	look_off_cpu(watch, NEAR + 1, 14);
	look_off_cpu(watch, FAR, 28);
	look(watch, A_GLIMPSE, 34);
	assert_int_equal(observer->updates, 12);
	assert_int_equal(observer->seen, 1);
	assert_int_equal(observer->off_cpu, 2);
	assert_int_equal(observer->interruptions, 2);
	assert_int_equal(histogram_total(&observer->interval), 0);
	/* The interval from a missed one to the next is not known either; the one after that is. */
	look(watch, A_GLIMPSE, 36);
	assert_int_equal(histogram_total(&observer->interval), 0);
	look(watch, A_GLIMPSE, 38);
	assert_int_equal(histogram_total(&observer->interval), 1);
	assert_int_equal(observer->seen, 3);
}

/* A deschedule must not be taken for an idle gap. */
static void test_absence_is_no_gap(void **state)
{
	struct watch *watch = *state;
	const struct observer *observer = &watch->observer;

	move(watch, 0, 0, 10);
	for (u32 seq = 12; seq < 100; seq += 2) {
		stare(watch, PERIOD);
		look(watch, A_GLIMPSE, seq);
	}
	/* Three periods away, in which two updates were made, and then one that was seen. */
	look_off_cpu(watch, 3 * PERIOD, 102);
	look(watch, A_GLIMPSE, 104);
	assert_int_equal(histogram_from(&observer->interval, PERIOD * 3 / 2), 0);
	/* Whereas this one is: no update came, with the watcher looking. */
	stare(watch, 3 * PERIOD);
	look(watch, A_GLIMPSE, 106);
	assert_int_equal(histogram_from(&observer->interval, PERIOD * 3 / 2), 1);
	assert_int_equal(histogram_max(&observer->interval), 3 * PERIOD + A_GLIMPSE);
}

static void test_seen_in_progress(void **state)
{
	struct watch *watch = *state;
	const struct observer *observer = &watch->observer;

	move(watch, 0, 0, 10);
	look(watch, A_GLIMPSE, 11);
	assert_int_equal(observer->updates, 0);
	look(watch, A_GLIMPSE, 11);
	look(watch, A_GLIMPSE, 11);
	look(watch, A_GLIMPSE, 12);
	assert_int_equal(observer->updates, 1);
	assert_int_equal(observer->seen, 1);
	assert_int_equal(observer->elsewhere, 1);
	assert_int_equal(observer->odd, 1);
	assert_int_equal(observer->odd_unmeasured, 0);
	assert_int_equal(watch->cpus[0].odd, 1);
	assert_int_equal(histogram_total(&observer->hold), 1);
	assert_int_equal(histogram_max(&observer->hold), 3 * A_GLIMPSE);
	assert_int_equal(observer_passed_unseen(observer), 0);
}

/* What was seen of it says nothing about how long it was. */
static void test_in_progress_but_interrupted(void **state)
{
	struct watch *watch = *state;
	const struct observer *observer = &watch->observer;

	move(watch, 0, 0, 10);
	/* Its beginning, its end, and its middle lay within an interruption. */
	look(watch, CLOSE + 1, 11);
	look(watch, A_GLIMPSE, 12);
	look(watch, A_GLIMPSE, 13);
	look_off_cpu(watch, CLOSE + 1, 14);
	look(watch, A_GLIMPSE, 15);
	look_off_cpu(watch, FAR, 15);
	look(watch, A_GLIMPSE, 16);
	assert_int_equal(observer->updates, 3);
	assert_int_equal(observer->odd, 3);
	assert_int_equal(observer->elsewhere, 3);
	assert_int_equal(observer->odd_unmeasured, 3);
	assert_int_equal(histogram_total(&observer->hold), 0);
}

/* One is over and the next has begun: both are seen, and the length of neither is known yet. */
static void test_from_odd_to_odd(void **state)
{
	struct watch *watch = *state;
	const struct observer *observer = &watch->observer;

	move(watch, 0, 0, 10);
	look(watch, A_GLIMPSE, 11);
	look(watch, A_GLIMPSE, 13);
	assert_int_equal(observer->updates, 1);
	assert_int_equal(observer->odd, 2);
	assert_int_equal(observer->odd_unmeasured, 1);
	look(watch, A_GLIMPSE, 14);
	assert_int_equal(observer->updates, 2);
	assert_int_equal(observer->odd, 2);
	assert_int_equal(histogram_total(&observer->hold), 1);
	assert_int_equal(histogram_max(&observer->hold), A_GLIMPSE);
}

static void test_begins_odd(void **state)
{
	struct watch *watch = *state;
	const struct observer *observer = &watch->observer;

	move(watch, 0, 0, 11);
	assert_int_equal(observer->odd, 1);
	look(watch, A_GLIMPSE, 12);
	assert_int_equal(observer->updates, 1);
	assert_int_equal(observer->odd_unmeasured, 1);
	assert_int_equal(histogram_total(&observer->hold), 0);
}

static void test_sequence_wraps(void **state)
{
	struct watch *watch = *state;
	const struct observer *observer = &watch->observer;

	move(watch, 0, 0, UINT32_MAX - 1);
	look(watch, A_GLIMPSE, UINT32_MAX);
	look(watch, A_GLIMPSE, 0);
	assert_int_equal(observer->updates, 1);
	look(watch, A_GLIMPSE, 2);
	assert_int_equal(observer->updates, 2);
	assert_int_equal(observer->seen, 2);
	look_off_cpu(watch, FAR, UINT32_MAX - 1);
	assert_int_equal(observer->updates, 2 + UINT32_MAX / 2 - 1);
}

/* The counters of two CPUs need not agree to the cycle. */
static void test_counter_behind(void **state)
{
	struct watch *watch = *state;
	const struct observer *observer = &watch->observer;

	move(watch, 0, 0, 10);
	look(watch, A_GLIMPSE, 10);
	move(watch, 1, (u64)-5, 10);
	assert_int_equal(observer->awake, A_GLIMPSE);
	assert_int_equal(observer->interruptions, 0);
	look(watch, A_GLIMPSE, 10);
	assert_int_equal(watch->cpus[1].watched, A_GLIMPSE);
}

/* Updates during a move count, for no CPU; those after it for the new one. */
static void test_move(void **state)
{
	struct watch *watch = *state;
	const struct observer *observer = &watch->observer;

	move(watch, 0, 0, 10);
	look(watch, A_GLIMPSE, 12);
	move(watch, 1, A_GLIMPSE, 14);
	assert_int_equal(observer->updates, 2);
	assert_int_equal(observer->seen, 1);
	assert_int_equal(observer->interruptions, 0);
	look(watch, NEAR, 16);
	look(watch, A_GLIMPSE, 17);
	look(watch, A_GLIMPSE, 18);
	assert_int_equal(watch->cpus[0].seen, 1);
	assert_int_equal(watch->cpus[0].elsewhere, 1);
	assert_int_equal(watch->cpus[1].seen, 2);
	assert_int_equal(watch->cpus[1].elsewhere, 1);
	assert_int_equal(watch->cpus[1].odd, 1);
	assert_int_equal(watch->cpus[1].watched, 2 * A_GLIMPSE);
	/* From 16 to 18; nothing is known of when 14 was. */
	assert_int_equal(histogram_total(&observer->interval), 1);
}

static void test_sleep(void **state)
{
	struct watch *watch = *state;
	const struct observer *observer = &watch->observer;

	move(watch, 0, 0, 10);
	look(watch, A_GLIMPSE, 12);
	wake(watch, 12 * PERIOD, 18);
	assert_int_equal(observer->updates, 1);
	assert_int_equal(observer->awake, A_GLIMPSE);
	assert_int_equal(observer->asleep.updates, 3);
	assert_int_equal(observer->asleep.cycles, 12 * PERIOD);
	/* Three cut the time into four pieces, of which one is no shorter than this. */
	assert_int_equal(observer->asleep.longest, 3 * PERIOD);
	look(watch, A_GLIMPSE, 20);
	assert_int_equal(observer->updates, 2);
	assert_int_equal(histogram_total(&observer->interval), 0);
	assert_int_equal(observer->asleep.stretches, 1);
	wake(watch, PERIOD, 20);
	assert_int_equal(observer->asleep.longest, 3 * PERIOD);
	wake(watch, 4 * PERIOD, 20);
	assert_int_equal(observer->asleep.longest, 4 * PERIOD);
	assert_int_equal(observer->asleep.stretches, 2);
	assert_int_equal(observer->interruptions, 0);
}

/* Each that is seen odd is counted once, however long it is. */
static void test_sleep_over_an_odd_one(void **state)
{
	struct watch *watch = *state;
	const struct observer *observer = &watch->observer;

	move(watch, 0, 0, 10);
	look(watch, A_GLIMPSE, 11);
	wake(watch, PERIOD, 11);
	assert_int_equal(observer->odd, 1);
	look(watch, A_GLIMPSE, 12);
	assert_int_equal(observer->odd_unmeasured, 1);
	look(watch, A_GLIMPSE, 13);
	wake(watch, PERIOD, 16);
	assert_int_equal(observer->odd, 2);
	assert_int_equal(observer->odd_unmeasured, 2);
	assert_int_equal(observer->asleep.updates, 2);
	assert_int_equal(histogram_total(&observer->hold), 0);
	wake(watch, PERIOD, 19);
	assert_int_equal(observer->odd, 3);
	look(watch, A_GLIMPSE, 20);
	assert_int_equal(observer->odd_unmeasured, 3);
}

static void test_steering(void **state)
{
	struct watch *watch = *state;
	const struct observer_mult *mult = &watch->observer.mult;
	struct observer_fields fields = {.clock_mode = 1, .mult = 1000000, .raw_mult = 1000000};

	move(watch, 0, 0, 10);
	assert_false(mult->known);
	look_at(watch, 12, fields);
	look_at(watch, 14, fields);
	assert_true(mult->known && mult->against_raw);
	assert_int_equal(mult->changes, 0);
	fields.mult = 1000003;
	look_at(watch, 16, fields);
	fields.mult = 999998;
	look_at(watch, 18, fields);
	look_at(watch, 20, fields);
	assert_int_equal(mult->changes, 2);
	assert_near(mult->least, 0.999998, 1e-12);
	assert_near(mult->most, 1.000003, 1e-12);
	/* What the page says of no counter is no steering. */
	fields.mult = 0;
	look_at(watch, 22, fields);
	assert_int_equal(mult->changes, 2);
}

/* Where there is no raw clock, the first mult of a clock source is what the others differ from. */
static void test_steering_against_the_first(void **state)
{
	struct watch *watch = *state;
	const struct observer_mult *mult = &watch->observer.mult;
	struct observer_fields fields = {.clock_mode = 1, .mult = 2000000};

	move(watch, 0, 0, 10);
	look_at(watch, 12, fields);
	assert_false(mult->against_raw);
	fields.mult = 2000001;
	look_at(watch, 14, fields);
	assert_near(mult->most, 1.0000005, 1e-12);
	fields = (struct observer_fields){.clock_mode = 2, .mult = 500};
	look_at(watch, 16, fields);
	assert_int_equal(mult->changes, 2);
	assert_near(mult->least, 1, 1e-12);
	assert_near(mult->most, 1.0000005, 1e-12);
}

static void test_mode_changes(void **state)
{
	struct watch *watch = *state;
	const struct observer *observer = &watch->observer;
	struct observer_fields fields = {.clock_mode = 1};

	move(watch, 0, 0, 10);
	assert_false(observer->has_fields);
	look_at(watch, 12, fields);
	look_at(watch, 14, fields);
	assert_int_equal(observer->mode_changes, 0);
	fields.clock_mode = 0;
	look_at(watch, 16, fields);
	look_at(watch, 18, fields);
	assert_int_equal(observer->mode_changes, 1);
	assert_int_equal(observer->fields.clock_mode, 0);
	fields.clock_mode = 1;
	look_at(watch, 20, fields);
	assert_int_equal(observer->mode_changes, 2);
	assert_int_equal(observer->fields.clock_mode, 1);
}

static void test_second_sequence(void **state)
{
	struct watch *watch = *state;
	const struct observer *observer = &watch->observer;
	struct observer_fields fields = {.has_second = true, .second_seq = 14};

	move(watch, 0, 0, 10);
	/* A distance that stays is none of our business. */
	look_at(watch, 12, fields);
	fields.second_seq = 16;
	look_at(watch, 14, fields);
	assert_int_equal(observer->second_looks, 2);
	assert_int_equal(observer->second_apart, 0);
	/* One that was not raised. */
	look_at(watch, 16, fields);
	assert_int_equal(observer->second_apart, 1);
}

int main(void)
{
#define WATCHED(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		WATCHED(test_nothing_happens),
		WATCHED(test_passes_between_two_looks),
		WATCHED(test_comes_with_an_interruption),
		WATCHED(test_short_absence),
		WATCHED(test_missed),
		WATCHED(test_absence_is_no_gap),
		WATCHED(test_seen_in_progress),
		WATCHED(test_in_progress_but_interrupted),
		WATCHED(test_from_odd_to_odd),
		WATCHED(test_begins_odd),
		WATCHED(test_sequence_wraps),
		WATCHED(test_counter_behind),
		WATCHED(test_move),
		WATCHED(test_sleep),
		WATCHED(test_sleep_over_an_odd_one),
		WATCHED(test_steering),
		WATCHED(test_steering_against_the_first),
		WATCHED(test_mode_changes),
		WATCHED(test_second_sequence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
