// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/figure.h"
#include "report/html_picture.h"
#include "report/html_sections.h"

static const char *verdict_of(const json_t *result)
{
	return true_at(result, "same_code") ? "same code" : words_at(result, "verdict");
}

static void write_result(struct html *html, const json_t *result)
{
	html_row(html, "%s", words_at(result, "reader"));
	html_cell(html, "%s", verdict_of(result));
	html_cell(html, "%s", figure_at(result, "effect_percent", FIGURE_EFFECT).text);
	html_cell(html, "%s", figure_pair_at(result, "ci95_percent", FIGURE_EFFECT).text);
	html_cell(html, "%s", figure_pair_at(result, "ci99_percent", FIGURE_EFFECT).text);
	html_cell(html, "%s", figure_at(result, "placement_sd_percent", FIGURE_PERCENT).text);
	html_cell(html, "%s", figure_at(result, "read_ns", FIGURE_EXACT_NS).text);
	html_cell(html, "%s", figure_at(result, "text_bytes", FIGURE_COUNT).text);
	html_cell(html, "%s", figure_at(result, "taken_branches", FIGURE_COUNT).text);
	html_row_end(html);
}

static void write_baseline(struct html *html, const json_t *baseline)
{
	html_row(html, "%s (baseline)", words_at(baseline, "reader"));
	for (size_t i = 0; i < 5; i++)
		html_cell(html, "\xe2\x80\x93");
	html_cell(html, "%s", figure_at(baseline, "read_ns", FIGURE_EXACT_NS).text);
	html_cell(html, "%s", figure_at(baseline, "text_bytes", FIGURE_COUNT).text);
	html_cell(html, "%s", figure_at(baseline, "taken_branches", FIGURE_COUNT).text);
	html_row_end(html);
}

void compare_html(struct html *html, const struct result_file *file)
{
	static const char *const headings[] = {"reader",	 "verdict",
					       "effect",	 "95 % interval",
					       "99 % interval",	 "placements differ by",
					       "time per read",	 "text (bytes)",
					       "taken branches", NULL};
	const json_t *results = value_at(file->root, "results");
	const json_t *refused = value_at(file->root, "refused");

	html_element(html, "p",
		     "Readers took turns in short blocks, at %s placements of their code in %s. An "
		     "effect below 0 %% is a faster read.",
		     figure_at(file->root, "placements", FIGURE_COUNT).text,
		     figure_at(file->root, "seconds", FIGURE_SECONDS).text);
	html_pictures(html, file);
	html_table(html, "Readers against the baseline", headings);
	write_baseline(html, value_at(file->root, "baseline"));
	for (size_t i = 0; i < json_array_size(results); i++)
		write_result(html, json_array_get(results, i));
	html_table_end(html);
	for (size_t i = 0; i < json_array_size(refused); i++)
		html_element(html, "p class=\"warning\"", "Refused: %s: %s",
			     words_at(json_array_get(refused, i), "reader"),
			     words_at(json_array_get(refused, i), "reason"));
	if (text_at(file->root, "broken"))
		html_element(html, "p class=\"warning\"", "Broken: %s",
			     text_at(file->root, "broken"));
}
