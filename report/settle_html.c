// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/figure.h"
#include "report/html_picture.h"
#include "report/html_sections.h"

static void write_comparison(struct html *html, const json_t *comparison)
{
	html_row(html, "%s", words_at(comparison, "name"));
	html_cell(html, "%s", words_of(value_at(comparison, "claim")).text);
	html_cell(html, "%s", figure_pair_at(comparison, "claimed_percent", FIGURE_EFFECT).text);
	html_cell(html, "%s",
		  figure_at(comparison, "comparison.results.0.effect_percent", FIGURE_EFFECT).text);
	html_cell(html, "%s",
		  figure_pair_at(comparison, "comparison.results.0.ci95_percent", FIGURE_EFFECT)
			  .text);
	html_cell(html, "%s", words_at(comparison, "verdict_text"));
	html_row_end(html);
}

static void write_inspection(struct html *html, const json_t *inspection)
{
	html_row(html, "%s", words_at(inspection, "name"));
	html_cell(html, "%s", words_of(value_at(inspection, "claim")).text);
	html_cell(html, "%s", words_of(value_at(inspection, "readers")).text);
	html_row_end(html);
}

void settle_html(struct html *html, const struct result_file *file)
{
	static const char *const of_comparisons[] = {
		"comparison", "claim", "claimed effect", "measured", "95 % interval",
		"verdict",    NULL};
	static const char *const of_inspections[] = {"inspection", "claim", "readers", NULL};
	const json_t *comparisons = value_at(file->root, "comparisons");
	const json_t *inspections = value_at(file->root, "inspections");

	html_element(html, "p", "Claimed: %s. By: %s. An effect below 0 %% is a faster read.",
		     words_of(value_at(file->root, "claim")).text,
		     words_of(value_at(file->root, "by")).text);
	html_pictures(html, file);
	html_table(html, "Claims next to what is measured here", of_comparisons);
	for (size_t i = 0; i < json_array_size(comparisons); i++)
		write_comparison(html, json_array_get(comparisons, i));
	html_table_end(html);
	if (!json_array_size(inspections))
		return;
	html_table(html, "Code that was looked at", of_inspections);
	for (size_t i = 0; i < json_array_size(inspections); i++)
		write_inspection(html, json_array_get(inspections, i));
	html_table_end(html);
}
