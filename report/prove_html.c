// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "report/figure.h"
#include "report/html_sections.h"
#include "report/timeline_html.h"

static const struct {
	const char *name, *words;
} models[] = {
	{"sc", "sc: threads take turns"},
	{"tso", "tso: x86's store buffers"},
	{"weak", "weak: what C11 leaves free, as on arm64"},
};

static const char *words_of_model(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(models); i++)
		if (strcmp(models[i].name, name) == 0)
			return models[i].words;
	return name;
}

static void write_model(struct html *html, const json_t *model)
{
	const char *fault = text_at(model, "fault");
	const char *why = text_at(model, "why_incomplete");

	html_row(html, "%s", words_of_model(words_at(model, "model")));
	html_cell(html, "%s", words_at(model, "verdict"));
	html_cell(html, "%s", fault ? fault : why ? why : "");
	html_cell(html, "%s", figure_at(model, "executions", FIGURE_COUNT).text);
	html_cell(html, "%s", figure_at(model, "seconds", FIGURE_SECONDS).text);
	html_row_end(html);
}

static void write_models(struct html *html, const json_t *list)
{
	static const char *const headings[] = {"memory model", "verdict",     "what is wrong",
					       "executions",   "explored in", NULL};

	html_table(html, "Under each memory model", headings);
	for (size_t i = 0; i < json_array_size(list); i++)
		write_model(html, json_array_get(list, i));
	html_table_end(html);
}

static void write_place(struct html *html, const json_t *access)
{
	html_text(html, "%s at %s:%s ", words_at(access, "does"), words_at(access, "at.file"),
		  figure_at(access, "at.line", FIGURE_PLAIN).text);
	html_raw(html, "<code>");
	html_text(html, "%s", words_at(access, "at.text"));
	html_raw(html, "</code>");
}

static void write_races(struct html *html, const json_t *races)
{
	if (!json_array_size(races))
		return;
	html_heading(html, 4, "Races of plain accesses");
	html_element(html, "p",
		     "Explored as if they were relaxed atomics, which the kernel counts "
		     "on; undefined to C11.");
	html_raw(html, "<ul>\n");
	for (size_t i = 0; i < json_array_size(races); i++) {
		const json_t *race = json_array_get(races, i);

		html_raw(html, "<li>");
		write_place(html, json_array_get(race, 0));
		html_text(html, " and ");
		write_place(html, json_array_get(race, 1));
		html_raw(html, "</li>\n");
	}
	html_raw(html, "</ul>\n");
}

static void write_weakening(struct html *html, const json_t *weakening)
{
	const json_t *list = value_at(weakening, "models");

	html_row(html, "%s:%s", words_at(weakening, "at.file"),
		 figure_at(weakening, "at.line", FIGURE_PLAIN).text);
	html_cell(html, "%s %s to %s", words_at(weakening, "order"), words_at(weakening, "does"),
		  words_at(weakening, "weakened_to"));
	html_raw(html, "<td>");
	for (size_t i = 0; i < json_array_size(list); i++)
		html_text(html, "%s%s: %s", i ? ", " : "",
			  words_at(json_array_get(list, i), "model"),
			  words_at(json_array_get(list, i), "verdict"));
	html_raw(html, "</td>");
	html_row_end(html);
}

static void write_weakenings(struct html *html, const json_t *weakenings)
{
	static const char *const headings[] = {"place", "weakened", "needed", NULL};

	if (!json_array_size(weakenings))
		return;
	html_table(html, "Which orderings are needed", headings);
	for (size_t i = 0; i < json_array_size(weakenings); i++)
		write_weakening(html, json_array_get(weakenings, i));
	html_table_end(html);
}

void prove_html(struct html *html, const struct result_file *file)
{
	const json_t *config = value_at(file->root, "config");
	const json_t *list = value_at(file->root, "models");

	html_element(
		html, "p",
		"Every execution of up to %s update%s and %s reader%s of %s read%s, with writer "
		"%s, was to be explored under each model.",
		figure_at(config, "updates", FIGURE_COUNT).text, plural(config, "updates"),
		figure_at(config, "readers", FIGURE_COUNT).text, plural(config, "readers"),
		figure_at(config, "reads", FIGURE_COUNT).text, plural(config, "reads"),
		words_of(value_at(file->root, "writer")).text);
	write_models(html, list);
	for (size_t i = 0; i < json_array_size(list); i++)
		if (json_array_size(value_at(json_array_get(list, i), "counterexample")))
			timeline_html(html, json_array_get(list, i));
	write_races(html, value_at(file->root, "races"));
	write_weakenings(html, value_at(file->root, "weakenings"));
}
