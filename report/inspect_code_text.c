// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "measure/renaming.h"
#include "readers/lines.h"
#include "report/inspect_code_text.h"

#define DETAIL	     "         "
#define PAGE_WIDTH   92
#define WORDS_WIDTH  44
#define SOURCE_WIDTH 80

/* An instruction, and where it leads to, counted from the entry. */
struct words {
	char text[240];
};

static struct words words_of(const struct walk *walk, size_t i)
{
	const struct step *step = &walk->step[i];
	const intptr_t target = (intptr_t)(step->target - walk->entry);
	struct words words;
	int used = snprintf(words.text, sizeof(words.text), "%s", step->words);

	if (step->target && used > 0)
		used += snprintf(words.text + used, sizeof(words.text) - (size_t)used, " %s%#lx",
				 target < 0 ? "-" : "+", labs(target));
	if (step->taken && used > 0)
		snprintf(words.text + used, sizeof(words.text) - (size_t)used, "  <- taken");
	return words;
}

static void print_step(FILE *out, const struct inspect_reader *inspected, const struct lines *lines,
		       size_t i, struct lines_place *last)
{
	const struct walk *walk = &inspected->walk[WALK_FAST];
	const intptr_t at = (intptr_t)(walk->step[i].address - walk->entry);
	struct lines_place place = {.line = 0};
	char source[SOURCE_WIDTH] = "";

	if (lines)
		place = lines_find(lines, (u32)(inspected->reader->code.entry + (u32)at));
	fprintf(out, DETAIL "%s%-5lx %-*s", at < 0 ? "-" : "+", labs(at), WORDS_WIDTH,
		words_of(walk, i).text);
	if (place.line && (place.line != last->line || strcmp(place.file, last->file) != 0)) {
		lines_text(&place, source, sizeof(source));
		fprintf(out, " %s:%d  %s", place.file, place.line, source);
	}
	*last = place;
	fputc('\n', out);
}

void report_inspect_disassembly(FILE *out, const struct inspect_reader *inspected)
{
	struct lines_place last = {.line = 0};
	struct lines *lines = NULL;
	struct errmsg why;

	fprintf(out,
		"code     of the fast path, from the entry on; its source where that changes\n");
	if (inspected->reader->image)
		fprintf(out, "n/a      sources of an image\n");
	else if (reader_no_code(inspected->reader))
		fprintf(out, "n/a      sources: %s\n", reader_no_code(inspected->reader));
	else if (lines_open(&lines, &inspected->reader->code, &why))
		fprintf(out, "n/a      sources: %s\n", why.text);
	for (size_t i = 0; i < inspected->walk[WALK_FAST].count; i++)
		print_step(out, inspected, lines, i, &last);
	if (lines)
		lines_close(lines);
}

/* How many lines two listings have in common at most, from each pair of lines to the ends. */
struct common {
	u16 *length;
	size_t width;
};

static u16 *common_at(const struct common *common, size_t a, size_t b)
{
	return &common->length[a * common->width + b];
}

static void find_common(const struct common *common, const struct listing *a,
			const struct listing *b)
{
	for (size_t i = a->count; i--;) {
		for (size_t j = b->count; j--;) {
			u16 longest = *common_at(common, i + 1, j);

			if (*common_at(common, i, j + 1) > longest)
				longest = *common_at(common, i, j + 1);
			if (renaming_same_shape(&a->line[i], &b->line[j]))
				longest = (u16)(*common_at(common, i + 1, j + 1) + 1);
			*common_at(common, i, j) = longest;
		}
	}
}

static void print_pair(FILE *out, const char *left, char mark, const char *right)
{
	fprintf(out, DETAIL "%-*s %c", WORDS_WIDTH, left, mark);
	fprintf(out, *right ? " %s\n" : "\n", right);
}

/* Marks: nothing, ~ other registers, < and > only here. */
static void print_pairs(FILE *out, const struct common *common, const struct listing *a,
			const struct listing *b, const struct walk *of_a, const struct walk *of_b)
{
	size_t i = 0, j = 0;

	while (i < a->count || j < b->count) {
		if (i < a->count && j < b->count && renaming_same_shape(&a->line[i], &b->line[j])) {
			print_pair(out, words_of(of_a, i).text,
				   renaming_same_line(&a->line[i], &b->line[j]) ? ' ' : '~',
				   words_of(of_b, j).text);
			i++;
			j++;
		} else if (j == b->count ||
			   (i < a->count &&
			    *common_at(common, i + 1, j) >= *common_at(common, i, j + 1))) {
			print_pair(out, words_of(of_a, i++).text, '<', "");
		} else {
			print_pair(out, "", '>', words_of(of_b, j++).text);
		}
	}
}

void report_inspect_side_by_side(FILE *out, const struct walk *a, const struct walk *b)
{
	struct common common = {
		.length = calloc((a->count + 1) * (b->count + 1), sizeof(*common.length)),
		.width = b->count + 1,
	};
	struct listing of_a, of_b;
	struct errmsg err;

	fprintf(out, "code     of both fast paths; ~ other registers, < and > only here\n");
	if (common.length && !listing_of_walk(&of_a, a, &err)) {
		if (!listing_of_walk(&of_b, b, &err)) {
			find_common(&common, &of_a, &of_b);
			print_pairs(out, &common, &of_a, &of_b, a, b);
			listing_release(&of_b);
		}
		listing_release(&of_a);
	}
	free(common.length);
}

static bool is_first(const struct functions *functions, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (strcmp(functions->inlining[i].name, functions->inlining[at].name) == 0)
			return false;
	return true;
}

void report_inspect_inlinings(FILE *out, const struct functions *functions)
{
	int column = PAGE_WIDTH;
	bool any = false;

	if (functions->no_inlinings.text[0]) {
		fprintf(out, "n/a      what was inlined: %s\n", functions->no_inlinings.text);
		return;
	}
	for (size_t i = 0; i < functions->inlinings; i++) {
		const char *name = functions->inlining[i].name;
		const u32 times = functions_times_inlined(functions, name);

		if (!is_first(functions, i))
			continue;
		if (column + (int)strlen(name) + 8 > PAGE_WIDTH) {
			fprintf(out, any ? ",\n" DETAIL : "inlined  ");
			column = (int)strlen(DETAIL);
		} else {
			column += fprintf(out, ", ");
		}
		column += fprintf(out, times > 1 ? "%s (%u)" : "%s", name, times);
		any = true;
	}
	fprintf(out, any ? "\n" : "inlined  nothing\n");
}
