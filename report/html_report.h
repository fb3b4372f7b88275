/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Results of all kinds as one HTML page, with pictures in it, that loads nothing and runs nothing.
 */
#ifndef REPORT_HTML_REPORT_H
#define REPORT_HTML_REPORT_H

#include <stdio.h>

#include "report/result_file.h"

struct html_report {
	const struct result_file *const *files; /* in the order in which they are shown */
	size_t count;
};

/*
 * Writes the page and flushes `out`. 0, or -1 with a sentence in *err: gnuplot (report/gnuplot.h),
 * no memory, or out could not be written. Not for two threads with the same `out`.
 */
int html_report(FILE *out, const struct html_report *report, struct errmsg *err);

#endif /* REPORT_HTML_REPORT_H */
