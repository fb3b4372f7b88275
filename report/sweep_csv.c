// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <string.h>

#include "report/sweep_csv.h"

static const char names[] =
	"hz,readers,state,runs,seconds,updates,rate_hz,reads,retried,waited,off_cpu,torn,backwards,"
	"read_ns,hold_ns,retries_per_million,low,high,is_bound,visible_hold_ns,visible_read_ns,"
	"law_per_million,residual_percent,breaks_down,stale\n";

static void put_count(FILE *out, bool known, u64 value)
{
	if (known)
		fprintf(out, "%llu", (unsigned long long)value);
	fputc(',', out);
}

static void put_number(FILE *out, bool known, double value)
{
	if (known && isfinite(value))
		fprintf(out, "%.10g", value);
	fputc(',', out);
}

static void put_counts(FILE *out, const struct sweep_result *result,
		       const struct sweep_point *point)
{
	fprintf(out, "%llu,%u,%s,%u,", (unsigned long long)point->hz, point->readers,
		swept_state_name(point->state), point->runs);
	put_number(out, true, point->seconds);
	put_count(out, true, point->updates);
	put_number(out, true, point->rate_hz);
	put_count(out, true, point->reads);
	put_count(out, true, point->retried);
	put_count(out, true, point->waited);
	put_count(out, !result->off_cpu_unavailable, point->off_cpu);
	put_count(out, true, point->torn);
	put_count(out, true, point->backwards);
	put_number(out, point->read_samples, point->read_ns);
	put_number(out, point->hold_samples, point->hold_ns);
}

static void put_figures(FILE *out, const struct swept *swept, size_t i)
{
	const struct sweep_point *point = &swept->result->point[i];
	const struct law_finding *finding = &swept->finding[i];
	const bool known = finding->known;

	put_number(out, known, swept_per_million(finding->share));
	put_number(out, known, swept_per_million(finding->low));
	put_number(out, known, swept_per_million(finding->high));
	put_count(out, true, sweep_is_bound(swept->config, point));
	put_number(out, known, known ? swept_ns(point, point->waited) : 0);
	put_number(out, known, known ? swept_ns(point, point->retried - point->waited) : 0);
	put_number(out, known, swept_per_million(finding->expected));
	put_number(out, known, 100 * finding->residual);
	put_count(out, known, finding->breaks_down);
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
	if (fflush(out) || ferror(out))
		return errmsg_set(err, "%s", errno ? strerror(errno) : "it could not be written");
	return 0;
}
