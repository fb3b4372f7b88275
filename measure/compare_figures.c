// SPDX-License-Identifier: GPL-2.0-or-later
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "measure/compare_figures.h"
#include "measure/interval.h"

#define WINDOW_VISITS (2 * COMPARE_WINDOW)
/* Of a read without work: where its own interval is wider, percents of it mean nothing. */
#define MOST_UNSURE 0.25

typedef double figure_fn(const struct compare_visit *visit, size_t who);

void compare_take_snapshot(struct compare_snapshot *snapshot, const struct compare_config *config,
			   const struct compare_area *area)
{
	*snapshot = (struct compare_snapshot){.config = config, .area = area};
	for (u32 i = 0; i < config->run.group[0].readers; i++) {
		snapshot->windows[i] = smp_load_acquire(&area->lane[i].windows);
		snapshot->all += snapshot->windows[i];
	}
}

bool compare_moves(const struct compare_config *config, size_t who)
{
	const struct reader *reader = config->reader[who];

	return !config->placement_still && !reader_no_code(reader) &&
	       reader->code.step < CACHE_LINE;
}

static double log_ratio_of(const struct compare_visit *visit, size_t who)
{
	return visit->against[who].log_ratio;
}

static double ns_of(const struct compare_visit *visit, size_t who)
{
	return visit->against[who].ns;
}

static double read_ns_of(const struct compare_visit *visit, size_t who)
{
	return visit->read_ns[who];
}

static double work_ns_of(const struct compare_visit *visit, size_t who)
{
	(void)who;
	return visit->work_ns;
}

/* Placement by placement; what was visited at the same time by several threads stands together. */
static size_t collect_placed(const struct compare_snapshot *snapshot, size_t who, figure_fn *figure,
			     double *values)
{
	const u32 threads = snapshot->config->run.group[0].readers;
	size_t count = 0;

	for (u64 window = 0; window < snapshot->area->max_windows; window++)
		for (u32 i = 0; i < threads; i++) {
			const struct compare_visit *visits =
				compare_window(snapshot->area, i, window);

			if (window >= snapshot->windows[i])
				continue;
			for (size_t j = 0; j < WINDOW_VISITS; j++)
				values[count++] = figure(&visits[j], who);
		}
	return count;
}

/*
 * In the order of time. What hits one thread may hit all of them: they make one value, as long as
 * all of them have one.
 */
static size_t collect_still(const struct compare_snapshot *snapshot, size_t who, figure_fn *figure,
			    double *values)
{
	const u32 threads = snapshot->config->run.group[0].readers;
	u64 windows = snapshot->windows[0];

	for (u32 i = 1; i < threads; i++)
		windows = snapshot->windows[i] < windows ? snapshot->windows[i] : windows;
	for (size_t i = 0; i < windows * WINDOW_VISITS; i++)
		values[i] = 0;
	for (u64 window = 0; window < windows; window++)
		for (u32 i = 0; i < threads; i++) {
			const struct compare_visit *visits =
				compare_window(snapshot->area, i, window);

			for (size_t j = 0; j < WINDOW_VISITS; j++)
				values[window * WINDOW_VISITS + visits[j].turn] +=
					figure(&visits[j], who) / threads;
		}
	return (size_t)windows * WINDOW_VISITS;
}

/* Room for a figure of every visit, so many times. */
static double *make_room(const struct compare_snapshot *snapshot, size_t times, struct errmsg *err)
{
	const size_t visits = (size_t)snapshot->all * WINDOW_VISITS;
	double *room = calloc(times * (visits + 1), sizeof(*room));

	if (!room)
		errmsg_set(err, "no memory for %zu visits", visits);
	return room;
}

static double median_of(const struct compare_snapshot *snapshot, size_t who, figure_fn *figure)
{
	struct errmsg err;
	double *values = make_room(snapshot, 1, &err);
	double median = 0;
	size_t count;

	if (!values)
		return 0;
	count = collect_placed(snapshot, who, figure, values);
	if (count) {
		gsl_sort(values, 1, count);
		median = gsl_stats_median_from_sorted_data(values, 1, count);
	}
	free(values);
	return median;
}

double compare_read_ns(const struct compare_snapshot *snapshot, size_t who)
{
	return median_of(snapshot, who, read_ns_of);
}

double compare_work_ns(const struct compare_snapshot *snapshot)
{
	return median_of(snapshot, 0, work_ns_of);
}

/* What the baseline's read takes without the work. */
static int find_baseline(const struct compare_snapshot *snapshot, struct interval *baseline,
			 struct errmsg *err)
{
	double *values = make_room(snapshot, 2, err);
	size_t count;

	if (!values)
		return -1;
	count = collect_placed(snapshot, 0, read_ns_of, values);
	if (count)
		*baseline = interval_of_median(values, count, values + count);
	free(values);
	if (count && baseline->known && baseline->low > 0 &&
	    baseline->high - baseline->low <= 2 * MOST_UNSURE * baseline->estimate)
		return 0;
	return errmsg_set(err,
			  "what the work takes, %.0f ns, varies by more than a read does, so the "
			  "read cannot be told from it",
			  compare_work_ns(snapshot));
}

/* The end of an interval of ns, as a percentage of whatever makes the interval wider. */
static double percent_end(double ns, bool is_high, const struct interval *baseline)
{
	return 100 * ns / ((ns > 0) == is_high ? baseline->low : baseline->high);
}

static void percents_of(const struct effect_figure *ns, const struct interval *baseline,
			struct effect_figure *percent)
{
	percent->estimate = 100 * ns->estimate / baseline->estimate;
	percent->ci95.low = percent_end(ns->ci95.low, false, baseline);
	percent->ci95.high = percent_end(ns->ci95.high, true, baseline);
	percent->ci99.low = percent_end(ns->ci99.low, false, baseline);
	percent->ci99.high = percent_end(ns->ci99.high, true, baseline);
}

static void widen(struct mean_interval *interval, double estimate, double times)
{
	interval->low = estimate - times * (estimate - interval->low);
	interval->high = estimate + times * (interval->high - estimate);
}

/*
 * Pages are drawn from those that there are, again and again, so that what they differ by is known
 * less well than as many placements would tell. It matters where reads miss the caches.
 */
static void allow_for_pages(const struct compare_snapshot *snapshot, struct effect *effect)
{
	const enum work_kind work = snapshot->config->run.group[0].work.kind;
	const double pages = snapshot->area->pages;
	const double times = sqrt(1 + (double)effect->units / fmax(pages, 1));

	if (pages <= 1 || (work != WORK_COLD && work != WORK_CACHE))
		return;
	widen(&effect->ns.ci95, effect->ns.estimate, times);
	widen(&effect->ns.ci99, effect->ns.estimate, times);
	widen(&effect->percent.ci95, effect->percent.estimate, times);
	widen(&effect->percent.ci99, effect->percent.estimate, times);
}

/* Small ratios stand for the logarithms that a difference has not: they are as good to see noise.
 */
static int effect_with_work(const struct compare_snapshot *snapshot, struct effect_visits *visits,
			    double *log_ratio, double *scratch, struct effect *effect,
			    struct errmsg *err)
{
	struct interval baseline = {.known = false};

	if (find_baseline(snapshot, &baseline, err))
		return -1;
	for (size_t i = 0; i < visits->visits; i++)
		log_ratio[i] = visits->ns[i] / baseline.estimate;
	if (effect_measure(visits, snapshot->config->readers - 1, scratch, effect, err))
		return -1;
	percents_of(&effect->ns, &baseline, &effect->percent);
	allow_for_pages(snapshot, effect);
	return 0;
}

/* `room` is for three figures of every visit. */
static int effect_in(const struct compare_snapshot *snapshot, size_t who, double *room,
		     struct effect *effect, struct errmsg *err)
{
	const bool still =
		!compare_moves(snapshot->config, who) && !compare_moves(snapshot->config, 0);
	size_t (*const collect)(const struct compare_snapshot *, size_t, figure_fn *, double *) =
		still ? collect_still : collect_placed;
	const size_t count = collect(snapshot, who, log_ratio_of, room);
	double *ns = room + count, *scratch = ns + count;
	struct effect_visits visits = {room, ns, count, still};

	collect(snapshot, who, ns_of, ns);
	if (snapshot->config->run.group[0].work.kind != WORK_NONE)
		return effect_with_work(snapshot, &visits, room, scratch, effect, err);
	return effect_measure(&visits, snapshot->config->readers - 1, scratch, effect, err);
}

int compare_effect(const struct compare_snapshot *snapshot, size_t who, struct effect *effect,
		   struct errmsg *err)
{
	double *room = make_room(snapshot, 3, err);
	int failed;

	if (!room)
		return -1;
	failed = effect_in(snapshot, who, room, effect, err);
	free(room);
	return failed;
}

/* Of one placement, by its two visits. */
static double placement_percent(const double *visits, const struct interval *baseline)
{
	const double mean = (visits[0] + visits[1]) / 2;

	return baseline ? 100 * mean / baseline->estimate : 100 * expm1(mean);
}

size_t compare_placement_effects(const struct compare_snapshot *snapshot, size_t who,
				 double *percent, size_t most)
{
	const bool work = snapshot->config->run.group[0].work.kind != WORK_NONE;
	struct interval baseline = {.known = false};
	struct errmsg err;
	double *visits;
	size_t placements, kept;

	if ((!compare_moves(snapshot->config, who) && !compare_moves(snapshot->config, 0)) ||
	    (work && find_baseline(snapshot, &baseline, &err)) ||
	    !(visits = make_room(snapshot, 1, &err)))
		return 0;
	placements = collect_placed(snapshot, who, work ? ns_of : log_ratio_of, visits) / 2;
	kept = placements < most ? placements : most;
	for (size_t i = 0; i < kept; i++)
		percent[i] = placement_percent(visits + 2 * (i * placements / kept),
					       work ? &baseline : NULL);
	free(visits);
	return kept;
}
