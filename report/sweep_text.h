/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sweep as text for people.
 *
 * The functions write to `out` and return 0, or -1 if it has had an error. A caller may print the
 * remarks between the two parts. Points that are open have no line.
 */
#ifndef REPORT_SWEEP_TEXT_H
#define REPORT_SWEEP_TEXT_H

#include <stdio.h>

#include "report/swept.h"

/* What was swept where, and whether to the end. */
int report_sweep_head(FILE *out, const struct swept *swept);

/* The table, the law, and where it breaks down, the empty line before them included. */
int report_sweep_figures(FILE *out, const struct swept *swept);

/* One line a remark; for standard error. */
int report_sweep_remarks(FILE *out, const struct sweep_result *result);

#endif /* REPORT_SWEEP_TEXT_H */
