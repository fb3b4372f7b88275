// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "report/csv.h"
#include "report/sweep_csv.h"

static const char names[] =
	"hz,readers,state,runs,seconds,updates,rate_hz,reads,retried,waited,off_cpu,torn,backwards,"
	"read_ns,hold_ns,retries_per_million,low,high,is_bound,visible_hold_ns,visible_read_ns,"
	"law_per_million,residual_percent,breaks_down,stale\n";

static void put_counts(FILE *out, const struct sweep_result *result,
		       const struct sweep_point *point)
{
	fprintf(out, "%llu,%u,%s,%u,", (unsigned long long)point->hz, point->readers,
		swept_state_name(point->state), point->runs);
	csv_number(out, true, point->seconds);
	csv_count(out, true, point->updates);
	csv_number(out, true, point->rate_hz);
	csv_count(out, true, point->reads);
	csv_count(out, true, point->retried);
	csv_count(out, true, point->waited);
	csv_count(out, !result->off_cpu_unavailable, point->off_cpu);
	csv_count(out, true, point->torn);
	csv_count(out, true, point->backwards);
	csv_number(out, point->read_samples, point->read_ns);
	csv_number(out, point->hold_samples, point->hold_ns);
}

static void put_figures(FILE *out, const struct swept *swept, size_t i)
{
	const struct sweep_point *point = &swept->result->point[i];
	const struct law_finding *finding = &swept->finding[i];
	const bool known = finding->known;

	csv_number(out, known, swept_per_million(finding->share));
	csv_number(out, known, swept_per_million(finding->low));
	csv_number(out, known, swept_per_million(finding->high));
	csv_count(out, true, sweep_is_bound(swept->config, point));
	csv_number(out, known, known ? swept_ns(point, point->waited) : 0);
	csv_number(out, known, known ? swept_ns(point, point->retried - point->waited) : 0);
	csv_number(out, known, swept_per_million(finding->expected));
	csv_number(out, known, 100 * finding->residual);
	csv_count(out, known, finding->breaks_down);
	fprintf(out, "%llu\n", (unsigned long long)point->stale);
}

int report_sweep_csv(FILE *out, const struct swept *swept, struct errmsg *err)
{
	errno = 0;
	fputs(names, out);
	for (size_t i = 0; i < swept->result->points; i++) {
		if (swept->result->point[i].state == SWEEP_OPEN)
			continue;
		put_counts(out, swept->result, &swept->result->point[i]);
		put_figures(out, swept, i);
	}
	return csv_end(out, err);
}
