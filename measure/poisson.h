/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How well a count of rare events is known.
 */
#ifndef MEASURE_POISSON_H
#define MEASURE_POISSON_H

#include "sim/types.h"

struct poisson_limits {
	double low;
	double high;
};

/*
 * The 95 % interval of the mean of a Poisson distribution of which `count` was seen: 0 to 3.69 for
 * none. Exact up to 500, and beyond that with 2.5 % +- 0.001 % to either side. Source: F. Garwood,
 * Fiducial limits for the Poisson distribution, Biometrika 28 (1936). Any thread may ask.
 */
struct poisson_limits poisson_limits(u64 count);

#endif /* MEASURE_POISSON_H */
