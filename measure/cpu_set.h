/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets of CPUs: in words, and one held against another. Safe in any thread.
 */
#ifndef MEASURE_CPU_SET_H
#define MEASURE_CPU_SET_H

#include <sched.h>

struct cpu_list {
	char text[64];
};

/* As in 0-3,6; what does not fit ends in dots. */
struct cpu_list cpu_list(const cpu_set_t *cpus);

/* The first CPU of a set that is not in another; -1 when there is none. */
int cpu_first_beyond(const cpu_set_t *cpus, const cpu_set_t *others);

#endif /* MEASURE_CPU_SET_H */
