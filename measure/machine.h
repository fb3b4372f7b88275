/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What machine this is, and what on it was not under control. Any thread may call these at any
 * time, with structures of its own.
 */
#ifndef MEASURE_MACHINE_H
#define MEASURE_MACHINE_H

#include <sched.h>

#include "measure/remarks.h"
#include "sim/types.h"

struct machine {
	char cpu_model[96];  /* as the kernel names it, or "unknown CPU" */
	char kernel[96];     /* release, as uname gives it */
	char hypervisor[32]; /* "" when there is no sign of one */
	char architecture[32];
	int cpus_online;
	int cpus_allowed; /* to this process */
	u64 l1d_bytes;	  /* of the CPU that has least; 0 when not known */
};

/* Fills *machine. What cannot be found out is left empty or 0. Takes a few milliseconds. */
void machine_describe(struct machine *machine);

/* Ticks (1/100 s) that a hypervisor took from all CPUs since boot; 0 where none are counted. */
u64 machine_steal_ticks(void);

/*
 * Remarks on what was not under control for a run whose threads use `used` CPUs: a hypervisor, a
 * frequency governor that scales, two used CPUs that are sibling hyperthreads or a used CPU whose
 * idle sibling others may use, no hardware counters for the calling thread. `steal_ticks` are those
 * of the run. *remarks stays the caller's and keeps what it holds.
 */
void machine_remarks(const struct machine *machine, const cpu_set_t *used, u64 steal_ticks,
		     struct remarks *remarks);

#endif /* MEASURE_MACHINE_H */
