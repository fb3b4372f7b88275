// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "report/csv.h"
#include "report/intervals_csv.h"

static const char names[] =
	"start_s,seconds,reads,reads_per_second,read_samples,read_p50_ns,read_p99_ns,retries,"
	"retries_per_million,odd_wait,changed,off_cpu,torn,updates,update_rate_hz,hold_samples,"
	"hold_max_ns\n";

static void put_reads(FILE *out, const struct run_interval *interval)
{
	csv_number(out, true, interval->start_s);
	csv_number(out, true, interval->seconds);
	csv_count(out, true, interval->reads);
	csv_number(out, true, (double)interval->reads / interval->seconds);
	csv_count(out, true, interval->samples);
	csv_number(out, interval->samples, interval->p50_ns);
	csv_number(out, interval->samples, interval->p99_ns);
}

static void put_retries(FILE *out, const struct run_interval *interval)
{
	const bool told = interval->retries_known;
	const u64 total = run_interval_retries(interval);

	csv_count(out, told, total);
	csv_number(out, told, 1e6 * (double)total / (double)interval->reads);
	csv_count(out, told, interval->odd_waits);
	csv_count(out, told, interval->changed);
	csv_count(out, told && interval->off_cpu_known, interval->off_cpu);
	csv_count(out, true, interval->torn);
}

static void put_updates(FILE *out, const struct run_interval *interval)
{
	csv_count(out, true, interval->updates);
	csv_number(out, true, (double)interval->updates / interval->seconds);
	csv_count(out, true, interval->holds);
	if (interval->holds)
		fprintf(out, "%.10g", interval->hold_max_ns);
	fputc('\n', out);
}

int report_intervals_csv(FILE *out, const struct run_result *result, struct errmsg *err)
{
	errno = 0;
	fputs(names, out);
	for (u64 i = 0; i < result->intervals; i++) {
		put_reads(out, &result->interval[i]);
		put_retries(out, &result->interval[i]);
		put_updates(out, &result->interval[i]);
	}
	return csv_end(out, err);
}
