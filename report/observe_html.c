// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/figure.h"
#include "report/html_picture.h"
#include "report/html_sections.h"

static void write_facts(struct html *html, const json_t *root)
{
	html_raw(html, "<dl>\n");
	html_fact(html, "Updates", "%s in %s, %s", figure_at(root, "updates", FIGURE_COUNT).text,
		  figure_at(root, "seconds", FIGURE_SECONDS).text,
		  figure_at(root, "rate_hz", FIGURE_HZ).text);
	html_fact(html, "Found odd", "%s times", figure_at(root, "odd_seen", FIGURE_COUNT).text);
	html_fact(html, "Layout", "%s, kernels %s", words_at(root, "layout"),
		  words_at(root, "page.kernels"));
	html_fact(html, "Clock mode", "%s", words_at(root, "clock_mode"));
	html_fact(html, "CPU of the tick", "%s", figure_at(root, "tick_cpu", FIGURE_COUNT).text);
	html_fact(html, "Clock reads that would meet an update", "%s per million",
		  figure_at(root, "hazard_per_million", FIGURE_PER_MILLION).text);
	if (json_is_object(value_at(root, "simulated")))
		html_fact(html, "A reader on a simulated page met one",
			  "%s per million (95 %% interval %s)",
			  figure_at(root, "simulated.per_million", FIGURE_PER_MILLION).text,
			  figure_pair_at(root, "simulated.ci95_per_million", FIGURE_PER_MILLION)
				  .text);
	html_raw(html, "</dl>\n");
}

static void write_length(struct html *html, const char *words, const json_t *length)
{
	static const char *const parts[] = {"min", "p50", "p99", "max"};

	html_row(html, "%s", words);
	html_cell(html, "%s", figure_at(length, "samples", FIGURE_COUNT).text);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		html_cell(html, "%s", figure_at(length, parts[i], FIGURE_NS).text);
	html_row_end(html);
}

static void write_lengths(struct html *html, const json_t *root)
{
	static const char *const headings[] = {"what", "samples", "least", "p50",
					       "p99",  "most",	  NULL};

	html_table(html, "Lengths of time", headings);
	write_length(html, "between two updates", value_at(root, "interval_ns"));
	write_length(html, "an odd sequence, seen to its end", value_at(root, "odd_ns"));
	write_length(html, "an update that was looked past", value_at(root, "passed_ns"));
	html_table_end(html);
}

static void write_cpus(struct html *html, const json_t *cpus)
{
	static const char *const headings[] = {
		"CPU", "watched", "updates seen", "made elsewhere", "found odd", NULL};

	html_table(html, "By the CPU that was watched from", headings);
	for (size_t i = 0; i < json_array_size(cpus); i++) {
		const json_t *cpu = json_array_get(cpus, i);

		html_row(html, "%s", figure_at(cpu, "cpu", FIGURE_COUNT).text);
		html_cell(html, "%s", figure_at(cpu, "watched_seconds", FIGURE_SECONDS).text);
		html_cell(html, "%s", figure_at(cpu, "seen", FIGURE_COUNT).text);
		html_cell(html, "%s", figure_at(cpu, "made_elsewhere", FIGURE_COUNT).text);
		html_cell(html, "%s", figure_at(cpu, "odd_seen", FIGURE_COUNT).text);
		html_row_end(html);
	}
	html_table_end(html);
}

void observe_html(struct html *html, const struct result_file *file)
{
	write_facts(html, file->root);
	html_pictures(html, file);
	write_lengths(html, file->root);
	write_cpus(html, value_at(file->root, "cpus"));
}
