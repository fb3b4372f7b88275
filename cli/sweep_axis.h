/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The values that a sweep goes through, from text: 100..1000000, 100..1000000/5, 100,1000,5000 or
 * 100.
 */
#ifndef CLI_SWEEP_AXIS_H
#define CLI_SWEEP_AXIS_H

#include "measure/sweep.h"
#include "sim/errmsg.h"

/*
 * Whole numbers from `least` to `most`. A..B is `points` values spread evenly by their logarithms,
 * or fewer where not so many differ as whole numbers. A..B/N is N of them, 2 to SWEEP_MAX_AXIS, and
 * refused there. A list is taken as it is. 0, or -1 with a sentence in *err, and the axis left
 * alone. Safe in any thread.
 */
int sweep_axis_parse(const char *text, u64 least, u64 most, size_t points, struct sweep_axis *axis,
		     struct errmsg *err);

#endif /* CLI_SWEEP_AXIS_H */
