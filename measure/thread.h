/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starting a thread on one CPU.
 */
#ifndef MEASURE_THREAD_H
#define MEASURE_THREAD_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

#include "sim/types.h"

/*
 * Starts a thread on this CPU with a small stack, in real time (SCHED_FIFO) if `priority` is not 0,
 * and whatever the caller's priority is. Returns 0 or an errno.
 */
int thread_start(pthread_t *thread, int cpu, int priority, void *(*function)(void *),
		 void *argument);

struct thread_why {
	char text[384];
};

/*
 * Why a thread could not be started on this CPU, for a message: thread_start's errno, and the
 * limits that may have been met.
 */
struct thread_why thread_why(int cause, int cpu);

/*
 * Whether the calling thread is elsewhere than on the CPU that it was started on, because somebody
 * has given it another affinity or another cpuset. It costs a few nanoseconds.
 */
static inline bool thread_strayed(int cpu)
{
	const int here = sched_getcpu();

	return here >= 0 && here != cpu;
}

/* CPU time that the calling thread has had, in nanoseconds. */
u64 thread_cpu_ns(void);

#endif /* MEASURE_THREAD_H */
