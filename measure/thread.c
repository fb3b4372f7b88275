// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "measure/thread.h"
#include "measure/thread_limits.h"

#define STACK_BYTES (128u * 1024)

int thread_start(pthread_t *thread, int cpu, int priority, void *(*function)(void *),
		 void *argument)
{
	const struct sched_param fifo = {.sched_priority = priority};
	pthread_attr_t attributes;
	cpu_set_t set;
	int cause;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	pthread_attr_init(&attributes);
	pthread_attr_setaffinity_np(&attributes, sizeof(set), &set);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	/* Said of all, or they would inherit a real-time priority that this process has. */
	pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attributes, priority ? SCHED_FIFO : SCHED_OTHER);
	pthread_attr_setschedparam(&attributes, &fifo);
	cause = pthread_create(thread, &attributes, function, argument);
	pthread_attr_destroy(&attributes);
	return cause;
}

struct thread_why thread_why(int cause, int cpu)
{
	struct thread_why why;

	/* The kernel's answer to an affinity that leaves nothing of what is allowed and online. */
	if (cause == EINVAL)
		snprintf(why.text, sizeof(why.text),
			 "this process may not use CPU %d any more, or it is offline", cpu);
	else
		snprintf(why.text, sizeof(why.text), "%s; %s", strerror(cause),
			 thread_limits_here().text);
	return why;
}

u64 thread_cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (u64)time.tv_sec * NSEC_PER_SEC + (u64)time.tv_nsec;
}
