/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A calibration as JSON for programs; calibrate.schema.json describes it.
 */
#ifndef REPORT_CALIBRATE_JSON_H
#define REPORT_CALIBRATE_JSON_H

#include <stdio.h>

#include "measure/calibrate.h"
#include "sim/errmsg.h"

/*
 * Writes one object and flushes `out`. Returns 0, or -1 with a sentence in *err: no memory, or out
 * could not be written. Not for two threads with the same `out`.
 */
int report_calibrate_json(FILE *out, const struct calibrate_config *config,
			  const struct calibrate_result *result, struct errmsg *err);

#endif /* REPORT_CALIBRATE_JSON_H */
