// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "report/figure.h"
#include "report/html_picture.h"
#include "report/html_sections.h"

static const struct {
	const char *words;
	const char *path; /* of each path through the code */
} rows[] = {
	{"instructions", "instructions"},
	{"branches taken", "branches_taken"},
	{"branches not taken", "branches_not_taken"},
	{"jumps", "jumps"},
	{"calls", "calls"},
	{"system calls", "system_calls"},
	{"lines of code", "code_lines"},
	{"loads of the page", "loads.page"},
	{"loads of the stack", "loads.stack"},
	{"loads elsewhere", "loads.elsewhere"},
	{"stores to the page", "stores.page"},
	{"stores to the stack", "stores.stack"},
	{"stores elsewhere", "stores.elsewhere"},
};

static void write_paths(struct html *html, const json_t *reader)
{
	static const char *const headings[] = {"one quiet call", "fast", "one retry", "odd wait",
					       NULL};
	static const char *const paths[] = {"paths.fast", "paths.one_retry", "paths.odd_wait"};

	if (!json_is_object(value_at(reader, "paths")))
		return;
	html_table(html, "What a read is made of", headings);
	for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
		html_row(html, "%s", rows[row].words);
		for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
			html_cell(
				html, "%s",
				figure_at(value_at(reader, paths[i]), rows[row].path, FIGURE_COUNT)
					.text);
		html_row_end(html);
	}
	html_table_end(html);
}

static void write_lines_of(struct html *html, const json_t *lines)
{
	html_raw(html, "<td>");
	for (size_t i = 0; i < json_array_size(lines); i++)
		html_text(html, "%s%.0f", i ? ", " : "",
			  json_number_value(json_array_get(lines, i)));
	if (!json_array_size(lines))
		html_text(html, "%s", json_is_array(lines) ? "none" : "n/a");
	html_raw(html, "</td>");
}

static void write_clocks(struct html *html, const json_t *clocks)
{
	static const char *const headings[] = {"clock", "lines touched", "by their first bytes",
					       NULL};

	if (!json_array_size(clocks))
		return;
	html_table(html, "Cache lines of the page that a fast read touches", headings);
	for (size_t i = 0; i < json_array_size(clocks); i++) {
		const json_t *clock = json_array_get(clocks, i);
		const json_t *lines = value_at(clock, "page_lines_at_bytes");

		html_row(html, "%s", words_at(clock, "clock"));
		if (json_is_array(lines))
			html_cell(html, "%zu", json_array_size(lines));
		else
			html_cell(html, "n/a");
		write_lines_of(html, lines);
		html_row_end(html);
	}
	html_table_end(html);
}

static void write_reader(struct html *html, const json_t *reader)
{
	html_heading(html, 4, "%s (%s)", words_at(reader, "reader"), words_at(reader, "variation"));
	html_element(html, "p", "%s bytes of code, %s of them at the entry, made by %s; layout %s.",
		     figure_at(reader, "text_bytes", FIGURE_COUNT).text,
		     figure_at(reader, "entry_bytes", FIGURE_COUNT).text,
		     words_at(reader, "compiler"), words_at(reader, "layout"));
	write_paths(html, reader);
	write_clocks(html, value_at(reader, "clocks"));
}

static void write_fields(struct html *html, const json_t *page)
{
	static const char *const headings[] = {"number", "field", "at byte", "bytes", NULL};
	const json_t *fields = value_at(page, "fields");

	html_raw(html, "<details><summary>");
	html_text(html, "Fields of the page of %s, by their numbers", words_at(page, "layout"));
	html_raw(html, "</summary>");
	html_table(html, "Fields of the page", headings);
	for (size_t i = 0; i < json_array_size(fields); i++) {
		const json_t *field = json_array_get(fields, i);

		html_row(html, "%zu", i + 1);
		html_cell(html, "%s", words_at(field, "name"));
		html_cell(html, "%s", figure_at(field, "at_byte", FIGURE_COUNT).text);
		html_cell(html, "%s", figure_at(field, "bytes", FIGURE_COUNT).text);
		html_row_end(html);
	}
	html_table_end(html);
	html_raw(html, "</details>\n");
}

void inspect_html(struct html *html, const struct result_file *file)
{
	const json_t *readers = value_at(file->root, "readers");
	const json_t *pages = value_at(file->root, "pages");

	for (size_t i = 0; i < json_array_size(readers); i++)
		write_reader(html, json_array_get(readers, i));
	html_pictures(html, file);
	for (size_t i = 0; i < json_array_size(pages); i++)
		write_fields(html, json_array_get(pages, i));
}
