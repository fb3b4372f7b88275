// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "measure/cpu_set.h"
#include "report/cell.h"
#include "report/compare_cells.h"
#include "report/compare_text.h"
#include "report/work_cell.h"
#include "report/writer_cell.h"

/* Names that are longer have a line of their own. */
#define NAME_MAX_WIDTH 44
#define NAME_MIN_WIDTH 12
/* Where the second line of a group begins. */
#define DETAIL "           "

static int state_of(FILE *out)
{
	return ferror(out) ? -1 : 0;
}

static const char *plural(u64 count)
{
	return count == 1 ? "" : "s";
}

static void print_job(FILE *out, const struct comparison *comparison)
{
	const struct compare_config *config = comparison->config;

	if (comparison->null)
		fprintf(out, "contend  compare %s with itself", comparison->spec[0]);
	else
		fprintf(out, "contend  compare %zu readers", config->readers);
	fprintf(out, " in %u thread%s, ", config->run.group[0].readers,
		plural(config->run.group[0].readers));
	if (config->has_writer)
		fprintf(out, "%s", writers_cell(&config->run).text);
	else
		fprintf(out, "no writer");
	if (config->run.group[0].work.kind != WORK_NONE)
		fprintf(out, ", work %s", work_cell(&config->run.group[0].work).text);
	if (config->precision_percent > 0)
		fprintf(out, ", to +- %.4g %% in %s at most\n", config->precision_percent,
			cell_duration(config->duration_ns).text);
	else
		fprintf(out, ", %s\n", cell_duration(config->duration_ns).text);
}

static void print_machine(FILE *out, const struct comparison *comparison)
{
	const struct compare_result *result = comparison->result;
	const struct machine *machine = &result->machine;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	for (u32 i = 0; i < result->threads; i++)
		if (result->cpu[i] >= 0)
			CPU_SET((size_t)result->cpu[i], &cpus);
	fprintf(out, "machine  %s, %d CPU%s, kernel %s, counter %s %.6g MHz; ", machine->cpu_model,
		machine->cpus_online, plural((u64)machine->cpus_online), machine->kernel,
		comparison->config->run.clocksource->name, (double)result->counter_hz / 1e6);
	if (comparison->config->has_writer && result->writer_priority)
		fprintf(out, "writer on CPU %d (FIFO %d), ", result->writer_cpu,
			result->writer_priority);
	else if (comparison->config->has_writer)
		fprintf(out, "writer on CPU %d (not real-time), ", result->writer_cpu);
	fprintf(out, "reader%s on CPU%s %s\n", plural(result->threads),
		plural((u64)CPU_COUNT(&cpus)), cpu_list(&cpus).text);
}

static void print_method(FILE *out, const struct comparison *comparison)
{
	const struct compare_result *result = comparison->result;

	fprintf(out, "method   blocks of %s of each reader, in random order; %s visits of ",
		cell_ns(result->block_ns).text, cell_count(result->visits).text);
	if (result->placements)
		fprintf(out, "%s placements of their code, two each\n",
			cell_count(result->placements).text);
	else
		fprintf(out, "one placement of their code\n");
}

static void print_end(FILE *out, const struct comparison *comparison)
{
	const struct compare_result *result = comparison->result;

	switch (result->outcome) {
	case COMPARE_COMPLETE:
		return;
	case COMPARE_INTERRUPTED:
		fprintf(out, "partial  interrupted after %s of %s; the figures are of that part\n",
			cell_ns(result->seconds * NSEC_PER_SEC).text,
			cell_duration(comparison->config->duration_ns).text);
		return;
	case COMPARE_BROKEN:
		fprintf(out, "broken   %s\n", result->broken);
		if (result->visits)
			fprintf(out, "partial  the figures are of the %s before that\n",
				cell_ns(result->seconds * NSEC_PER_SEC).text);
		else
			fprintf(out, "partial  there are no figures: nothing was compared before "
				     "that\n");
		return;
	}
}

int report_compare_head(FILE *out, const struct comparison *comparison)
{
	print_job(out, comparison);
	print_machine(out, comparison);
	print_method(out, comparison);
	print_end(out, comparison);
	return state_of(out);
}

int report_compare_remarks(FILE *out, const struct comparison *comparison)
{
	const struct remarks *remarks = &comparison->result->remarks;

	for (int i = 0; i < remarks->count; i++)
		fprintf(out, "remark   %s\n", remarks->text[i]);
	return state_of(out);
}

static int name_width(const struct comparison *comparison)
{
	int width = NAME_MIN_WIDTH;

	for (size_t who = 0; who < comparison->config->readers; who++) {
		const int length = cell_columns(comparison->spec[who]);

		if (length <= NAME_MAX_WIDTH && length > width)
			width = length;
	}
	return width;
}

static void print_name(FILE *out, const struct comparison *comparison, size_t who)
{
	const int width = name_width(comparison);

	const int length = cell_columns(comparison->spec[who]);

	fprintf(out, "%s%*s", comparison->spec[who], length < width ? width - length : 0, "");
	if (length > width)
		fprintf(out, "\n%*s", width, "");
}

static void print_times(FILE *out, const struct comparison *comparison)
{
	const size_t readers = comparison->config->readers;

	fprintf(out, "%*s%12s%14s%22s%22s   verdict\n", name_width(comparison), "", "ns a read",
		"difference", "95 % interval", "99 % interval");
	for (size_t who = 0; who < readers; who++) {
		print_name(out, comparison, who);
		fprintf(out, "%12s", compare_read_cell(comparison, who).text);
		if (who)
			fprintf(out, "%14s%22s%22s   %s", compare_effect_cell(comparison, who).text,
				compare_interval_cell(comparison, who, false).text,
				compare_interval_cell(comparison, who, true).text,
				compare_verdict_cell(comparison, who).text);
		fputc('\n', out);
	}
	if (readers > 2)
		fprintf(out,
			"differences are from the first; intervals hold for all %zu of them at "
			"once\n",
			readers - 1);
	if (comparison->result->work_ns > 0)
		fprintf(out, "work between reads takes %s and is not in these figures\n",
			cell_ns(comparison->result->work_ns).text);
}

static struct cell spread_cell(const struct comparison *comparison, size_t who)
{
	const double spread = comparison->result->reader[who].effect.placement_sd_percent;
	struct cell cell = {"n/a"};

	if (who == 0)
		return (struct cell){""};
	if (comparison_has_effect(comparison, who) && isfinite(spread))
		snprintf(cell.text, sizeof(cell.text), "%.3f %%", spread);
	return cell;
}

static bool has_hardware(const struct comparison *comparison)
{
	return !comparison->result->hw_unavailable[HW_CYCLES].text[0];
}

static void print_hardware(FILE *out, const struct compare_reader *reader)
{
	for (size_t i = 0; i < HW_COUNTERS; i++) {
		const int width = i == HW_INSTRUCTIONS ? 19 : 15;

		if (isfinite(reader->hw_per_read[i]))
			fprintf(out, "%*.*f", width, i < HW_BRANCH_MISSES ? 1 : 4,
				reader->hw_per_read[i]);
		else
			fprintf(out, "%*s", width, "n/a");
	}
}

/* Of one quiet read. */
static void print_path(FILE *out, const struct path_figures *path)
{
	if (path->unavailable.text[0])
		fprintf(out, "%14s%16s", "n/a", "n/a");
	else
		fprintf(out, "%14u%16u", path->instructions, path->branches_taken);
}

static void print_reasons_of_times(FILE *out, const struct comparison *comparison)
{
	fprintf(out, "%*s%12s%17s%12s%14s%16s", name_width(comparison), "", "placement sd",
		"retries/million", "code bytes", "instructions", "taken branches");
	if (has_hardware(comparison))
		fprintf(out, "%15s%19s%15s%15s", "cycles/read", "instructions/read",
			"branch misses", "L1d misses");
	fputc('\n', out);
	for (size_t who = 0; who < comparison->config->readers; who++) {
		const struct compare_reader *reader = &comparison->result->reader[who];

		print_name(out, comparison, who);
		fprintf(out, "%12s%17s%12s", spread_cell(comparison, who).text,
			compare_retries_cell(comparison, who).text,
			compare_text_cell(comparison, who).text);
		print_path(out, &reader->path);
		if (has_hardware(comparison))
			print_hardware(out, reader);
		fputc('\n', out);
	}
}

static void print_still(FILE *out, const struct comparison *comparison)
{
	if (comparison->config->placement_still) {
		fprintf(out, "still    no code was moved: what was found is of this placement, and "
			     "may be its luck\n");
		return;
	}
	for (size_t who = 0; who < comparison->config->readers; who++)
		if (comparison->result->reader[who].placement_still)
			fprintf(out,
				"still    %s: %s code cannot be moved; what was found is of its "
				"one placement\n",
				comparison->spec[who], comparison_whose_code(comparison, who));
}

/* Once if there are none at all. */
static void print_no_hardware(FILE *out, const struct comparison *comparison)
{
	static const char *const names[HW_COUNTERS] = {"cycles", "instructions", "branch misses",
						       "L1d misses"};
	const struct errmsg *why = comparison->result->hw_unavailable;

	if (!has_hardware(comparison)) {
		fprintf(out, "n/a      %s\n", why[HW_CYCLES].text);
		return;
	}
	for (size_t i = 0; i < HW_COUNTERS; i++)
		if (why[i].text[0])
			fprintf(out, "n/a      %s: %s\n", names[i], why[i].text);
}

static void print_unavailable(FILE *out, const struct comparison *comparison)
{
	for (size_t who = 0; who < comparison->config->readers; who++) {
		const struct compare_reader *reader = &comparison->result->reader[who];
		const char *no_retries = comparison_no_retries(reader);

		if (who && reader->unavailable.text[0])
			fprintf(out, "n/a      %s, difference: %s\n", comparison->spec[who],
				reader->unavailable.text);
		else if (who && !reader->effect.known)
			fprintf(out, "n/a      %s, intervals: it takes %d %s for one\n",
				comparison->spec[who], MEAN_INTERVAL_MIN_VALUES,
				reader->effect.placement_still ? "visits" : "placements");
		if (no_retries)
			fprintf(out, "n/a      %s, retries: %s\n", comparison->spec[who],
				no_retries);
		if (reader->path.unavailable.text[0])
			fprintf(out, "n/a      %s, instructions and branches: %s\n",
				comparison->spec[who], reader->path.unavailable.text);
		if (reader_no_code(comparison->config->reader[who]))
			fprintf(out, "n/a      %s, code bytes: %s\n", comparison->spec[who],
				reader_no_code(comparison->config->reader[who]));
	}
	print_no_hardware(out, comparison);
}

static void print_refused(FILE *out, const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->refused; i++)
		fprintf(out, "refused  %s\n", comparison->refused_spec[i]);
}

static void print_fitness(FILE *out, const struct comparison *comparison)
{
	if (comparison->null)
		fprintf(out, "machine  %s\n", comparison_fitness(comparison).text);
}

int report_compare_figures(FILE *out, const struct comparison *comparison)
{
	fputc('\n', out);
	print_times(out, comparison);
	fputc('\n', out);
	print_reasons_of_times(out, comparison);
	print_still(out, comparison);
	print_unavailable(out, comparison);
	print_refused(out, comparison);
	print_fitness(out, comparison);
	return state_of(out);
}
