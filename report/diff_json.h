/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A difference between two results as one JSON object: contend.diff/1, see diff.schema.json.
 */
#ifndef REPORT_DIFF_JSON_H
#define REPORT_DIFF_JSON_H

#include <stdio.h>

#include "report/diff.h"

/* Writes it and flushes `out`. 0, or -1 with a sentence in *err. One thread for `out`. */
int report_diff_json(FILE *out, const struct diff *diff, struct errmsg *err);

#endif /* REPORT_DIFF_JSON_H */
