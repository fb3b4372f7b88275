/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a run's reader compares with the host's own vDSO, and with its own bare path: short blocks of
 * each in random order, on one CPU, under one writer. The figure is the median of the ratios
 * within each set of neighbouring blocks, which a disturbance of some blocks does not move.
 */
#ifndef MEASURE_BASELINE_H
#define MEASURE_BASELINE_H

#include "measure/shared.h"

struct baseline;

/* For one thread; NULL with a sentence in *err when there is not the memory. */
struct baseline *baseline_create(const struct run_shared *shared, struct errmsg *err);
void baseline_destroy(struct baseline *baseline);

/*
 * Times one block of each, to go with neighbouring blocks of the run itself that took this many
 * cycles for each read. Takes some tens of microseconds. The last 131072 sets are kept.
 */
void baseline_take(struct baseline *baseline, double run_cycles);

/* The medians, after the thread has ended. */
void baseline_result(struct baseline *baseline, struct baseline_result *result);

#endif /* MEASURE_BASELINE_H */
