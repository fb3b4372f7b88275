/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was proven, as text for people.
 *
 * The functions write to `out` and return 0, or -1 if it has had an error.
 */
#ifndef REPORT_PROVE_TEXT_H
#define REPORT_PROVE_TEXT_H

#include <stdio.h>

#include "report/proven.h"

/* Verdicts, the counterexample of the strictest model that has one, what each ordering is for. */
int report_prove(FILE *out, const struct proven *proven);

/* What was not under control, a line each; for standard error. */
int report_prove_remarks(FILE *out, const struct proven *proven);

#endif /* REPORT_PROVE_TEXT_H */
