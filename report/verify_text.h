/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A verification as text for people, in 80 columns. The functions write to `out` and return 0, or
 * -1 if it has had an error.
 */
#ifndef REPORT_VERIFY_TEXT_H
#define REPORT_VERIFY_TEXT_H

#include <stdio.h>

#include "report/verification.h"

/* What was verified where. */
int report_verify_head(FILE *out, const struct verification *verification);

/* One line a remark; for standard error. */
int report_verify_remarks(FILE *out, const struct verification *verification);

/* The matrix of mutants and detectors, what is correct, and what all of it comes to. */
int report_verify_figures(FILE *out, const struct verification *verification);

#endif /* REPORT_VERIFY_TEXT_H */
