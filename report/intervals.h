/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a run with --interval has told of each stretch of its time, for pictures of it.
 */
#ifndef REPORT_INTERVALS_H
#define REPORT_INTERVALS_H

#include "report/sketch.h"
#include "report/result_file.h"

/* The result's array of them; NULL if there is none, and sketch->none says how to get some. */
const json_t *intervals_of(const struct result_file *file, struct sketch *sketch);

/* Seconds since the measured start. */
double interval_middle_s(const json_t *interval);

#endif /* REPORT_INTERVALS_H */
