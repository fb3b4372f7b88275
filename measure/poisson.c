// SPDX-License-Identifier: GPL-2.0-or-later
#include <gsl/gsl_cdf.h>

#include "measure/poisson.h"

struct poisson_limits poisson_limits(u64 count)
{
	const double n = (double)count;

	return (struct poisson_limits){
		.low = count ? gsl_cdf_gamma_Pinv(0.025, n, 1) : 0,
		.high = gsl_cdf_gamma_Qinv(0.025, n + 1, 1),
	};
}
