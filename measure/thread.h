/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starting a thread on one CPU.
 */
#ifndef MEASURE_THREAD_H
#define MEASURE_THREAD_H

#include <pthread.h>

/*
 * Starts a thread on this CPU with a small stack, in real time (SCHED_FIFO) if `priority` is not 0,
 * and whatever the caller's priority is. Returns 0 or an errno.
 */
int thread_start(pthread_t *thread, int cpu, int priority, void *(*function)(void *),
		 void *argument);

#endif /* MEASURE_THREAD_H */
