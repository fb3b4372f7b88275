// SPDX-License-Identifier: GPL-2.0-or-later
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "measure/poisson.h"

/*
 * GSL's search for a quantile goes astray at some counts from 1159 on: it gives a wrong one, none
 * and an error that ends the process, or does not end. From here on it is not needed.
 */
#define MANY 500

/* The normal distribution has 2.5 % beyond it. */
#define Z 1.959964

/* The cube root of a gamma variable is all but normal (Wilson and Hilferty, PNAS 17, 1931). */
static double of_many(double shape, double z)
{
	return shape * pow(1 - 1 / (9 * shape) + z / (3 * sqrt(shape)), 3);
}

struct poisson_limits poisson_limits(u64 count)
{
	const double n = (double)count;

	if (count > MANY)
		return (struct poisson_limits){of_many(n, -Z), of_many(n + 1, Z)};
	return (struct poisson_limits){
		.low = count ? gsl_cdf_gamma_Pinv(0.025, n, 1) : 0,
		.high = gsl_cdf_gamma_Qinv(0.025, n + 1, 1),
	};
}
