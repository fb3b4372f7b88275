/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A verification as JSON for programs; verify.schema.json describes it.
 */
#ifndef REPORT_VERIFY_JSON_H
#define REPORT_VERIFY_JSON_H

#include <stdio.h>

#include "report/verification.h"
#include "sim/errmsg.h"

/*
 * Writes one object and flushes `out`. Returns 0, or -1 with a sentence in *err: no memory, or out
 * could not be written. Not for two threads with the same `out`.
 */
int report_verify_json(FILE *out, const struct verification *verification, struct errmsg *err);

#endif /* REPORT_VERIFY_JSON_H */
