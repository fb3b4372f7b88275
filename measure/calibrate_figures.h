/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What came of a calibration: its figures, made of the turns, and what is to be said of them.
 */
#ifndef MEASURE_CALIBRATE_FIGURES_H
#define MEASURE_CALIBRATE_FIGURES_H

#include "measure/calibrate.h"
#include "measure/turns.h"

/*
 * Fills in times and ratios of the cells and pairs, and why there were no values where there were
 * none. 0, or -1 with a sentence in *err: no memory.
 */
int calibrate_fill_figures(const struct turns *turns, struct errmsg *err);

/* Remarks that some contestants may have called the system unseen, if they may. */
void calibrate_remark_unknown(const struct calibrate_config *config,
			      struct calibrate_result *result);

/* Remarks on ratios that have left what they should be, with the likely reason. */
void calibrate_remark_ratios(const struct calibrate_config *config,
			     struct calibrate_result *result);

/* Values that were compared, and those that did not agree, of all cells. */
u64 calibrate_tries(const struct calibrate_result *result, const struct calibrate_config *config);
u64 calibrate_disagreements(const struct calibrate_result *result,
			    const struct calibrate_config *config);

/*
 * Whether the ratio of a contestant, which is not the system call, has left what it should be; and
 * whether a difference of its code from the host's is known.
 */
bool calibrate_is_remarkable(const struct calibrate_result *result, size_t clock,
			     size_t contestant);
bool calibrate_knows_difference(const struct calibrate_result *result, size_t clock,
				size_t contestant);

#endif /* MEASURE_CALIBRATE_FIGURES_H */
