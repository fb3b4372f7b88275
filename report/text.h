/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run's result as text for people.
 *
 * The functions write to `out` and return 0, or -1 if it has had an error. A line beyond the usual
 * ones is there only if it has something to say. What could not be measured is n/a, with the
 * reason.
 */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include <stdio.h>

#include "measure/run.h"
#include "report/expect.h"

/* All of it but the remarks: the head, an empty line, the figures. */
int report_text(FILE *out, const struct run_config *config, const struct run_result *result);

/*
 * The same in two parts, for a caller who wants the remarks between them: what ran where and
 * whether to the end; then the figures, the empty line before them included.
 */
int report_text_head(FILE *out, const struct run_config *config, const struct run_result *result);
int report_text_figures(FILE *out, const struct run_config *config,
			const struct run_result *result);

/* Each condition, what was found, and whether it held, after an empty line; nothing of none. */
int report_text_expect(FILE *out, const struct expect *expect, const struct run_config *config,
		       const struct run_result *result);

/* One line a remark; for standard error. */
int report_remarks(FILE *out, const struct run_result *result);

#endif /* REPORT_TEXT_H */
