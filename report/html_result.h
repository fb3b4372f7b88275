/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a report in HTML tells of every result, whatever its kind: what made it, where, how, and
 * what was remarked.
 */
#ifndef REPORT_HTML_RESULT_H
#define REPORT_HTML_RESULT_H

#include "report/html.h"
#include "report/result_file.h"

struct html_title {
	char text[200];
};

/* What it is a result of, in a line. */
struct html_title html_title_of(const struct result_file *file);

/* Machine, command line, method, and whether it came to its end. */
void html_result_head(struct html *html, const struct result_file *file);

/* Remarks, and what could not be measured. */
void html_result_foot(struct html *html, const struct result_file *file);

#endif /* REPORT_HTML_RESULT_H */
