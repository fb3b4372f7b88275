/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The points of a sweep as comma-separated values, for spreadsheets and plots.
 */
#ifndef REPORT_SWEEP_CSV_H
#define REPORT_SWEEP_CSV_H

#include <stdio.h>

#include "report/swept.h"

/*
 * Writes a line of names, then one for each point that is not open, and flushes `out`. The names
 * are those of points[] in sweep.schema.json; what is null there is empty here, and flags are 0 or
 * 1. Returns 0, or -1 with a sentence in *err: it could not be written.
 */
int report_sweep_csv(FILE *out, const struct swept *swept, struct errmsg *err);

#endif /* REPORT_SWEEP_CSV_H */
