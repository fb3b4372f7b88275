// SPDX-License-Identifier: GPL-2.0-or-later
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>

#include "measure/interval.h"
#include "measure/resemblance.h"

#define MAX_BATCHES (RESEMBLANCE_MAX / 2)
#define MISSED	    0.05 /* share of intervals that may miss the truth */

static double median_of(const double *values, size_t n, double *scratch)
{
	memcpy(scratch, values, n * sizeof(*values));
	gsl_sort(scratch, 1, n);
	return gsl_stats_median_from_sorted_data(scratch, 1, n);
}

/* Returns how many there are: `wanted`, or one for each value if there are fewer. */
static size_t take_batches(const double *values, size_t n, size_t wanted, double *medians,
			   double *scratch)
{
	size_t batches = n < wanted ? n : wanted;
	size_t length = n / batches;

	length -= length % 2 == 0;
	for (size_t i = 0; i < batches; i++)
		medians[i] = median_of(values + n * i / batches, length, scratch);
	return batches;
}

/* The largest k for which the k-th lowest and the k-th highest hold enough; 1 at least. */
static size_t find_order(size_t batches)
{
	size_t k = 1;

	while (2 * gsl_cdf_binomial_P((unsigned int)k, 0.5, (unsigned int)batches) <= MISSED)
		k++;
	return k;
}

struct interval interval_of_median(const double *values, size_t n, double *scratch)
{
	struct interval interval = {.estimate = median_of(values, n, scratch)};
	double medians[MAX_BATCHES];
	size_t batches = MAX_BATCHES;
	size_t k;

	if (n < INTERVAL_MIN_VALUES)
		return interval;
	batches = take_batches(values, n, batches, medians, scratch);
	while (batches / 2 >= INTERVAL_MIN_VALUES && neighbours_resemble(medians, batches))
		batches = take_batches(values, n, batches / 2, medians, scratch);
	gsl_sort(medians, 1, batches);
	k = find_order(batches);
	interval.known = true;
	/* The median of medians is not quite that of all. */
	interval.low = fmin(medians[k - 1], interval.estimate);
	interval.high = fmax(medians[batches - k], interval.estimate);
	return interval;
}
