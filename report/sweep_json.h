/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sweep as JSON for programs, and as what a later sweep goes on from; sweep.schema.json describes
 * it.
 */
#ifndef REPORT_SWEEP_JSON_H
#define REPORT_SWEEP_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "report/swept.h"
#include "sim/errmsg.h"

#define SWEEP_SCHEMA "contend.sweep/1"

/*
 * Writes one object and flushes `out`. Returns 0, or -1 with a sentence in *err: no memory, or out
 * could not be written. Not for two threads with the same `out`.
 */
int report_sweep_json(FILE *out, const struct swept *swept, struct errmsg *err);

/*
 * What two sweeps must have in common for one to go on with the other's points: version, compiler,
 * machine and config, as they are in the object. A new reference; NULL: no memory.
 */
json_t *report_sweep_identity(const struct sweep_config *config, const struct machine *machine);

#endif /* REPORT_SWEEP_JSON_H */
