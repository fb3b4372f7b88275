/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run's result as JSON for programs; run.schema.json describes it.
 */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include <stdio.h>

#include "measure/run.h"
#include "report/expect.h"
#include "sim/errmsg.h"

/*
 * Writes one object, with what was expected and whether it held, and flushes `out`. Returns 0, or
 * -1 with a sentence in *err: no memory, or out could not be written. Not for two threads with the
 * same `out`.
 */
int report_run_json(FILE *out, const struct run_config *config, const struct run_result *result,
		    const struct expect *expect, struct errmsg *err);

#endif /* REPORT_JSON_H */
