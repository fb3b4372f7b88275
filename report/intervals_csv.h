/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run's intervals as comma-separated values, for spreadsheets and plots.
 */
#ifndef REPORT_INTERVALS_CSV_H
#define REPORT_INTERVALS_CSV_H

#include <stdio.h>

#include "measure/run.h"

/*
 * Writes a line of names, then one for each interval, and flushes `out`. The names are made of
 * those of intervals[] in run.schema.json; what is null there is empty here. Returns 0, or -1 with
 * a sentence in *err: it could not be written.
 */
int report_intervals_csv(FILE *out, const struct run_result *result, struct errmsg *err);

#endif /* REPORT_INTERVALS_CSV_H */
