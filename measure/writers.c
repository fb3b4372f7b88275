// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/interrupt.h"
#include "measure/thread.h"
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

bool writers_change_counter(const struct run_config *config)
{
	for (u32 i = 0; i < config->writers; i++)
		if (config->writer[i].kind->changes_counter)
			return true;
	return false;
}

/* A source of the user's may not know what a namespace's page says, and wait for ever. */
static int check_exchange(const struct reader *reader, struct errmsg *err)
{
	if (!reader->image && !reader->in_namespace && !reader->kind->source && !reader->file &&
	    !reader_is_lock(reader) && reader->layout->has_namespace)
		return 0;
	return errmsg_set(
		err,
		"--writer: 'timens' moves readers between the host's page and "
		"namespaces', which '%.60s' cannot follow; hres, raw and coarse can, on a "
		"layout that knows namespaces",
		reader->path);
}

static int check_counter(const struct run_config *config, const struct writer_choice *choice,
			 const struct reader *reader, struct errmsg *err)
{
	const struct clocksource *cs = config->clocksource;

	if (choice->value[WRITER_COUNTERS] == COUNTERS_NONE)
		return 0;
	if (cs->clock_mode == SIM_CLOCKMODE_MONOTONIC_RAW)
		return errmsg_set(err,
				  "--writer: 'clocksource' changes to %s, which time is made of "
				  "already; counters=none leaves that out",
				  cs->name);
	if (reader->image)
		return errmsg_set(err,
				  "--writer: 'clocksource' changes to a counter that the code of "
				  "image:%s cannot read; counters=none leaves that out",
				  reader->image->name);
	return 0;
}

int writers_check_lock(const struct writer_choice *choice, const struct reader *reader,
		       struct errmsg *err)
{
	const struct writer_kind *kind = choice->kind;

	if (!reader_is_lock(reader))
		return 0;
	if (kind->fault && !kind->change && !kind->takes_no_lock)
		return errmsg_set(
			err,
			"--writer: '%s' is wrong about the kernel's sequence counter, and "
			"the reader has a lock of its own",
			kind->name);
	if (kind->while_odd || kind->interrupts || (kind->no_update && !kind->exchanges))
		return errmsg_set(
			err, "--writer: '%s' %s, and the reader has a lock of its own", kind->name,
			kind->while_odd	   ? "has readers wait for the kernel's sequence counter"
			: kind->interrupts ? "may interrupt a reader that holds a lock"
					   : "writes to the kernel's page");
	return 0;
}

/* Who stays in the middle of a publication must be told by each lock where that is. */
static int check_middle(const struct writer_choice *choice, const struct page_region *region,
			struct errmsg *err)
{
	if (!region->lock || !writer_needs_middle(choice) || lock_page_has_middle(region))
		return 0;
	return errmsg_set(
		err,
		"--writer: '%s' stays within an update, and the reader's lock does not say "
		"by PUBLISH_MIDDLE where that could be",
		choice->kind->name);
}

static int check_middles(const struct run_config *config, const struct tk_core_setup *setup,
			 struct errmsg *err)
{
	for (u32 i = 0; i < config->writers; i++) {
		if (check_middle(&config->writer[i], setup->region, err))
			return -1;
		for (size_t other = 0; other < setup->others; other++)
			if (check_middle(&config->writer[i], setup->other[other], err))
				return -1;
	}
	return 0;
}

static int check_writer(const struct run_config *config, const struct writer_choice *choice,
			struct errmsg *err)
{
	const struct writer_kind *kind = choice->kind;

	if (kind->changes_time && config->payload == PAYLOAD_STAMP)
		return errmsg_set(err,
				  "--writer: what '%s' does to time has no meaning with --payload "
				  "stamp: time is wanted",
				  kind->name);
	/* Its run-time delivers a signal only when the thread calls the system, and readers do not.
	 */
	if (CONTEND_TSAN && kind->interrupts)
		return errmsg_set(err,
				  "--writer: '%s' interrupts readers, which cannot be done under "
				  "ThreadSanitizer: tick is what is left",
				  kind->name);
	if (kind->interrupts && interrupt_check(kind->name, err))
		return -1;
	for (u32 i = 0; i < config->groups; i++) {
		const struct reader *reader = &config->group[i].reader;

		if (writers_check_lock(choice, reader, err))
			return -1;
		if ((kind->exchanges && check_exchange(reader, err)) ||
		    (kind->changes_counter && check_counter(config, choice, reader, err)))
			return -1;
	}
	return 0;
}

/* Without an update for so long, old kernels' code tells a time that no update gives. */
static int check_quiet(const struct run_config *config, struct errmsg *err)
{
	const u64 most = (u64)TIMEKEEPER_MAX_SECONDS * NSEC_PER_SEC;

	if (config->payload != PAYLOAD_TIME || writers_quiet_ns(config) <= most ||
	    config->warmup_ns + config->duration_ns <= most)
		return 0;
	for (u32 i = 0; i < config->groups; i++) {
		const struct reader *reader = &config->group[i].reader;

		if (reader->uses_counter && !reader_is_lock(reader) &&
		    reader->layout->max_cycles == LAYOUT_ABSENT)
			return errmsg_set(err,
					  "--writer: there may be no update for more than %u s, "
					  "after which code for a page of %s tells a wrong time, "
					  "and not because it is torn: --writer tick beside the "
					  "others is what kernels have, or a --duration below that",
					  TIMEKEEPER_MAX_SECONDS, reader->layout->name);
	}
	return 0;
}

int writers_check(const struct run_config *config, struct errmsg *err)
{
	for (u32 i = 0; i < config->writers; i++)
		if (check_writer(config, &config->writer[i], err))
			return -1;
	return check_quiet(config, err);
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
	thread->interruption = interruption_create();
	if (!thread->interruption)
		return errmsg_set(err, "no memory for the writer");
	writer_start(&thread->writer, &setup);
	return 0;
}

int writers_make(struct writers *writers, struct run_shared *shared, const struct cpu_plan *plan,
		 const struct tk_core_setup *setup, struct errmsg *err)
{
	if (check_middles(shared->config, setup, err) || tk_core_start(&writers->core, setup, err))
		return -1;
	writers->begun = true;
	for (u32 i = 0; i < shared->config->writers; i++)
		if (make_writer(writers, shared, plan, i, err))
			return -1;
	return 0;
}

bool writers_interrupt(const struct run_config *config)
{
	for (u32 i = 0; i < config->writers; i++)
		if (config->writer[i].kind->interrupts)
			return true;
	return false;
}

void writers_set_readers(struct writers *writers, struct reader_thread *const *readers, u32 count)
{
	for (u32 i = 0; i < writers->count; i++) {
		writers->thread[i]->readers = readers;
		writers->thread[i]->reader_count = count;
	}
}

int writers_start(struct writers *writers, struct errmsg *err)
{
	for (u32 i = 0; i < writers->count; i++) {
		struct writer_thread *thread = writers->thread[i];
		int cause = thread_start(&thread->thread, thread->cpu, thread->priority,
					 writer_thread_main, thread);

		if (cause)
			return errmsg_set(err, "the writer's thread cannot be started: %s",
					  thread_why(cause, thread->cpu).text);
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
	for (u32 i = 0; i < writers->count; i++) {
		free(writers->thread[i]->interruption);
		free(writers->thread[i]);
	}
	if (writers->begun)
		tk_core_end(&writers->core);
}
