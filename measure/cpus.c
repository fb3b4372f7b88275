// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
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

/*
 * The CPU of a set with the fewest readers so far. Of several the first; `avoided`, if it is among
 * them, only if there is no other.
 */
static int least_loaded(const cpu_set_t *set, const u32 *load, int avoided)
{
	const int last = last_cpu(set);
	int found = -1;

	for (int cpu = 0; cpu <= last; cpu++)
		if (CPU_ISSET((size_t)cpu, set) && (found < 0 || load[cpu] < load[found] ||
						    (found == avoided && load[cpu] == load[found])))
			found = cpu;
	return found;
}

/*
 * Deals out the readers, group by group, as evenly as their groups' CPUs allow. Groups without CPUs
 * of their own have the others; NULL: they are left out.
 */
static void deal_readers(const struct run_config *config, const cpu_set_t *others, int avoided,
			 struct cpu_plan *plan)
{
	u32 load[CPU_SETSIZE] = {0};
	u32 index = 0;

	CPU_ZERO(&plan->readers);
	for (u32 i = 0; i < config->groups; i++) {
		const struct run_group *group = &config->group[i];
		const cpu_set_t *set = group->cpus_given ? &group->cpus : others;

		for (u32 nth = 0; nth < group->readers && set; nth++) {
			int cpu = least_loaded(set, load, avoided);

			load[cpu]++;
			CPU_SET((size_t)cpu, &plan->readers);
			plan->cpu_of_reader[index + nth] = cpu;
		}
		index += group->readers;
	}
	plan->reader_cpus = CPU_COUNT(&plan->readers);
}

/* All CPUs that groups were given; none were: an empty set. */
static cpu_set_t given_cpus(const struct run_config *config)
{
	cpu_set_t given;

	CPU_ZERO(&given);
	for (u32 i = 0; i < config->groups; i++)
		if (config->group[i].cpus_given)
			CPU_OR(&given, &given, &config->group[i].cpus);
	return given;
}

/* Where as few readers as possible meet it: beside their CPUs, or on the last of those. */
static int choose_writer_cpu(const struct run_config *config, const cpu_set_t *allowed,
			     struct cpu_plan *plan, struct errmsg *err)
{
	const cpu_set_t given = given_cpus(config);
	cpu_set_t rest;

	if (config->writer_cpu >= 0) {
		if (config->writer_cpu < CPU_SETSIZE &&
		    CPU_ISSET((size_t)config->writer_cpu, allowed))
			return config->writer_cpu;
		return errmsg_set(err, "--writer-cpu: this process may not use CPU %d",
				  config->writer_cpu);
	}
	if (!CPU_COUNT(&given))
		return last_cpu(allowed);
	deal_readers(config, NULL, -1, plan);
	CPU_XOR(&rest, allowed, &plan->readers);
	return CPU_COUNT(&rest) ? last_cpu(&rest) : last_cpu(&given);
}

int cpus_try_real_time(int priority)
{
	const struct sched_param fifo = {.sched_priority = priority};
	struct sched_param before;
	int policy = sched_getscheduler(0);

	if (sched_getparam(0, &before) || sched_setscheduler(0, SCHED_FIFO, &fifo))
		return errno;
	sched_setscheduler(0, policy, &before);
	return 0;
}

/* At which rate, if it is updates that keep it from sleeping. */
static void remark_sleepless(const struct run_config *config, struct remarks *remarks)
{
	static const char never[] = "the writer never sleeps, so it does not run in real time";
	double rate_hz = writers_rate_hz(config);

	for (u32 i = 0; i < config->writers; i++)
		if (config->writer[i].kind->no_update)
			rate_hz = INFINITY;
	if (isinf(rate_hz))
		remark(remarks, "%s", never);
	else
		remark(remarks, "at %g Hz %s", rate_hz, never);
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
			remark_sleepless(config, remarks);
			return 0;
		}
		remark(remarks, "a real-time writer that never sleeps is throttled by the kernel");
	}
	cause = cpus_try_real_time(wanted);
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
	cpu_set_t allowed, given, others;
	const u32 readers = run_readers(config);
	int refused;

	*plan = (struct cpu_plan){.priority = 0};
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return errmsg_set(err, "cannot tell which CPUs to use: %s", strerror(errno));
	given = given_cpus(config);
	refused = cpu_first_beyond(&given, &allowed);
	if (refused >= 0)
		return errmsg_set(err, "--cpus: this process may not use CPU %d", refused);

	plan->writer_cpu = choose_writer_cpu(config, &allowed, plan, err);
	if (plan->writer_cpu < 0)
		return -1;
	others = allowed;
	if (CPU_COUNT(&allowed) > 1)
		CPU_CLR((size_t)plan->writer_cpu, &others);
	deal_readers(config, &others, plan->writer_cpu, plan);
	plan->writer_alone = !CPU_ISSET((size_t)plan->writer_cpu, &plan->readers);

	if (!plan->writer_alone)
		remark(remarks,
		       "the writer shares CPU %d with readers: they seldom meet an update "
		       "in progress",
		       plan->writer_cpu);
	if (readers > (u32)plan->reader_cpus)
		remark(remarks,
		       "%u readers share %d CPU%s: retries that happened off-CPU are counted apart",
		       readers, plan->reader_cpus, plan->reader_cpus == 1 ? "" : "s");
	return plan_priority(config, CPU_COUNT(&allowed), plan, remarks, err);
}
