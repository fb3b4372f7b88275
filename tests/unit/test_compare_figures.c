// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What written-down visits come to. The noise is the same in every run.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/compare_figures.h"

#define MAX_THREADS   4
#define MAX_WINDOWS   16
#define WINDOW_VISITS (2 * COMPARE_WINDOW)
#define READERS	      3

static struct reader readers[READERS];
static struct vdso_image image;
static struct compare_config config;
static struct compare_area *area;
static u32 noise_state;

/* -1 to 1. */
static double noise(void)
{
	noise_state = noise_state * 1664525u + 1013904223u;
	return (double)(noise_state >> 8) / (1 << 23) - 1;
}

static int begin(void **state)
{
	const size_t bytes = sizeof(*area) + sizeof(struct compare_visit) * MAX_THREADS *
						     MAX_WINDOWS * WINDOW_VISITS;

	(void)state;
	noise_state = 1;
	memset(readers, 0, sizeof(readers));
	config = (struct compare_config){.readers = 2,
					 .run = {.groups = 1, .group = {{.readers = 1}}}};
	for (size_t who = 0; who < READERS; who++) {
		readers[who].code.step = 1;
		config.reader[who] = &readers[who];
	}
	area = aligned_alloc(CACHE_LINE, (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
	if (!area)
		return -1;
	memset(area, 0, bytes);
	area->max_windows = MAX_WINDOWS;
	area->pages = 1;
	return 0;
}

static int end(void **state)
{
	(void)state;
	free(area);
	return 0;
}

typedef void fill_fn(struct compare_visit *visit, u32 thread, u64 when);

static struct compare_visit *slot(u32 thread, u64 window, u32 place, u32 turn)
{
	return &compare_window(area, thread, window)[2 * place + turn];
}

/* Places are visited in one order first and in another afterwards; `when` counts visits. */
static void fill_windows(u32 thread, u64 windows, fill_fn *fill)
{
	for (u64 window = 0; window < windows; window++)
		for (u32 turn = 0; turn < WINDOW_VISITS; turn++) {
			const u32 second = turn / COMPARE_WINDOW;
			const u32 place = (second ? turn * 5 + 3 : turn * 3 + 1) % COMPARE_WINDOW;
			struct compare_visit *visit = slot(thread, window, place, second);

			visit->turn = turn;
			fill(visit, thread, window * WINDOW_VISITS + turn);
		}
	area->lane[thread].windows = windows;
}

static void fill_all(u64 windows, fill_fn *fill)
{
	for (u32 thread = 0; thread < config.run.group[0].readers; thread++)
		fill_windows(thread, windows, fill);
}

static void check_effect(size_t who, struct effect *effect)
{
	struct compare_snapshot snapshot;
	struct errmsg err;

	compare_take_snapshot(&snapshot, &config, area);
	if (compare_effect(&snapshot, who, effect, &err))
		fail_msg("%s", err.text);
}

static void check_refused(void)
{
	struct compare_snapshot snapshot;
	struct effect effect;
	struct errmsg err = {.text = ""};

	compare_take_snapshot(&snapshot, &config, area);
	assert_int_equal(compare_effect(&snapshot, 1, &effect, &err), -1);
	if (!strstr(err.text, "the read cannot be told from it"))
		fail_msg("\"%s\"", err.text);
}

static double width(const struct mean_interval *interval)
{
	return interval->high - interval->low;
}

static void check_near(double value, double wanted)
{
	if (!(fabs(value - wanted) <= 1e-9 * fmax(fabs(wanted), 1)))
		fail_msg("%.12g, not %.12g", value, wanted);
}

/* The second takes 5 % and a nanosecond more, the third 10 % and two less, but for noise. */
static void fill_usual(struct compare_visit *visit, u32 thread, u64 when)
{
	(void)thread;
	(void)when;
	visit->against[1] = (struct visit){0.05 + 0.002 * noise(), 1 + 0.02 * noise()};
	visit->against[2] = (struct visit){-0.1 + 0.002 * noise(), -2 + 0.02 * noise()};
	visit->read_ns[0] = 20;
}

static void test_signs(void **state)
{
	struct effect effect;

	(void)state;
	config.readers = 3;
	fill_all(6, fill_usual);
	check_effect(1, &effect);
	assert_int_equal(effect.visits, 6 * WINDOW_VISITS);
	assert_int_equal(effect.units, 6 * COMPARE_WINDOW);
	assert_true(effect.ns.ci95.low > 0.9 && effect.ns.ci95.high < 1.1);
	assert_true(effect.percent.ci95.low > 5 && effect.percent.ci95.high < 5.3);
	check_effect(2, &effect);
	assert_true(effect.ns.ci95.low > -2.1 && effect.ns.ci95.high < -1.9);
	assert_true(effect.percent.ci95.low > -9.7 && effect.percent.ci95.high < -9.3);
}

static void test_more_readers_are_less_sure(void **state)
{
	struct effect two, three;

	(void)state;
	fill_all(4, fill_usual);
	check_effect(1, &two);
	config.readers = 3;
	check_effect(1, &three);
	check_near(three.ns.estimate, two.ns.estimate);
	/* By Student's t of 31 degrees of freedom: 2.356 to 2.040. */
	assert_true(width(&three.ns.ci95) > 1.12 * width(&two.ns.ci95));
	assert_true(width(&three.ns.ci95) < 1.2 * width(&two.ns.ci95));
	assert_true(width(&three.ns.ci99) > 1.05 * width(&two.ns.ci99));
	assert_true(width(&three.percent.ci95) > 1.12 * width(&two.percent.ci95));
	/* The same with work. */
	config.run.group[0].work.kind = WORK_ALU;
	check_effect(1, &three);
	config.readers = 2;
	check_effect(1, &two);
	assert_true(width(&three.ns.ci95) > 1.12 * width(&two.ns.ci95));
	assert_true(width(&three.percent.ci95) > 1.12 * width(&two.percent.ci95));
}

/* Each window begins slower than it ends: both visits of each place together say nothing. */
static void fill_drift(struct compare_visit *visit, u32 thread, u64 when)
{
	const double sign = when % WINDOW_VISITS < COMPARE_WINDOW ? 1 : -1;

	(void)thread;
	visit->against[1] = (struct visit){0.01 * sign, 0.2 * sign};
	visit->read_ns[0] = 20;
}

static void test_placed_is_not_in_time(void **state)
{
	struct effect effect;

	(void)state;
	fill_all(12, fill_drift);
	check_effect(1, &effect);
	assert_false(effect.placement_still);
	assert_int_equal(effect.placements, 12 * COMPARE_WINDOW);
	check_near(effect.placement_sd_percent, 0);
	/* Two visits of a place are 2 % apart. */
	assert_true(effect.visit_sd_percent > 1.3);
}

static void test_still_is_in_time(void **state)
{
	struct effect effect;

	(void)state;
	config.placement_still = true;
	fill_all(12, fill_drift);
	check_effect(1, &effect);
	assert_true(effect.placement_still);
	assert_true(isnan(effect.placement_sd_percent));
	assert_int_equal(effect.visits, 12 * WINDOW_VISITS);
	/* Only every eighth differs from the one before. */
	assert_true(effect.visit_sd_percent < 0.6);
	/* Neighbours hang together, so they are no units of their own. */
	assert_true(effect.units < 12 * WINDOW_VISITS / 2);
}

/* Still are two that do not move; one that does is enough for placements. */
static void test_one_that_moves(void **state)
{
	struct effect effect;

	(void)state;
	fill_all(4, fill_drift);
	readers[0].image = &image;
	check_effect(1, &effect);
	assert_false(effect.placement_still);
	readers[0].image = NULL;
	readers[1].image = &image;
	check_effect(1, &effect);
	assert_false(effect.placement_still);
	readers[0].image = &image;
	check_effect(1, &effect);
	assert_true(effect.placement_still);
}

/* All threads see the same, and each has a level of its own. */
static void fill_together(struct compare_visit *visit, u32 thread, u64 when)
{
	const double common = (double)(when * 7919 % 101) / 101 - 0.5;

	visit->against[1] = (struct visit){0.01 * common, thread + common};
}

static void test_still_threads_make_one_value(void **state)
{
	struct effect one, four;

	(void)state;
	config.placement_still = true;
	fill_all(6, fill_together);
	check_effect(1, &one);
	config.run.group[0].readers = 4;
	fill_all(6, fill_together);
	check_effect(1, &four);
	assert_int_equal(four.visits, 6 * WINDOW_VISITS);
	assert_int_equal(four.units, one.units);
	check_near(four.ns.estimate, one.ns.estimate + 1.5);
	check_near(width(&four.ns.ci95), width(&one.ns.ci95));
	/* Only moments that all of them have. */
	area->lane[2].windows = 5;
	check_effect(1, &four);
	assert_int_equal(four.visits, 5 * WINDOW_VISITS);
	area->lane[0].windows = area->lane[1].windows = area->lane[3].windows = 5;
	check_effect(1, &one);
	assert_memory_equal(&four.ns, &one.ns, sizeof(one.ns));
}

/* Where placements vary each thread's are units of their own. */
static void test_placed_threads(void **state)
{
	struct effect effect;

	(void)state;
	config.run.group[0].readers = 4;
	fill_all(3, fill_usual);
	fill_windows(2, 5, fill_usual);
	check_effect(1, &effect);
	assert_int_equal(effect.placements, (3 + 3 + 5 + 3) * COMPARE_WINDOW);
}

static void fill_nothing(struct compare_visit *visit, u32 thread, u64 when)
{
	(void)thread;
	(void)when;
	visit->against[1] = (struct visit){NAN, NAN};
	visit->read_ns[0] = visit->read_ns[1] = visit->work_ns = NAN;
}

/* Fills what comes after what there was, and says that it is there. */
static void grow(u32 thread, u64 windows)
{
	for (u64 window = area->lane[thread].windows; window < windows; window++)
		for (u32 i = 0; i < WINDOW_VISITS; i++)
			fill_nothing(&compare_window(area, thread, window)[i], thread, i);
	area->lane[thread].windows = windows;
}

static void check_snapshot(bool still, enum work_kind work)
{
	struct compare_snapshot snapshot;
	struct effect before, after;
	struct errmsg err;

	config.placement_still = still;
	config.run.group[0].work.kind = work;
	config.run.group[0].readers = 3;
	for (u32 thread = 0; thread < 3; thread++)
		fill_windows(thread, 3 + thread, fill_usual);
	compare_take_snapshot(&snapshot, &config, area);
	assert_int_equal(snapshot.all, 3 + 4 + 5);
	assert_int_equal(compare_effect(&snapshot, 1, &before, &err), 0);
	for (u32 thread = 0; thread < 3; thread++)
		grow(thread, 9 - thread);
	if (compare_effect(&snapshot, 1, &after, &err))
		fail_msg("%s", err.text);
	assert_int_equal(after.visits, before.visits);
	assert_memory_equal(&after.ns, &before.ns, sizeof(after.ns));
	assert_memory_equal(&after.percent, &before.percent, sizeof(after.percent));
	check_near(compare_read_ns(&snapshot, 0), 20);
	check_near(compare_work_ns(&snapshot), 0);
}

static void test_lanes_grow(void **state)
{
	(void)state;
	check_snapshot(false, WORK_NONE);
	check_snapshot(false, WORK_ALU);
	check_snapshot(true, WORK_NONE);
	check_snapshot(true, WORK_ALU);
}

static double spread;	/* of the baseline's read, a share of it, from begin to end */
static double more_ns;	/* the other takes */
static double level_ns; /* the baseline takes */

static void fill_work(struct compare_visit *visit, u32 thread, u64 when)
{
	(void)thread;
	visit->against[1] = (struct visit){NAN, more_ns + 0.05 * noise()};
	visit->read_ns[0] = level_ns * (1 + spread * ((double)when / (8 * WINDOW_VISITS) - 0.5));
	visit->read_ns[1] = visit->read_ns[0] + more_ns;
	visit->work_ns = 300;
}

static void fill_with_work(double level, double more, double share)
{
	config.run.group[0].work.kind = WORK_ALU;
	level_ns = level;
	more_ns = more;
	spread = share;
	fill_all(8, fill_work);
}

static void check_same_percents(const struct effect *effect, double baseline)
{
	check_near(effect->percent.estimate, 100 * effect->ns.estimate / baseline);
	check_near(effect->percent.ci95.low, 100 * effect->ns.ci95.low / baseline);
	check_near(effect->percent.ci95.high, 100 * effect->ns.ci95.high / baseline);
	check_near(effect->percent.ci99.low, 100 * effect->ns.ci99.low / baseline);
	check_near(effect->percent.ci99.high, 100 * effect->ns.ci99.high / baseline);
}

/* Of a read without the work. */
static void test_work_percents(void **state)
{
	static const double more[] = {2, -2, 0};
	struct effect effect;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(more); i++) {
		fill_with_work(25, more[i], 0);
		check_effect(1, &effect);
		assert_true(fabs(effect.ns.estimate - more[i]) < 0.05);
		assert_true(width(&effect.ns.ci95) > 0);
		check_same_percents(&effect, 25);
	}
}

/* What the baseline takes is not known exactly: that makes each percentage less sure. */
static void test_work_unsure_percents(void **state)
{
	struct compare_snapshot snapshot;
	struct effect effect;
	double baseline;

	(void)state;
	for (int sign = -1; sign <= 1; sign += 2) {
		const struct mean_interval *percent = &effect.percent.ci95;
		struct mean_interval certain;

		fill_with_work(25, 2 * sign, 0.4);
		check_effect(1, &effect);
		compare_take_snapshot(&snapshot, &config, area);
		baseline = compare_read_ns(&snapshot, 0);
		check_near(effect.percent.estimate, 100 * effect.ns.estimate / baseline);
		certain.low = 100 * effect.ns.ci95.low / baseline;
		certain.high = 100 * effect.ns.ci95.high / baseline;
		assert_true(percent->low < certain.low - 0.05 * fabs(certain.low));
		assert_true(percent->high > certain.high + 0.05 * fabs(certain.high));
		assert_true(effect.percent.ci99.low < percent->low);
		assert_true(effect.percent.ci99.high > percent->high);
		/* It stays on its side of zero. */
		assert_true(effect.percent.ci99.low * sign > 0);
		assert_true(effect.percent.ci99.high * sign > 0);
	}
}

static void test_work_refused(void **state)
{
	struct effect effect;

	(void)state;
	fill_with_work(25, 2, 0.4);
	check_effect(1, &effect);
	fill_with_work(25, 2, 0.8);
	check_refused();
	fill_with_work(0, 2, 0);
	check_refused();
	fill_with_work(-3, 2, 0);
	check_refused();
	/* Nobody asks that of reads without work. */
	config.run.group[0].work.kind = WORK_NONE;
	fill_all(8, fill_usual);
	check_effect(1, &effect);
}

static void check_wider(const struct effect_figure *wide, const struct effect_figure *narrow,
			double times)
{
	check_near(wide->estimate, narrow->estimate);
	check_near(wide->ci95.low - wide->estimate, times * (narrow->ci95.low - narrow->estimate));
	check_near(wide->ci95.high - wide->estimate,
		   times * (narrow->ci95.high - narrow->estimate));
	check_near(wide->ci99.low - wide->estimate, times * (narrow->ci99.low - narrow->estimate));
	check_near(wide->ci99.high - wide->estimate,
		   times * (narrow->ci99.high - narrow->estimate));
}

/* 64 placements on 4 pages. */
static void test_pages(void **state)
{
	static const struct {
		enum work_kind work;
		u32 pages;
		bool wider;
	} cases[] = {
		{WORK_COLD, 4, true},  {WORK_CACHE, 4, true}, {WORK_ALU, 4, false},
		{WORK_COLD, 1, false}, {WORK_COLD, 0, false},
	};
	struct effect one, other;

	(void)state;
	fill_with_work(25, 2, 0.2);
	check_effect(1, &one);
	assert_int_equal(one.units, 64);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const double times = cases[i].wider ? sqrt(1 + 64.0 / 4) : 1;

		config.run.group[0].work.kind = cases[i].work;
		area->pages = cases[i].pages;
		check_effect(1, &other);
		check_wider(&other.ns, &one.ns, times);
		check_wider(&other.percent, &one.percent, times);
	}
}

static void test_what_moves(void **state)
{
	(void)state;
	assert_true(compare_moves(&config, 0));
	assert_true(compare_moves(&config, 1));
	readers[1].image = &image;
	assert_true(compare_moves(&config, 0));
	assert_false(compare_moves(&config, 1));
	readers[0].code.step = CACHE_LINE / 2;
	assert_true(compare_moves(&config, 0));
	readers[0].code.step = CACHE_LINE;
	assert_false(compare_moves(&config, 0));
	readers[0].code.step = 1;
	config.placement_still = true;
	assert_false(compare_moves(&config, 0));
}

/* Each of a hundred and more has a figure of its own. */
static void fill_ramp(struct compare_visit *visit, u32 thread, u64 when)
{
	(void)thread;
	visit->read_ns[0] = 10 + (double)when;
	visit->read_ns[1] = 1000 + 3 * (double)when;
	visit->work_ns = 100 * (double)when;
}

static void test_medians(void **state)
{
	struct compare_snapshot snapshot;
	struct effect effect;
	struct errmsg err;

	(void)state;
	compare_take_snapshot(&snapshot, &config, area);
	check_near(compare_read_ns(&snapshot, 0), 0);
	check_near(compare_work_ns(&snapshot), 0);
	assert_int_equal(compare_effect(&snapshot, 1, &effect, &err), -1);
	fill_all(8, fill_ramp);
	compare_take_snapshot(&snapshot, &config, area);
	check_near(compare_read_ns(&snapshot, 0), 10 + 63.5);
	check_near(compare_read_ns(&snapshot, 1), 1000 + 3 * 63.5);
	check_near(compare_work_ns(&snapshot), 6350);
}

/* Each placement once, by both of its visits; 1.5 and 2.5 % in turns. */
static void fill_known(struct compare_visit *visit, u32 thread, u64 when)
{
	const u64 place = (u64)((visit - area->visits) / 2);

	(void)thread;
	(void)when;
	visit->against[1] = (struct visit){log1p(place % 2 ? 0.025 : 0.015), 0.4};
	visit->read_ns[0] = 20;
}

static size_t effects_at_placements(double *percent, size_t most)
{
	struct compare_snapshot snapshot;

	compare_take_snapshot(&snapshot, &config, area);
	return compare_placement_effects(&snapshot, 1, percent, most);
}

static void test_effects_at_placements(void **state)
{
	double percent[MAX_WINDOWS * COMPARE_WINDOW], sum = 0;
	struct effect effect;
	size_t count;

	(void)state;
	fill_all(4, fill_known);
	count = effects_at_placements(percent, MAX_WINDOWS * COMPARE_WINDOW);
	assert_int_equal(count, 4 * COMPARE_WINDOW);
	for (size_t i = 0; i < count; i++) {
		check_near(percent[i], i % 2 ? 2.5 : 1.5);
		sum += log1p(percent[i] / 100);
	}
	check_effect(1, &effect);
	check_near(effect.percent.estimate, 100 * expm1(sum / (double)count));
}

/* Of more than there is room for, from the beginning to the end. */
static void test_effects_at_some_placements(void **state)
{
	double percent[8];

	(void)state;
	fill_all(4, fill_usual);
	for (u32 place = 0; place < COMPARE_WINDOW; place++)
		for (u32 turn = 0; turn < 2; turn++)
			slot(0, 3, place, turn)->against[1].log_ratio = log1p(0.5);
	assert_int_equal(effects_at_placements(percent, 8), 8);
	for (size_t i = 0; i < 6; i++)
		assert_true(percent[i] < 10);
	check_near(percent[6], 50);
	check_near(percent[7], 50);
}

static void test_no_placements_of_what_is_still(void **state)
{
	double percent[8];

	(void)state;
	fill_all(4, fill_usual);
	config.placement_still = true;
	assert_int_equal(effects_at_placements(percent, 8), 0);
}

/* With work, of what the read takes without it. */
static void test_effects_at_placements_with_work(void **state)
{
	double percent[8];

	(void)state;
	config.run.group[0].work.kind = WORK_ALU;
	fill_all(4, fill_known);
	assert_int_equal(effects_at_placements(percent, 8), 8);
	for (size_t i = 0; i < 8; i++)
		check_near(percent[i], 2);
}

#define FIGURES_TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIGURES_TEST(test_signs),
		FIGURES_TEST(test_more_readers_are_less_sure),
		FIGURES_TEST(test_placed_is_not_in_time),
		FIGURES_TEST(test_still_is_in_time),
		FIGURES_TEST(test_one_that_moves),
		FIGURES_TEST(test_still_threads_make_one_value),
		FIGURES_TEST(test_placed_threads),
		FIGURES_TEST(test_lanes_grow),
		FIGURES_TEST(test_work_percents),
		FIGURES_TEST(test_work_unsure_percents),
		FIGURES_TEST(test_work_refused),
		FIGURES_TEST(test_pages),
		FIGURES_TEST(test_what_moves),
		FIGURES_TEST(test_medians),
		FIGURES_TEST(test_effects_at_placements),
		FIGURES_TEST(test_effects_at_some_placements),
		FIGURES_TEST(test_no_placements_of_what_is_still),
		FIGURES_TEST(test_effects_at_placements_with_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
