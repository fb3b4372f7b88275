/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fields of comma-separated values: nothing where nothing is known. Each but the last of a line
 * ends with a comma.
 */
#ifndef REPORT_CSV_H
#define REPORT_CSV_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/errmsg.h"
#include "sim/types.h"

void csv_count(FILE *out, bool known, u64 value);

/* Neither infinity nor NaN is known. */
void csv_number(FILE *out, bool known, double value);

/*
 * Flushes `out`. 0, or -1 with a sentence in *err: something could not be written since errno was
 * last cleared.
 */
int csv_end(FILE *out, struct errmsg *err);

#endif /* REPORT_CSV_H */
