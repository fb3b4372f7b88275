/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A comparison as text for people. The functions write to `out` and return 0, or -1 if it has had
 * an error. What could not be measured is n/a, with the reason below the tables.
 */
#ifndef REPORT_COMPARE_TEXT_H
#define REPORT_COMPARE_TEXT_H

#include <stdio.h>

#include "report/comparison.h"

/* What was compared where and how, and whether to the end. */
int report_compare_head(FILE *out, const struct comparison *comparison);

/* One line a remark; for standard error. */
int report_compare_remarks(FILE *out, const struct comparison *comparison);

/* An empty line, times and verdicts, what may explain them, and the verdict on the machine. */
int report_compare_figures(FILE *out, const struct comparison *comparison);

#endif /* REPORT_COMPARE_TEXT_H */
