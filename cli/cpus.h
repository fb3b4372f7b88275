/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the CPUs that a user names can be had.
 */
#ifndef CLI_CPUS_H
#define CLI_CPUS_H

#include <sched.h>

#include "sim/errmsg.h"

/*
 * 0 when each of `cpus` is online and allowed to this process; else -1 with a sentence in *err
 * that names the first that is not, and those that are.
 */
int cpus_usable(const cpu_set_t *cpus, struct errmsg *err);

/* The number of one CPU that can be had; 0, or -1 with a sentence in *err. */
int cpus_parse_one(const char *text, int *cpu, struct errmsg *err);

#endif /* CLI_CPUS_H */
