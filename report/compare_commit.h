/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A comparison as the message of a kernel commit shows it: plain text, indented by 4 blanks, no
 * line longer than 75 columns.
 */
#ifndef REPORT_COMPARE_COMMIT_H
#define REPORT_COMPARE_COMMIT_H

#include <stdio.h>

#include "report/comparison.h"

/* Writes it to `out` and returns 0, or -1 if that has had an error. */
int report_compare_commit(FILE *out, const struct comparison *comparison);

#endif /* REPORT_COMPARE_COMMIT_H */
