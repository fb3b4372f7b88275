/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one visit of a placement says of a reader against the baseline: in each of its rounds both
 * were timed for one block, one soon after the other.
 */
#ifndef MEASURE_VISIT_H
#define MEASURE_VISIT_H

#include <stddef.h>

#include "sim/errmsg.h"

struct visit {
	double log_ratio; /* of the reader's time to the baseline's */
	double ns;	  /* the reader's time less the baseline's, per read */
};

/*
 * Where n values lie: Tukey's biweight, one step from their median. Each value's weight falls from
 * 1 at the median to 0 at 4.685 standard deviations, which are estimated as 1.4826 times the median
 * distance from the median (F. Mosteller and J. W. Tukey, Data Analysis and Regression (1977),
 * chapter 10).
 *
 * Blocks are disturbed: now and then one takes many times as long. A mean follows it anywhere. The
 * median ignores it, but is unsure: of 100 normal values it spreads 1.24 times as much as their
 * mean; a mean of the middle half 1.09 times, this 1.04 times. If one in ten blocks of either
 * reader takes 2 to 100 times as long, it is 1.54, 1.42 and 1.14 times; of 24 rounds 1.5, 10 and
 * 2.2 times, for by chance more than a quarter may be disturbed, but seldom half. What is left of
 * disturbances is in balance, as they hit both readers alike. What a reader does rarely by itself,
 * a retry say, has no weight either: this is of the usual block.
 *
 * Negated values give the negated location exactly. Values that are multiples of a coarse counter's
 * step, large against their spread, are drawn to the nearest multiple: blocks must be long enough.
 *
 * `scratch` has room for 2 * n values. 0, or -1 with a sentence in *err: none, or one is not finite
 * or out of all proportion. A millisecond for 5000 values. Safe in any thread.
 */
int visit_location(const double *values, size_t n, double *scratch, double *location,
		   struct errmsg *err);

/*
 * Both locations of a visit of so many rounds, from nanoseconds per read of the reader and of the
 * baseline, one of each a round. Swapping the two changes signs and nothing else. `scratch` has
 * room for 3 * rounds values. 0, or -1 with a sentence in *err: no round, or a time that is not
 * finite and above 0, or out of all proportion. Safe in any thread.
 */
int visit_compare(const double *reader_ns, const double *baseline_ns, size_t rounds,
		  double *scratch, struct visit *visit, struct errmsg *err);

#endif /* MEASURE_VISIT_H */
