/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a run's result means to whoever started it.
 */
#ifndef REPORT_STATUS_H
#define REPORT_STATUS_H

#include "measure/calibrate.h"
#include "measure/run.h"
#include "report/comparison.h"

enum status {
	STATUS_WELL = 0,
	STATUS_USAGE = 1, /* or the environment cannot do what was asked; a result's if no read was
			     measured, or a reader could not take part */
	STATUS_WRONG = 2, /* a read was torn or stale, time ran backwards, values disagree, or what
			     a scenario expects did not hold */
	STATUS_STALLED = 3, /* or a reader's code crashed */
	STATUS_INTERRUPTED = 130,
};

/*
 * The exit status of a result. What was found wrong counts for more than how the run ended, so
 * STATUS_WRONG wins over both STATUS_STALLED and STATUS_INTERRUPTED.
 */
enum status report_status(const struct run_result *result);

/* The same of a calibration, where values that disagree are what is wrong. */
enum status report_calibrate_status(const struct calibrate_config *config,
				    const struct calibrate_result *result);

/*
 * The same of a comparison, whatever the verdict: code that broke wins over an interruption, and
 * that over readers that were refused and a comparison too short to compare anything.
 */
enum status report_compare_status(const struct comparison *comparison);

#endif /* REPORT_STATUS_H */
