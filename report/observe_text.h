/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An observation's result as text for people, in the style of report/text.h.
 */
#ifndef REPORT_OBSERVE_TEXT_H
#define REPORT_OBSERVE_TEXT_H

#include <stdio.h>

#include "measure/observe.h"

/*
 * What was watched and from where; then the figures, an empty line before them; then remarks, for
 * standard error. All return 0, or -1 if `out` has had an error.
 */
int report_observe_head(FILE *out, const struct observe_config *config,
			const struct observe_result *result);
int report_observe_figures(FILE *out, const struct observe_result *result);
int report_observe_remarks(FILE *out, const struct observe_result *result);

/* Where the hold of a hazard comes from, in words. */
const char *report_hold_source(enum hold_source source);

#endif /* REPORT_OBSERVE_TEXT_H */
