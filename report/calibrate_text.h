/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A calibration as text for people. The functions write to `out` and return 0, or -1 if it has had
 * an error. What could not be measured is n/a, with the reason below the table.
 */
#ifndef REPORT_CALIBRATE_TEXT_H
#define REPORT_CALIBRATE_TEXT_H

#include <stdio.h>

#include "measure/calibrate.h"

/* What was calibrated where, and whether to the end. */
int report_calibrate_head(FILE *out, const struct calibrate_config *config,
			  const struct calibrate_result *result);

/* One line a remark; for standard error. */
int report_calibrate_remarks(FILE *out, const struct calibrate_result *result);

/* An empty line, the table, what came of the values, and code that differs where it matters. */
int report_calibrate_figures(FILE *out, const struct calibrate_config *config,
			     const struct calibrate_result *result);

#endif /* REPORT_CALIBRATE_TEXT_H */
