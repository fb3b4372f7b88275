// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Turns and figures: of contestants that do a known amount of work, and of cycles written down.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/calibrate_figures.h"

#define WORK   200 /* steps of a read */
#define ROUNDS 400

static struct calibrate_result result;
static struct field field;
static volatile u32 sink;

/* The order in which contestants were called in a turn, repetitions left out. */
static size_t order[FIELD_MAX];
static size_t called;

static void note_call(size_t contestant)
{
	if (called == 0 || order[called - 1] != contestant) {
		assert_true(called < FIELD_MAX);
		order[called++] = contestant;
	}
}

static int work(size_t contestant, u32 steps, struct timespec *ts)
{
	note_call(contestant);
	for (u32 i = 0; i < steps; i++)
		sink++;
	*ts = (struct timespec){0, 0};
	return 0;
}

static int once(clockid_t clock, struct timespec *ts)
{
	(void)clock;
	return work(FIELD_HOST, WORK, ts);
}

static int four_times(clockid_t clock, struct timespec *ts)
{
	(void)clock;
	return work(FIELD_LIBC, 4 * WORK, ts);
}

static int also_once(clockid_t clock, struct timespec *ts)
{
	(void)clock;
	return work(FIELD_IMAGE_HOST, WORK, ts);
}

static void enter(enum field_column column, enum contestant_kind kind, const char *name,
		  vdso_clock_gettime_fn *call)
{
	field.contestant[column] = (struct contestant){.kind = kind, .call = call};
	strcpy(result.contestant[column].name, name);
	result.contestant[column].kind = kind;
}

/* The reader does not take part. */
static void set_up(struct turns *turns, const struct calibrate_config *config)
{
	memset(&result, 0, sizeof(result));
	memset(&field, 0, sizeof(field));
	enter(FIELD_IMAGE_HOST, CONTESTANT_IMAGE, "image:host", also_once);
	enter(FIELD_HOST, CONTESTANT_HOST, "host's vDSO", once);
	enter(FIELD_LIBC, CONTESTANT_LIBC, "glibc", four_times);
	field.count = result.contestants = FIELD_LIBC + 1;
	result.counter = clocksource_default();
	result.counter_hz = result.counter->frequency_hz();
	errmsg_set(&result.no_values, "there is no page");
	for (size_t clock = 0; clock < config->clocks; clock++)
		errmsg_set(&result.cell[clock][FIELD_READER].unavailable, "it is not here");
	*turns = (struct turns){
		.config = config,
		.field = &field,
		.result = &result,
		.clock_mode = result.counter->clock_mode,
		.random = 1,
	};
}

static const struct calibrate_config one_clock = {
	.duration_ns = NSEC_PER_SEC, .clocks = 1, .clock = {CLOCK_MONOTONIC}};

static void test_ratios_of_known_work(void **state)
{
	const struct calibrate_cell *cells = result.cell[0];
	struct turns turns;
	struct errmsg err;

	(void)state;
	set_up(&turns, &one_clock);
	called = 0;
	for (size_t i = 0; i < FIELD_MAX; i++)
		order[i] = FIELD_MAX;
	turns.max_rounds = 0;
	/* Preparing calls each in turn, one after the other. */
	assert_int_equal(turns_prepare(&turns, &err), 0);
	assert_true(turns.max_rounds >= ROUNDS);
	assert_true(turns.reads[0][FIELD_LIBC] < turns.reads[0][FIELD_HOST]);
	assert_int_equal(turns.reads[0][FIELD_READER], 0);
	for (int i = 0; i < ROUNDS; i++) {
		called = 0;
		turns_take(&turns);
		assert_int_equal(called, 3);
	}
	assert_int_equal(result.rounds, ROUNDS);
	assert_int_equal(calibrate_fill_figures(&turns, &err), 0);
	turns_release(&turns);
	assert_true(cells[FIELD_IMAGE_HOST].ratio.estimate > 0.5 &&
		    cells[FIELD_IMAGE_HOST].ratio.estimate < 2);
	assert_true(cells[FIELD_LIBC].ratio.estimate > 2 && cells[FIELD_LIBC].ratio.estimate < 8);
	assert_true(cells[FIELD_HOST].ratio.estimate == 1);
	assert_true(cells[FIELD_HOST].read_ns > 0);
	assert_string_equal(cells[FIELD_READER].no_ratio.text, "it is not here");
	assert_true(cells[FIELD_READER].read_ns == 0);
}

/* Everybody is first, and last, in some turns. */
static void test_order_is_random(void **state)
{
	int first[FIELD_MAX] = {0}, last[FIELD_MAX] = {0};
	struct turns turns;
	struct errmsg err;

	(void)state;
	set_up(&turns, &one_clock);
	called = 0;
	assert_int_equal(turns_prepare(&turns, &err), 0);
	for (int i = 0; i < ROUNDS; i++) {
		called = 0;
		turns_take(&turns);
		first[order[0]]++;
		last[order[2]]++;
	}
	turns_release(&turns);
	for (size_t i = FIELD_IMAGE_HOST; i <= FIELD_LIBC; i++) {
		assert_in_range(first[i], ROUNDS / 5, ROUNDS / 2);
		assert_in_range(last[i], ROUNDS / 5, ROUNDS / 2);
	}
}

/* A long duration makes blocks longer, not memory larger. */
static void test_long_duration(void **state)
{
	struct calibrate_config hour = one_clock;
	struct turns turns;
	struct errmsg err;
	u32 reads;

	(void)state;
	set_up(&turns, &one_clock);
	called = 0;
	assert_int_equal(turns_prepare(&turns, &err), 0);
	reads = turns.reads[0][FIELD_HOST];
	turns_release(&turns);
	hour.duration_ns = 3600ull * NSEC_PER_SEC;
	set_up(&turns, &hour);
	called = 0;
	assert_int_equal(turns_prepare(&turns, &err), 0);
	assert_true(turns.max_rounds <= 1u << 18);
	assert_true(turns.reads[0][FIELD_HOST] > 10 * reads);
	turns_release(&turns);
}

/* Who does not take part takes no time: there must be as many rounds more. */
static void test_rounds_when_few_take_part(void **state)
{
	struct turns turns;
	struct errmsg err;

	(void)state;
	set_up(&turns, &one_clock);
	errmsg_set(&result.cell[0][FIELD_IMAGE_HOST].unavailable, "it is not here");
	errmsg_set(&result.cell[0][FIELD_LIBC].unavailable, "it is not here");
	called = 0;
	assert_int_equal(turns_prepare(&turns, &err), 0);
	/* Blocks take 23 us, one a round. */
	assert_true(turns.max_rounds * 23000 >= one_clock.duration_ns);
	turns_release(&turns);
	errmsg_set(&result.cell[0][FIELD_HOST].unavailable, "it is not here");
	assert_int_equal(turns_prepare(&turns, &err), -1);
	assert_string_equal(err.text, "there is nobody whose reads could be timed");
}

/* Cycles are written down: by round, two clocks, and all columns and two images. */
#define COLUMNS (FIELD_IMAGES + 2)

static float cycles[ROUNDS][2][COLUMNS];

static const struct calibrate_config two_clocks = {
	.duration_ns = NSEC_PER_SEC,
	.clocks = 2,
	.clock = {CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW},
	.images = 2,
};

static void fill_written(void)
{
	struct turns turns = {
		.config = &two_clocks,
		.field = &field,
		.result = &result,
		.max_rounds = ROUNDS,
		.cycles = &cycles[0][0][0],
	};
	struct errmsg err;

	result.contestants = COLUMNS;
	result.rounds = ROUNDS;
	result.counter_hz = 2 * NSEC_PER_SEC;
	for (size_t i = 0; i < COLUMNS; i++)
		sprintf(result.contestant[i].name, "contestant %zu", i);
	for (int round = 0; round < ROUNDS; round++)
		for (int clock = 0; clock < 2; clock++)
			for (int i = 0; i < COLUMNS; i++)
				/* A round's speed is its own, which pairs do not see. */
				cycles[round][clock][i] =
					(float)((i + 1) * (1 + round % 7) * (clock + 1));
	assert_int_equal(calibrate_fill_figures(&turns, &err), 0);
}

static void assert_near(double seen, double expected)
{
	assert_true(fabs(seen - expected) < 1e-6);
}

static void test_paired_ratios(void **state)
{
	(void)state;
	memset(&result, 0, sizeof(result));
	fill_written();
	for (size_t clock = 0; clock < 2; clock++)
		for (size_t i = 0; i < COLUMNS; i++) {
			const struct calibrate_cell *cell = &result.cell[clock][i];
			double ratio = (double)(i + 1) / (FIELD_HOST + 1);

			assert_string_equal(cell->no_ratio.text, "");
			assert_near(cell->ratio.estimate, ratio);
			assert_near(cell->ratio.low, ratio);
			assert_near(cell->ratio.high, ratio);
			/* The median speed is 4, two cycles make a nanosecond. */
			assert_near(cell->read_ns, 4.0 * (double)((i + 1) * (clock + 1)) / 2);
		}
	for (size_t clock = 0; clock < 2; clock++)
		assert_near(result.pair[clock][1].ratio.estimate,
			    (double)(FIELD_IMAGES + 2) / (FIELD_IMAGES + 1));
}

static void test_what_has_no_ratio(void **state)
{
	(void)state;
	memset(&result, 0, sizeof(result));
	errmsg_set(&result.cell[0][FIELD_HOST].unavailable, "it calls the system");
	errmsg_set(&result.cell[1][FIELD_IMAGES].unavailable, "it knows none");
	fill_written();
	assert_string_equal(result.cell[0][FIELD_LIBC].no_ratio.text,
			    "the host's vDSO: it calls the system");
	assert_true(result.cell[0][FIELD_LIBC].read_ns > 0);
	assert_string_equal(result.cell[0][FIELD_HOST].no_ratio.text, "it calls the system");
	assert_string_equal(result.cell[1][FIELD_LIBC].no_ratio.text, "");
	assert_string_equal(result.pair[0][1].unavailable.text, "");
	assert_string_equal(result.pair[1][1].unavailable.text, "contestant 5: it knows none");
}

/* Which ratios are remarked on, and with which reason; those with one reason go together. */
static void test_remarks(void **state)
{
	struct calibrate_cell(*const cells)[FIELD_MAX] = result.cell;

	(void)state;
	memset(&result, 0, sizeof(result));
	result.contestants = COLUMNS;
	strcpy(result.contestant[FIELD_READER].name, "our reader");
	strcpy(result.contestant[FIELD_IMAGE_HOST].name, "image:host");
	for (size_t clock = 0; clock < 2; clock++)
		for (size_t i = 0; i < COLUMNS; i++) {
			cells[clock][i].ratio.estimate =
				i == FIELD_HOST || i == FIELD_SYSTEM ? 7 : 1.029;
			cells[clock][i].code.instructions = 61;
			cells[clock][i].code.same = true;
			result.pair[clock][1].ratio.estimate = 0.971;
		}
	calibrate_remark_ratios(&two_clocks, &result);
	assert_int_equal(result.remarks.count, 0);
	cells[0][FIELD_READER].ratio.estimate = 0.96;
	cells[1][FIELD_READER].ratio.estimate = 1.04;
	for (size_t clock = 0; clock < 2; clock++)
		cells[clock][FIELD_READER].code =
			(struct code){.instructions = 57, .surpluses = 1, .surplus = {{"xor", -8}}};
	cells[1][FIELD_IMAGE_HOST].ratio.estimate = 1.031;
	assert_true(calibrate_is_remarkable(&result, 0, FIELD_READER));
	assert_true(calibrate_knows_difference(&result, 0, FIELD_READER));
	assert_false(calibrate_knows_difference(&result, 1, FIELD_IMAGE_HOST));
	calibrate_remark_ratios(&two_clocks, &result);
	assert_int_equal(result.remarks.count, 2);
	assert_string_equal(result.remarks.text[0],
			    "our reader takes 0.960 (monotonic), 1.040 (monotonic_raw) of the "
			    "host's time: it executes 57 instructions to the host's 61: -8 xor");
	assert_string_equal(
		result.remarks.text[1],
		"image:host takes 1.031 (monotonic_raw) of the host's time: both execute "
		"the same 61 instructions, so it is where they lie, or noise");
	errmsg_set(&cells[0][FIELD_HOST].code.unavailable, "nobody may look");
	assert_false(calibrate_knows_difference(&result, 0, FIELD_READER));
	calibrate_remark_ratios(&two_clocks, &result);
	assert_string_equal(
		result.remarks.text[2],
		"our reader takes 0.960 (monotonic) of the host's time: their code could "
		"not be compared: nobody may look");
}

/* Every contestant is remarked on, but the system call, and the images against each other. */
static void test_remarks_on_all(void **state)
{
	struct calibrate_cell(*const cells)[FIELD_MAX] = result.cell;

	(void)state;
	memset(&result, 0, sizeof(result));
	result.contestants = COLUMNS;
	strcpy(result.contestant[FIELD_LIBC].name, "glibc");
	strcpy(result.contestant[FIELD_IMAGES + 1].name, "image:new.so");
	for (size_t clock = 0; clock < 2; clock++)
		for (size_t i = 0; i < COLUMNS; i++)
			cells[clock][i] = (struct calibrate_cell){
				.ratio.estimate = i == FIELD_SYSTEM ? 7 : 1,
				.code = {.instructions = 60 + i},
			};
	cells[1][FIELD_LIBC].ratio.estimate = 1.4;
	cells[0][FIELD_IMAGES + 1].ratio.estimate = 0.9;
	result.pair[0][1].ratio.estimate = 0.8;
	result.pair[0][1].code = (struct code){.instructions = 66, .same = true};
	result.pair[1][1].ratio.estimate = 1.2;
	result.pair[1][1].code =
		(struct code){.instructions = 66, .surpluses = 1, .surplus = {{"lfence", 1}}};
	calibrate_remark_ratios(&two_clocks, &result);
	assert_int_equal(result.remarks.count, 4);
	assert_string_equal(result.remarks.text[0],
			    "glibc takes 1.400 (monotonic_raw) of the host's time: it executes 63 "
			    "instructions to the host's 62");
	assert_string_equal(result.remarks.text[1],
			    "image:new.so takes 0.900 (monotonic) of the host's time: it executes "
			    "66 instructions to the host's 62");
	assert_string_equal(result.remarks.text[2],
			    "image:new.so takes 0.800 (monotonic) of the first image's time: both "
			    "execute the same 66 instructions, so it is where they lie, or noise");
	assert_string_equal(result.remarks.text[3],
			    "image:new.so takes 1.200 (monotonic_raw) of the first image's time: "
			    "it executes 66 instructions to the first image's 65: +1 lfence");
}

/* However many there are, none is cut: what does not fit is in the next. */
static void test_long_remarks(void **state)
{
	static const struct calibrate_config all = {
		.clocks = 7,
		.clock = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW,
			  CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE, CLOCK_BOOTTIME, CLOCK_TAI},
		.images = 2,
	};
	size_t said = 0;

	(void)state;
	memset(&result, 0, sizeof(result));
	result.contestants = COLUMNS;
	memset(result.contestant[COLUMNS - 1].name, 'n', sizeof(result.contestant[0].name) - 1);
	for (size_t clock = 0; clock < 7; clock++) {
		struct code *code = &result.pair[clock][1].code;

		for (size_t i = 0; i < COLUMNS; i++)
			result.cell[clock][i].ratio.estimate = 1;
		result.pair[clock][1].ratio.estimate = 12345.678;
		code->instructions = 2048;
		code->surpluses = CODE_SURPLUSES;
		for (size_t i = 0; i < CODE_SURPLUSES; i++) {
			code->surplus[i].more = -2048;
			strcpy(code->surplus[i].mnemonic, "vpscatterqqqqqqq");
			code->surplus[i].mnemonic[15] = '\0';
		}
	}
	calibrate_remark_ratios(&all, &result);
	assert_true(result.remarks.count > 1);
	for (int i = 0; i < result.remarks.count; i++) {
		const char *text = result.remarks.text[i];

		assert_non_null(strstr(text, " of the first image's time: it executes 2048 "));
		assert_string_equal(text + strlen(text) - 15, "vpscatterqqqqqq");
		while ((text = strstr(text, "12345.678 ("))) {
			text++;
			said++;
		}
	}
	assert_int_equal(said, 7);
}

/* That a contestant calls the system may have gone unseen. */
static void test_unknown_calls_of_the_system(void **state)
{
	struct calibrate_cell(*const cells)[FIELD_MAX] = result.cell;

	(void)state;
	memset(&result, 0, sizeof(result));
	result.contestants = COLUMNS;
	strcpy(result.contestant[FIELD_HOST].name, "host's vDSO");
	strcpy(result.contestant[FIELD_LIBC].name, "glibc");
	calibrate_remark_unknown(&two_clocks, &result);
	assert_int_equal(result.remarks.count, 0);
	/* It is not timed at all. */
	errmsg_set(&cells[0][FIELD_READER].unavailable, "it is not here");
	cells[0][FIELD_READER].system_unknown = cells[0][FIELD_READER].unavailable;
	calibrate_remark_unknown(&two_clocks, &result);
	assert_int_equal(result.remarks.count, 0);
	errmsg_set(&cells[0][FIELD_HOST].system_unknown, "nobody may look");
	errmsg_set(&cells[1][FIELD_LIBC].system_unknown, "nobody may look");
	calibrate_remark_unknown(&two_clocks, &result);
	assert_int_equal(result.remarks.count, 1);
	assert_string_equal(result.remarks.text[0],
			    "figures may be of calls of the system, for whether it is called could "
			    "not be seen of host's vDSO, glibc: nobody may look");
}

/* Who was never compared has not agreed. */
static void test_no_values(void **state)
{
	struct calibrate_cell *cells = result.cell[0];

	(void)state;
	memset(&result, 0, sizeof(result));
	for (size_t clock = 0; clock < 2; clock++)
		for (size_t i = 0; i < COLUMNS; i++)
			result.cell[clock][i].tries = 1;
	cells[FIELD_LIBC].tries = 0;
	cells[FIELD_LIBC].tries_void = 12;
	cells[FIELD_SYSTEM].tries = 0;
	cells[FIELD_SYSTEM].tries_void = 2;
	cells[FIELD_SYSTEM].tries_untold = 10;
	cells[FIELD_HOST].tries = 0;
	errmsg_set(&cells[FIELD_HOST].no_values, "it is itself");
	fill_written();
	assert_string_equal(cells[FIELD_READER].no_values.text, "");
	assert_string_equal(cells[FIELD_HOST].no_values.text, "it is itself");
	assert_string_equal(cells[FIELD_LIBC].no_values.text,
			    "the kernel's page was updated in each of 12 tries");
	assert_string_equal(cells[FIELD_SYSTEM].no_values.text,
			    "the host's vDSO told no time in 10 of 12 tries");
	assert_string_equal(result.no_values.text, "");
	for (size_t clock = 0; clock < 2; clock++)
		for (size_t i = 0; i < COLUMNS; i++)
			result.cell[clock][i].tries = 0;
	fill_written();
	assert_string_equal(result.no_values.text,
			    "none could be compared; the system call's: the host's vDSO told no "
			    "time in 10 of 12 tries");
}

static void test_sums(void **state)
{
	(void)state;
	memset(&result, 0, sizeof(result));
	result.contestants = COLUMNS;
	for (size_t clock = 0; clock < 2; clock++)
		for (size_t i = 0; i < COLUMNS; i++) {
			result.cell[clock][i].tries = 10;
			result.cell[clock][i].disagreements = i == FIELD_LIBC ? clock : 0;
		}
	assert_int_equal(calibrate_tries(&result, &two_clocks), 20 * COLUMNS);
	assert_int_equal(calibrate_disagreements(&result, &two_clocks), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ratios_of_known_work),
		cmocka_unit_test(test_order_is_random),
		cmocka_unit_test(test_long_duration),
		cmocka_unit_test(test_rounds_when_few_take_part),
		cmocka_unit_test(test_paired_ratios),
		cmocka_unit_test(test_what_has_no_ratio),
		cmocka_unit_test(test_remarks),
		cmocka_unit_test(test_remarks_on_all),
		cmocka_unit_test(test_long_remarks),
		cmocka_unit_test(test_unknown_calls_of_the_system),
		cmocka_unit_test(test_no_values),
		cmocka_unit_test(test_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
