/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A settled argument as JSON for programs; settle.schema.json describes it.
 */
#ifndef REPORT_SETTLE_JSON_H
#define REPORT_SETTLE_JSON_H

#include <stdio.h>

#include "report/settlement.h"
#include "sim/errmsg.h"

/* As report_compare_json. */
int report_settle_json(FILE *out, const struct settlement *settlement, struct errmsg *err);

#endif /* REPORT_SETTLE_JSON_H */
