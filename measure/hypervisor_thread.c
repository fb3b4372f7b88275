// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/prctl.h>

#include "measure/hypervisor_thread.h"

/* A CPU that this process may use and where nobody else of the run is; -1 if there is none. */
static int free_cpu(const struct cpu_plan *plan)
{
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return -1;
	for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--)
		if (CPU_ISSET((size_t)cpu, &allowed) && !CPU_ISSET((size_t)cpu, &plan->readers) &&
		    cpu != plan->writer_cpu)
			return cpu;
	return -1;
}

void hypervisor_prepare(struct hypervisor_thread *thread, struct run_shared *shared,
			const struct page_region *region, const struct cpu_plan *plan)
{
	const struct run_config *config = shared->config;
	int own = free_cpu(plan);
	u64 hz = config->record_hz;

	thread->shared = shared;
	thread->cpu = own >= 0 ? own : plan->writer_cpu;
	thread->priority = own >= 0 ? 0 : plan->priority;
	if (own < 0 && hz > HYPERVISOR_SHARED_HZ)
		hz = HYPERVISOR_SHARED_HZ;
	if (config->clocksource->has_record)
		hypervisor_start(&thread->hypervisor, region, hz, own >= 0, &shared->stop);
}

void *hypervisor_thread_main(void *argument)
{
	struct hypervisor_thread *thread = argument;
	struct run_shared *shared = thread->shared;
	u64 now;

	/* Without it the kernel may wake this thread 50 us late, unless it runs in real time. */
	prctl(PR_SET_TIMERSLACK, 1);
	gate_wait(&shared->gate);
	hypervisor_begin(&thread->hypervisor);
	while ((now = hypervisor_step(&thread->hypervisor)))
		thread->updates += now >= shared->warm_until && now < READ_ONCE(shared->end);
	return NULL;
}

void hypervisor_collect(const struct hypervisor_thread *thread, struct run_result *result)
{
	const struct run_config *config = thread->shared->config;
	double wanted = (double)config->record_hz * result->seconds;

	result->record_updates = thread->updates;
	if (result->seconds > 0)
		result->record_rate_hz = (double)thread->updates / result->seconds;
	if ((double)thread->updates < 0.9 * wanted - 1)
		remark(&result->remarks, "the %s record was updated at %.0f Hz, not at %llu%s",
		       config->clocksource->name, result->record_rate_hz,
		       (unsigned long long)config->record_hz,
		       thread->cpu == result->writer.cpu
			       ? ": whoever does that shares the writer's CPU"
			       : "");
}
