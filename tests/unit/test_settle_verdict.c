// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is made of a claim: each branch of the rule, its edges, and that signs do not matter.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "report/settle_verdict.h"
#include "sim/types.h"

#define RESOLUTION 0.5

static struct claim claimed(double low, double high)
{
	return (struct claim){.has_percent = true, .low_percent = low, .high_percent = high};
}

static struct settle_measured measured(double low, double high)
{
	return (struct settle_measured){
		.known = true, .low = low, .high = high, .resolution = RESOLUTION};
}

static void expect(struct claim claim, struct settle_measured seen, enum settle_verdict wanted)
{
	const struct claim other_claim = {.has_percent = claim.has_percent,
					  .low_percent = -claim.high_percent,
					  .high_percent = -claim.low_percent};
	struct settle_measured other = seen;

	assert_string_equal(settle_verdict_name(settle_verdict(&claim, &seen)),
			    settle_verdict_name(wanted));
	other.low = -seen.high;
	other.high = -seen.low;
	assert_int_equal(settle_verdict(&other_claim, &other), wanted);
}

static void test_same_code(void **state)
{
	struct settle_measured seen = measured(3, 4);

	(void)state;
	seen.same_code = true;
	expect(claimed(3, 4), seen, SETTLE_SAME_CODE);
	/* By definition, so whether or not anything was measured. */
	seen.known = false;
	expect(claimed(3, 4), seen, SETTLE_SAME_CODE);
}

static void test_not_known(void **state)
{
	struct settle_measured seen = measured(NAN, NAN);

	(void)state;
	seen.known = false;
	expect(claimed(2, 2), seen, SETTLE_CANNOT_TELL);
	expect((struct claim){.has_percent = false}, seen, SETTLE_CANNOT_TELL);
}

static void test_within_the_resolution(void **state)
{
	(void)state;
	expect(claimed(2, 2), measured(-0.1, 0.2), SETTLE_NOT_SEEN);
	/* Sure, and of no matter: of either sign. */
	expect(claimed(2, 2), measured(0.1, 0.2), SETTLE_NOT_SEEN);
	expect(claimed(2, 2), measured(-0.2, -0.1), SETTLE_NOT_SEEN);
	expect(claimed(2, 2), measured(0.1, RESOLUTION), SETTLE_NOT_SEEN);
	expect(claimed(2, 2), measured(0.1, RESOLUTION + 0.01), SETTLE_SMALLER);
	expect((struct claim){.has_percent = false}, measured(0.1, 0.2), SETTLE_NOT_SEEN);
	expect(claimed(-4.8, 4.7), measured(0.1, 0.2), SETTLE_NOT_SEEN);
	expect(claimed(0, 0), measured(-0.1, 0.2), SETTLE_NOT_SEEN);
}

/* Then the resolution decides nothing. */
static void test_claims_as_small_as_the_resolution(void **state)
{
	(void)state;
	expect(claimed(0.3, 0.3), measured(0.1, 0.35), SETTLE_AS_LARGE);
	expect(claimed(0.3, 0.3), measured(0.1, 0.2), SETTLE_SMALLER);
	expect(claimed(0.3, 0.3), measured(-0.2, -0.1), SETTLE_OTHER_WAY);
	expect(claimed(0.3, 0.3), measured(-0.1, 0.35), SETTLE_CANNOT_TELL);
	expect(claimed(0.3, 0.3), measured(-0.1, 0.2), SETTLE_NOT_SEEN);
	expect(claimed(RESOLUTION, RESOLUTION), measured(0.1, 0.2), SETTLE_SMALLER);
}

static void test_zero_within_the_interval(void **state)
{
	(void)state;
	/* Wide, but less than was claimed. */
	expect(claimed(7, 9), measured(-1, 6.9), SETTLE_NOT_SEEN);
	expect(claimed(7, 9), measured(0, 6.9), SETTLE_NOT_SEEN);
	expect(claimed(7, 9), measured(-1, 7), SETTLE_CANNOT_TELL);
	expect(claimed(7, 9), measured(-1, 20), SETTLE_CANNOT_TELL);
	/* As large the other way. */
	expect(claimed(7, 9), measured(-7, 1), SETTLE_CANNOT_TELL);
	expect((struct claim){.has_percent = false}, measured(-1, 1), SETTLE_CANNOT_TELL);
	expect(claimed(-5, 5), measured(-1, 1), SETTLE_CANNOT_TELL);
}

static void test_as_large(void **state)
{
	(void)state;
	expect(claimed(7, 9), measured(6, 7), SETTLE_AS_LARGE);
	expect(claimed(7, 9), measured(9, 10), SETTLE_AS_LARGE);
	expect(claimed(7, 9), measured(7.5, 8), SETTLE_AS_LARGE);
	expect(claimed(7, 9), measured(1, 20), SETTLE_AS_LARGE);
	expect(claimed(2, 2), measured(1.9, 2.1), SETTLE_AS_LARGE);
	expect(claimed(-4.8, 4.7), measured(-3.5, -3.4), SETTLE_AS_LARGE);
}

static void test_another_size(void **state)
{
	(void)state;
	expect(claimed(7, 9), measured(6, 6.9), SETTLE_SMALLER);
	expect(claimed(7, 9), measured(9.1, 10), SETTLE_LARGER);
	expect(claimed(-4.8, 4.7), measured(4.8, 5), SETTLE_LARGER);
	expect(claimed(-4.8, 4.7), measured(-6, -5), SETTLE_LARGER);
	expect(claimed(0, 0), measured(0.4, 0.6), SETTLE_LARGER);
}

static void test_the_other_way_round(void **state)
{
	(void)state;
	expect(claimed(7, 9), measured(-8, -7), SETTLE_OTHER_WAY);
	expect(claimed(7, 9), measured(-1, -0.6), SETTLE_OTHER_WAY);
	expect(claimed(7, 9), measured(-30, -20), SETTLE_OTHER_WAY);
}

static void test_nothing_claimed(void **state)
{
	(void)state;
	expect((struct claim){.has_percent = false}, measured(0.4, 0.6), SETTLE_SEEN);
	/* What is left of another claim is none. */
	expect((struct claim){.low_percent = 0.5, .high_percent = 0.5}, measured(0.4, 0.6),
	       SETTLE_SEEN);
	expect((struct claim){.low_percent = 0.3, .high_percent = 0.3}, measured(0.1, 0.2),
	       SETTLE_NOT_SEEN);
}

static const u8 code[2][8] = {{1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 3, 4, 5, 6, 7, 9}};
static struct reader readers[2];
static struct compare_config config;
static struct compare_result result;
static const struct comparison comparison = {.config = &config, .result = &result};

static void set_up(double low, double high)
{
	memset(&result, 0, sizeof(result));
	for (size_t i = 0; i < 2; i++) {
		readers[i] = (struct reader){
			.clock = CLOCK_MONOTONIC,
			.layout = &page_layout_current,
			.code = {.image = code[i], .bytes = 8, .text = 2, .entry = 4},
		};
		config.reader[i] = &readers[i];
	}
	config.readers = 2;
	config.resolution_percent = RESOLUTION;
	result.visits = 400;
	result.reader[1].effect.known = true;
	result.reader[1].effect.percent =
		(struct effect_figure){(low + high) / 2, {low, high}, {low - 1, high + 1}};
}

static void says(struct claim claim, const char *wanted)
{
	assert_string_equal(settle_verdict_cell(&claim, &comparison).text, wanted);
}

static void test_words(void **state)
{
	const struct claim none = {.has_percent = false};

	(void)state;
	set_up(-0.01, 0.025);
	says(claimed(2, 2), "not seen: no difference larger than 0.025 %");
	set_up(1.9, 2.1);
	says(claimed(2, 2), "seen and as large");
	says(claimed(-4, 4), "seen, within what was claimed");
	says(claimed(3, 3), "seen, but smaller");
	says(claimed(1, 1), "seen, but larger");
	says(claimed(0, 0), "seen, though none was claimed");
	says(claimed(0, 1), "seen, but larger");
	says(claimed(-2, -2), "the other way round");
	says(none, "seen: slower; no percent was claimed");
	set_up(-2.1, -1.9);
	says(none, "seen: faster; no percent was claimed");
	set_up(-2, 3);
	says(claimed(2, 2), "cannot tell: the interval is too wide");
	result.outcome = COMPARE_INTERRUPTED;
	says(claimed(2, 2), "cannot tell: interrupted");
	result.outcome = COMPARE_BROKEN;
	says(claimed(2, 2), "cannot tell: a reader's code broke");
	result.outcome = COMPARE_COMPLETE;
	result.reader[1].effect.known = false;
	says(claimed(2, 2), "cannot tell: no interval, give it more time");
}

/* A part of a comparison is no measurement of it, however narrow its interval is. */
static void test_of_a_comparison(void **state)
{
	(void)state;
	set_up(1.9, 2.1);
	assert_true(settle_measured_of(&comparison).known);
	assert_float_equal(settle_measured_of(&comparison).low, 1.9, 0);
	assert_float_equal(settle_measured_of(&comparison).high, 2.1, 0);
	result.outcome = COMPARE_INTERRUPTED;
	assert_false(settle_measured_of(&comparison).known);
	result.outcome = COMPARE_BROKEN;
	assert_false(settle_measured_of(&comparison).known);
	readers[1].code.image = code[0];
	assert_true(settle_measured_of(&comparison).same_code);
	says(claimed(2, 2), "not seen: same code");
	set_up(1.9, 2.1);
	errmsg_set(&result.reader[1].unavailable, "it was not measured");
	assert_false(settle_measured_of(&comparison).known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_code),
		cmocka_unit_test(test_not_known),
		cmocka_unit_test(test_within_the_resolution),
		cmocka_unit_test(test_claims_as_small_as_the_resolution),
		cmocka_unit_test(test_zero_within_the_interval),
		cmocka_unit_test(test_as_large),
		cmocka_unit_test(test_another_size),
		cmocka_unit_test(test_the_other_way_round),
		cmocka_unit_test(test_nothing_claimed),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_of_a_comparison),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
