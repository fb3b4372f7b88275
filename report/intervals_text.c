// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/cell.h"
#include "report/intervals_text.h"

#define COLUMN 10

void report_interval_head(FILE *out)
{
	fprintf(out, "%9s %12s %*s %*s %*s %*s %*s %12s %11s\n", "time", "reads", COLUMN,
		"read p50", COLUMN, "read p99", COLUMN, "odd wait", COLUMN, "changed", COLUMN,
		"off-CPU", "updates", "worst hold");
	fprintf(out, "%9s %12s %*s %*s %*s %*s %*s %12s %11s\n", "s", "/s", COLUMN, "ns", COLUMN,
		"ns", COLUMN, "/M reads", COLUMN, "/M reads", COLUMN, "/M reads", "/s", "ns");
}

static struct cell known(bool is_known, int decimals, double value)
{
	struct cell cell = {"n/a"};

	if (is_known)
		snprintf(cell.text, sizeof(cell.text), "%.*f", decimals, value);
	return cell;
}

static struct cell retries(const struct run_interval *interval, bool is_known, u64 count)
{
	return known(is_known && interval->retries_known && interval->reads, 2,
		     1e6 * (double)count / (double)interval->reads);
}

void report_interval_line(FILE *out, const struct run_interval *interval)
{
	const bool lasted = interval->seconds > 0;

	fprintf(out, "%9.3f %12s %*s %*s %*s %*s %*s %12s %11s\n",
		interval->start_s + interval->seconds,
		known(lasted, 0, (double)interval->reads / interval->seconds).text, COLUMN,
		known(interval->samples, 1, interval->p50_ns).text, COLUMN,
		known(interval->samples, 1, interval->p99_ns).text, COLUMN,
		retries(interval, true, interval->odd_waits).text, COLUMN,
		retries(interval, true, interval->changed).text, COLUMN,
		retries(interval, interval->off_cpu_known, interval->off_cpu).text,
		known(lasted, 1, (double)interval->updates / interval->seconds).text,
		known(interval->holds, 1, interval->hold_max_ns).text);
}
