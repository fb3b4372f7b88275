// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "report/cell.h"
#include "report/diff_text.h"
#include "report/diff_value.h"

#define NAME_WIDTH     24
#define VALUE_WIDTH    9
#define CHANGE_WIDTH   10
#define INTERVAL_WIDTH 16
#define WORDS_WIDTH    (2 * VALUE_WIDTH + CHANGE_WIDTH + INTERVAL_WIDTH + 4)

static int state_of(FILE *out)
{
	return ferror(out) ? -1 : 0;
}

static void print_file(FILE *out, const char *side, const struct result_file *file)
{
	const char *version = text_at(file->root, "version");
	const char *date = text_at(file->root, "date");

	fprintf(out, "%-8s %s (contend %s%s%s)\n", side, file->path, version ? version : "n/a",
		date ? ", " : "", date ? date : "");
}

int report_diff_head(FILE *out, const struct diff *diff)
{
	fprintf(out, "diff     two results of contend %s\n",
		result_kind_name(diff->new_file->kind));
	print_file(out, "OLD", diff->old_file);
	print_file(out, "NEW", diff->new_file);
	return state_of(out);
}

struct diff_sentence report_diff_sentence(const struct diff_difference *difference)
{
	struct diff_sentence sentence;

	snprintf(sentence.text, sizeof(sentence.text), "%.200s: %s in OLD, %s in NEW",
		 difference->path, diff_words_of(difference->old_value).text,
		 diff_words_of(difference->new_value).text);
	return sentence;
}

int report_diff_remarks(FILE *out, const struct diff *diff)
{
	if (diff->remark)
		fprintf(out, "remark   %s\n", diff->remark);
	for (size_t i = 0; i < diff->differences.count; i++)
		fprintf(out, "differs  %s%s\n",
			report_diff_sentence(&diff->differences.list[i]).text,
			diff->differences.list[i].refuses ? " (--force)" : "");
	return state_of(out);
}

/* Three digits or more, and no more than three behind the point. */
static struct cell signed_cell(double value)
{
	const double size = fabs(value);
	struct cell cell;

	snprintf(cell.text, sizeof(cell.text), "%+.*f",
		 size >= 99.95	  ? 0
		 : size >= 9.995  ? 1
		 : size >= 0.9995 ? 2
				  : 3,
		 value);
	return cell;
}

static struct cell number_cell(double value)
{
	struct cell cell;

	if (value >= 0 && value < 1e15 && fabs(value - floor(value)) <= 0)
		return cell_count((u64)value);
	snprintf(cell.text, sizeof(cell.text), "%.4g", value);
	return cell;
}

static struct cell value_cell(const struct diff_figure *figure, const struct diff_estimate *one)
{
	struct cell cell;

	if (one->at != NUMBER_THERE)
		return (struct cell){"n/a"};
	if (strcmp(figure->unit, "ns") == 0)
		return cell_ns(one->value);
	if (strcmp(figure->unit, "s") == 0)
		return cell_ns(one->value * NSEC_PER_SEC);
	if (strcmp(figure->unit, "/s") == 0)
		return cell_rate(one->value);
	if (strcmp(figure->unit, "%") != 0)
		return number_cell(one->value);
	snprintf(cell.text, sizeof(cell.text), "%.40s %%", signed_cell(one->value).text);
	return cell;
}

static const char *change_unit(const struct diff_figure *figure)
{
	if (figure->scale == DIFF_SHARE)
		return " %";
	return strcmp(figure->unit, "%") == 0 ? " pts" : "";
}

static struct cell change_cell(const struct diff_finding *finding)
{
	struct cell cell = {"n/a"};

	if (finding->change.known && isinf(finding->change.change))
		return (struct cell){"from 0"};
	if (finding->change.known)
		snprintf(cell.text, sizeof(cell.text), "%.40s%s",
			 signed_cell(finding->change.change).text, change_unit(finding->figure));
	return cell;
}

static struct cell end_cell(double end)
{
	return isinf(end) ? (struct cell){"any"} : signed_cell(end);
}

/* What is exact has none to speak of. */
static struct cell interval_cell(const struct diff_finding *finding)
{
	const struct diff_change *change = &finding->change;
	struct cell cell = {"n/a"};

	if (change->known && change->has_interval && change->high <= change->low)
		return (struct cell){"exact"};
	if (change->known && change->has_interval)
		snprintf(cell.text, sizeof(cell.text), "%.24s to %.24s", end_cell(change->low).text,
			 end_cell(change->high).text);
	return cell;
}

/* Its unit where the cell does not say it. */
static struct cell name_cell(const struct diff_figure *figure)
{
	static const char *const said[] = {"", "ns", "s", "/s", "%"};
	struct cell cell;

	snprintf(cell.text, sizeof(cell.text), "%.40s", figure->name);
	for (size_t i = 0; i < ARRAY_SIZE(said); i++)
		if (strcmp(figure->unit, said[i]) == 0)
			return cell;
	snprintf(cell.text, sizeof(cell.text), "%.40s %.20s", figure->name, figure->unit);
	return cell;
}

static void print_words(FILE *out, const struct diff_finding *finding)
{
	char words[256];

	snprintf(words, sizeof(words), "%.100s, now %.100s", diff_words_of(finding->old_value).text,
		 diff_words_of(finding->new_value).text);
	fprintf(out, " %*s", WORDS_WIDTH - 1, words);
}

static void print_numbers(FILE *out, const struct diff_finding *finding)
{
	fprintf(out, " %*s %*s %*s %*s", VALUE_WIDTH,
		value_cell(finding->figure, &finding->old_one).text, VALUE_WIDTH,
		value_cell(finding->figure, &finding->new_one).text, CHANGE_WIDTH,
		change_cell(finding).text, INTERVAL_WIDTH, interval_cell(finding).text);
}

static void print_finding(FILE *out, const struct diff_finding *finding)
{
	fprintf(out, "%-*s", NAME_WIDTH, name_cell(finding->figure).text);
	if (finding->figure->scale == DIFF_WORD)
		print_words(out, finding);
	else
		print_numbers(out, finding);
	fprintf(out, "  %s%s\n", diff_judgement_name(finding->judgement),
		finding->fails ? ", FAILS" : "");
}

static size_t count_same(const struct diff *diff)
{
	size_t same = 0;

	for (size_t i = 0; i < diff->findings; i++)
		same += diff->finding[i].judgement == DIFF_SAME;
	return same;
}

static void print_table(FILE *out, const struct diff *diff)
{
	const char *of = "";

	if (count_same(diff) == diff->findings)
		return;
	fprintf(out, "\n%-*s %*s %*s %*s %*s  %s\n", NAME_WIDTH, "figure", VALUE_WIDTH, "OLD",
		VALUE_WIDTH, "NEW", CHANGE_WIDTH, "change", INTERVAL_WIDTH, "95 % interval",
		"judgement");
	for (size_t i = 0; i < diff->findings; i++) {
		const struct diff_finding *finding = &diff->finding[i];

		if (finding->judgement == DIFF_SAME)
			continue;
		if (strcmp(of, finding->of) != 0)
			fprintf(out, "\n%s\n", finding->of);
		of = finding->of;
		print_finding(out, finding);
	}
}

static void print_lones(FILE *out, const struct diff *diff)
{
	for (size_t i = 0; i < diff->lones; i++)
		fprintf(out, "only in  %s: %s\n", diff->lone[i].is_new ? "NEW" : "OLD",
			diff->lone[i].what);
}

static void print_failures(FILE *out, const struct diff *diff)
{
	for (size_t i = 0; i < diff->findings; i++)
		if (diff->finding[i].fails)
			fprintf(out, "fails    %s%s%s\n", diff->finding[i].of,
				*diff->finding[i].of ? ": " : "", diff->finding[i].figure->name);
	for (size_t i = 0; i < diff->lones; i++)
		if (diff->lone[i].fails)
			fprintf(out, "fails    %s\n", diff->lone[i].what);
	if (diff->fail_above_percent >= 0 && diff_status(diff) == STATUS_WELL)
		fprintf(out, "fails    none: nothing is surely worse by more than %g %%\n",
			diff->fail_above_percent);
}

int report_diff_figures(FILE *out, const struct diff *diff)
{
	const size_t same = count_same(diff);

	print_table(out, diff);
	fputc('\n', out);
	print_lones(out, diff);
	if (same)
		fprintf(out, "same     %zu of %zu figure%s\n", same, diff->findings,
			diff->findings == 1 ? "" : "s");
	print_failures(out, diff);
	return state_of(out);
}
