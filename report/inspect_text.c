// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "report/cell.h"
#include "report/inspect_code_text.h"
#include "report/inspect_page_text.h"
#include "report/inspect_target_text.h"
#include "report/inspect_text.h"

#define DETAIL	     "         "
#define NAME_WIDTH   22
#define COLUMN_WIDTH 14

const char *report_likeness(const struct likeness *likeness)
{
	switch (likeness->kind) {
	case LIKENESS_SAME:
		return "same code";
	case LIKENESS_PLACE:
		return "same code but for where it lies";
	case LIKENESS_REGISTERS:
		return "same but for registers";
	case LIKENESS_DIFFERENT:
		break;
	}
	return likeness->same_shape ? "same instructions on registers that no renaming explains"
				    : "different code";
}

static void print_head(FILE *out, const struct inspect_result *result)
{
	fprintf(out, "machine  %s; kernel %s\n", result->machine.cpu_model, result->machine.kernel);
}

static void print_size(FILE *out, const struct inspect_reader *inspected)
{
	const struct reader *reader = inspected->reader;
	const struct functions *functions = &inspected->functions;

	fprintf(out, "size     ");
	if (inspected->no_functions.text[0])
		fprintf(out, "n/a: %s\n", inspected->no_functions.text);
	else if (reader->image && inspected->entry)
		fprintf(out,
			"entry %s %s bytes, by its symbol; what else it runs is not told apart in "
			"an image\n",
			inspected->entry->name, cell_count(inspected->entry->bytes).text);
	else if (reader->image)
		fprintf(out, "n/a: the image does not say how large its function is\n");
	else
		fprintf(out, "text %s bytes in %zu function%s; entry %s bytes\n",
			cell_count(machine_code_text_bytes(&reader->code)).text, functions->count,
			functions->count == 1 ? "" : "s",
			inspected->entry ? cell_count(inspected->entry->bytes).text : "n/a");
}

struct row {
	const char *name;
	size_t offset; /* of a u32 in struct path_figures */
};

#define ROW(name, member)                                     \
	{                                                     \
		(name), offsetof(struct path_figures, member) \
	}

static const struct row rows[] = {
	ROW("instructions", instructions),
	ROW("branches taken", branches_taken),
	ROW("branches not taken", branches_not_taken),
	ROW("jumps", jumps),
	ROW("calls", calls),
	ROW("system calls", system_calls),
	ROW("lines of code", code_lines),
	ROW("loads of the page", loads.page),
	ROW("loads of the stack", loads.stack),
	ROW("loads elsewhere", loads.elsewhere),
	ROW("stores to the page", stores.page),
	ROW("stores to the stack", stores.stack),
	ROW("stores elsewhere", stores.elsewhere),
};

static void print_row(FILE *out, const struct inspect_reader *inspected, const struct row *row)
{
	fprintf(out, DETAIL "%-*s", NAME_WIDTH, row->name);
	for (int kind = 0; kind < WALK_KINDS; kind++) {
		const struct path_figures *path = &inspected->path[kind];

		if (path->unavailable.text[0])
			fprintf(out, "%*s", COLUMN_WIDTH, "n/a");
		else
			fprintf(out, "%*u", COLUMN_WIDTH,
				*(const u32 *)(const void *)((const char *)path + row->offset));
	}
	fputc('\n', out);
}

static void print_reasons(FILE *out, const struct inspect_reader *inspected)
{
	for (int kind = 0; kind < WALK_KINDS; kind++)
		if (inspected->path[kind].unavailable.text[0])
			fprintf(out, "n/a      %s: %s\n", walk_kind_name((enum walk_kind)kind),
				inspected->path[kind].unavailable.text);
	if (!inspected->path[WALK_FAST].unavailable.text[0] &&
	    inspected->path[WALK_FAST].entry_byte)
		fprintf(out,
			"place    traced where its entry lies %u bytes into a line of code, not at "
			"its start\n",
			inspected->path[WALK_FAST].entry_byte);
}

static void print_paths(FILE *out, const struct inspect_reader *inspected)
{
	fprintf(out, "path     %-*s", NAME_WIDTH, "one quiet call");
	for (int kind = 0; kind < WALK_KINDS; kind++)
		fprintf(out, "%*s", COLUMN_WIDTH, walk_kind_name((enum walk_kind)kind));
	fputc('\n', out);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		print_row(out, inspected, &rows[i]);
	print_reasons(out, inspected);
}

static void print_lines_of(FILE *out, const struct path_figures *figures, enum page_slot slot)
{
	static const char *const names[PAGE_SLOTS] = {
		[PAGE_TIMENS] = "; of the namespace's page at ",
		[PAGE_DATA] = " at ",
		[PAGE_COUNTER] = "; of the counter's page at "};
	const u64 lines = figures->page_lines[slot];
	const char *separator = names[slot];
	/* The counter's page has no data that begins somewhere. */
	const int data_offset = slot == PAGE_COUNTER ? 0 : (int)figures->data_offset;

	for (int line = 0; line < 64; line++) {
		if (!(lines >> line & 1))
			continue;
		fprintf(out, "%s%d", separator, line * CACHE_LINE - data_offset);
		separator = ", ";
	}
}

static void print_lines(FILE *out, const struct inspect_reader *inspected)
{
	fprintf(out, "lines    of 64 bytes of the page that a fast read touches, by their first "
		     "byte in the data\n");
	for (size_t i = 0; i < INSPECT_CLOCKS; i++) {
		const struct path_figures *figures = &inspected->clock[i];

		fprintf(out, DETAIL "%-*s ", NAME_WIDTH, clock_name(inspect_clocks[i]));
		if (figures->unavailable.text[0]) {
			fprintf(out, "n/a: %s\n", figures->unavailable.text);
			continue;
		}
		fprintf(out, "%d", __builtin_popcountll(figures->page_lines[PAGE_DATA]));
		print_lines_of(out, figures, PAGE_DATA);
		print_lines_of(out, figures, PAGE_TIMENS);
		print_lines_of(out, figures, PAGE_COUNTER);
		fputc('\n', out);
	}
}

static void print_reader(FILE *out, const struct inspect_reader *inspected)
{
	const struct reader *reader = inspected->reader;

	fprintf(out, "\nreader   %s (%s)%s%s\n", reader->path, reader->variation,
		reader->code.compiler[0] ? ", made by " : "", reader->code.compiler);
	print_size(out, inspected);
	if (!reader->image && !inspected->no_functions.text[0])
		report_inspect_inlinings(out, &inspected->functions);
	print_paths(out, inspected);
	print_lines(out, inspected);
}

static void print_likeness(FILE *out, const char *name, const struct likeness *likeness)
{
	fprintf(out, "%-9s", name);
	if (likeness->unavailable.text[0]) {
		fprintf(out, "n/a: %s\n", likeness->unavailable.text);
		return;
	}
	fprintf(out, "%s; %zu and %zu instructions\n", report_likeness(likeness),
		likeness->count[0], likeness->count[1]);
	if (likeness->kind < LIKENESS_REGISTERS)
		return;
	fprintf(out, DETAIL "first difference at number %zu: %s | %s\n", likeness->first + 1,
		likeness->words[0].text[0] ? likeness->words[0].text : "(end)",
		likeness->words[1].text[0] ? likeness->words[1].text : "(end)");
}

static void print_change(FILE *out, const char *what, u32 a, u32 b)
{
	const u32 change = a > b ? a - b : b - a;

	if (change)
		fprintf(out, DETAIL "the second has %u %s%s %s on its way\n", change, what,
			change == 1			? ""
			: what[strlen(what) - 1] == 'h' ? "es"
							: "s",
			a > b ? "fewer" : "more");
}

/* What people argue about: it is this that a hint can change beside registers. */
static void print_branches(FILE *out, const struct path_figures *a, const struct path_figures *b)
{
	if (a->unavailable.text[0] || b->unavailable.text[0])
		return;
	print_change(out, "instruction", a->instructions, b->instructions);
	print_change(out, "taken branch", a->branches_taken, b->branches_taken);
	print_change(out, "jump", a->jumps, b->jumps);
	print_change(out, "call", a->calls, b->calls);
	print_change(out, "code line", a->code_lines, b->code_lines);
	print_change(out, "page load", a->loads.page, b->loads.page);
	print_change(out, "stack load", a->loads.stack, b->loads.stack);
}

static void print_difference(FILE *out, const struct inspect_result *result)
{
	const struct inspect_reader *a = &result->reader[0], *b = &result->reader[1];

	fprintf(out, "\ndiff     %s (%s) | %s (%s)\n", a->reader->path, a->reader->variation,
		b->reader->path, b->reader->variation);
	print_likeness(out, "fast", &result->difference.path);
	print_branches(out, &a->path[WALK_FAST], &b->path[WALK_FAST]);
	print_likeness(out, "all", &result->difference.text);
	if (!a->path[WALK_FAST].unavailable.text[0] && !b->path[WALK_FAST].unavailable.text[0])
		report_inspect_side_by_side(out, &a->walk[WALK_FAST], &b->walk[WALK_FAST]);
}

int report_inspect(FILE *out, const struct inspect_result *result, bool disassembly)
{
	print_head(out, result);
	for (size_t i = 0; i < result->readers; i++) {
		print_reader(out, &result->reader[i]);
		if (disassembly && !result->reader[i].path[WALK_FAST].unavailable.text[0])
			report_inspect_disassembly(out, &result->reader[i]);
	}
	if (result->has_difference)
		print_difference(out, result);
	for (size_t i = 0; i < result->pages; i++) {
		fputc('\n', out);
		report_inspect_page(out, &result->page[i]);
	}
	report_inspect_targets(out, result);
	for (size_t i = 0; i < result->refused; i++)
		fprintf(out, "%srefused  %s: %s\n", i ? "" : "\n", result->refusal[i].reader,
			result->refusal[i].why.text);
	return ferror(out) ? -1 : 0;
}
