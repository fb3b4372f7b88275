// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "measure/cpu_set.h"
#include "measure/cpus.h"
#include "measure/writers.h"

#define DEFAULT_PRIORITY 50

static int last_cpu(const cpu_set_t *set)
{
	int cpu = CPU_SETSIZE - 1;

	while (cpu > 0 && !CPU_ISSET((size_t)cpu, set))
		cpu--;
	return cpu;
}

/* The first `most` CPUs of a set, but `last` only if there are no others. */
static cpu_set_t first_cpus(const cpu_set_t *set, u32 most, int last)
{
	cpu_set_t first;
	u32 taken = 0;

	CPU_ZERO(&first);
	for (size_t cpu = 0; cpu < CPU_SETSIZE && taken < most; cpu++) {
		if (!CPU_ISSET(cpu, set) || (int)cpu == last)
			continue;
		CPU_SET(cpu, &first);
		taken++;
	}
	if (taken < most && last >= 0 && CPU_ISSET((size_t)last, set))
		CPU_SET((size_t)last, &first);
	return first;
}

/* Where as few readers as possible meet it: beside their CPUs, or on the last of those. */
static int choose_writer_cpu(const struct run_config *config, const cpu_set_t *allowed,
			     const cpu_set_t *for_readers, struct errmsg *err)
{
	cpu_set_t taken, rest;

	if (config->writer_cpu >= 0) {
		if (config->writer_cpu < CPU_SETSIZE &&
		    CPU_ISSET((size_t)config->writer_cpu, allowed))
			return config->writer_cpu;
		return errmsg_set(err, "--writer-cpu: this process may not use CPU %d",
				  config->writer_cpu);
	}
	if (!config->cpus_given)
		return last_cpu(allowed);
	taken = first_cpus(for_readers, config->readers, -1);
	CPU_XOR(&rest, allowed, &taken);
	return CPU_COUNT(&rest) ? last_cpu(&rest) : last_cpu(for_readers);
}

/* Whether the kernel lets this thread run in real time: 0, or an errno. */
static int try_real_time(int priority)
{
	const struct sched_param fifo = {.sched_priority = priority};
	struct sched_param before;
	int policy = sched_getscheduler(0);

	if (sched_getparam(0, &before) || sched_setscheduler(0, SCHED_FIFO, &fifo))
		return errno;
	sched_setscheduler(0, policy, &before);
	return 0;
}

static int plan_priority(const struct run_config *config, int allowed, struct cpu_plan *plan,
			 struct remarks *remarks, struct errmsg *err)
{
	int wanted = config->priority == PRIORITY_AUTO ? DEFAULT_PRIORITY : config->priority;
	int cause;

	if (wanted == PRIORITY_NONE)
		return 0;
	if (allowed < 2 || !plan->writer_alone) {
		if (config->priority != PRIORITY_AUTO)
			return errmsg_set(err,
					  "--priority: %d would leave no CPU free of real-time "
					  "threads: give the writer a CPU of its own, or none",
					  wanted);
		remark(remarks,
		       "the writer has no CPU of its own, so it does not run in real time");
		return 0;
	}
	if (writers_never_sleep(config)) {
		/* The kernel would stop it for a twentieth of each second, to let others run. */
		if (config->priority == PRIORITY_AUTO) {
			remark(remarks,
			       "at %g Hz the writer never sleeps, so it does not run in real "
			       "time",
			       writers_rate_hz(config));
			return 0;
		}
		remark(remarks, "a real-time writer that never sleeps is throttled by the kernel");
	}
	cause = try_real_time(wanted);
	if (cause == 0) {
		plan->priority = wanted;
		return 0;
	}
	if (config->priority != PRIORITY_AUTO)
		return errmsg_set(err,
				  "--priority: real-time priority %d: %s; none is always allowed",
				  wanted, strerror(cause));
	remark(remarks,
	       "no real-time priority for the writer (%s): it may be preempted while the "
	       "sequence is odd",
	       strerror(cause));
	return 0;
}

int cpus_plan(const struct run_config *config, struct cpu_plan *plan, struct remarks *remarks,
	      struct errmsg *err)
{
	cpu_set_t allowed;
	int refused;

	*plan = (struct cpu_plan){.priority = 0};
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return errmsg_set(err, "cannot tell which CPUs to use: %s", strerror(errno));
	refused = config->cpus_given ? cpu_first_beyond(&config->cpus, &allowed) : -1;
	if (refused >= 0)
		return errmsg_set(err, "--cpus: this process may not use CPU %d", refused);

	plan->readers = config->cpus_given ? config->cpus : allowed;
	plan->writer_cpu = choose_writer_cpu(config, &allowed, &plan->readers, err);
	if (plan->writer_cpu < 0)
		return -1;
	if (!config->cpus_given && CPU_COUNT(&allowed) > 1)
		CPU_CLR((size_t)plan->writer_cpu, &plan->readers);
	plan->readers = first_cpus(&plan->readers, config->readers, plan->writer_cpu);
	plan->reader_cpus = CPU_COUNT(&plan->readers);
	plan->writer_alone = !CPU_ISSET((size_t)plan->writer_cpu, &plan->readers);

	if (!plan->writer_alone)
		remark(remarks,
		       "the writer shares CPU %d with readers: they seldom meet an update "
		       "in progress",
		       plan->writer_cpu);
	if (config->readers > (u32)plan->reader_cpus)
		remark(remarks,
		       "%u readers share %d CPU%s: retries that happened off-CPU are counted apart",
		       config->readers, plan->reader_cpus, plan->reader_cpus == 1 ? "" : "s");
	return plan_priority(config, CPU_COUNT(&allowed), plan, remarks, err);
}

int cpus_of_reader(const struct cpu_plan *plan, u32 index)
{
	u32 nth = index % (u32)plan->reader_cpus;

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET((size_t)cpu, &plan->readers) && nth-- == 0)
			return cpu;
	return -1;
}
