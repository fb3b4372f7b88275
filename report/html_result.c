// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "report/figure.h"
#include "report/html_result.h"

#define MAX_PATH  200
#define MAX_DEPTH 6

static void title_of_run(const json_t *root, struct html_title *title)
{
	snprintf(title->text, sizeof(title->text), "Run: %.80s, %.20s reader%s, %.40s at %.20s",
		 words_at(root, "readers.path"),
		 figure_at(root, "readers.count", FIGURE_COUNT).text, plural(root, "readers.count"),
		 words_at(root, "writer.name"), figure_at(root, "writer.rate_hz", FIGURE_HZ).text);
}

struct html_title html_title_of(const struct result_file *file)
{
	static const struct {
		const char *words;
		const char *path;
	} titles[RESULT_KINDS] = {
		[RESULT_COMPARE] = {"Comparison with", "baseline.reader"},
		[RESULT_SWEEP] = {"Sweep of", "config.reader.name"},
		[RESULT_OBSERVE] = {"The kernel's page, observed: layout", "layout"},
		[RESULT_CALIBRATE] = {"Calibration: clock reads on", "machine.cpu_model"},
		[RESULT_PROVE] = {"Proof of", "reader"},
		[RESULT_VERIFY] = {"Verification: mutants and detectors on", "machine.cpu_model"},
		[RESULT_SETTLE] = {"Claims:", "title"},
	};
	struct html_title title;

	if (file->kind == RESULT_RUN)
		title_of_run(file->root, &title);
	else if (file->kind == RESULT_INSPECT)
		snprintf(title.text, sizeof(title.text), "Inspection of readers and pages");
	else
		snprintf(title.text, sizeof(title.text), "%s %.120s", titles[file->kind].words,
			 words_at(file->root, titles[file->kind].path));
	return title;
}

static void write_machine(struct html *html, const json_t *root)
{
	const char *hypervisor = text_at(root, "machine.hypervisor");

	if (!value_at(root, "machine"))
		return;
	html_fact(html, "Machine", "%s, %s, kernel %s, %s CPUs online, %s allowed%s%s",
		  words_at(root, "machine.cpu_model"), words_at(root, "machine.architecture"),
		  words_at(root, "machine.kernel"),
		  figure_at(root, "machine.cpus_online", FIGURE_COUNT).text,
		  figure_at(root, "machine.cpus_allowed", FIGURE_COUNT).text,
		  hypervisor ? ", hypervisor " : "", hypervisor ? hypervisor : "");
}

/* As a shell would take it again. */
static void write_word(struct html *html, const char *word)
{
	const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			    "-_=+,./:@%";

	if (*word && strspn(word, plain) == strlen(word)) {
		html_text(html, "%s", word);
		return;
	}
	html_text(html, "'");
	for (; *word; word += strcspn(word, "'") + (strchr(word, '\'') != NULL))
		html_text(html, "%.*s%s", (int)strcspn(word, "'"), word,
			  strchr(word, '\'') ? "'\\''" : "");
	html_text(html, "'");
}

static void write_command_line(struct html *html, const json_t *root)
{
	const json_t *words = value_at(root, "command_line");

	if (!json_array_size(words)) {
		html_fact(html, "Command", "n/a: the result is of an older contend");
		return;
	}
	html_raw(html, "<dt>Command</dt><dd><code>");
	for (size_t i = 0; i < json_array_size(words); i++) {
		html_text(html, "%s", i ? " " : "");
		write_word(html, words_in(words, i));
	}
	html_raw(html, "</code></dd>\n");
}

static void write_value(struct html *html, const char *path, const json_t *value)
{
	char *text;

	if (json_is_string(value)) {
		html_fact(html, path, "%s", json_string_value(value));
		return;
	}
	text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(10));
	html_fact(html, path, "%s", text ? text : "n/a");
	free(text);
}

/* The names are the result's own, as --json has them: no more is lost, and none is renamed. */
static void write_configuration(struct html *html, const char *path, const json_t *value, int depth)
{
	char below[MAX_PATH];
	const char *name;
	json_t *member;

	if (!json_is_object(value) || depth == MAX_DEPTH) {
		write_value(html, path, value);
		return;
	}
	json_object_foreach((json_t *)value, name, member)
	{
		snprintf(below, sizeof(below), "%.120s%s%.60s", path, *path ? "." : "", name);
		if (!json_is_null(member))
			write_configuration(html, below, member, depth + 1);
	}
}

static void write_method(struct html *html, const json_t *root)
{
	const json_t *config = value_at(root, "config");

	if (!config)
		return;
	html_raw(html, "<details><summary>Method: all that was configured</summary><dl "
		       "class=\"small\">\n");
	write_configuration(html, "", config, 0);
	html_raw(html, "</dl></details>\n");
}

/* What exit status 2 says of each kind. */
static const char *const wrong[RESULT_KINDS] = {
	[RESULT_RUN] = "a read was torn or stale, time ran backwards, it jumped where that is "
		       "forbidden, or what was expected did not hold",
	[RESULT_SWEEP] = "a read was torn or stale, or time ran backwards",
	[RESULT_CALIBRATE] = "values disagree",
	[RESULT_PROVE] = "a proof failed",
	[RESULT_VERIFY] = "a mutant survived, or what is correct was accused",
};

static void write_outcome(struct html *html, const struct result_file *file)
{
	double status = 0;

	number_at(file->root, "exit_status", &status);
	if (status > 1.5 && status < 2.5 && wrong[file->kind])
		html_element(html, "p class=\"warning\"", "Wrong: %s.", wrong[file->kind]);
	else if (status > 2.5 && status < 3.5)
		html_element(html, "p class=\"warning\"",
			     "It stalled, or a reader's code crashed.");
	if (text_at(file->root, "stall"))
		html_element(html, "p class=\"warning\"", "Stalled: %s",
			     text_at(file->root, "stall"));
}

void html_result_head(struct html *html, const struct result_file *file)
{
	const json_t *root = file->root;

	html_raw(html, "<dl>\n");
	html_fact(html, "File", "%s", file->path);
	html_fact(html, "Made", "%s by contend %s%s%s", words_at(root, "date"),
		  words_at(root, "version"), text_at(root, "compiler") ? ", built by " : "",
		  text_at(root, "compiler") ? text_at(root, "compiler") : "");
	write_machine(html, root);
	write_command_line(html, root);
	html_raw(html, "</dl>\n");
	if (value_at(root, "complete") && !true_at(root, "complete"))
		html_element(html, "p class=\"warning\"",
			     "It did not come to its end: what follows is what there was by then.");
	write_outcome(html, file);
	write_method(html, root);
}

static void write_remarks(struct html *html, const json_t *remarks)
{
	if (!json_array_size(remarks))
		return;
	html_heading(html, 4, "Remarks");
	html_raw(html, "<ul>\n");
	for (size_t i = 0; i < json_array_size(remarks); i++)
		html_element(html, "li", "%s", words_in(remarks, i));
	html_raw(html, "</ul>\n");
}

static void write_unavailable(struct html *html, json_t *unavailable)
{
	const char *name;
	json_t *why;

	if (!json_object_size(unavailable))
		return;
	html_raw(html, "<details><summary>What is n/a, and why</summary><dl class=\"small\">\n");
	json_object_foreach(unavailable, name, why)
		html_fact(html, name, "%s", json_is_string(why) ? json_string_value(why) : "n/a");
	html_raw(html, "</dl></details>\n");
}

void html_result_foot(struct html *html, const struct result_file *file)
{
	write_remarks(html, value_at(file->root, "remarks"));
	write_unavailable(html, json_object_get(file->root, "unavailable"));
}
