/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a comparison says of reader `who`, as people read it; n/a where it is not known. Safe in any
 * thread.
 */
#ifndef REPORT_COMPARE_CELLS_H
#define REPORT_COMPARE_CELLS_H

#include "report/cell.h"
#include "report/comparison.h"

/* Nanoseconds of a read: 20.613 */
struct cell compare_read_cell(const struct comparison *comparison, size_t who);

/* The difference from the baseline: +1.40 %, to as many digits as its interval leaves. */
struct cell compare_effect_cell(const struct comparison *comparison, size_t who);

/* Its 95 or 99 % interval in percent: +1.31 to +1.49 */
struct cell compare_interval_cell(const struct comparison *comparison, size_t who, bool is_99);

/* The verdict in words. */
struct cell compare_verdict_cell(const struct comparison *comparison, size_t who);

/* Retries per million reads: 27.6 */
struct cell compare_retries_cell(const struct comparison *comparison, size_t who);

/* Bytes of instructions. */
struct cell compare_text_cell(const struct comparison *comparison, size_t who);

#endif /* REPORT_COMPARE_CELLS_H */
