/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run's intervals as lines that come while it goes on: columns of fixed width and unit, for eyes
 * and for awk. Nothing is flushed.
 */
#ifndef REPORT_INTERVALS_TEXT_H
#define REPORT_INTERVALS_TEXT_H

#include <stdio.h>

#include "measure/run.h"

/* Two lines: names, and units. */
void report_interval_head(FILE *out);

/* One line; time is that of the interval's end, and n/a what is not known. */
void report_interval_line(FILE *out, const struct run_interval *interval);

#endif /* REPORT_INTERVALS_TEXT_H */
