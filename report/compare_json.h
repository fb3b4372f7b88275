/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A comparison as JSON for programs; compare.schema.json describes it.
 */
#ifndef REPORT_COMPARE_JSON_H
#define REPORT_COMPARE_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "report/comparison.h"
#include "sim/errmsg.h"

/*
 * Writes one object and flushes `out`. Returns 0, or -1 with a sentence in *err: no memory, or out
 * could not be written. Not for two threads with the same `out`.
 */
int report_compare_json(FILE *out, const struct comparison *comparison, struct errmsg *err);

/* That object, to stand in another; the caller's. NULL: no memory. Safe in any thread. */
json_t *report_compare_object(const struct comparison *comparison);

#endif /* REPORT_COMPARE_JSON_H */
