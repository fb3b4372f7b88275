/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run's intervals as JSON.
 */
#ifndef REPORT_INTERVALS_JSON_H
#define REPORT_INTERVALS_JSON_H

#include "measure/run.h"
#include "report/json_report.h"

/* The reasons of nulls in them are entered under `intervals`, once for all. */
json_t *intervals_json(struct json_report *report, const struct run_result *result);

#endif /* REPORT_INTERVALS_JSON_H */
