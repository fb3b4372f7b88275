// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "report/figure.h"
#include "report/html_sections.h"

static const char *const detectors[] = {"torn", "stale", "backwards", "jump", "stall", "crash"};

static bool killed_by(const json_t *mutant, const char *detector)
{
	const json_t *killers = value_at(mutant, "killed_by");

	for (size_t i = 0; i < json_array_size(killers); i++)
		if (strcmp(words_in(killers, i), detector) == 0)
			return true;
	return false;
}

static void write_mutant(struct html *html, const json_t *mutant)
{
	html_row(html, "%s", words_at(mutant, "name"));
	html_cell(html, "%s", words_at(mutant, "kind"));
	for (size_t i = 0; i < ARRAY_SIZE(detectors); i++)
		html_cell(html, "%s", killed_by(mutant, detectors[i]) ? "killed" : "");
	html_cell(html, "%s", figure_at(mutant, "seconds", FIGURE_SECONDS).text);
	html_cell(html, "%s", words_at(mutant, "expected"));
	html_cell(html, "%s", words_at(mutant, "verdict"));
	html_row_end(html);
}

static void write_matrix(struct html *html, const json_t *mutants)
{
	html_table_begin(html, "Mutants, and which detector killed each");
	html_column(html, "mutant");
	html_column(html, "kind");
	for (size_t i = 0; i < ARRAY_SIZE(detectors); i++)
		html_column(html, "%s", detectors[i]);
	html_column(html, "after");
	html_column(html, "expected");
	html_column(html, "verdict");
	html_rows(html);
	for (size_t i = 0; i < json_array_size(mutants); i++)
		write_mutant(html, json_array_get(mutants, i));
	html_table_end(html);
}

static void write_correct(struct html *html, const char *caption, const json_t *list)
{
	static const char *const headings[] = {"reader", "writers",   "payload", "checked", "torn",
					       "stale",	 "backwards", "retries", "caught",  NULL};

	html_table(html, caption, headings);
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *one = json_array_get(list, i);

		html_row(html, "%s", words_at(one, "reader"));
		html_cell(html, "%s", words_of(value_at(one, "writers")).text);
		html_cell(html, "%s", words_at(one, "payload"));
		for (size_t column = 3; column < ARRAY_SIZE(headings) - 1; column++)
			html_cell(html, "%s", figure_at(one, headings[column], FIGURE_COUNT).text);
		html_row_end(html);
	}
	html_table_end(html);
}

static size_t count_of(const json_t *mutants, const char *verdict)
{
	size_t count = 0;

	for (size_t i = 0; i < json_array_size(mutants); i++)
		count += strcmp(words_at(json_array_get(mutants, i), "verdict"), verdict) == 0;
	return count;
}

/* Of those that were no test of a detector none was to be killed. */
static void write_summary(struct html *html, const json_t *mutants)
{
	const size_t killed = count_of(mutants, "killed");

	html_element(html, "p",
		     "A mutant is broken on purpose: a detector that kills it works. %zu of %zu "
		     "were killed; %zu cannot show on this CPU, %zu are not here, of %zu it is not "
		     "known.",
		     killed, killed + count_of(mutants, "survived"), count_of(mutants, "hidden"),
		     count_of(mutants, "absent"), count_of(mutants, "unknown"));
}

void verify_html(struct html *html, const struct result_file *file)
{
	const json_t *mutants = value_at(file->root, "mutants");
	const json_t *accused = value_at(file->root, "accused");
	const json_t *survived = value_at(file->root, "survived");

	write_summary(html, mutants);
	html_element(html, "p", "Of %zu correct readers and writers, %zu were accused.",
		     json_array_size(survived) + json_array_size(accused),
		     json_array_size(accused));
	if (json_array_size(accused))
		write_correct(html, "Accused, though they are correct", accused);
	write_matrix(html, mutants);
	html_raw(html, "<details><summary>What is correct, and was not accused</summary>\n");
	write_correct(html, "Correct readers and writers", survived);
	html_raw(html, "</details>\n");
}
