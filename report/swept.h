/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sweep as it is reported: what was measured beside the law that was fitted to it.
 */
#ifndef REPORT_SWEPT_H
#define REPORT_SWEPT_H

#include "measure/sweep.h"
#include "report/status.h"

/* All that is pointed to stays its owner's, and the law is that of the result. */
struct swept {
	const struct sweep_config *config;
	const struct sweep_result *result;
	const struct law *law;
	const struct law_finding *finding; /* of each point */
};

/* Of a million reads, what is a share of them. */
static inline double swept_per_million(double share)
{
	return 1e6 * share;
}

/*
 * What a point alone makes of a constant of the law, in nanoseconds, of so many reads of its kind.
 * It has reads and updates.
 */
static inline double swept_ns(const struct sweep_point *point, u64 reads_of_kind)
{
	return (double)reads_of_kind / (double)point->reads / point->rate_hz * NSEC_PER_SEC;
}

/* open, done, stalled or failed. */
const char *swept_state_name(enum sweep_state state);

/*
 * The exit status: what was found wrong at any point wins over a stall, that over an interruption,
 * and that over points that could not be measured.
 */
enum status report_sweep_status(const struct sweep_result *result);

#endif /* REPORT_SWEPT_H */
