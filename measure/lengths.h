/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A histogram as a result keeps it: in nanoseconds, and of its buckets those that are not empty.
 */
#ifndef MEASURE_LENGTHS_H
#define MEASURE_LENGTHS_H

#include "measure/histogram.h"

/* Lengths that are taken for one another; both bounds are among them. */
struct length_bucket {
	double lower_ns;
	double upper_ns; /* no more than the longest of all */
	u64 count;
};

/* Ascending, and no two have the same upper_ns. All zero: there were no lengths. */
struct lengths {
	u32 buckets;
	struct length_bucket *bucket;
};

/*
 * Makes them of `histogram`, each value less `foreign` cycles (0 at least), where a second has `hz`
 * cycles. Returns 0, and *lengths is to be given to lengths_release; -1: there is not the memory.
 */
int lengths_make(struct lengths *lengths, const struct histogram *histogram, double foreign,
		 u64 hz);

/* How many lengths there are. */
u64 lengths_total(const struct lengths *lengths);

/* Of one that is all zero, too, which it is afterwards. */
void lengths_release(struct lengths *lengths);

#endif /* MEASURE_LENGTHS_H */
