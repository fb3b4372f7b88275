/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which thread of a run goes where, and whether the writer may run in real time.
 */
#ifndef MEASURE_CPUS_H
#define MEASURE_CPUS_H

#include "measure/run.h"

struct cpu_plan {
	int writer_cpu;
	int priority;			    /* SCHED_FIFO priority of the writer, 0 for none */
	bool writer_alone;		    /* no reader shares its CPU */
	cpu_set_t readers;		    /* where they are */
	int reader_cpus;		    /* how many CPUs that is */
	int cpu_of_reader[RUN_MAX_READERS]; /* of all groups, group by group */
};

/*
 * Decides, from the CPUs that this process may use: readers are dealt out as evenly as their
 * groups' CPUs allow; the writer gets the last of them to itself if there are two or more, unless
 * told otherwise; real time is used if it is allowed, the writer's CPU is its own, and another is
 * left without it. Remarks on what had to give. Returns 0, or -1 with a sentence in *err when what
 * was asked for cannot be had.
 */
int cpus_plan(const struct run_config *config, struct cpu_plan *plan, struct remarks *remarks,
	      struct errmsg *err);

/*
 * Whether the kernel lets the calling thread run by SCHED_FIFO with this priority, 1 to 99: 0, or
 * an errno. The thread has it for a moment, and then again what it had.
 */
int cpus_try_real_time(int priority);

#endif /* MEASURE_CPUS_H */
