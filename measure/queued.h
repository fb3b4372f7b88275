/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long a thread was ready to run while others had its CPU.
 */
#ifndef MEASURE_QUEUED_H
#define MEASURE_QUEUED_H

#include "sim/types.h"

/*
 * Nanoseconds that the calling thread has waited in the queue of a CPU since it began: the second
 * figure of /proc/thread-self/schedstat (Documentation/scheduler/sched-stats.rst). 0 as well where
 * the kernel does not tell.
 */
u64 queued_ns(void);

#endif /* MEASURE_QUEUED_H */
