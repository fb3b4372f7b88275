// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "measure/calibrate_figures.h"
#include "report/calibrate_text.h"
#include "report/cell.h"
#include "report/clock_mode.h"

/* Where the second line of a group begins, and the columns of the table. */
#define DETAIL	     "           "
#define CLOCK_WIDTH  17
#define COLUMN_WIDTH 17

static int state_of(FILE *out)
{
	return ferror(out) ? -1 : 0;
}

static const char *plural(u64 count)
{
	return count == 1 ? "" : "s";
}

static void print_end(FILE *out, const struct calibrate_config *config,
		      const struct calibrate_result *result)
{
	if (result->interrupted)
		fprintf(out, "partial  interrupted after %s of %s; the figures are of that part\n",
			cell_ns(result->seconds * NSEC_PER_SEC).text,
			cell_duration(config->duration_ns).text);
}

/* Where the code lies in its page; a copy of the host's lies as the host's does. */
static void print_place(FILE *out, const struct calibrate_result *result)
{
	const char *separator = "";

	fprintf(out, "place    where the code begins, byte of its page (of its line):");
	for (size_t i = 0; i < result->contestants; i++) {
		const struct calibrate_contestant *contestant = &result->contestant[i];

		if (!contestant->code || contestant->unavailable.text[0])
			continue;
		fprintf(out, "%s %s %llu (%llu)", separator, contestant->name,
			(unsigned long long)contestant->code % SIM_PAGE_BYTES,
			(unsigned long long)contestant->code % CACHE_LINE);
		separator = ",";
	}
	fputc('\n', out);
}

int report_calibrate_head(FILE *out, const struct calibrate_config *config,
			  const struct calibrate_result *result)
{
	const struct machine *machine = &result->machine;

	fprintf(out, "contend  calibrate %zu clock%s by %zu contestants on CPU %d, %s\n",
		config->clocks, plural(config->clocks), result->contestants, result->cpu,
		cell_duration(config->duration_ns).text);
	fprintf(out, "machine  %s, %d CPU%s, counter %s %.6g MHz", machine->cpu_model,
		machine->cpus_online, plural((u64)machine->cpus_online), result->counter->name,
		(double)result->counter_hz / 1e6);
	if (result->layout)
		fprintf(out, "; kernel %s, page of %s in mode %s%s", machine->kernel,
			result->layout->name, report_clock_mode(result->clock_mode),
			result->in_namespace ? ", in a time namespace" : "");
	fputc('\n', out);
	print_place(out, result);
	print_end(out, config, result);
	return state_of(out);
}

int report_calibrate_remarks(FILE *out, const struct calibrate_result *result)
{
	for (int i = 0; i < result->remarks.count; i++)
		fprintf(out, "remark   %s\n", result->remarks.text[i]);
	return state_of(out);
}

static int column_width(const struct calibrate_result *result, size_t contestant)
{
	const int width = (int)strlen(result->contestant[contestant].name) + 2;

	return width > COLUMN_WIDTH ? width : COLUMN_WIDTH;
}

/* As many digits as a ratio of such a size can be known to. */
static int digits_of(double ratio)
{
	return ratio < 2 ? 4 : ratio < 10 ? 3 : 2;
}

/* 0.9979-1.0021; empty if there is none. */
static struct cell interval_cell(const struct interval *interval)
{
	const int digits = digits_of(interval->estimate);
	struct cell cell = {""};

	if (interval->known)
		snprintf(cell.text, sizeof(cell.text), "%.*f-%.*f", digits, interval->low, digits,
			 interval->high);
	return cell;
}

static struct cell ratio_cell(const struct interval *interval)
{
	struct cell cell;

	snprintf(cell.text, sizeof(cell.text), "%.*f", digits_of(interval->estimate),
		 interval->estimate);
	return cell;
}

static struct cell read_cell(const struct calibrate_cell *from, bool is_host)
{
	struct cell cell;

	if (from->unavailable.text[0])
		snprintf(cell.text, sizeof(cell.text), "%s", from->calls_system ? "system" : "n/a");
	else if (is_host)
		snprintf(cell.text, sizeof(cell.text), "%.2f", from->read_ns);
	else
		snprintf(cell.text, sizeof(cell.text), "%.2f  %6.20s", from->read_ns,
			 from->no_ratio.text[0] ? "n/a" : ratio_cell(&from->ratio).text);
	return cell;
}

/* A line of the table. */
struct row {
	char text[64 + FIELD_MAX * (COLUMN_WIDTH + 64)];
	size_t used;
};

static void add_column(struct row *row, int width, const char *cell)
{
	const int added =
		snprintf(row->text + row->used, sizeof(row->text) - row->used, "%*s", width, cell);

	if (added > 0)
		row->used += (size_t)added;
	if (row->used >= sizeof(row->text))
		row->used = sizeof(row->text) - 1;
}

/* Without the blanks at its end, and not at all if there is nothing else. */
static void print_row(FILE *out, struct row *row)
{
	while (row->used && row->text[row->used - 1] == ' ')
		row->used--;
	if (row->used)
		fprintf(out, "%.*s\n", (int)row->used, row->text);
	row->used = 0;
}

static void print_names(FILE *out, const struct calibrate_result *result, size_t first)
{
	struct row row = {.used = 0};

	add_column(&row, CLOCK_WIDTH, "");
	for (size_t i = first; i < result->contestants; i++)
		add_column(&row, column_width(result, i), result->contestant[i].name);
	print_row(out, &row);
}

static void print_clock(FILE *out, const struct calibrate_result *result, size_t clock,
			const char *name)
{
	const struct calibrate_cell *cells = result->cell[clock];
	struct row row = {.used = 0};

	add_column(&row, -CLOCK_WIDTH, name);
	for (size_t i = 0; i < result->contestants; i++)
		add_column(&row, column_width(result, i),
			   read_cell(&cells[i], i == FIELD_HOST).text);
	print_row(out, &row);
	add_column(&row, CLOCK_WIDTH, "");
	for (size_t i = 0; i < result->contestants; i++)
		add_column(&row, column_width(result, i),
			   i == FIELD_HOST ? "" : interval_cell(&cells[i].ratio).text);
	print_row(out, &row);
}

static void print_table(FILE *out, const struct calibrate_config *config,
			const struct calibrate_result *result)
{
	fprintf(out,
		"ns a read and the ratio to the host's vDSO, with its 95 %% interval; medians of "
		"%s round%s\n",
		cell_count(result->rounds).text, plural(result->rounds));
	print_names(out, result, 0);
	for (size_t clock = 0; clock < config->clocks; clock++)
		print_clock(out, result, clock, clock_name(config->clock[clock]));
}

static void print_pairs_of(FILE *out, const struct calibrate_config *config,
			   const struct calibrate_result *result, size_t clock)
{
	const struct calibrate_pair *pairs = result->pair[clock];
	struct row row = {.used = 0};

	add_column(&row, -CLOCK_WIDTH, clock_name(config->clock[clock]));
	for (size_t i = 1; i < config->images; i++)
		add_column(&row, column_width(result, FIELD_IMAGES + i),
			   pairs[i].unavailable.text[0] ? "n/a" : ratio_cell(&pairs[i].ratio).text);
	print_row(out, &row);
	add_column(&row, CLOCK_WIDTH, "");
	for (size_t i = 1; i < config->images; i++)
		add_column(&row, column_width(result, FIELD_IMAGES + i),
			   interval_cell(&pairs[i].ratio).text);
	print_row(out, &row);
}

/* A difference between two images of the same code is none of the code. */
static void print_same_code(FILE *out, const struct calibrate_config *config,
			    const struct calibrate_result *result, size_t image)
{
	const char *separator = "";

	for (size_t clock = 0; clock < config->clocks; clock++) {
		const struct code *code = &result->pair[clock][image].code;

		if (code->unavailable.text[0] || !code->same)
			continue;
		if (!separator[0])
			fprintf(out, "same     %s executes what %s does for",
				result->contestant[FIELD_IMAGES + image].name,
				result->contestant[FIELD_IMAGES].name);
		fprintf(out, "%s %s", separator, clock_name(config->clock[clock]));
		separator = ",";
	}
	if (separator[0])
		fputc('\n', out);
}

static void print_pairs(FILE *out, const struct calibrate_config *config,
			const struct calibrate_result *result)
{
	if (config->images < 2)
		return;
	fprintf(out, "\nratio to %s, with its 95 %% interval\n",
		result->contestant[FIELD_IMAGES].name);
	print_names(out, result, FIELD_IMAGES + 1);
	for (size_t clock = 0; clock < config->clocks; clock++)
		print_pairs_of(out, config, result, clock);
	for (size_t i = 1; i < config->images; i++)
		print_same_code(out, config, result, i);
}

/* Of one clock of a contestant that takes part. */
static void print_reasons_of(FILE *out, const struct calibrate_cell *cell, bool has_values,
			     const char *name, const char *clock)
{
	if (cell->calls_system)
		fprintf(out, "system   %s does not answer for %s: it calls the system\n", name,
			clock);
	else if (cell->unavailable.text[0])
		fprintf(out, "n/a      %s for %s: %s\n", name, clock, cell->unavailable.text);
	if (has_values && cell->no_values.text[0] &&
	    (cell->calls_system || !cell->unavailable.text[0]))
		fprintf(out, "n/a      values of %s for %s: %s\n", name, clock,
			cell->no_values.text);
}

/* Why there is none of a contestant, or of one of its clocks. */
static void print_reasons(FILE *out, const struct calibrate_config *config,
			  const struct calibrate_result *result)
{
	for (size_t i = 0; i < result->contestants; i++) {
		const struct calibrate_contestant *contestant = &result->contestant[i];

		if (contestant->unavailable.text[0]) {
			fprintf(out, "n/a      %s: %s\n", contestant->name,
				contestant->unavailable.text);
			continue;
		}
		for (size_t clock = 0; clock < config->clocks; clock++)
			print_reasons_of(out, &result->cell[clock][i],
					 i != FIELD_HOST && !result->no_values.text[0],
					 contestant->name, clock_name(config->clock[clock]));
	}
	if (result->rounds < INTERVAL_MIN_VALUES)
		fprintf(out, "n/a      intervals: it takes %d rounds for one\n",
			INTERVAL_MIN_VALUES);
}

/* Nanoseconds as seconds, to the last of them. */
static struct cell time_cell(u64 ns)
{
	struct cell cell;

	snprintf(cell.text, sizeof(cell.text), "%llu.%09llu",
		 (unsigned long long)(ns / NSEC_PER_SEC), (unsigned long long)(ns % NSEC_PER_SEC));
	return cell;
}

static void print_example(FILE *out, clockid_t clock, const char *name,
			  const struct calibrate_cell *cell)
{
	if (!cell->disagreements)
		return;
	fprintf(out, DETAIL "%s, %s: %s of %s; one was %s s, the host's %s and %s s\n",
		clock_name(clock), name, cell_count(cell->disagreements).text,
		cell_count(cell->tries).text, time_cell(cell->example.value).text,
		time_cell(cell->example.low).text, time_cell(cell->example.high).text);
}

static void print_values(FILE *out, const struct calibrate_config *config,
			 const struct calibrate_result *result)
{
	if (result->no_values.text[0]) {
		fprintf(out, "values   n/a: %s\n", result->no_values.text);
		return;
	}
	fprintf(out, "values   %s disagree of %s, each held between two of the host's vDSO\n",
		cell_count(calibrate_disagreements(result, config)).text,
		cell_count(calibrate_tries(result, config)).text);
	for (size_t clock = 0; clock < config->clocks; clock++)
		for (size_t i = 0; i < result->contestants; i++)
			print_example(out, config->clock[clock], result->contestant[i].name,
				      &result->cell[clock][i]);
}

/* How a contestant's code differs, if that is to be shown; or NULL. */
typedef const struct code *shown_code_fn(const struct calibrate_result *result, size_t clock,
					 size_t contestant);

/* From the host's, where a remark asks for it. */
static const struct code *shown_beside_host(const struct calibrate_result *result, size_t clock,
					    size_t contestant)
{
	if (!calibrate_is_remarkable(result, clock, contestant) ||
	    !calibrate_knows_difference(result, clock, contestant))
		return NULL;
	return &result->cell[clock][contestant].code;
}

/* From the first image's: it is what two images are compared for. */
static const struct code *shown_beside_first(const struct calibrate_result *result, size_t clock,
					     size_t contestant)
{
	const struct code *code = &result->pair[clock][contestant - FIELD_IMAGES].code;

	return code->unavailable.text[0] || code->same ? NULL : code;
}

/* Whether the same lines would show. */
static bool same_lines(const struct code *a, const struct code *b)
{
	return a && b && a->first_difference == b->first_difference &&
	       memcmp(a->line, b->line, sizeof(a->line)) == 0 &&
	       memcmp(a->other_line, b->other_line, sizeof(a->other_line)) == 0;
}

static bool was_shown(const struct calibrate_result *result, shown_code_fn *shown,
		      size_t contestant, size_t clock)
{
	for (size_t before = 0; before < clock; before++)
		if (same_lines(shown(result, clock, contestant), shown(result, before, contestant)))
			return true;
	return false;
}

static void print_code(FILE *out, const struct calibrate_config *config,
		       const struct calibrate_result *result, shown_code_fn *shown,
		       size_t contestant, const char *against, size_t clock)
{
	const struct code *code = shown(result, clock, contestant);

	fprintf(out, "code     %s", clock_name(config->clock[clock]));
	for (size_t other = clock + 1; other < config->clocks; other++)
		if (same_lines(code, shown(result, other, contestant)))
			fprintf(out, ", %s", clock_name(config->clock[other]));
	fprintf(out, ": the first instructions that differ, from number %zu on\n",
		code->first_difference + 1);
	fprintf(out, DETAIL "%-40s  %s\n", result->contestant[contestant].name, against);
	for (size_t i = 0; i < CODE_LINES; i++)
		if (code->line[i].text[0] || code->other_line[i].text[0])
			fprintf(out, DETAIL "%-40s  %s\n", code->line[i].text,
				code->other_line[i].text);
}

static void print_codes_of(FILE *out, const struct calibrate_config *config,
			   const struct calibrate_result *result, shown_code_fn *shown,
			   size_t contestant, const char *against)
{
	for (size_t clock = 0; clock < config->clocks; clock++)
		if (shown(result, clock, contestant) &&
		    !was_shown(result, shown, contestant, clock))
			print_code(out, config, result, shown, contestant, against, clock);
}

static void print_codes(FILE *out, const struct calibrate_config *config,
			const struct calibrate_result *result)
{
	for (size_t i = 0; i < result->contestants; i++)
		print_codes_of(out, config, result, shown_beside_host, i, "host's vDSO");
	for (size_t i = FIELD_IMAGES + 1; i < result->contestants; i++)
		print_codes_of(out, config, result, shown_beside_first, i,
			       result->contestant[FIELD_IMAGES].name);
}

int report_calibrate_figures(FILE *out, const struct calibrate_config *config,
			     const struct calibrate_result *result)
{
	fputc('\n', out);
	print_table(out, config, result);
	print_pairs(out, config, result);
	fputc('\n', out);
	print_reasons(out, config, result);
	print_values(out, config, result);
	print_codes(out, config, result);
	return state_of(out);
}
