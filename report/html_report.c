// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "report/html_picture.h"
#include "report/html_report.h"
#include "report/html_result.h"
#include "report/html_sections.h"
#include "report/html_style.h"
#include "report/label.h"
#include "report/pictures.h"

static html_section_fn *const sections[RESULT_KINDS] = {
	[RESULT_RUN] = run_html,
	[RESULT_COMPARE] = compare_html,
	[RESULT_SWEEP] = sweep_html,
	[RESULT_OBSERVE] = observe_html,
	[RESULT_CALIBRATE] = calibrate_html,
	[RESULT_INSPECT] = inspect_html,
	[RESULT_PROVE] = prove_html,
	[RESULT_VERIFY] = verify_html,
	[RESULT_SETTLE] = settle_html,
};

static void write_head(struct html *html, const struct html_report *report)
{
	html_raw(html, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		       "style-src 'unsafe-inline'; img-src data:\">\n"
		       "<link rel=\"icon\" href=\"data:,\">\n<title>");
	if (report->count == 1)
		html_text(html, "%s - contend", html_title_of(report->files[0]).text);
	else
		html_text(html, "%zu results of contend", report->count);
	html_raw(html, "</title>\n<style>\n");
	html_style(html->out);
	html_raw(html, "</style>\n</head>\n<body>\n<header><h1>");
	if (report->count == 1)
		html_text(html, "A result of contend");
	else
		html_text(html, "%zu results of contend", report->count);
	html_raw(html, "</h1></header>\n");
}

static void write_contents(struct html *html, const struct html_report *report)
{
	if (report->count == 1)
		return;
	html_raw(html, "<nav aria-label=\"Contents\"><ol>\n");
	for (size_t i = 0; i < report->count; i++) {
		fprintf(html->out, "<li><a href=\"#result-%zu\">", i + 1);
		html_text(html, "%s (%s)", html_title_of(report->files[i]).text,
			  label_of(report->files, report->count, i, NULL).text);
		html_raw(html, "</a></li>\n");
	}
	html_raw(html, "</ol></nav>\n");
}

static void write_result(struct html *html, const struct html_report *report, size_t which)
{
	const struct result_file *file = report->files[which];

	fprintf(html->out, "<section id=\"result-%zu\" aria-labelledby=\"part-%u\">\n", which + 1,
		html->headings + 1);
	html_heading(html, 3, "%s", html_title_of(file).text);
	html_result_head(html, file);
	sections[file->kind](html, file);
	html_result_foot(html, file);
	html_raw(html, "</section>\n");
}

static void write_one(struct html *html, const struct html_report *report, size_t which)
{
	const char *kind = result_kind_name(report->files[which]->kind);

	html_heading(html, 2, "contend %s", kind);
	write_result(html, report, which);
}

/* All that are drawn over one another, where the first of them stands. */
static void write_runs(struct html *html, const struct html_report *report, size_t first)
{
	const struct result_file *runs[report->count];
	const struct picture *picture;
	size_t count = 0;

	for (size_t i = first; i < report->count; i++)
		if (report->files[i]->kind == RESULT_RUN)
			runs[count++] = report->files[i];
	html_heading(html, 2, "contend run");
	for (size_t i = 0; (picture = picture_number(i)); i++)
		if (picture->kind == RESULT_RUN && picture->of_several)
			html_picture(html, picture, &(struct picture_subject){runs, count, 0});
	for (size_t i = first; i < report->count; i++)
		if (report->files[i]->kind == RESULT_RUN)
			write_result(html, report, i);
}

static void write_results(struct html *html, const struct html_report *report)
{
	bool runs_written = false;

	html_raw(html, "<main>\n");
	for (size_t i = 0; i < report->count; i++) {
		if (report->files[i]->kind != RESULT_RUN) {
			write_one(html, report, i);
		} else if (!runs_written) {
			write_runs(html, report, i);
			runs_written = true;
		}
	}
	html_raw(html, "</main>\n<footer><p>");
	html_text(html, "Made by contend report %s.", CONTEND_VERSION);
	html_raw(html, "</p></footer>\n</body>\n</html>\n");
}

int html_report(FILE *out, const struct html_report *report, struct errmsg *err)
{
	struct html html = {.out = out};

	write_head(&html, report);
	write_contents(&html, report);
	write_results(&html, report);
	if (html.failed)
		return errmsg_set(err, "%s", html.err.text);
	if (html.no_memory)
		return errmsg_set(err, "no memory for the report");
	if (fflush(out) || ferror(out))
		return errmsg_set(err, "%s", strerror(errno ? errno : EIO));
	return 0;
}
