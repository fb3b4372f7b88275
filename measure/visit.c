// SPDX-License-Identifier: GPL-2.0-or-later
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "measure/visit.h"

/* Of the standard deviation, where a value's weight ends; and what that is of the median distance.
 */
#define REACH	     4.685
#define PER_DISTANCE 1.4826

/* In pairs from both ends, which is the same in reverse order. */
static double add_up(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n / 2; i++)
		sum += values[i] + values[n - 1 - i];
	return n % 2 ? sum + values[n / 2] : sum;
}

static double median_distance(const double *values, size_t n, double from, double *scratch)
{
	for (size_t i = 0; i < n; i++)
		scratch[i] = fabs(values[i] - from);
	gsl_sort(scratch, 1, n);
	return gsl_stats_median_from_sorted_data(scratch, 1, n);
}

static double weight(double away)
{
	double rest = 1 - away * away;

	return rest > 0 ? rest * rest : 0;
}

static double biweight(const double *sorted, size_t n, double *scratch)
{
	double median = gsl_stats_median_from_sorted_data(sorted, 1, n);
	double reach = REACH * PER_DISTANCE * median_distance(sorted, n, median, scratch);
	double weights;

	/* More than half are the same. */
	if (reach <= 0)
		return median;
	for (size_t i = 0; i < n; i++)
		scratch[i] = weight((sorted[i] - median) / reach);
	weights = add_up(scratch, n);
	for (size_t i = 0; i < n; i++)
		scratch[i] *= sorted[i] - median;
	return median + add_up(scratch, n) / weights;
}

int visit_location(const double *values, size_t n, double *scratch, double *location,
		   struct errmsg *err)
{
	if (!n)
		return errmsg_set(err, "a visit has no values");
	for (size_t i = 0; i < n; i++)
		if (!isfinite(values[i]))
			return errmsg_set(err, "value %zu of a visit is %g", i, values[i]);
	memcpy(scratch, values, n * sizeof(*values));
	gsl_sort(scratch, 1, n);
	*location = biweight(scratch, n, scratch + n);
	if (!isfinite(*location))
		return errmsg_set(err, "values of a visit are out of all proportion: %g to %g",
				  scratch[0], scratch[n - 1]);
	return 0;
}

static bool is_time(double ns)
{
	return isfinite(ns) && ns > 0;
}

/*
 * The logarithm of a quotient would round differently the other way round, and so would a
 * difference of which one side is in a register that is wider than memory.
 */
static void take_log_ratios(const double *one, const double *other, size_t n, double *ratios,
			    double *scratch)
{
	for (size_t i = 0; i < n; i++) {
		ratios[i] = log(one[i]);
		scratch[i] = log(other[i]);
	}
	for (size_t i = 0; i < n; i++)
		ratios[i] -= scratch[i];
}

int visit_compare(const double *reader_ns, const double *baseline_ns, size_t rounds,
		  double *scratch, struct visit *visit, struct errmsg *err)
{
	double *values = scratch + 2 * rounds;

	for (size_t i = 0; i < rounds; i++)
		if (!is_time(reader_ns[i]) || !is_time(baseline_ns[i]))
			return errmsg_set(err, "round %zu of a visit took %g ns and %g ns a read",
					  i, reader_ns[i], baseline_ns[i]);
	take_log_ratios(reader_ns, baseline_ns, rounds, values, scratch);
	if (visit_location(values, rounds, scratch, &visit->log_ratio, err))
		return -1;
	for (size_t i = 0; i < rounds; i++)
		values[i] = reader_ns[i] - baseline_ns[i];
	return visit_location(values, rounds, scratch, &visit->ns, err);
}
