/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a run's result means to whoever started it.
 */
#ifndef REPORT_STATUS_H
#define REPORT_STATUS_H

#include "measure/calibrate.h"
#include "measure/run.h"

enum status {
	STATUS_WELL = 0,
	STATUS_USAGE = 1, /* or the environment cannot do what was asked; a result's if no read was
			     measured */
	STATUS_WRONG = 2, /* a read was torn, time ran backwards, or values disagree */
	STATUS_STALLED = 3,
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

#endif /* REPORT_STATUS_H */
