/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What contend inspect has found out, as one JSON object; report/inspect.schema.json describes it.
 */
#ifndef REPORT_INSPECT_JSON_H
#define REPORT_INSPECT_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "measure/inspect.h"

/* The object, the caller's; NULL: there was not the memory for all of it. */
json_t *report_inspect_object(const struct inspect_result *result, bool disassembly);

/*
 * Writes it, with the instructions of the fast paths if `disassembly`, and flushes `out`. Returns
 * 0, or -1 with a sentence in *err. Not for two threads with the same `out`.
 */
int report_inspect_json(FILE *out, const struct inspect_result *result, bool disassembly,
			struct errmsg *err);

#endif /* REPORT_INSPECT_JSON_H */
