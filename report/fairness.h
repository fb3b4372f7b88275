/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How evenly readers of a run got on.
 */
#ifndef REPORT_FAIRNESS_H
#define REPORT_FAIRNESS_H

#include "measure/run.h"

struct fairness {
	const struct reader_result *slowest; /* by reads; belongs to the result */
	const struct reader_result *fastest;
	double ratio; /* of their reads, 0 to 1; 0 also when the fastest has none */
};

/* There must be a reader among them. */
struct fairness report_fairness(const struct readers_result *readers);

#endif /* REPORT_FAIRNESS_H */
