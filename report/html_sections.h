/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sections of a report in HTML, one file *_html.c for each kind of result.
 */
#ifndef REPORT_HTML_SECTIONS_H
#define REPORT_HTML_SECTIONS_H

#include "report/html.h"
#include "report/result_file.h"

/* What is told of one result behind what all are told by (report/html_result.h). */
typedef void html_section_fn(struct html *html, const struct result_file *file);

html_section_fn run_html;
html_section_fn compare_html;
html_section_fn sweep_html;
html_section_fn observe_html;
html_section_fn calibrate_html;
html_section_fn inspect_html;
html_section_fn prove_html;
html_section_fn verify_html;
html_section_fn settle_html;

#endif /* REPORT_HTML_SECTIONS_H */
