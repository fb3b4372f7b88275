/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A settled argument as text: what was claimed next to what was measured. Each returns 0, or -1 if
 * `out` could not be written. Not for two threads with the same `out`.
 */
#ifndef REPORT_SETTLE_TEXT_H
#define REPORT_SETTLE_TEXT_H

#include <stdio.h>

#include "report/settlement.h"

/* What was claimed, by whom and by what test; before anything is measured. */
int report_settle_head(FILE *out, const struct settlement *settlement);

/* What is said of a section before what was found. */
int report_settle_section(FILE *out, const struct settled *settled);

/* What was found, or why nothing was. Of an inspection: only the latter. */
int report_settle_finding(FILE *out, const struct settled *settled);

/* What was remarked of section `which`, and of none before it. */
int report_settle_remarks(FILE *out, const struct settlement *settlement, size_t which);

/* All comparisons, a line each, and the machine. */
int report_settle_table(FILE *out, const struct settlement *settlement);

#endif /* REPORT_SETTLE_TEXT_H */
