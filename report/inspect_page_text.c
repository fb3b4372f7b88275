// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/inspect_page_text.h"
#include "report/page_fields.h"

#define NO_LINE UINT32_MAX

static bool reads(const struct inspect_page *page, size_t clock, u32 line)
{
	const struct path_figures *figures = &page->clock[clock];

	return !figures->unavailable.text[0] && line < 64 &&
	       figures->page_lines[PAGE_DATA] >> line & 1;
}

/* Where in the data a line begins: before it, if the data does not begin a line. */
static int begin_of(const struct inspect_page *page, u32 line)
{
	return (int)(line * CACHE_LINE) - (int)page->data_offset;
}

static void print_border(FILE *out, const struct inspect_page *page, u32 line)
{
	const int begin = begin_of(page, line);
	const char *separator = "  read by ";

	fprintf(out, "         --- line of bytes %d to %d", begin, begin + CACHE_LINE - 1);
	for (size_t i = 0; i < INSPECT_CLOCKS; i++) {
		if (!reads(page, i, line))
			continue;
		fprintf(out, "%s%s", separator, clock_name(inspect_clocks[i]));
		separator = ", ";
	}
	fputc('\n', out);
}

static u32 line_of(const struct inspect_page *page, u32 offset)
{
	return (page->data_offset + offset) / CACHE_LINE;
}

/* The borders before a field, from the last one that was printed on. */
static u32 print_borders(FILE *out, const struct inspect_page *page, u32 last, u32 offset)
{
	const u32 line = line_of(page, offset);

	if (line != last)
		print_border(out, page, line);
	return line;
}

static void print_field(FILE *out, const struct inspect_page *page, const struct page_field *field)
{
	const u32 first = line_of(page, field->offset);
	const u32 last = line_of(page, field->offset + field->bytes - 1);

	fprintf(out, "         %6u %5u  %s", field->offset, field->bytes, field->name);
	for (u32 line = first + 1; line <= last && line <= first + 4; line++)
		fprintf(out, "%s%d", line == first + 1 ? "  | over the border at " : ", ",
			begin_of(page, line));
	fprintf(out, "%s\n", last > first + 4 ? ", ..." : "");
}

static void print_clocks(FILE *out, const struct inspect_page *page)
{
	for (size_t i = 0; i < INSPECT_CLOCKS; i++) {
		const struct path_figures *figures = &page->clock[i];
		int lines = __builtin_popcountll(figures->page_lines[PAGE_DATA]);

		if (figures->unavailable.text[0])
			fprintf(out, "         %-17s n/a: %s\n", clock_name(inspect_clocks[i]),
				figures->unavailable.text);
		else
			fprintf(out, "         %-17s reads %d line%s\n",
				clock_name(inspect_clocks[i]), lines, lines == 1 ? "" : "s");
	}
}

void report_inspect_page(FILE *out, const struct inspect_page *page)
{
	struct page_field field[PAGE_FIELDS_MAX];
	const size_t count = page_fields(page->layout, field);
	u32 line = NO_LINE;

	fprintf(out, "page     %s: kernels %s; the data begins at byte %u of its page\n",
		page->layout->name, page->layout->kernels, page->data_offset);
	fprintf(out, "         \"read by\" is what single steps of %s have seen\n", page->reader);
	fprintf(out, "         offset  size  field\n");
	for (size_t i = 0; i < count; i++) {
		line = print_borders(out, page, line, field[i].offset);
		print_field(out, page, &field[i]);
	}
	print_clocks(out, page);
}
