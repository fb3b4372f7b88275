// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>

#include "measure/lengths.h"

static double in_ns(double cycles, double foreign, u64 hz)
{
	return cycles > foreign ? (cycles - foreign) * NSEC_PER_SEC / (double)hz : 0;
}

/* The last bucket has no width of its own: it takes whatever is longer. */
static double upper_of(u32 bucket, u64 longest)
{
	const u64 low = histogram_bucket_low(bucket);

	if (bucket == HISTOGRAM_BUCKETS - 1)
		return (double)longest;
	return fmin((double)(low + histogram_bucket_width(bucket) - 1), (double)longest);
}

/* What is left of several once `foreign` is taken out may be nothing: that is one. */
static void add(struct lengths *lengths, struct length_bucket bucket)
{
	struct length_bucket *last = lengths->bucket + lengths->buckets - 1;

	if (lengths->buckets && last->upper_ns >= bucket.upper_ns)
		last->count += bucket.count;
	else
		lengths->bucket[lengths->buckets++] = bucket;
}

static u32 count_used(const struct histogram *histogram)
{
	u32 used = 0;

	for (u32 i = 0; i < HISTOGRAM_BUCKETS; i++)
		used += histogram->counts[i] != 0;
	return used;
}

int lengths_make(struct lengths *lengths, const struct histogram *histogram, double foreign, u64 hz)
{
	const u64 longest = histogram_max(histogram);
	const u32 used = count_used(histogram);

	*lengths = (struct lengths){.buckets = 0};
	if (!used)
		return 0;
	lengths->bucket = calloc(used, sizeof(*lengths->bucket));
	if (!lengths->bucket)
		return -1;
	for (u32 i = 0; i < HISTOGRAM_BUCKETS; i++)
		if (histogram->counts[i])
			add(lengths, (struct length_bucket){
					     in_ns((double)histogram_bucket_low(i), foreign, hz),
					     in_ns(upper_of(i, longest), foreign, hz),
					     histogram->counts[i],
				     });
	return 0;
}

u64 lengths_total(const struct lengths *lengths)
{
	u64 total = 0;

	for (u32 i = 0; i < lengths->buckets; i++)
		total += lengths->bucket[i].count;
	return total;
}

void lengths_release(struct lengths *lengths)
{
	free(lengths->bucket);
	*lengths = (struct lengths){.buckets = 0};
}
