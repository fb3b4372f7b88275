/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How sure the mean of independent values is, skewed ones too.
 */
#ifndef MEASURE_MEAN_INTERVAL_H
#define MEASURE_MEAN_INTERVAL_H

#include <stddef.h>

struct mean_interval {
	double low;
	double high;
};

/* Values without which there is no interval: three tell nothing of how skewed they are. */
#define MEAN_INTERVAL_MIN_VALUES 4

/*
 * An interval that misses the mean of what n independent values (MEAN_INTERVAL_MIN_VALUES or more,
 * all finite) were drawn from with a probability of `missed`, half of that at each end.
 *
 * Student's t interval, bent by the skewness of the values: Hall's transformation (P. Hall, On the
 * removal of skewness by transformation, J. R. Statist. Soc. B 54 (1992) 221-228), with the
 * quantiles of Student's t in place of the bootstrap's. For symmetric values it is the t interval.
 * For skewed ones that one misses too often: of 16 exponential values 9 % of the 95 % ones, this
 * one 6 %, and a bootstrap-t no fewer. Negated values give the negated interval.
 *
 * No interval knows of what did not occur: of 16 values of a kind of which one in eight is far off,
 * all are near in one case of eight, and the interval, narrow, is wrong. 32 leave 1.4 %.
 *
 * Values that are all the same give an interval of no width. Safe in any thread.
 */
struct mean_interval mean_interval_of(const double *values, size_t n, double missed);

/* The mean of n values, 1 or more; negated values give the negated mean exactly. */
double mean_of(const double *values, size_t n);

#endif /* MEASURE_MEAN_INTERVAL_H */
