/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prove's counterexample as a table that can be read without knowing the tool: one column a thread,
 * time downwards, and what each load took and why.
 */
#ifndef REPORT_TIMELINE_HTML_H
#define REPORT_TIMELINE_HTML_H

#include "report/html.h"

/* Of one of the result's models, which has a counterexample. */
void timeline_html(struct html *html, const json_t *model);

#endif /* REPORT_TIMELINE_HTML_H */
