// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "report/figure.h"
#include "report/json_path.h"
#include "report/timeline_html.h"

#define MAX_THREADS 8

struct threads {
	const char *name[MAX_THREADS];
	size_t count;
};

static size_t thread_of(struct threads *threads, const char *name)
{
	for (size_t i = 0; i < threads->count; i++)
		if (strcmp(threads->name[i], name) == 0)
			return i;
	if (threads->count == MAX_THREADS)
		return MAX_THREADS - 1;
	threads->name[threads->count] = name;
	return threads->count++;
}

/* Writers before readers, as they come. */
static struct threads threads_of(const json_t *lines)
{
	struct threads threads = {.count = 0};

	for (size_t readers = 0; readers < 2; readers++)
		for (size_t i = 0; i < json_array_size(lines); i++) {
			const char *name = words_at(json_array_get(lines, i), "thread");

			if ((strncmp(name, "reader", 6) == 0) == (readers == 1))
				thread_of(&threads, name);
		}
	return threads;
}

static void write_from(struct html *html, const json_t *line)
{
	double from;

	if (number_at(line, "from", &from) == NUMBER_THERE)
		html_text(html, ", which step %.0f stored", from);
	else
		html_text(html, ", which was there at first");
}

/* "allowed:" and the reason, in the words of prove. */
static void write_why(struct html *html, const json_t *line)
{
	const char *why = text_at(line, "why");
	double newer;

	if (number_at(line, "newer", &newer) != NUMBER_THERE)
		return;
	html_raw(html, "<br><strong>An old value:</strong> ");
	html_text(html, "step %.0f had stored a newer one above; %s.", newer, why ? why : "");
}

static const char *meaning_of(const char *order)
{
	if (strcmp(order, "release") == 0)
		return "who sees a store below it sees all that is above it";
	if (strcmp(order, "acquire") == 0)
		return "loads below it see no less than those above it";
	return "loads and stores do not pass it";
}

static void write_access(struct html *html, const json_t *line)
{
	const char *does = words_at(line, "does");
	const char *order = words_at(line, "order");
	const bool ordered = strcmp(order, "relaxed") != 0;
	const struct cell place = figure_at(line, "offset_bytes", FIGURE_COUNT);

	if (strcmp(does, "fence") == 0) {
		html_text(html, "%s fence: %s", order, meaning_of(order));
		return;
	}
	if (strcmp(does, "load") == 0) {
		html_text(html, "loads +%s%s%s: gets %s", place.text, ordered ? ", " : "",
			  ordered ? order : "", words_at(line, "loaded"));
		write_from(html, line);
	} else if (strcmp(does, "store") == 0) {
		html_text(html, "stores %s to +%s%s%s", words_at(line, "stored"), place.text,
			  ordered ? ", " : "", ordered ? order : "");
	} else {
		html_text(html, "changes +%s%s%s from %s", place.text, ordered ? ", " : "",
			  ordered ? order : "", words_at(line, "loaded"));
		write_from(html, line);
		html_text(html, ", to %s", words_at(line, "stored"));
	}
	write_why(html, line);
}

static void write_source(struct html *html, const json_t *line)
{
	html_raw(html, "<td>");
	if (text_at(line, "at.file"))
		html_text(html, "%s:%s ", text_at(line, "at.file"),
			  figure_at(line, "at.line", FIGURE_PLAIN).text);
	html_raw(html, "<code>");
	html_text(html, "%s", text_at(line, "at.text") ? text_at(line, "at.text") : "");
	html_raw(html, "</code></td>");
}

static void write_line(struct html *html, struct threads *threads, const json_t *line, size_t step)
{
	const size_t own = thread_of(threads, words_at(line, "thread"));
	double newer;

	html_row(html, "%zu", step);
	for (size_t i = 0; i < threads->count; i++) {
		if (i != own) {
			html_raw(html, "<td class=\"elsewhere\"></td>");
			continue;
		}
		if (number_at(line, "newer", &newer) == NUMBER_THERE)
			html_raw(html, "<td class=\"step old\">");
		else
			html_raw(html, "<td class=\"step\">");
		write_access(html, line);
		html_raw(html, "</td>");
	}
	write_source(html, line);
	html_row_end(html);
}

static void write_legend(struct html *html)
{
	html_element(html, "p",
		     "A writer makes the sequence odd, changes the data, and makes the sequence "
		     "even. A read is right if all that it returns is of one update.");
	html_element(
		html, "p",
		"How to read it: each column is one thread, and time goes down; every row is "
		"one step of one thread, with the line of the source that makes it. +8 is the "
		"8th byte of the memory that they share. A load tells which step stored what it "
		"gets. Under some memory models a load may get a value that is not the newest: "
		"then it is marked, with the reason why nothing forbids it. A fence in the right "
		"place is what would forbid it.");
}

static void write_end(struct html *html, const json_t *model)
{
	const json_t *mendings = value_at(model, "mendings");

	if (text_at(model, "returned"))
		html_element(html, "p", "What came of it: %s.", text_at(model, "returned"));
	for (size_t i = 0; i < json_array_size(mendings); i++)
		html_element(html, "p", "%s %s.", i ? "Or" : "The cause:", words_in(mendings, i));
	if (!json_array_size(mendings))
		html_element(html, "p", "No single fence or ordering mends it.");
}

void timeline_html(struct html *html, const json_t *model)
{
	const json_t *lines = value_at(model, "counterexample");
	struct threads threads = threads_of(lines);

	html_heading(html, 4, "How it breaks under %s", words_at(model, "model"));
	html_element(html, "p class=\"warning\"", "%s.", words_at(model, "fault"));
	write_legend(html);
	html_raw(html, "<div class=\"timeline\">");
	html_table_begin(html, "One execution that breaks it, step by step");
	html_column(html, "step");
	for (size_t i = 0; i < threads.count; i++)
		html_column(html, "%s", threads.name[i]);
	html_column(html, "source");
	html_rows(html);
	for (size_t i = 0; i < json_array_size(lines); i++)
		write_line(html, &threads, json_array_get(lines, i), i + 1);
	html_table_end(html);
	html_raw(html, "</div>\n");
	write_end(html, model);
}
