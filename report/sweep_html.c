// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/figure.h"
#include "report/html_picture.h"
#include "report/html_sections.h"

static const char *law_at(const json_t *point)
{
	if (!json_is_boolean(value_at(point, "breaks_down")))
		return "n/a";
	return true_at(point, "breaks_down") ? "breaks down" : "holds";
}

static void write_point(struct html *html, const json_t *point)
{
	html_row(html, "%s, %s reader%s", figure_at(point, "hz", FIGURE_HZ).text,
		 figure_at(point, "readers", FIGURE_COUNT).text, plural(point, "readers"));
	html_cell(html, "%s", words_at(point, "state"));
	html_cell(html, "%s", figure_at(point, "reads", FIGURE_COUNT).text);
	html_cell(html, "%s", figure_at(point, "retries_per_million", FIGURE_PER_MILLION).text);
	html_cell(html, "%s to %s", figure_at(point, "low", FIGURE_PER_MILLION).text,
		  figure_at(point, "high", FIGURE_PER_MILLION).text);
	html_cell(html, "%s", figure_at(point, "law_per_million", FIGURE_PER_MILLION).text);
	html_cell(html, "%s", law_at(point));
	html_cell(html, "%s", figure_at(point, "off_cpu", FIGURE_COUNT).text);
	html_cell(html, "%s", figure_at(point, "torn", FIGURE_COUNT).text);
	html_cell(html, "%s", figure_at(point, "stale", FIGURE_COUNT).text);
	html_cell(html, "%s", figure_at(point, "backwards", FIGURE_COUNT).text);
	html_row_end(html);
}

static void write_law(struct html *html, const json_t *law)
{
	if (!json_is_object(law))
		return;
	html_element(
		html, "p",
		"The law, share of reads that retry = rate x (hold visible to readers + length "
		"of the read), fits with a hold of %s (95 %% interval %s) and a read of %s (%s).",
		figure_at(law, "hold_ns", FIGURE_EXACT_NS).text,
		figure_pair_at(law, "hold_ci95_ns", FIGURE_EXACT_NS).text,
		figure_at(law, "read_ns", FIGURE_EXACT_NS).text,
		figure_pair_at(law, "read_ci95_ns", FIGURE_EXACT_NS).text);
}

void sweep_html(struct html *html, const struct result_file *file)
{
	static const char *const headings[] = {"point",
					       "state",
					       "reads",
					       "retries per million",
					       "95 % interval",
					       "law says",
					       "the law",
					       "off-CPU retries",
					       "torn",
					       "stale",
					       "time ran backwards",
					       NULL};
	const json_t *points = value_at(file->root, "points");

	write_law(html, value_at(file->root, "law"));
	html_pictures(html, file);
	html_table(html, "Points", headings);
	for (size_t i = 0; i < json_array_size(points); i++)
		write_point(html, json_array_get(points, i));
	html_table_end(html);
}
