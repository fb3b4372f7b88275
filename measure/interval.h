/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The median of what was measured one after the other, and how sure it is.
 */
#ifndef MEASURE_INTERVAL_H
#define MEASURE_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>

struct interval {
	double estimate; /* the median of all values */
	bool known;	 /* false: there were too few values for low and high */
	double low;	 /* of 95 % */
	double high;
};

/* Values without which there is no interval: the lowest and the highest of six hold 97 %. */
#define INTERVAL_MIN_VALUES 6

/*
 * The median of n values (1 or more) in the order in which they were measured, and its interval.
 *
 * The values are cut into batches, each of an odd number of successive ones, and each batch is
 * represented by its median. Whatever the values are distributed like, a batch's median is as
 * likely to lie above the true median as below; so the number of the B batches that lie below is
 * binomial with 1/2, and the true median lies between the k-th lowest and the k-th highest of them
 * with a probability of 1 - 2 P(Bin(B, 1/2) < k). k is the largest that leaves 95 % or more.
 *
 * That takes batches that do not hang together. Neighbouring values do (a disturbance lasts, a
 * machine drifts), so a batch must be longer than what disturbs it: there are many of them, and
 * half as many, down to INTERVAL_MIN_VALUES, for as long as neighbouring ones resemble each other,
 * which the correlation of their ranks tells. What lasts up to a twentieth of the whole is covered
 * in this way, and most of what lasts up to a seventh; no interval knows of a change that comes
 * after the measurement.
 *
 * `scratch` has room for n values. Safe in any thread.
 */
struct interval interval_of_median(const double *values, size_t n, double *scratch);

#endif /* MEASURE_INTERVAL_H */
