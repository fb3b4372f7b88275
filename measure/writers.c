// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/thread.h"
#include "measure/thread_limits.h"
#include "measure/writers.h"

/* What a writer that never waits comes to at most. */
#define ENDLESS_HZ 1000000

double writers_rate_hz(const struct run_config *config)
{
	double rate = 0;

	for (u32 i = 0; i < config->writers; i++)
		if (!config->writer[i].kind->no_update)
			rate += writer_rate_hz(&config->writer[i], config->writer[i].hz);
	return rate;
}

u64 writers_update_hz(const struct run_config *config)
{
	const double rate = writers_rate_hz(config);

	if (isinf(rate))
		return ENDLESS_HZ;
	return rate < 1 ? 1 : (u64)rate;
}

bool writers_never_sleep(const struct run_config *config)
{
	double busy = 0;

	for (u32 i = 0; i < config->writers; i++)
		busy += writer_busy_share(&config->writer[i], config->writer[i].hz);
	return busy > 0.8;
}

/* An idle stretch begins up to a period after an update, and as long after it the next one comes.
 */
static double quiet_of(const struct writer_choice *choice)
{
	const double period = NSEC_PER_SEC / writer_wakes_hz(choice, choice->hz);
	const double idle = (double)choice->value[WRITER_NOHZ];

	return period + (double)choice->value[WRITER_JITTER] +
	       (idle > 0 ? fmax(idle, period) + period : 0);
}

u64 writers_quiet_ns(const struct run_config *config)
{
	double least = INFINITY, stops = 0;

	for (u32 i = 0; i < config->writers; i++) {
		const struct writer_choice *choice = &config->writer[i];

		if (!choice->kind->no_update)
			least = fmin(least, quiet_of(choice));
		if (choice->value[WRITER_FOR] != WRITER_FOREVER)
			stops += (double)choice->value[WRITER_FOR];
	}
	return isinf(least) ? UINT64_MAX : (u64)(least + stops);
}

static int make_writer(struct writers *writers, struct run_shared *shared,
		       const struct cpu_plan *plan, u32 index, struct errmsg *err)
{
	const struct run_config *config = shared->config;
	struct writer_thread *thread = calloc(1, sizeof(*thread));
	const struct writer_setup setup = {
		.choice = &config->writer[index],
		.hz = config->writer[index].hz,
		.seed = config->seed + 7919ull * (index + 1),
		/* Where others wait for the same CPU it must sleep. */
		.may_spin = plan->writer_alone && config->writers == 1,
		.stop = &shared->stop,
		.core = &writers->core,
	};

	if (!thread)
		return errmsg_set(err, "no memory for the writer");
	writers->thread[writers->count++] = thread;
	thread->shared = shared;
	thread->choice = setup.choice;
	thread->cpu = plan->writer_cpu;
	thread->priority = plan->priority;
	writer_start(&thread->writer, &setup);
	return 0;
}

int writers_make(struct writers *writers, struct run_shared *shared, const struct cpu_plan *plan,
		 const struct tk_core_setup *setup, struct errmsg *err)
{
	if (tk_core_start(&writers->core, setup, err))
		return -1;
	writers->begun = true;
	for (u32 i = 0; i < shared->config->writers; i++)
		if (make_writer(writers, shared, plan, i, err))
			return -1;
	return 0;
}

int writers_start(struct writers *writers, struct errmsg *err)
{
	for (u32 i = 0; i < writers->count; i++) {
		struct writer_thread *thread = writers->thread[i];
		int cause = thread_start(&thread->thread, thread->cpu, thread->priority,
					 writer_thread_main, thread);

		if (cause)
			return errmsg_set(err, "the writer's thread cannot be started: %s; %s",
					  strerror(cause), thread_limits_here().text);
		writers->started++;
	}
	return 0;
}

void writers_join(struct writers *writers)
{
	for (u32 i = 0; i < writers->started; i++)
		pthread_join(writers->thread[i]->thread, NULL);
}

void writers_release(struct writers *writers)
{
	for (u32 i = 0; i < writers->count; i++)
		free(writers->thread[i]);
	if (writers->begun)
		tk_core_end(&writers->core);
}
