// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>

#include "report/csv.h"
#include "report/lengths_hgrm.h"

#define TICKS_PER_HALF_DISTANCE 5

/* From one level to the next: each time what is left to all has halved, a step is half as long. */
static double step_at(double percent)
{
	const double halves = floor(log2(100 / (100 - percent)));

	return 100 / (TICKS_PER_HALF_DISTANCE * exp2(halves + 1));
}

static void put_line(FILE *out, double ns, double percent, u64 seen)
{
	fprintf(out, "%12.3f %12.6f %12llu %12.2f\n", ns, percent / 100, (unsigned long long)seen,
		1 / (1 - percent / 100));
}

/* A bucket is told at each level that it reaches, but the last one once only. */
static void put_lines(FILE *out, const struct lengths *lengths)
{
	const u64 total = lengths_total(lengths);
	double percent = 0;
	u64 seen = 0;

	for (u32 i = 0; i < lengths->buckets; i++) {
		const struct length_bucket *bucket = &lengths->bucket[i];

		seen += bucket->count;
		while (100 * (double)seen / (double)total >= percent) {
			put_line(out, bucket->upper_ns, percent, seen);
			percent += step_at(percent);
			if (seen == total)
				break;
		}
	}
	if (total)
		put_line(out, lengths->bucket[lengths->buckets - 1].upper_ns, 100, total);
}

static double middle(const struct length_bucket *bucket)
{
	return (bucket->lower_ns + bucket->upper_ns) / 2;
}

static double mean_of(const struct lengths *lengths)
{
	double sum = 0;

	for (u32 i = 0; i < lengths->buckets; i++)
		sum += (double)lengths->bucket[i].count * middle(&lengths->bucket[i]);
	return lengths->buckets ? sum / (double)lengths_total(lengths) : 0;
}

static double deviation_of(const struct lengths *lengths, double mean)
{
	double sum = 0;

	for (u32 i = 0; i < lengths->buckets; i++)
		sum += (double)lengths->bucket[i].count *
		       pow(middle(&lengths->bucket[i]) - mean, 2);
	return lengths->buckets ? sqrt(sum / (double)lengths_total(lengths)) : 0;
}

int report_lengths_hgrm(FILE *out, const struct lengths *lengths, struct errmsg *err)
{
	const double mean = mean_of(lengths);
	const u32 last = lengths->buckets - 1;

	errno = 0;
	fprintf(out, "%12s %12s %12s %12s\n\n", "Value", "Percentile", "TotalCount",
		"1/(1-Percentile)");
	put_lines(out, lengths);
	fprintf(out, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n", mean,
		deviation_of(lengths, mean));
	fprintf(out, "#[Max     = %12.3f, Total count    = %12llu]\n",
		lengths->buckets ? lengths->bucket[last].upper_ns : 0,
		(unsigned long long)lengths_total(lengths));
	fprintf(out, "#[Buckets = %12u, SubBuckets     = %12u]\n",
		HISTOGRAM_MAX_BITS - HISTOGRAM_LINEAR_BITS + 1, HISTOGRAM_LINEAR);
	fputs("# Value is in nanoseconds\n", out);
	return csv_end(out, err);
}
