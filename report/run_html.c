// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/figure.h"
#include "report/html_picture.h"
#include "report/html_sections.h"

static const struct row {
	const char *words;
	const char *path; /* of all readers, or of a group of them */
	enum figure_unit unit;
} rows[] = {
	{"reads", "reads", FIGURE_COUNT},
	{"reads per second", "reads_per_second", FIGURE_RATE},
	{"time per read, p50", "read_ns.p50", FIGURE_NS},
	{"time per read, p99", "read_ns.p99", FIGURE_NS},
	{"time per read, p99.99", "read_ns.p99_99", FIGURE_NS},
	{"time per read, longest", "read_ns.max", FIGURE_NS},
	{"retries", "retries.total", FIGURE_COUNT},
	{"retries per million reads", "retries.per_million", FIGURE_PER_MILLION},
	{"odd waits", "retries.odd_wait", FIGURE_COUNT},
	{"changed", "retries.changed", FIGURE_COUNT},
	{"off-CPU retries", "retries.off_cpu", FIGURE_COUNT},
	{"longest run of retries", "retries.longest_run", FIGURE_COUNT},
	{"checked", "checked", FIGURE_COUNT},
	{"torn", "torn", FIGURE_COUNT},
	{"stale", "stale", FIGURE_COUNT},
	{"caught", "caught", FIGURE_COUNT},
	{"time ran backwards", "backwards", FIGURE_COUNT},
};

static void write_readers(struct html *html, const json_t *root)
{
	const json_t *groups = value_at(root, "groups");
	const size_t columns = json_array_size(groups) > 1 ? json_array_size(groups) : 0;

	html_table_begin(html, "Readers");
	html_column(html, "figure");
	html_column(html, "all readers");
	for (size_t i = 0; i < columns; i++)
		html_column(html, "%s", words_at(json_array_get(groups, i), "name"));
	html_rows(html);
	for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
		html_row(html, "%s", rows[row].words);
		html_cell(
			html, "%s",
			figure_at(value_at(root, "readers"), rows[row].path, rows[row].unit).text);
		for (size_t i = 0; i < columns; i++)
			html_cell(
				html, "%s",
				figure_at(json_array_get(groups, i), rows[row].path, rows[row].unit)
					.text);
		html_row_end(html);
	}
	html_row(html, "forbidden jumps");
	html_cell(html, "%s", figure_at(root, "forbidden_jumps", FIGURE_COUNT).text);
	for (size_t i = 0; i < columns; i++)
		html_cell(html, "n/a");
	html_row_end(html);
	html_table_end(html);
}

static void write_writer(struct html *html, const json_t *writer)
{
	html_row(html, "%s", words_at(writer, "name"));
	html_cell(html, "%s", figure_at(writer, "updates", FIGURE_COUNT).text);
	html_cell(html, "%s", figure_at(writer, "rate_hz", FIGURE_HZ).text);
	html_cell(html, "%s", figure_at(writer, "hold_ns.p50", FIGURE_NS).text);
	html_cell(html, "%s", figure_at(writer, "hold_ns.p99", FIGURE_NS).text);
	html_cell(html, "%s", figure_at(writer, "hold_ns.max", FIGURE_NS).text);
	html_cell(html, "%s", figure_at(writer, "late_ns.p99", FIGURE_NS).text);
	html_cell(html, "%s", figure_at(writer, "stalls", FIGURE_COUNT).text);
	html_row_end(html);
}

static void write_writers(struct html *html, const json_t *root)
{
	static const char *const headings[] = {"writer",    "updates",	 "rate",
					       "hold, p50", "hold, p99", "hold, longest",
					       "late, p99", "stalls",	 NULL};
	const json_t *writers = value_at(root, "writers");

	html_table(html, "Writers", headings);
	for (size_t i = 0; i < json_array_size(writers); i++)
		write_writer(html, json_array_get(writers, i));
	if (!writers)
		write_writer(html, value_at(root, "writer"));
	html_table_end(html);
}

static void write_expected(struct html *html, const json_t *expected)
{
	static const char *const headings[] = {"condition", "found", "held", NULL};

	if (!json_array_size(expected))
		return;
	html_table(html, "What was expected", headings);
	for (size_t i = 0; i < json_array_size(expected); i++) {
		const json_t *one = json_array_get(expected, i);

		html_row(html, "%s", words_at(one, "condition"));
		html_cell(html, "%s", figure_at(one, "found", FIGURE_PLAIN).text);
		html_cell(html, "%s", yes_no_at(one, "held"));
		html_row_end(html);
	}
	html_table_end(html);
}

void run_html(struct html *html, const struct result_file *file)
{
	write_readers(html, file->root);
	write_writers(html, file->root);
	write_expected(html, value_at(file->root, "expect"));
	html_pictures(html, file);
}
