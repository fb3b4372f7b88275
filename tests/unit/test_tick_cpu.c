// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rule that tells which CPU takes the tick, on planted counts.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "measure/tick_cpu.h"
#include "sim/types.h"

#define TELL(...)                                                                \
	tick_cpu_tell((const struct observer_cpu[]){__VA_ARGS__},                \
		      (int)(sizeof((const struct observer_cpu[]){__VA_ARGS__}) / \
			    sizeof(struct observer_cpu)))
/* A CPU from which so many updates were seen, and so many of them made elsewhere. */
#define ON(number, updates, others)                                       \
	{                                                                 \
		.cpu = (number), .seen = (updates), .elsewhere = (others) \
	}

static void assert_near(double value, double right, double error)
{
	if (fabs(value - right) > error)
		fail_msg("%.15g is not near %.15g", value, right);
}

static void cannot(struct tick_cpu tick, const char *because)
{
	assert_int_equal(tick.cpu, -1);
	if (!strstr(tick.why, because))
		fail_msg("no \"%s\" in \"%s\"", because, tick.why);
}

static void test_tells(void **state)
{
	struct tick_cpu tick = TELL(ON(0, 100, 70), ON(1, 120, 0));

	(void)state;
	assert_int_equal(tick.cpu, 1);
	assert_int_equal(tick.seen, 120);
	assert_int_equal(tick.elsewhere, 0);
	assert_int_equal(tick.others_seen, 100);
	assert_int_equal(tick.others_elsewhere, 70);
	assert_true(tick.chance < 1e-9);
	assert_int_equal(TELL(ON(3, 50, 0), ON(5, 50, 20), ON(7, 40, 30)).cpu, 3);
	/* Some CPUs may have had no look at an update at all. */
	assert_int_equal(TELL(ON(0, 0, 0), ON(1, 50, 0), ON(2, 40, 30)).cpu, 1);
	/* Another CPU may set the clock now and then. */
	assert_int_equal(TELL(ON(0, 1000, 20), ON(1, 1000, 500)).cpu, 0);
	/* After days. */
	assert_int_equal(TELL(ON(0, 4000000000, 0), ON(1, 4000000000, 1000000000)).cpu, 0);
}

static void test_one_cpu(void **state)
{
	(void)state;
	cannot(TELL(ON(0, 1000, 0)), "only one CPU");
	cannot(TELL(ON(0, 1000, 900)), "only one CPU");
}

static void test_nothing_seen(void **state)
{
	(void)state;
	cannot(TELL(ON(0, 0, 0), ON(1, 0, 0)), "no update was seen");
}

/* With p = 1/2, seven are 1 in 128, six are 1 in 64. */
static void test_chance(void **state)
{
	struct tick_cpu tick = TELL(ON(0, 100, 50), ON(1, 7, 0));

	(void)state;
	assert_int_equal(tick.cpu, 1);
	assert_near(tick.chance, 1.0 / 128, 1e-9);
	cannot(TELL(ON(0, 100, 50), ON(1, 6, 0)), "too few");
}

static void test_none_stands_out(void **state)
{
	(void)state;
	cannot(TELL(ON(0, 1000, 500), ON(1, 1000, 400)), "one that was not watched");
	/* More than 1 in 50, however unlike the others it is. */
	cannot(TELL(ON(0, 1000, 21), ON(1, 1000, 900)), "one that was not watched");
}

static void test_follows_the_watcher(void **state)
{
	(void)state;
	cannot(TELL(ON(0, 1000, 0), ON(1, 1000, 0)), "they follow it, as");
	/* A few at the beginning of each stay, before it has followed. */
	cannot(TELL(ON(0, 1000, 0), ON(1, 1000, 15)), "they follow it, as");
	cannot(TELL(ON(0, 100000, 2600), ON(1, 100000, 6000)), "they follow it, as");
}

static void test_more_than_one(void **state)
{
	(void)state;
	cannot(TELL(ON(0, 1000, 0), ON(1, 1000, 0), ON(2, 1000, 900)), "more than one CPU");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tells),		cmocka_unit_test(test_one_cpu),
		cmocka_unit_test(test_nothing_seen),	cmocka_unit_test(test_chance),
		cmocka_unit_test(test_none_stands_out), cmocka_unit_test(test_follows_the_watcher),
		cmocka_unit_test(test_more_than_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
