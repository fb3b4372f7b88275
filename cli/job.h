/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all jobs are told that have readers and a writer. Each returns 0, or -1 with a sentence in
 * *err.
 */
#ifndef CLI_JOB_H
#define CLI_JOB_H

#include "measure/run.h"

/* So that no program that reads JSON takes a seed for a double and rounds it. */
#define JOB_SEED_MAX UINT32_MAX

/* 1 to 99, or none. */
int job_parse_priority(const char *text, int *priority, struct errmsg *err);

/* A clock source that can be used here, and how often its record is updated. */
int job_parse_clocksource(const char *text, struct run_config *config, struct errmsg *err);

/* CPUs of a group of readers, online and allowed. */
int job_parse_cpus(const char *text, struct run_group *group, struct errmsg *err);

/* The code of an image reads the kernel's counters, and no others. */
int job_check_counter(const struct reader *reader, const struct clocksource *cs,
		      struct errmsg *err);

/* Work that needs more memory than the machine has. */
int job_check_memory(const struct run_config *config, struct errmsg *err);

#endif /* CLI_JOB_H */
