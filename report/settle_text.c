// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "report/compare_cells.h"
#include "report/settle_text.h"
#include "report/settle_verdict.h"
#include "report/work_cell.h"
#include "report/writer_cell.h"

static int state_of(FILE *out)
{
	return ferror(out) ? -1 : 0;
}

/* The label stands before the first line only. */
static void print_lines(FILE *out, const char *label, const struct claim_text *claim)
{
	for (size_t i = 0; i < claim->lines; i++)
		fprintf(out, "%s%s\n", i ? "         " : label, claim->line[i]);
}

int report_settle_head(FILE *out, const struct settlement *settlement)
{
	fprintf(out, "settle   %s\n", settlement->title);
	print_lines(out, "claim    ", settlement->claim);
	print_lines(out, "by       ", settlement->by);
	return state_of(out);
}

static void print_setting(FILE *out, const struct comparison *comparison)
{
	const struct compare_config *config = comparison->config;

	if (config->has_writer)
		fprintf(out, ", %s", writers_cell(&config->run).text);
	else
		fprintf(out, ", no writer");
	if (config->run.group[0].readers > 1)
		fprintf(out, ", %u threads", config->run.group[0].readers);
	if (config->run.group[0].work.kind != WORK_NONE)
		fprintf(out, ", work %s", work_cell(&config->run.group[0].work).text);
	fprintf(out, ", %s%s\n", cell_duration(config->duration_ns).text,
		config->placement_still ? ", no code moved" : "");
}

static struct cell claimed_cell(const struct claim *claim)
{
	const double low = claim->low_percent, high = claim->high_percent;
	struct cell cell = {"-"};

	if (claim->has_percent && low == 0 && high == 0)
		return (struct cell){"none"};
	if (claim->has_percent && low < high)
		snprintf(cell.text, sizeof(cell.text), "%+.4g to %+.4g %%", low, high);
	else if (claim->has_percent)
		snprintf(cell.text, sizeof(cell.text), "%+.4g %%", low);
	return cell;
}

int report_settle_section(FILE *out, const struct settled *settled)
{
	const struct claim *claim = settled->claim;

	fprintf(out, "\n%s\n", settled->name);
	for (size_t i = 0; i < settled->readers; i++)
		fprintf(out, "%s%s",
			i ? settled->is_inspection ? ", " : " against " : "  readers   ",
			settled->reader[settled->is_inspection ? i : settled->readers - 1 - i]);
	fputc('\n', out);
	for (size_t i = 0; i < settled->targets; i++)
		fprintf(out, "%s%s%s", i ? ", " : "  target    ", settled->target[i],
			i + 1 < settled->targets ? "" : "\n");
	print_lines(out, "  claimed   ", &claim->text);
	if (claim->has_percent)
		fprintf(out, "%s%s\n", claim->text.lines ? "            " : "  claimed   ",
			claimed_cell(claim).text);
	return state_of(out);
}

static void print_measured(FILE *out, const struct comparison *comparison)
{
	const struct effect *effect = &comparison->result->reader[1].effect;

	fprintf(out, "  measured  %s", compare_effect_cell(comparison, 1).text);
	if (comparison_has_interval(comparison, 1))
		fprintf(out, " (95 %%: %s), %+.3f ns (%+.3f to %+.3f)",
			compare_interval_cell(comparison, 1, false).text, effect->ns.estimate,
			effect->ns.ci95.low, effect->ns.ci95.high);
	fprintf(out, ", %s -> %s ns a read\n", compare_read_cell(comparison, 0).text,
		compare_read_cell(comparison, 1).text);
}

static void print_circumstances(FILE *out, const struct comparison *comparison)
{
	const double spread = comparison->result->reader[1].effect.placement_sd_percent;

	if (comparison_has_effect(comparison, 1) && isfinite(spread))
		fprintf(out, "            %.3f %% sd between %s placements", spread,
			cell_count(comparison->result->placements).text);
	else if (comparison->result->reader[1].effect.placement_still)
		fprintf(out, "            at one placement, whose luck it may be");
	else
		fprintf(out, "            spread between placements n/a");
	fprintf(out, "; retries/million %s -> %s\n", compare_retries_cell(comparison, 0).text,
		compare_retries_cell(comparison, 1).text);
	if (comparison->config->reader[0]->layout != comparison->config->reader[1]->layout)
		fprintf(out, "            each page lies in memory where it was put: with work "
			     "between reads that may be luck, too\n");
	fprintf(out, "  code      %s%s -> %s bytes\n",
		comparison_same_code(comparison, 1) ? "the same, " : "",
		compare_text_cell(comparison, 0).text, compare_text_cell(comparison, 1).text);
}

static void print_comparison(FILE *out, const struct settled *settled)
{
	const struct comparison *comparison = settled->comparison;

	fprintf(out, "  under     %s", comparison->config->run.clocksource->name);
	print_setting(out, comparison);
	print_measured(out, comparison);
	print_circumstances(out, comparison);
	if (comparison->result->outcome == COMPARE_BROKEN)
		fprintf(out, "  broken    %s\n", comparison->result->broken);
	fprintf(out, "  verdict   %s\n", settle_verdict_cell(settled->claim, comparison).text);
}

int report_settle_finding(FILE *out, const struct settled *settled)
{
	if (settled->comparison)
		print_comparison(out, settled);
	else if (!settled->inspection)
		fprintf(out, "  n/a       %s\n", settled->why.text);
	return state_of(out);
}

static bool remarked(const struct settled *settled, const char *text)
{
	const struct remarks *remarks;

	if (!settled->comparison)
		return false;
	remarks = &settled->comparison->result->remarks;
	for (int i = 0; i < remarks->count; i++)
		if (strcmp(remarks->text[i], text) == 0)
			return true;
	return false;
}

static bool remarked_before(const struct settlement *settlement, size_t which, const char *text)
{
	for (size_t i = 0; i < which; i++)
		if (remarked(&settlement->section[i], text))
			return true;
	return false;
}

int report_settle_remarks(FILE *out, const struct settlement *settlement, size_t which)
{
	const struct comparison *comparison = settlement->section[which].comparison;

	for (int i = 0; comparison && i < comparison->result->remarks.count; i++) {
		const char *text = comparison->result->remarks.text[i];

		if (!remarked_before(settlement, which, text))
			fprintf(out, "remark   %s\n", text);
	}
	return state_of(out);
}

static int name_width(const struct settlement *settlement)
{
	int width = 10;

	for (size_t i = 0; i < settlement->sections; i++) {
		const int length = cell_columns(settlement->section[i].name);

		if (!settlement->section[i].is_inspection && length > width)
			width = length;
	}
	return width;
}

static void print_row(FILE *out, const struct settled *settled, int width)
{
	const struct comparison *comparison = settled->comparison;

	fprintf(out, "%s%*s%18s", settled->name, width - cell_columns(settled->name), "",
		claimed_cell(settled->claim).text);
	if (comparison)
		fprintf(out, "%14s%22s   %s\n", compare_effect_cell(comparison, 1).text,
			compare_interval_cell(comparison, 1, false).text,
			settle_verdict_cell(settled->claim, comparison).text);
	else
		fprintf(out, "%14s%22s   %s\n", "n/a", "n/a",
			settled->why.text[0] ? "n/a, see there" : "n/a: interrupted");
}

static const struct comparison *first_comparison(const struct settlement *settlement)
{
	for (size_t i = 0; i < settlement->sections; i++)
		if (settlement->section[i].comparison)
			return settlement->section[i].comparison;
	return NULL;
}

int report_settle_table(FILE *out, const struct settlement *settlement)
{
	const int width = name_width(settlement);
	const struct comparison *first = first_comparison(settlement);

	if (settlement->interrupted)
		fprintf(out, "\npartial  interrupted; what had not come to its end is no result\n");
	if (!first)
		return state_of(out);
	fprintf(out, "\n%*s%18s%14s%22s   verdict\n", width, "", "claimed", "measured",
		"95 % interval");
	for (size_t i = 0; i < settlement->sections; i++)
		if (!settlement->section[i].is_inspection)
			print_row(out, &settlement->section[i], width);
	fprintf(out, "machine  %s, %d CPUs, kernel %s, counter %s\n",
		first->result->machine.cpu_model, first->result->machine.cpus_online,
		first->result->machine.kernel, first->config->run.clocksource->name);
	return state_of(out);
}
