// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sequence beyond every update that was told of: two writers that nobody excludes make one, and
 * whatever is read under it is no update's.
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
	for (u64 number = 1; number <= UPDATES; number++)
		oracle_tell(oracle, number, &told[number]);
	return 0;
}

static enum oracle_verdict judge(u64 number, u64 value_number)
{
	const u64 cycles = cycles_of(value_number) + 1000;

	return oracle_judge(oracle, (u32)(2 * number), cycles, value_of(value_number, cycles));
}

static enum oracle_verdict judge_span(u64 number, u64 value_number)
{
	const u64 cycles = cycles_of(value_number) + 1000;
	const struct oracle_span span = {
		.begin_seq = (u32)(2 * number),
		.end_seq = (u32)(2 * number),
		.begin_cycles = cycles,
		.end_cycles = cycles,
	};

	return oracle_judge_span(oracle, &span, value_of(value_number, cycles), 1);
}

/* Though the value is that of an update, it is not of the one that it is said to be of. */
static void test_beyond_what_was_told(void **state)
{
	(void)state;
	for (u64 ahead = 3; ahead < 1000000; ahead *= 3) {
		assert_int_equal(judge(UPDATES + ahead, UPDATES), ORACLE_TORN);
		assert_int_equal(judge_span(UPDATES + ahead, UPDATES), ORACLE_TORN);
	}
}

static void test_what_was_told_is_right(void **state)
{
	(void)state;
	for (u64 number = UPDATES - CAPACITY + 8; number <= UPDATES; number++) {
		assert_int_equal(judge(number, number), ORACLE_RIGHT);
		assert_int_equal(judge_span(number, number), ORACLE_RIGHT);
	}
}

/* That is not wrong, but nobody knows. */
static void test_what_was_forgotten_is_unknown(void **state)
{
	(void)state;
	for (u64 number = 1; number < UPDATES - 2 * CAPACITY; number++) {
		assert_int_equal(judge(number, number), ORACLE_UNKNOWN);
		assert_int_equal(judge_span(number, number), ORACLE_UNKNOWN);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_beyond_what_was_told),
		cmocka_unit_test(test_what_was_told_is_right),
		cmocka_unit_test(test_what_was_forgotten_is_unknown),
	};

	return cmocka_run_group_tests(tests, setup, end_oracle);
}
