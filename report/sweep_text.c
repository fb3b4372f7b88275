// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "report/cell.h"
#include "report/sweep_text.h"
#include "report/work_cell.h"

/* Where the second line of a group begins. */
#define DETAIL "           "

/* A writer that makes so many of its updates is hardly ever put aside. */
#define KEPT 0.9

static const char *plural(u64 count)
{
	return count == 1 ? "" : "s";
}

static int state_of(FILE *out)
{
	return ferror(out) ? -1 : 0;
}

static size_t count_points(const struct sweep_result *result, enum sweep_state state)
{
	size_t count = 0;

	for (size_t i = 0; i < result->points; i++)
		count += result->point[i].state == state;
	return count;
}

static void print_job(FILE *out, const struct sweep_config *config)
{
	fprintf(out, "contend  sweep of %zu rate%s x %zu number%s of readers, %s (%s), writer %s",
		config->hz.count, plural(config->hz.count), config->readers.count,
		plural(config->readers.count), config->reader.path, config->reader.variation,
		config->writer.kind->name);
	if (config->writer.value[WRITER_HOLD])
		fprintf(out, ", hold %s", cell_duration(config->writer.value[WRITER_HOLD]).text);
	if (config->work.kind != WORK_NONE)
		fprintf(out, ", work %s", work_cell(&config->work).text);
	fprintf(out, "; each point to %llu retries or for %s\n",
		(unsigned long long)config->retries, cell_duration(config->max_time_ns).text);
}

int report_sweep_head(FILE *out, const struct swept *swept)
{
	const struct sweep_result *result = swept->result;
	const struct machine *machine = &result->machine;

	print_job(out, swept->config);
	fprintf(out, "machine  %s, %d CPU%s", machine->cpu_model, machine->cpus_online,
		plural((u64)machine->cpus_online));
	if (machine->cpus_allowed < machine->cpus_online)
		fprintf(out, " (%d allowed)", machine->cpus_allowed);
	fprintf(out, ", kernel %s, counter %s\n", machine->kernel,
		swept->config->clocksource->name);
	if (result->interrupted)
		fprintf(out, "partial  interrupted after %zu of %zu points\n",
			result->points - count_points(result, SWEEP_OPEN), result->points);
	return state_of(out);
}

/* A share as reads per million, with the digits that small ones need. */
static struct cell cell_per_million(double share)
{
	const double value = swept_per_million(share);
	const int digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
	struct cell cell;

	snprintf(cell.text, sizeof(cell.text), "%.*f", digits, value);
	return cell;
}

static struct cell cell_interval(const struct law_finding *finding)
{
	struct cell cell;

	snprintf(cell.text, sizeof(cell.text), "%.25s to %.25s",
		 cell_per_million(finding->low).text, cell_per_million(finding->high).text);
	return cell;
}

/* Of few retries what is known is that there are no more than so many. */
static struct cell cell_share(const struct swept *swept, size_t i)
{
	const struct law_finding *finding = &swept->finding[i];
	struct cell cell;

	if (!sweep_is_bound(swept->config, &swept->result->point[i]))
		return cell_per_million(finding->share);
	snprintf(cell.text, sizeof(cell.text), "< %.50s", cell_per_million(finding->high).text);
	return cell;
}

static struct cell cell_residual(const struct law_finding *finding)
{
	struct cell cell;

	if (isnan(finding->residual))
		return (struct cell){"n/a  "};
	snprintf(cell.text, sizeof(cell.text), "%+.1f %%%s", 100 * finding->residual,
		 finding->breaks_down ? " !" : "  ");
	return cell;
}

/* What stands in the place of figures where there are none to hold against the law. */
static struct cell cell_trouble(const struct sweep_point *point)
{
	struct cell cell;

	if (sweep_is_wrong(point) && point->stale)
		snprintf(cell.text, sizeof(cell.text), "%.12s torn, %.12s stale, %.12s backwards",
			 cell_count(point->torn).text, cell_count(point->stale).text,
			 cell_count(point->backwards).text);
	else if (sweep_is_wrong(point))
		snprintf(cell.text, sizeof(cell.text), "%.20s torn, %.20s backwards",
			 cell_count(point->torn).text, cell_count(point->backwards).text);
	else if (point->state == SWEEP_DONE)
		snprintf(cell.text, sizeof(cell.text), "n/a: no update was measured");
	else
		snprintf(cell.text, sizeof(cell.text), "%s, see below",
			 swept_state_name(point->state));
	return cell;
}

static void print_point(FILE *out, const struct swept *swept, size_t i)
{
	const struct sweep_point *point = &swept->result->point[i];
	const struct law_finding *finding = &swept->finding[i];

	fprintf(out, "%10s %7u ", cell_count(point->hz).text, point->readers);
	if (!finding->known) {
		fprintf(out, "  %s\n", cell_trouble(point).text);
		return;
	}
	fprintf(out, "%10.1f %5.1f s %9s %9s %18s %7.2f %7.2f %8s %10s\n", point->rate_hz,
		point->seconds, cell_count(point->retried).text, cell_share(swept, i).text,
		cell_interval(finding).text, swept_ns(point, point->waited),
		swept_ns(point, point->retried - point->waited),
		cell_per_million(finding->expected).text, cell_residual(finding).text);
}

static void print_table(FILE *out, const struct swept *swept)
{
	fprintf(out, "%10s %7s %10s %7s %9s %9s %18s %7s %7s %8s\n", "", "", "measured", "",
		"reads", "per", "95 %", "hold", "read", "by the");
	fprintf(out, "%10s %7s %10s %7s %9s %9s %18s %7s %7s %8s %8s\n", "Hz", "readers", "Hz",
		"time", "retried", "million", "interval", "ns", "ns", "law", "residual");
	for (size_t i = 0; i < swept->result->points; i++)
		if (swept->result->point[i].state != SWEEP_OPEN)
			print_point(out, swept, i);
}

static void print_troubles(FILE *out, const struct sweep_result *result)
{
	for (size_t i = 0; i < result->points; i++) {
		const struct sweep_point *point = &result->point[i];

		if (point->state == SWEEP_STALLED || point->state == SWEEP_FAILED)
			fprintf(out, "%-8s at %s Hz with %u reader%s: %s\n",
				swept_state_name(point->state), cell_count(point->hz).text,
				point->readers, plural(point->readers), point->why);
	}
}

static void print_constant(FILE *out, const char *name, const struct law_constant *constant,
			   const char *source)
{
	fprintf(out, DETAIL "%s %.2f ns (95 %%: %.2f to %.2f), by reads that %s\n", name,
		constant->ns, constant->low_ns, constant->high_ns, source);
}

/* The mean over points at which the law holds and at which there was something to time. */
struct timed {
	double sum;
	size_t points;
};

static void add_timed(struct timed *timed, u64 samples, double ns)
{
	if (!samples)
		return;
	timed->sum += ns;
	timed->points++;
}

static struct cell cell_timed(const struct timed *timed)
{
	struct cell cell;

	if (!timed->points)
		return (struct cell){"n/a"};
	snprintf(cell.text, sizeof(cell.text), "%.2f ns", timed->sum / (double)timed->points);
	return cell;
}

/* Lengths as they were timed, beside what retries make of them. */
static void print_timed(FILE *out, const struct swept *swept)
{
	struct timed read = {.points = 0}, hold = {.points = 0};

	for (size_t i = 0; i < swept->result->points; i++) {
		const struct sweep_point *point = &swept->result->point[i];

		if (!swept->finding[i].known || swept->finding[i].breaks_down)
			continue;
		add_timed(&read, point->read_samples, point->read_ns);
		add_timed(&hold, point->hold_samples, point->hold_ns);
	}
	if (read.points || hold.points)
		fprintf(out,
			DETAIL "as timed there: hold %s by the writer, median; read %s by readers, "
			       "mean\n",
			cell_timed(&hold).text, cell_timed(&read).text);
}

struct range {
	double least;
	double most;
};

/* The points of one rate at which the law breaks down. */
struct broken {
	size_t known; /* points of the rate that take part */
	size_t count;
	struct range residual;
	struct range kept; /* share of the rate that was asked for */
};

static void widen(struct range *range, double value)
{
	range->least = fmin(range->least, value);
	range->most = fmax(range->most, value);
}

static struct broken find_broken(const struct sweep_point *point, const struct law_finding *finding,
				 size_t columns)
{
	const struct range none = {INFINITY, -INFINITY};
	struct broken broken = {.residual = none, .kept = none};

	for (size_t i = 0; i < columns; i++) {
		broken.known += finding[i].known;
		if (!finding[i].known || !finding[i].breaks_down)
			continue;
		broken.count++;
		widen(&broken.residual, finding[i].residual);
		widen(&broken.kept, point[i].rate_hz / (double)point[i].hz);
	}
	return broken;
}

/* One figure where both ends read the same. */
static void print_range(FILE *out, const struct range *range, const char *format)
{
	char least[32], most[32];

	snprintf(least, sizeof(least), format, 100 * range->least);
	snprintf(most, sizeof(most), format, 100 * range->most);
	if (strcmp(least, most) == 0)
		fprintf(out, "%s %%", least);
	else
		fprintf(out, "%s to %s %%", least, most);
}

static void print_broken_readers(FILE *out, const struct sweep_point *point,
				 const struct law_finding *finding, size_t columns)
{
	u32 last = 0;

	for (size_t i = 0; i < columns; i++) {
		if (!finding[i].known || !finding[i].breaks_down)
			continue;
		fprintf(out, "%s%u", last ? ", " : "", point[i].readers);
		last = point[i].readers;
	}
	fprintf(out, " reader%s", plural(last));
}

static void print_broken(FILE *out, const struct swept *swept, size_t first)
{
	const size_t columns = swept->config->readers.count;
	const struct sweep_point *point = &swept->result->point[first];
	const struct law_finding *finding = &swept->finding[first];
	const struct broken broken = find_broken(point, finding, columns);

	if (!broken.count)
		return;
	fprintf(out, DETAIL "%s Hz with ", cell_count(point->hz).text);
	if (broken.count == broken.known && broken.known > 1)
		fprintf(out, "any number of readers");
	else
		print_broken_readers(out, point, finding, columns);
	fprintf(out, ": ");
	print_range(out, &broken.residual, "%+.1f");
	/* Then it was put aside, and made its updates in bursts. */
	if (broken.kept.least < KEPT) {
		fprintf(out, "; the writer kept ");
		print_range(out, &broken.kept, "%.0f");
		fprintf(out, " of that rate");
	}
	fputc('\n', out);
}

static void print_law(FILE *out, const struct swept *swept)
{
	const struct law *law = swept->law;

	fputc('\n', out);
	if (!law->known) {
		fprintf(out, "law      n/a: no point has reads and updates\n");
		return;
	}
	fprintf(out, "law      share of reads that retry = rate x (hold %.2f ns + read %.2f ns)\n",
		law->hold.ns, law->read.ns);
	print_constant(out, "hold", &law->hold, "only waited");
	print_constant(out, "read", &law->read, "threw an attempt away");
	fprintf(out, DETAIL "off-CPU retries are %s\n",
		swept->result->off_cpu_unavailable ? "in it: they cannot be told apart here"
						   : "not in it");
	print_timed(out, swept);
	fprintf(out, DETAIL "residual %.1f %% at the %zu of %zu points at which it holds\n",
		100 * law->residual, law->held, law->points);
	if (law->held == law->points)
		return;
	fprintf(out, "breaks   down at %zu of %zu points\n", law->points - law->held, law->points);
	for (size_t i = 0; i < swept->result->points; i += swept->config->readers.count)
		print_broken(out, swept, i);
}

int report_sweep_figures(FILE *out, const struct swept *swept)
{
	fputc('\n', out);
	print_table(out, swept);
	print_troubles(out, swept->result);
	print_law(out, swept);
	return state_of(out);
}

int report_sweep_remarks(FILE *out, const struct sweep_result *result)
{
	for (int i = 0; i < result->remarks.count; i++)
		fprintf(out, "remark   %s\n", result->remarks.text[i]);
	return state_of(out);
}
