// SPDX-License-Identifier: GPL-2.0-or-later
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

#include "measure/effect.h"
#include "measure/resemblance.h"

#define MAX_BATCHES    RESEMBLANCE_MAX
#define STILL_BATCHES  (MAX_BATCHES / 2)
#define MIN_BATCHES    5
#define MIN_PLACEMENTS 64 /* to stop at */
#define MIN_VISITS     96

/* In standard deviations of normal noise, by the median: visits of a placement that differ more. */
#define DISTURBED	   5
#define MEDIAN_TO_STANDARD 1.4826

static double percent_of(double log_ratio)
{
	return 100 * expm1(log_ratio);
}

static struct mean_interval percents_of(struct mean_interval log_ratios)
{
	return (struct mean_interval){percent_of(log_ratios.low), percent_of(log_ratios.high)};
}

static int check(const struct effect_visits *visits, size_t comparisons, struct errmsg *err)
{
	if (!visits->visits || !comparisons)
		return errmsg_set(err, "there is nothing to compare: %zu visits, %zu comparisons",
				  visits->visits, comparisons);
	if (!visits->placement_still && visits->visits % 2)
		return errmsg_set(err, "%zu visits are not two of each placement", visits->visits);
	for (size_t i = 0; i < visits->visits; i++)
		if (!isfinite(visits->log_ratio[i]) || !isfinite(visits->ns[i]))
			return errmsg_set(err, "visit %zu came to a log ratio of %g and %g ns", i,
					  visits->log_ratio[i], visits->ns[i]);
	return 0;
}

/* Cuts placements, held still visits, into so many units as evenly as can be. */
static void take_means(const struct effect_visits *visits, const double *values, double *means,
		       size_t units)
{
	const size_t each = visits->placement_still ? 1 : 2, n = visits->visits / each;

	for (size_t i = 0; i < units; i++) {
		size_t from = n * i / units, to = n * (i + 1) / units;

		means[i] = mean_of(values + each * from, each * (to - from));
	}
}

/*
 * How many batches to begin with. Of uneven ones the interval's width jumps from one look at it to
 * the next, and who stops at the first narrow one stops too early; few looks mind it less.
 */
static size_t most_batches(const struct effect_visits *visits)
{
	const size_t placements = visits->visits / 2;

	if (visits->placement_still)
		return visits->visits < STILL_BATCHES ? visits->visits : STILL_BATCHES;
	return placements / ((placements + MAX_BATCHES - 1) / MAX_BATCHES);
}

/* Returns how many units there are: so few that neighbours do not hang together. */
static size_t count_units(const struct effect_visits *visits, double *means)
{
	size_t batches = most_batches(visits);

	for (; batches / 2 >= MIN_BATCHES; batches /= 2) {
		take_means(visits, visits->log_ratio, means, batches);
		if (!neighbours_resemble(means, batches))
			break;
	}
	return batches;
}

static struct effect_figure figure_of(const double *means, size_t units, size_t comparisons)
{
	struct effect_figure figure = {.estimate = mean_of(means, units)};

	if (units >= MEAN_INTERVAL_MIN_VALUES) {
		figure.ci95 = mean_interval_of(means, units, 0.05 / (double)comparisons);
		figure.ci99 = mean_interval_of(means, units, 0.01 / (double)comparisons);
	}
	return figure;
}

/* Variance of n values that differ from their neighbours, `step` after another, by noise alone. */
static double noise_variance(const double *values, size_t n, size_t step)
{
	double squares = 0;
	size_t pairs = 0;

	for (size_t i = 0; i + 1 < n; i += step, pairs++)
		squares += (values[i + 1] - values[i]) * (values[i + 1] - values[i]);
	return squares / 2 / (double)pairs;
}

static double variance_of(const double *values, size_t n)
{
	double mean = mean_of(values, n), squares = 0;

	for (size_t i = 0; i < n; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	return squares / (double)(n - 1);
}

static void split_noise(const struct effect_visits *visits, double *scratch, struct effect *effect)
{
	size_t step = visits->placement_still ? 1 : 2;
	double noise;

	effect->placement_sd_percent = effect->visit_sd_percent = NAN;
	if (visits->visits < 2)
		return;
	noise = noise_variance(visits->log_ratio, visits->visits, step);
	effect->visit_sd_percent = percent_of(sqrt(noise));
	if (effect->placements < 2)
		return;
	take_means(visits, visits->log_ratio, scratch, effect->placements);
	effect->placement_sd_percent =
		percent_of(sqrt(fmax(variance_of(scratch, effect->placements) - noise / 2, 0)));
}

static bool all_finite(const struct effect_figure *figure)
{
	return isfinite(figure->estimate) && isfinite(figure->ci95.high - figure->ci95.low) &&
	       isfinite(figure->ci99.high - figure->ci99.low);
}

/* How far apart two visits of a placement may be. */
static double disturbed_limit(const struct effect_visits *visits, double *scratch)
{
	const size_t placements = visits->visits / 2;

	for (size_t i = 0; i < placements; i++)
		scratch[i] = fabs(visits->log_ratio[2 * i] - visits->log_ratio[2 * i + 1]);
	gsl_sort(scratch, 1, placements);
	return DISTURBED * MEDIAN_TO_STANDARD * scratch[placements / 2];
}

/* Fills `kept` with the placements whose visits agree; how many do not. */
static size_t leave_out_disturbed(const struct effect_visits *visits, struct effect_visits *kept,
				  double *room, double *scratch)
{
	double *log_ratio = room, *ns = room + visits->visits;
	double limit = disturbed_limit(visits, scratch);
	size_t count = 0;

	for (size_t i = 0; i < visits->visits; i += 2) {
		/* Of noise that most placements do not show, nothing can be said. */
		if (limit > 0 && fabs(visits->log_ratio[i] - visits->log_ratio[i + 1]) > limit)
			continue;
		for (size_t j = i; j < i + 2; j++, count++) {
			log_ratio[count] = visits->log_ratio[j];
			ns[count] = visits->ns[j];
		}
	}
	*kept = (struct effect_visits){.log_ratio = log_ratio, .ns = ns, .visits = count};
	return (visits->visits - count) / 2;
}

static int measure_kept(const struct effect_visits *visits, size_t comparisons, double *scratch,
			struct effect *effect, struct errmsg *err)
{
	struct effect_figure log_ratio;

	effect->placements = visits->placement_still ? 0 : visits->visits / 2;
	effect->units = count_units(visits, scratch);
	effect->known = effect->units >= MEAN_INTERVAL_MIN_VALUES;
	take_means(visits, visits->ns, scratch, effect->units);
	effect->ns = figure_of(scratch, effect->units, comparisons);
	take_means(visits, visits->log_ratio, scratch, effect->units);
	log_ratio = figure_of(scratch, effect->units, comparisons);
	effect->percent = (struct effect_figure){
		.estimate = percent_of(log_ratio.estimate),
		.ci95 = percents_of(log_ratio.ci95),
		.ci99 = percents_of(log_ratio.ci99),
	};
	split_noise(visits, scratch, effect);
	if (!all_finite(&effect->ns) || !all_finite(&effect->percent))
		return errmsg_set(err, "the times of %zu visits are out of all proportion",
				  visits->visits);
	return 0;
}

int effect_measure(const struct effect_visits *visits, size_t comparisons, double *scratch,
		   struct effect *effect, struct errmsg *err)
{
	struct effect_visits kept;
	double *room;
	int failed;

	if (check(visits, comparisons, err))
		return -1;
	*effect = (struct effect){.visits = visits->visits,
				  .placement_still = visits->placement_still};
	if (visits->placement_still)
		return measure_kept(visits, comparisons, scratch, effect, err);
	room = calloc(2 * visits->visits, sizeof(*room));
	if (!room)
		return errmsg_set(err, "no memory for %zu visits", visits->visits);
	effect->disturbed = leave_out_disturbed(visits, &kept, room, scratch);
	failed = measure_kept(&kept, comparisons, scratch, effect, err);
	free(room);
	return failed;
}

double effect_half_width_percent(const struct effect *effect)
{
	const struct effect_figure *percent = &effect->percent;

	if (!effect->known)
		return NAN;
	return fmax(percent->ci95.high - percent->estimate, percent->estimate - percent->ci95.low);
}

/* As wide as an interval may be without being unclear, but no narrower than it must be. */
static double enough_percent(const struct effect *effect, double resolution)
{
	double seems = fabs(effect->percent.estimate);

	return seems < resolution ? fmax(seems, resolution - seems) : resolution;
}

struct effect_conclusion effect_conclude(const struct effect *effect, double resolution_percent,
					 double elapsed_s)
{
	const struct mean_interval *ci95 = &effect->percent.ci95;
	struct effect_conclusion conclusion = {
		.verdict = EFFECT_UNCLEAR, .no_larger_percent = NAN, .needed_s = NAN};
	double larger_end = fmax(-ci95->low, ci95->high), times;

	if (!effect->known)
		return conclusion;
	if (ci95->low > 0) {
		conclusion.verdict = EFFECT_SLOWER;
	} else if (ci95->high < 0) {
		conclusion.verdict = EFFECT_FASTER;
	} else if (larger_end <= resolution_percent) {
		conclusion.verdict = EFFECT_SAME;
		conclusion.no_larger_percent = larger_end;
	} else if (resolution_percent > 0) {
		times = effect_half_width_percent(effect) /
			enough_percent(effect, resolution_percent);
		conclusion.needed_s = elapsed_s * times * times;
	}
	return conclusion;
}

size_t effect_next_look(size_t now, bool placement_still)
{
	size_t next = placement_still ? now + now / 4 : now;
	size_t least = placement_still ? MIN_VISITS : MIN_PLACEMENTS;

	return next < least ? least : next + 1;
}

bool effect_all_precise(const struct effect *effects, size_t n, double percent)
{
	for (size_t i = 0; i < n; i++) {
		const struct effect *effect = &effects[i];
		size_t done = effect->placement_still ? effect->visits : effect->placements;
		size_t least = effect->placement_still ? MIN_VISITS : MIN_PLACEMENTS;

		if (done < least || !(effect_half_width_percent(effect) <= percent))
			return false;
	}
	return true;
}
