// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "report/csv.h"
#include "report/lengths_csv.h"

int report_lengths_csv(FILE *out, const struct lengths *lengths, struct errmsg *err)
{
	const double total = (double)lengths_total(lengths);
	u64 seen = 0;

	errno = 0;
	fputs("lower_ns,upper_ns,count,cumulative_share\n", out);
	for (u32 i = 0; i < lengths->buckets; i++) {
		const struct length_bucket *bucket = &lengths->bucket[i];

		seen += bucket->count;
		csv_number(out, true, bucket->lower_ns);
		csv_number(out, true, bucket->upper_ns);
		csv_count(out, true, bucket->count);
		/* However many there are, only the last share is 1. */
		fprintf(out, "%.17g\n", (double)seen / total);
	}
	return csv_end(out, err);
}
