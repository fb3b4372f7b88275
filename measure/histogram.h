/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A log-linear histogram of lengths in counter cycles: exact below 256 cycles, to 1 part in 128
 * above, up to 2^40 cycles; what is longer falls into the last bucket, and max keeps it exactly.
 *
 * One thread owns a histogram while it records, and others may add what is in it to theirs
 * meanwhile; a 32-bit machine adds in two halves there, which once in 4294967296 values of a bucket
 * might be seen. Recording allocates nothing.
 */
#ifndef MEASURE_HISTOGRAM_H
#define MEASURE_HISTOGRAM_H

#include "sim/barrier.h"
#include "sim/types.h"

#define HISTOGRAM_LINEAR_BITS 8
#define HISTOGRAM_LINEAR      (1u << HISTOGRAM_LINEAR_BITS)
#define HISTOGRAM_SUB_BUCKETS (HISTOGRAM_LINEAR / 2)
#define HISTOGRAM_MAX_BITS    40
#define HISTOGRAM_BUCKETS \
	(HISTOGRAM_LINEAR + (HISTOGRAM_MAX_BITS - HISTOGRAM_LINEAR_BITS) * HISTOGRAM_SUB_BUCKETS)

/* All zero is an empty histogram. */
struct histogram {
	u64 max; /* of the values from HISTOGRAM_LINEAR on; see histogram_max */
	u64 counts[HISTOGRAM_BUCKETS];
};

/* One more in a bucket, which below HISTOGRAM_LINEAR is the value. */
static inline void histogram_count(struct histogram *histogram, u64 bucket)
{
	PLAIN_STORE(histogram->counts[bucket], PLAIN_LOAD(histogram->counts[bucket]) + 1);
}

/* Records a value of HISTOGRAM_LINEAR or more; see histogram_record. */
void histogram_record_long(struct histogram *histogram, u64 cycles);

static inline void histogram_record(struct histogram *histogram, u64 cycles)
{
	if (cycles < HISTOGRAM_LINEAR)
		histogram_count(histogram, cycles);
	else
		histogram_record_long(histogram, cycles);
}

/* Adds the counts of `from`, whose owner may be recording: of what it does meanwhile some. */
void histogram_add(struct histogram *histogram, const struct histogram *from);

/* The same, each value less `cycles` (0 at least), as far as buckets tell. */
void histogram_add_less(struct histogram *histogram, const struct histogram *from, u64 cycles);

/*
 * Leaves in *before what has come to `now` since it was like *before. The largest of that is exact
 * if it is the largest of all, too, and otherwise the largest that its bucket could hold.
 */
void histogram_since(struct histogram *before, const struct histogram *now);

/* How many values were recorded. */
u64 histogram_total(const struct histogram *histogram);

/* The largest value recorded, exactly; 0 when there is none. */
u64 histogram_max(const struct histogram *histogram);

/* The smallest, as far as buckets tell: the lowest value of its bucket; 0 when there is none. */
u64 histogram_min(const struct histogram *histogram);

/* How many of the values are `least` or more, as far as buckets tell: of its own bucket, all. */
u64 histogram_from(const struct histogram *histogram, u64 least);

/* Mean of the values in cycles, taking the middle of each bucket; 0 when there is none. */
double histogram_mean(const struct histogram *histogram);

/*
 * The value in cycles that `share` (0 to 1) of the recorded values do not exceed: the middle of
 * the bucket of the value of rank ceil(share * total), but never more than the largest value. 0
 * when there is none.
 */
double histogram_percentile(const struct histogram *histogram, double share);

/* Bounds of a bucket in cycles: lowest value, and how many values fall into it. For tests. */
u64 histogram_bucket_low(u32 bucket);
u64 histogram_bucket_width(u32 bucket);

/* The bucket of a value. */
u32 histogram_bucket(u64 cycles);

#endif /* MEASURE_HISTOGRAM_H */
