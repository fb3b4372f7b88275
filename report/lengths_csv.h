/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A histogram of lengths as comma-separated values.
 */
#ifndef REPORT_LENGTHS_CSV_H
#define REPORT_LENGTHS_CSV_H

#include <stdio.h>

#include "measure/lengths.h"
#include "sim/errmsg.h"

/*
 * Writes a line of names, lower_ns,upper_ns,count,cumulative_share, then one for each bucket that
 * is not empty, and flushes `out`. Both bounds are of the bucket; the share, 0 to 1, is of the
 * lengths that are no longer than the upper one. Returns 0, or -1 with a sentence in *err: it could
 * not be written.
 */
int report_lengths_csv(FILE *out, const struct lengths *lengths, struct errmsg *err);

#endif /* REPORT_LENGTHS_CSV_H */
