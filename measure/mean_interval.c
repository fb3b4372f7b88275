// SPDX-License-Identifier: GPL-2.0-or-later
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "measure/mean_interval.h"

/* Below it the cube root's rounding would outweigh the bend. */
#define LEAST_SKEWNESS 1e-6

double mean_of(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return sum / (double)n;
}

/* What Hall's transformation turns into y: (mean - true mean) / standard deviation. */
static double bend(double y, double skewness, double n)
{
	double straight = y - skewness / (6 * n);

	if (fabs(skewness) < LEAST_SKEWNESS)
		return straight;
	return 3 / skewness * (cbrt(1 + skewness * straight) - 1);
}

struct mean_interval mean_interval_of(const double *values, size_t n, double missed)
{
	const double count = (double)n, mean = mean_of(values, n);
	const double student = gsl_cdf_tdist_Qinv(missed / 2, count - 1) / sqrt(count);
	double squares = 0, cubes = 0, skewness, deviation;

	for (size_t i = 0; i < n; i++) {
		double away = values[i] - mean;

		squares += away * away;
		cubes += away * away * away;
	}
	/* Cubes of the smallest numbers vanish where their squares do not; so do those. */
	if (squares <= 0)
		return (struct mean_interval){mean, mean};
	skewness = cubes / squares * sqrt(count / squares);
	deviation = sqrt(squares / (count - 1));
	return (struct mean_interval){mean - deviation * bend(student, skewness, count),
				      mean - deviation * bend(-student, skewness, count)};
}
