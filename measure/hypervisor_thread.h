/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hypervisor's thread of a run: keeps the record that the counter is made of, where the clock
 * source has one.
 *
 * It has a CPU of its own if writer and readers leave it one, and there it spins for the last
 * PACE_WAKE_EARLY_NS before each update, from some 17 kHz on for all of the time; never with a
 * real-time priority, so whoever else is on that CPU has a share of it. If there is none, it runs
 * on the writer's, with the writer's priority, so that neither stops the other half way, and sleeps
 * between updates, no more than HYPERVISOR_SHARED_HZ of them a second. Wherever it has no real-time
 * priority it may be preempted while the record is half written; all who read the counter then wait
 * for its next turn, which is the scheduler's to give: such reads take long, they are not wrong.
 */
#ifndef MEASURE_HYPERVISOR_THREAD_H
#define MEASURE_HYPERVISOR_THREAD_H

#include <pthread.h>

#include "measure/cpus.h"
#include "measure/shared.h"
#include "writers/hypervisor.h"

/* To wake up takes a while, and the writer must get its turns. */
#define HYPERVISOR_SHARED_HZ 20000

struct hypervisor_thread {
	struct run_shared *shared;
	struct hypervisor hypervisor;
	int cpu;
	int priority; /* SCHED_FIFO priority, 0 for none */
	pthread_t thread;
	bool running; /* it has a thread */

	/* The thread's own, read by others after the join. */
	u64 updates; /* while measured */
};

/* Whether this run's record is updated; if not, it needs no thread. */
static inline bool hypervisor_is_needed(const struct run_config *config)
{
	return config->clocksource->has_record && config->record_hz > 0;
}

/*
 * Finds it a place and writes the first record, if the run's clock source has one; before anybody
 * reads the counter. The region and *shared stay the caller's.
 */
void hypervisor_prepare(struct hypervisor_thread *thread, struct run_shared *shared,
			const struct page_region *region, const struct cpu_plan *plan);

/* The thread's function; `argument` is a struct hypervisor_thread. It waits at the gate. */
void *hypervisor_thread_main(void *argument);

/* What it did; after the join, and after the readers' results have been collected. */
void hypervisor_collect(const struct hypervisor_thread *thread, struct run_result *result);

#endif /* MEASURE_HYPERVISOR_THREAD_H */
