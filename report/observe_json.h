/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An observation's result as JSON for programs; observe.schema.json describes it.
 */
#ifndef REPORT_OBSERVE_JSON_H
#define REPORT_OBSERVE_JSON_H

#include <stdio.h>

#include "measure/observe.h"
#include "sim/errmsg.h"

/*
 * Writes one object, with the status that the command is going to end with, and flushes `out`.
 * Returns 0, or -1 with a sentence in *err: no memory, or out could not be written. Not for two
 * threads with the same `out`.
 */
int report_observe_json(FILE *out, const struct observe_config *config,
			const struct observe_result *result, int status, struct errmsg *err);

#endif /* REPORT_OBSERVE_JSON_H */
