// SPDX-License-Identifier: GPL-2.0-or-later
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_sort_double.h>
#include <math.h>

#include "measure/law.h"
#include "measure/poisson.h"

/* Neither the weights nor the points that take part go on changing for longer. */
#define MOST_TURNS 50
#define SETTLED	   1e-9

/* Of the standard normal distribution, 2.5 % lie beyond. */
#define Z 1.959964

enum kind {
	CHANGED,
	WAITED,
};

/* The points that take part, as GSL takes them; changed while the fit goes on. */
struct fit {
	const struct law_point *points;
	size_t n;
	size_t place[LAW_MAX_POINTS]; /* among points, of those that take part */
	size_t count;
	double rate[LAW_MAX_POINTS];
	double share[LAW_MAX_POINTS];
	double weight[LAW_MAX_POINTS];
};

static u64 events(const struct law_point *point, enum kind kind)
{
	return kind == CHANGED ? point->changed : point->waited;
}

static bool is_usable(const struct law_point *point)
{
	return point->reads && point->rate_hz > 0;
}

/* Updates that fall into a nanosecond of each of its reads: what a constant is multiplied with. */
static double exposure(const struct law_point *point)
{
	return point->rate_hz * (double)point->reads / NSEC_PER_SEC;
}

static double total_ns(const struct law_point *point)
{
	return (double)(point->changed + point->waited) / exposure(point);
}

/* How well the point knows its constants: 1 / their relative variance. */
static double knowledge(const struct law_point *point)
{
	const double count = (double)(point->changed + point->waited);

	return count / (1 + LAW_SCATTER * LAW_SCATTER * count);
}

/* The sum of the constants that half of what points know lies below. */
static double median_ns(const struct fit *fit)
{
	double ns[LAW_MAX_POINTS], whole = 0, below = 0;
	size_t order[LAW_MAX_POINTS];
	size_t at = 0;

	for (size_t i = 0; i < fit->n; i++) {
		const bool usable = is_usable(&fit->points[i]);

		ns[i] = usable ? total_ns(&fit->points[i]) : 0;
		whole += usable ? knowledge(&fit->points[i]) : 0;
	}
	gsl_sort_index(order, ns, 1, fit->n);
	for (; at + 1 < fit->n; at++) {
		below +=
			is_usable(&fit->points[order[at]]) ? knowledge(&fit->points[order[at]]) : 0;
		if (2 * below >= whole)
			break;
	}
	return ns[order[at]];
}

static struct poisson_limits limits_of(const struct law_point *point)
{
	const struct poisson_limits limits = poisson_limits(point->changed + point->waited);
	const double reads = (double)point->reads;

	return (struct poisson_limits){limits.low / reads, limits.high / reads};
}

/* Whether a law of so many nanoseconds in all lies within the point's interval. */
static bool holds_at(const struct law_point *point, double ns)
{
	const double share = (double)(point->changed + point->waited) / (double)point->reads;
	const double expected = point->rate_hz * ns / NSEC_PER_SEC;
	const struct poisson_limits limits = limits_of(point);
	const double scatter = Z * LAW_SCATTER * expected;

	return expected >= share - hypot(share - limits.low, scatter) &&
	       expected <= share + hypot(limits.high - share, scatter);
}

/* False if they are the same as before. */
static bool choose_points(struct fit *fit, double ns)
{
	size_t count = 0;
	bool same = true;

	for (size_t i = 0; i < fit->n; i++) {
		if (!is_usable(&fit->points[i]) || !holds_at(&fit->points[i], ns))
			continue;
		same = same && count < fit->count && fit->place[count] == i;
		fit->place[count++] = i;
	}
	same = same && count == fit->count;
	fit->count = count;
	return !same;
}

/* What the counts of all points together allow, however few they are. */
static struct poisson_limits limits_of_sum(const struct fit *fit, enum kind kind)
{
	struct poisson_limits limits;
	double exposed = 0;
	u64 sum = 0;

	for (size_t i = 0; i < fit->count; i++) {
		sum += events(&fit->points[fit->place[i]], kind);
		exposed += exposure(&fit->points[fit->place[i]]);
	}
	limits = poisson_limits(sum);
	return (struct poisson_limits){limits.low / exposed, limits.high / exposed};
}

static void weigh(struct fit *fit, enum kind kind, double ns, double all_ns)
{
	for (size_t i = 0; i < fit->count; i++) {
		const struct law_point *point = &fit->points[fit->place[i]];
		const double rate = point->rate_hz / NSEC_PER_SEC;
		const double scatter = LAW_SCATTER * all_ns * rate;

		fit->rate[i] = rate;
		fit->share[i] = (double)events(point, kind) / (double)point->reads;
		fit->weight[i] = 1 / (ns * rate / (double)point->reads + scatter * scatter);
	}
}

/*
 * Points that differ by more than their weights allow show that those are too great. The interval
 * is that of the sum, too, which the normal distribution does not fit where counts are few.
 */
static struct law_constant constant_of(const struct fit *fit, enum kind kind, double ns,
				       double variance, double squares)
{
	const double freedom = (double)fit->count - 1;
	const bool scattered = fit->count > 1 && squares > freedom;
	const double quantile = scattered ? gsl_cdf_tdist_Pinv(0.975, freedom) : Z;
	const double half = quantile * sqrt(variance * (scattered ? squares / freedom : 1));
	const struct poisson_limits sum = limits_of_sum(fit, kind);

	return (struct law_constant){
		.ns = ns,
		.low_ns = fmax(0, fmin(ns - half, sum.low)),
		.high_ns = fmax(ns + half, sum.high),
	};
}

static struct law_constant fit_kind(struct fit *fit, enum kind kind, double ns, double all_ns)
{
	double fitted, variance, squares;

	weigh(fit, kind, ns, all_ns);
	gsl_fit_wmul(fit->rate, 1, fit->weight, 1, fit->share, 1, fit->count, &fitted, &variance,
		     &squares);
	return constant_of(fit, kind, fitted, variance, squares);
}

/* Until neither points nor weights change. Where there is not a retry all constants are 0. */
static void settle(struct fit *fit, struct law *law)
{
	double all_ns = median_ns(fit);

	law->read.ns = law->hold.ns = all_ns / 2;
	for (int turn = 0; turn < MOST_TURNS; turn++) {
		const double before = all_ns;
		const bool changed = choose_points(fit, all_ns);

		if (!fit->count)
			return;
		/* A law of nothing has no weights; that of one retry has. */
		if (all_ns <= 0)
			all_ns = limits_of_sum(fit, CHANGED).high;
		law->read = fit_kind(fit, CHANGED, law->read.ns, all_ns);
		law->hold = fit_kind(fit, WAITED, law->hold.ns, all_ns);
		all_ns = law->read.ns + law->hold.ns;
		if (!changed && fabs(all_ns - before) <= SETTLED * all_ns)
			return;
	}
}

static void find(const struct law_point *point, const struct law *law, struct law_finding *finding)
{
	const struct poisson_limits limits = limits_of(point);
	const double ns = law->read.ns + law->hold.ns;

	*finding = (struct law_finding){
		.known = true,
		.share = (double)(point->changed + point->waited) / (double)point->reads,
		.low = limits.low,
		.high = limits.high,
		.expected = point->rate_hz * ns / NSEC_PER_SEC,
		.breaks_down = !holds_at(point, ns),
	};
	finding->residual =
		finding->expected > 0 ? finding->share / finding->expected - 1 : (double)NAN;
}

void law_fit(const struct law_point *points, size_t n, struct law *law, struct law_finding *finding)
{
	struct fit fit = {.points = points, .n = n};
	double squares = 0;

	*law = (struct law){.known = false};
	for (size_t i = 0; i < n; i++) {
		finding[i] = (struct law_finding){.known = false};
		law->points += is_usable(&points[i]);
	}
	if (!law->points)
		return;
	law->known = true;
	settle(&fit, law);
	for (size_t i = 0; i < n; i++) {
		if (!is_usable(&points[i]))
			continue;
		find(&points[i], law, &finding[i]);
		if (finding[i].breaks_down)
			continue;
		law->held++;
		if (finding[i].expected > 0)
			squares += finding[i].residual * finding[i].residual;
	}
	law->residual = law->held ? sqrt(squares / (double)law->held) : 0;
}
