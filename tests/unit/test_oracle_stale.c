// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How old the update that explains a read may be: as old as the last that was finished when the
 * read began, and no older.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/told_oracle.h"

static int setup(void **state)
{
	(void)state;
	begin_oracle();
	for (u64 number = 1; number <= UPDATES; number++) {
		assert_int_equal(oracle_finished(oracle), number - 1);
		oracle_tell(oracle, number, &told[number]);
		assert_int_equal(oracle_finished(oracle), number - 1);
		oracle_finish(oracle, number);
	}
	return 0;
}

/* Of a read that says it used one update, and has the value of another. */
static enum oracle_verdict judge(u64 oldest, u64 number, u64 value_number)
{
	const u64 cycles = cycles_of(value_number) + 1000;

	return oracle_judge_since(oracle, oldest, (u32)(2 * number), cycles,
				  value_of(value_number, cycles));
}

static void test_as_old_as_it_may_be(void **state)
{
	(void)state;
	for (u64 number = UPDATES - CAPACITY + 8; number <= UPDATES; number++) {
		assert_int_equal(judge(0, number, number), ORACLE_RIGHT);
		assert_int_equal(judge(number - 1, number, number), ORACLE_RIGHT);
		assert_int_equal(judge(number, number, number), ORACLE_RIGHT);
		assert_int_equal(judge(number + 1, number, number), ORACLE_STALE);
		assert_int_equal(judge(UPDATES + 1, number, number), ORACLE_STALE);
	}
}

/* Of a read under an odd sequence it is the update before that counts. */
static void test_within_an_update(void **state)
{
	const u64 number = UPDATES - 10, cycles = cycles_of(number) + 1000;
	const u32 odd = (u32)(2 * number + 1);

	(void)state;
	assert_int_equal(oracle_judge_since(oracle, number, odd, cycles, value_of(number, cycles)),
			 ORACLE_RIGHT);
	assert_int_equal(
		oracle_judge_since(oracle, number + 1, odd, cycles, value_of(number, cycles)),
		ORACLE_STALE);
}

/* What it says it used is not enough: something of that age must explain it. */
static void test_what_is_older_than_it_says(void **state)
{
	const u64 number = UPDATES - 10;

	(void)state;
	assert_int_equal(judge(number - 2, number, number - 2), ORACLE_RIGHT);
	assert_int_equal(judge(number - 1, number, number - 2), ORACLE_STALE);
	assert_int_equal(judge(number, number, number - 1), ORACLE_STALE);
	assert_int_equal(judge(number, number, number + 1), ORACLE_RIGHT);
	assert_int_equal(judge(number + 1, number, number + 1), ORACLE_STALE);
}

static void test_a_mixture_stays_one(void **state)
{
	const u64 number = UPDATES - 10, cycles = cycles_of(number) + 1000;

	(void)state;
	for (u64 oldest = number - 5; oldest < number + 5; oldest++)
		assert_int_equal(oracle_judge_since(oracle, oldest, (u32)(2 * number), cycles,
						    value_of(number, cycles) + 1),
				 ORACLE_TORN);
}

/* Nobody knows what it said, but it was over long before the read began. */
static void test_what_was_forgotten(void **state)
{
	(void)state;
	for (u64 number = 3; number < UPDATES - 2 * CAPACITY; number++) {
		assert_int_equal(judge(UPDATES, number, number), ORACLE_STALE);
		assert_int_equal(judge(number + 1, number, number), ORACLE_STALE);
		/* A reader that was put aside since. */
		assert_int_equal(judge(number, number, number), ORACLE_UNKNOWN);
	}
}

/* Two updates that tell the same time, as a tick makes them that steers nothing. */
static void test_a_later_one_that_tells_the_same(void **state)
{
	struct timekeeper tk = told[1];
	struct oracle *same;
	struct errmsg err;

	(void)state;
	same = oracle_create(CLOCK_MONOTONIC, CAPACITY, false, &err);
	assert_non_null(same);
	for (u64 number = 1; number <= 4; number++)
		oracle_tell(same, number, &tk);
	for (u64 number = 1; number <= 4; number++)
		assert_int_equal(oracle_judge_since(same, 3, (u32)(2 * number), tk.cycle_last + 9,
						    value_of(1, tk.cycle_last + 9)),
				 number < 3 ? ORACLE_STALE : ORACLE_RIGHT);
	oracle_destroy(same);
}

static enum oracle_verdict judge_span(u32 begin_seq, u32 end_seq, u64 value_number)
{
	const u64 cycles = cycles_of(value_number) + 1000;
	const struct oracle_span span = {
		.begin_seq = begin_seq,
		.end_seq = end_seq,
		.begin_cycles = cycles,
		.end_cycles = cycles,
	};

	return oracle_judge_span(oracle, &span, value_of(value_number, cycles), 1);
}

static void test_of_code_that_tells_nothing(void **state)
{
	const u64 number = UPDATES - 10;
	const u32 seq = (u32)(2 * number);

	(void)state;
	assert_int_equal(judge_span(seq, seq, number), ORACLE_RIGHT);
	assert_int_equal(judge_span(seq, seq, number + 1), ORACLE_RIGHT);
	assert_int_equal(judge_span(seq, seq, number - 1), ORACLE_STALE);
	assert_int_equal(judge_span(seq, seq + 10, number - 2), ORACLE_STALE);
	/* Within an update the one before it is the last that is known. */
	assert_int_equal(judge_span(seq + 1, seq + 1, number), ORACLE_RIGHT);
	assert_int_equal(judge_span(seq - 1, seq, number - 1), ORACLE_RIGHT);
	assert_int_equal(judge_span(seq - 1, seq, number - 2), ORACLE_STALE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_old_as_it_may_be),
		cmocka_unit_test(test_within_an_update),
		cmocka_unit_test(test_what_is_older_than_it_says),
		cmocka_unit_test(test_a_mixture_stays_one),
		cmocka_unit_test(test_what_was_forgotten),
		cmocka_unit_test(test_a_later_one_that_tells_the_same),
		cmocka_unit_test(test_of_code_that_tells_nothing),
	};

	return cmocka_run_group_tests(tests, setup, end_oracle);
}
