// SPDX-License-Identifier: GPL-2.0-or-later
#include <time.h>

#include "sim/stamp.h"
#include "writers/tk_core.h"

/*
 * The timekeeper's interval is a quarter of the tick, so that a tick which comes a little early
 * for its share of the counter still finds whole intervals to accumulate.
 */
#define INTERVALS_PER_TICK 4

static struct timespec ahead_of_host(const struct tk_core_setup *setup, clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	now.tv_sec += (time_t)setup->ahead_sec;
	return now;
}

/* Fewer where the counter is too slow for that. */
static u64 choose_interval_hz(const struct tk_core_setup *setup)
{
	u64 wanted = setup->update_hz * INTERVALS_PER_TICK;

	return wanted < setup->frequency_hz / 2 ? wanted : setup->frequency_hz / 2;
}

static int start_timekeeper(struct tk_core *core, const struct tk_core_setup *setup,
			    struct errmsg *err)
{
	const struct timekeeper_start start = {
		.frequency_hz = setup->frequency_hz,
		.mask = setup->clocksource->mask,
		.clock_mode = setup->clocksource->clock_mode,
		.interval_hz = choose_interval_hz(setup),
		.realtime = ahead_of_host(setup, CLOCK_REALTIME),
		.monotonic = ahead_of_host(setup, CLOCK_MONOTONIC),
		.boottime = ahead_of_host(setup, CLOCK_BOOTTIME),
		.tai_offset_sec = 37,
	};

	return timekeeper_init(&core->tk, &start, tk_core_counter(core), err);
}

static void take_page(struct tk_core *core, const struct page_region *region)
{
	core->page[core->pages++] = (struct tk_page){page_for_writer(region), region->layout,
						     region->lock, region->lock_clock};
}

static void take_pages(struct tk_core *core, const struct tk_core_setup *setup)
{
	core->pages = 0;
	take_page(core, setup->region);
	for (size_t i = 0; i < setup->others; i++)
		take_page(core, setup->other[i]);
}

static void init_lock(struct tk_core *core)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&core->lock, &attributes);
	pthread_mutexattr_destroy(&attributes);
}

int tk_core_start(struct tk_core *core, const struct tk_core_setup *setup, struct errmsg *err)
{
	*core = (struct tk_core){
		.payload = setup->payload,
		.clocksource = setup->clocksource,
		.frequency_hz = setup->frequency_hz,
		.counter_mode = setup->clocksource->clock_mode,
		.readers_page = page_for_readers(setup->region),
		.stamp_ahead = setup->still ? STAMP_AHEAD : 0,
		.oracles = setup->oracles,
		.locked = setup->locked,
	};
	for (size_t i = 0; i < setup->oracles; i++)
		core->oracle[i] = setup->oracle[i];
	take_pages(core, setup);
	if (setup->update_hz > setup->frequency_hz / 2)
		return errmsg_set(err,
				  "--hz: a counter of %llu Hz allows %llu updates a second at "
				  "most",
				  (unsigned long long)setup->frequency_hz,
				  (unsigned long long)setup->frequency_hz / 2);
	if (start_timekeeper(core, setup, err))
		return -1;
	tk_core_advance(core, core->tk.cycle_last);
	tk_core_tell(core);
	for (size_t i = core->pages; i-- > 0;)
		tk_core_publish(core, &core->page[i]);
	tk_core_finish(core);
	init_lock(core);
	return 0;
}

void tk_core_end(struct tk_core *core)
{
	pthread_mutex_destroy(&core->lock);
}

void tk_core_lock(struct tk_core *core)
{
	if (core->locked)
		pthread_mutex_lock(&core->lock);
}

void tk_core_unlock(struct tk_core *core)
{
	if (core->locked)
		pthread_mutex_unlock(&core->lock);
}

void tk_core_advance(struct tk_core *core, u64 cycles)
{
	if (core->payload == PAYLOAD_STAMP)
		timekeeper_stamp(&core->tk, core->number + 1, cycles + core->stamp_ahead);
	else
		timekeeper_advance(&core->tk, cycles);
}

void tk_core_tell(struct tk_core *core)
{
	for (size_t i = 0; i < core->oracles; i++)
		oracle_tell(core->oracle[i], core->number + 1, &core->tk);
}

void tk_core_finish(struct tk_core *core)
{
	core->number++;
	for (size_t i = 0; i < core->oracles; i++)
		oracle_finish(core->oracle[i], core->number);
}

/* Whether no page before it has the same lock. */
static bool is_first_of_lock(const struct tk_core *core, size_t page)
{
	for (size_t i = 0; i < page; i++)
		if (core->page[i].lock && core->page[page].lock &&
		    core->page[i].lock->enlist == core->page[page].lock->enlist)
			return false;
	return core->page[page].lock != NULL;
}

void tk_core_enlist(const struct tk_core *core)
{
	for (size_t i = 0; i < core->pages; i++)
		if (is_first_of_lock(core, i) && core->page[i].lock->enlist)
			core->page[i].lock->enlist();
}

void tk_core_leave(const struct tk_core *core)
{
	for (size_t i = 0; i < core->pages; i++)
		if (is_first_of_lock(core, i) && core->page[i].lock->leave)
			core->page[i].lock->leave();
}
