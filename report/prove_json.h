/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was proven, as one JSON object of the schema contend.prove/1; see prove.schema.json.
 */
#ifndef REPORT_PROVE_JSON_H
#define REPORT_PROVE_JSON_H

#include <stdio.h>

#include "report/proven.h"

/* Writes it and flushes `out`. 0, or -1 with a sentence in *err. */
int report_prove_json(FILE *out, const struct proven *proven, struct errmsg *err);

#endif /* REPORT_PROVE_JSON_H */
