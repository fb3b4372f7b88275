/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of the tables of figures, each in a line: report/diff_table.h says what they mean, and
 * report/diff_estimate.h how sure each is. For the files of the tables only.
 */
#ifndef REPORT_DIFF_ROWS_H
#define REPORT_DIFF_ROWS_H

#include "report/diff_estimate.h"
#include "report/diff_table.h"

/* clang-format off */
#define NUMBER(name, path, unit, worse) \
	{name, path, unit, worse, DIFF_SHARE, diff_take_number, {NULL, NULL, NULL}, 0, NULL}
#define EXACT(name, path, unit, worse) \
	{name, path, unit, worse, DIFF_SHARE, diff_take_exact, {NULL, NULL, NULL}, 0, NULL}
#define RATE(name, count, reads, interval, worse) \
	{name, count, "per million", worse, DIFF_SHARE, diff_take_rate, {reads, interval, NULL}, 0, NULL}
#define VISIBLE(name, count, reads, interval, rate_hz, worse) \
	{name, count, "ns", worse, DIFF_SHARE, diff_take_visible, {reads, interval, rate_hz}, 0, NULL}
#define BOUNDS(name, path, unit, bounds, worse, scale) \
	{name, path, unit, worse, scale, diff_take_bounds, {bounds, NULL, NULL}, 0, NULL}
#define ENDS(name, path, unit, low, high, worse) \
	{name, path, unit, worse, DIFF_SHARE, diff_take_ends, {low, high, NULL}, 0, NULL}
#define SCATTERED(name, path, unit, count, low, high, worse) \
	{name, path, unit, worse, DIFF_SHARE, diff_take_scattered, {low, high, count}, 0, NULL}
#define MEAN(name, path, histogram, each, worse) \
	{name, path, "ns", worse, DIFF_SHARE, diff_take_mean, {histogram, each, NULL}, 0, NULL}
#define QUANTILE(name, path, quantile, histogram, interval, worse) \
	{name, path, "ns", worse, DIFF_SHARE, diff_take_quantile, {histogram, interval, NULL}, quantile, NULL}
#define BATCHES(name, path, unit, interval, worse) \
	{name, path, unit, worse, DIFF_SHARE, diff_take_batches, {NULL, interval, NULL}, 0, NULL}
#define FAULT(name, path) \
	{name, path, "", DIFF_MORE_IS_WORSE, DIFF_FAULT, diff_take_exact, {NULL, NULL, NULL}, 0, NULL}
#define WORD(name, path, ranks) \
	{name, path, "", DIFF_NEITHER, DIFF_WORD, diff_take_number, {NULL, NULL}, 0, ranks}
#define END_OF_ROWS {.name = NULL}
/* clang-format on */

#endif /* REPORT_DIFF_ROWS_H */
