/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a report in HTML looks: on wide screens and narrow, light and dark, and on paper.
 */
#ifndef REPORT_HTML_STYLE_H
#define REPORT_HTML_STYLE_H

#include <stdio.h>

/* Writes what goes between <style> and </style>: colours are those of report/palette.h. */
void html_style(FILE *out);

#endif /* REPORT_HTML_STYLE_H */
