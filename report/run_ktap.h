/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run as KTAP: one suite, of what every run must fulfil and of what its scenario expects.
 */
#ifndef REPORT_RUN_KTAP_H
#define REPORT_RUN_KTAP_H

#include <stdio.h>

#include "measure/run.h"
#include "report/expect.h"

/* 0, or -1 if `out` has had an error. One thread for `out`. */
int report_run_ktap(FILE *out, const struct run_config *config, const struct expect *expect,
		    const struct run_result *result);

#endif /* REPORT_RUN_KTAP_H */
