/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The time that limits and durations are told by.
 */
#ifndef SIM_MONOTONIC_H
#define SIM_MONOTONIC_H

#include <time.h>

#include "sim/types.h"

/* CLOCK_MONOTONIC in nanoseconds. Any thread may call it. */
static inline u64 monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * NSEC_PER_SEC + (u64)now.tv_nsec;
}

#endif /* SIM_MONOTONIC_H */
