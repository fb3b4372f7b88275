// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "report/cell.h"
#include "report/inspect_code_text.h"
#include "report/inspect_target_text.h"

#define DETAIL "         "
#define FIGURE "%14s"

static void print_figure(FILE *out, bool known, u32 figure)
{
	fprintf(out, FIGURE, known ? cell_count(figure).text : "n/a");
}

static void print_counts(FILE *out, const struct static_code *code,
			 const struct static_counts *counts)
{
	const bool known = !code->unavailable.text[0];

	print_figure(out, known, counts->instructions);
	print_figure(out, known, counts->branches);
	print_figure(out, known, counts->jumps);
	print_figure(out, known, counts->calls);
}

/* What a change costs is the first thing that is asked. */
static void print_more(FILE *out, const struct inspect_target *it,
		       const struct inspect_target *first)
{
	const struct static_code *a = &first->code, *b = &it->code;

	if (it == first)
		return;
	fprintf(out, DETAIL "%+lld bytes against the first",
		(long long)b->functions.text_bytes - a->functions.text_bytes);
	if (!a->unavailable.text[0] && !b->unavailable.text[0])
		fprintf(out, ", %+lld instructions, %+lld branches, %+lld calls",
			(long long)b->total.instructions - a->total.instructions,
			(long long)b->total.branches - a->total.branches,
			(long long)b->total.calls - a->total.calls);
	fputc('\n', out);
}

static void print_callers(FILE *out, const struct static_code *code, size_t number)
{
	const char *separator = "  called by ";

	for (size_t i = 0; i < code->functions.count; i++) {
		if (!(code->callers[number] >> i & 1))
			continue;
		fprintf(out, "%s%s", separator, code->functions.function[i].name);
		separator = ", ";
	}
	if (functions_times_inlined(&code->functions, code->functions.function[number].name))
		fprintf(out, "; inlined elsewhere");
	fputc('\n', out);
}

static void print_functions(FILE *out, const struct static_code *code)
{
	for (size_t i = 0; i < code->functions.count; i++) {
		const struct function *function = &code->functions.function[i];

		fprintf(out, DETAIL "%-30s", function->name);
		print_figure(out, true, function->bytes);
		print_counts(out, code, &code->of[i]);
		print_callers(out, code, i);
	}
}

static void print_remarks(FILE *out, const struct static_code *code)
{
	if (code->unavailable.text[0])
		fprintf(out, "n/a      instructions: %s\n", code->unavailable.text);
	if (code->total.unknown)
		fprintf(out,
			"n/a      what kind %u of the instructions are, which capstone does not "
			"know\n",
			code->total.unknown);
	for (size_t i = 0; i < code->functions.outside; i++)
		fprintf(out, i ? ", %s" : "outside  it calls %s", code->functions.outside_name[i]);
	if (code->functions.outside)
		fprintf(out, ", which the compiler's library has and a vDSO may not\n");
}

static void print_target(FILE *out, const struct inspect_target *it,
			 const struct inspect_target *first)
{
	const struct static_code *code = &it->code;

	fprintf(out, "\ntarget   %s: %s, by %s\n", it->target, it->reader, it->compiler);
	fprintf(out, DETAIL "%-30s" FIGURE FIGURE FIGURE FIGURE FIGURE "\n", "", "bytes",
		"instructions", "branches", "jumps", "calls");
	fprintf(out, DETAIL "%-30s", "text");
	print_figure(out, true, code->functions.text_bytes);
	print_counts(out, code, &code->total);
	fputc('\n', out);
	print_more(out, it, first);
	print_functions(out, code);
	report_inspect_inlinings(out, &code->functions);
	print_remarks(out, code);
}

void report_inspect_targets(FILE *out, const struct inspect_result *result)
{
	const struct inspect_target *first = result->target;

	for (size_t i = 0; i < result->targets; i++) {
		const struct inspect_target *it = &result->target[i];

		if (strcmp(it->target, first->target) != 0)
			first = it;
		print_target(out, it, first);
	}
}
