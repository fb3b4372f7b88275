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
	histogram_count(histogram, histogram_bucket(cycles));
	if (cycles > PLAIN_LOAD(histogram->max))
		WRITE_ONCE(histogram->max, cycles);
}

/* Beyond it there are none yet. Of thousands of histograms most have not to be looked through. */
static u32 used_buckets(u64 max)
{
	return max < HISTOGRAM_LINEAR ? HISTOGRAM_LINEAR : histogram_bucket(max) + 1;
}

void histogram_add(struct histogram *histogram, const struct histogram *from)
{
	const u64 max = READ_ONCE(from->max);
	const u32 used = used_buckets(max);

	for (u32 i = 0; i < used; i++)
		histogram->counts[i] += READ_ONCE(from->counts[i]);
	if (max > histogram->max)
		histogram->max = max;
}

static u64 less(u64 value, u64 cycles)
{
	return value > cycles ? value - cycles : 0;
}

void histogram_add_less(struct histogram *histogram, const struct histogram *from, u64 cycles)
{
	const u64 longest = READ_ONCE(from->max), max = less(longest, cycles);
	const u32 used = used_buckets(longest);

	for (u32 i = 0; i < used; i++) {
		u64 value = histogram_bucket_low(i) + (histogram_bucket_width(i) - 1) / 2;

		/* The longest is known: none lies beyond it, where nobody would look for it. */
		if (i >= HISTOGRAM_LINEAR && value > longest)
			value = longest;
		histogram->counts[histogram_bucket(less(value, cycles))] +=
			READ_ONCE(from->counts[i]);
	}
	if (max >= HISTOGRAM_LINEAR && max > histogram->max)
		histogram->max = max;
}

void histogram_since(struct histogram *before, const struct histogram *now)
{
	u32 last = 0;
	u64 largest;

	for (u32 i = 0; i < HISTOGRAM_BUCKETS; i++) {
		before->counts[i] = now->counts[i] - before->counts[i];
		if (before->counts[i])
			last = i;
	}
	largest = histogram_bucket_low(last) + histogram_bucket_width(last) - 1;
	if (largest > now->max || last == HISTOGRAM_BUCKETS - 1)
		largest = now->max;
	before->max = last < HISTOGRAM_LINEAR ? 0 : largest;
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
