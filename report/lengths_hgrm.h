/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A histogram of lengths in the text format that HdrHistogram prints percentiles in (.hgrm), and
 * that its plotter and others take: hdr_percentiles_print of HdrHistogram_c with CLASSIC, five
 * ticks per half distance.
 */
#ifndef REPORT_LENGTHS_HGRM_H
#define REPORT_LENGTHS_HGRM_H

#include <stdio.h>

#include "measure/lengths.h"
#include "sim/errmsg.h"

/*
 * Writes columns Value (nanoseconds), Percentile, TotalCount and 1/(1-Percentile), then three lines
 * with #, and one more that says the unit; flushes `out`. Returns 0, or -1 with a sentence in *err:
 * it could not be written.
 */
int report_lengths_hgrm(FILE *out, const struct lengths *lengths, struct errmsg *err);

#endif /* REPORT_LENGTHS_HGRM_H */
