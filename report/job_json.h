/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all jobs are told that have readers and a writer, as JSON.
 */
#ifndef REPORT_JOB_JSON_H
#define REPORT_JOB_JSON_H

#include "measure/run.h"
#include "report/json_report.h"

/* What is done between two reads: its kind and, if it has one, its amount. */
json_t *job_work_json(struct json_report *report, const struct work_spec *work);

/* CPUs that readers of a group are to run on; null if it was left open. */
json_t *job_cpus_json(struct json_report *report, const struct run_group *group);

/* Updates per second, null for a writer that has no rate. */
json_t *job_hz_json(const struct writer_choice *choice);

/* Each writer's name, rate and parameters, as its spec says them. */
json_t *job_writers_json(struct json_report *report, const struct run_config *config);

/* Puts the CPU and the priority of the writer that were asked for; null if they were left open. */
void job_put_writer(struct json_report *report, json_t *object, const struct run_config *config);

#endif /* REPORT_JOB_JSON_H */
