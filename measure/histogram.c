// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "measure/histogram.h"

u32 histogram_bucket(u64 cycles)
{
	u32 octave;

	if (cycles < HISTOGRAM_LINEAR)
		return (u32)cycles;
	if (cycles >> HISTOGRAM_MAX_BITS)
		return HISTOGRAM_BUCKETS - 1;
	/* Bits beyond those that stay significant: 1 for 256 to 511, 2 for 512 to 1023, ... */
	octave = 64 - (u32)__builtin_clzll(cycles) - HISTOGRAM_LINEAR_BITS;
	return octave * HISTOGRAM_SUB_BUCKETS + (u32)(cycles >> octave);
}

u64 histogram_bucket_low(u32 bucket)
{
	u32 octave;

	if (bucket < HISTOGRAM_LINEAR)
		return bucket;
	octave = bucket / HISTOGRAM_SUB_BUCKETS - 1;
	return (u64)(bucket - octave * HISTOGRAM_SUB_BUCKETS) << octave;
}

u64 histogram_bucket_width(u32 bucket)
{
	if (bucket < HISTOGRAM_LINEAR)
		return 1;
	return 1ull << (bucket / HISTOGRAM_SUB_BUCKETS - 1);
}

void histogram_record_long(struct histogram *histogram, u64 cycles)
{
	histogram->counts[histogram_bucket(cycles)]++;
	if (cycles > histogram->max)
		histogram->max = cycles;
}

void histogram_add(struct histogram *histogram, const struct histogram *from)
{
	for (u32 i = 0; i < HISTOGRAM_BUCKETS; i++)
		if (from->counts[i])
			histogram->counts[i] += from->counts[i];
	if (from->max > histogram->max)
		histogram->max = from->max;
}

static u64 less(u64 value, u64 cycles)
{
	return value > cycles ? value - cycles : 0;
}

void histogram_add_less(struct histogram *histogram, const struct histogram *from, u64 cycles)
{
	const u64 max = less(histogram_max(from), cycles);

	for (u32 i = 0; i < HISTOGRAM_BUCKETS; i++) {
		u64 middle = histogram_bucket_low(i) + (histogram_bucket_width(i) - 1) / 2;

		if (from->counts[i])
			histogram->counts[histogram_bucket(less(middle, cycles))] +=
				from->counts[i];
	}
	if (max >= HISTOGRAM_LINEAR && max > histogram->max)
		histogram->max = max;
}

u64 histogram_total(const struct histogram *histogram)
{
	u64 total = 0;

	for (u32 i = 0; i < HISTOGRAM_BUCKETS; i++)
		total += histogram->counts[i];
	return total;
}

u64 histogram_max(const struct histogram *histogram)
{
	u32 i = HISTOGRAM_LINEAR;

	if (histogram->max)
		return histogram->max;
	while (i-- > 0)
		if (histogram->counts[i])
			return i;
	return 0;
}

u64 histogram_min(const struct histogram *histogram)
{
	for (u32 i = 0; i < HISTOGRAM_BUCKETS; i++)
		if (histogram->counts[i])
			return histogram_bucket_low(i);
	return 0;
}

u64 histogram_from(const struct histogram *histogram, u64 least)
{
	u64 values = 0;

	for (u32 i = histogram_bucket(least); i < HISTOGRAM_BUCKETS; i++)
		values += histogram->counts[i];
	return values;
}

static double bucket_middle(u32 bucket)
{
	return (double)histogram_bucket_low(bucket) +
	       (double)(histogram_bucket_width(bucket) - 1) / 2;
}

double histogram_mean(const struct histogram *histogram)
{
	u64 total = histogram_total(histogram);
	double sum = 0;

	for (u32 i = 0; i < HISTOGRAM_BUCKETS; i++)
		sum += (double)histogram->counts[i] * bucket_middle(i);
	return total ? sum / (double)total : 0;
}

double histogram_percentile(const struct histogram *histogram, double share)
{
	u64 total = histogram_total(histogram);
	double max = (double)histogram_max(histogram);
	u64 rank = (u64)ceil(share * (double)total);
	u64 seen = 0;

	if (rank == 0)
		rank = 1;
	for (u32 i = 0; i < HISTOGRAM_BUCKETS && total; i++) {
		seen += histogram->counts[i];
		if (seen >= rank)
			return fmin(bucket_middle(i), max);
	}
	return 0;
}
