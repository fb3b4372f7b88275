/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * On which CPU the updates happen, from where a watcher ran when it saw them.
 *
 * On the CPU that makes the updates the watcher is interrupted for every one of them, and never
 * sees that it was made by another CPU. On other CPUs it does, though not each time: its own CPU
 * may have been interrupted at the same moment. So a CPU is the one if
 *
 *   - at most 1 of 50 updates seen there were made elsewhere (any CPU may set the clock now and
 * then);
 *   - on the other CPUs a share p of at least 1 in 5 were;
 *   - so few of so many would have been seen there by chance in less than 1 of 100 cases, if it
 * were like the others: the lower tail of the binomial distribution with p. Where none was seen
 * that is (1 - p)^n;
 *   - and no other CPU is such, too.
 */
#ifndef MEASURE_TICK_CPU_H
#define MEASURE_TICK_CPU_H

#include "measure/observer.h"

struct tick_cpu {
	int cpu;       /* -1: cannot be told */
	char why[200]; /* if it cannot */
	/* If it can: what it stands out by. */
	u64 seen;
	u64 elsewhere;
	u64 others_seen;
	u64 others_elsewhere;
	double chance; /* 0 to 0.01 */
};

/* From `count` CPUs that were watched, 1 or more; fewer than 2^32 updates were seen on each. */
struct tick_cpu tick_cpu_tell(const struct observer_cpu *cpus, int count);

#endif /* MEASURE_TICK_CPU_H */
