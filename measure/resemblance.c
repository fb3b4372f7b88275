// SPDX-License-Identifier: GPL-2.0-or-later
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "measure/resemblance.h"

/* In standard deviations of what independent values show. */
#define RESEMBLANCE 0.5

bool neighbours_resemble(const double *values, size_t n)
{
	size_t order[RESEMBLANCE_MAX];
	double rank[RESEMBLANCE_MAX];
	double correlation;

	gsl_sort_index(order, values, 1, n);
	for (size_t i = 0; i < n; i++)
		rank[order[i]] = (double)i;
	correlation = gsl_stats_lag1_autocorrelation(rank, 1, n);
	return correlation * sqrt((double)n) > RESEMBLANCE;
}
