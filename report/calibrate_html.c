// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/figure.h"
#include "report/html_picture.h"
#include "report/html_sections.h"

static void write_contestant(struct html *html, const char *clock, const json_t *contestant)
{
	html_row(html, "%s, %s", clock, words_at(contestant, "name"));
	html_cell(html, "%s", figure_at(contestant, "read_ns", FIGURE_EXACT_NS).text);
	html_cell(html, "%s", figure_at(contestant, "ratio_to_host", FIGURE_RATIO).text);
	html_cell(html, "%s", figure_pair_at(contestant, "ratio_ci95", FIGURE_RATIO).text);
	html_cell(html, "%s", yes_no_at(contestant, "calls_system"));
	html_cell(html, "%s", figure_at(contestant, "code.instructions", FIGURE_COUNT).text);
	html_cell(html, "%s", figure_at(contestant, "values.compared", FIGURE_COUNT).text);
	html_cell(html, "%s", figure_at(contestant, "values.disagreements", FIGURE_COUNT).text);
	html_row_end(html);
}

void calibrate_html(struct html *html, const struct result_file *file)
{
	static const char *const headings[] = {
		"clock, read by",  "time per read",	 "ratio to the host's",
		"95 % interval",   "calls the system",	 "instructions",
		"values compared", "values that differ", NULL};
	const json_t *clocks = value_at(file->root, "clocks");

	html_pictures(html, file);
	html_table(html, "Clock reads against the host's own vDSO", headings);
	for (size_t i = 0; i < json_array_size(clocks); i++) {
		const json_t *clock = json_array_get(clocks, i);
		const json_t *contestants = value_at(clock, "contestants");

		for (size_t k = 0; k < json_array_size(contestants); k++)
			write_contestant(html, words_at(clock, "clock"),
					 json_array_get(contestants, k));
	}
	html_table_end(html);
}
