// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <time.h>

#include "sim/barrier.h"
#include "sim/random.h"
#include "sim/wide.h"
#include "writers/writer.h"

/* Of what is longer, the rest is waited for awake: a sleep may end late. */
#define LONGEST_NAP_NS 1000000

u64 writer_cycles(const struct writer *writer, u64 ns)
{
	return wide_mul_div(ns, writer->pace.frequency_hz, NSEC_PER_SEC);
}

/* A storm without end has no pace. */
static u64 every_ns(const struct writer_choice *choice)
{
	return choice->kind->keys && !writer_has_rate(choice->kind) ? choice->value[WRITER_EVERY]
								    : 0;
}

void writer_start(struct writer *writer, const struct writer_setup *setup)
{
	const struct writer_choice *choice = setup->choice;
	const struct tk_core *core = setup->core;
	const bool endless = writer_is_endless(choice);

	*writer = (struct writer){
		.kind = choice->kind,
		.core = setup->core,
		.pace =
			{
				.clock_mode = core->counter_mode,
				.page = core->readers_page,
				.frequency_hz = core->tk.frequency_hz,
				.hz = endless || !writer_has_rate(choice->kind) ? 0 : setup->hz,
				.every_ns = every_ns(choice),
				.arrivals = (enum pace_arrivals)choice->value[WRITER_ARRIVALS],
				.random = setup->seed,
				.may_spin = setup->may_spin,
				.stop = setup->stop,
			},
	};
	for (int i = 0; i < WRITER_PARAMETERS; i++)
		writer->value[i] = choice->value[i];
	writer->hold_cycles = writer_cycles(writer, choice->value[WRITER_HOLD]);
	writer->pace.jitter = writer_cycles(writer, choice->value[WRITER_JITTER]);
	writer->pace.idle = writer_cycles(writer, choice->value[WRITER_NOHZ]);
	writer_begin(writer);
}

void writer_pause(const struct writer *writer, u64 ns)
{
	const u64 from = writer_counter(writer);
	const struct timespec nap = {0, LONGEST_NAP_NS};

	while (!READ_ONCE(*writer->pace.stop)) {
		const u64 passed = wide_mul_div(writer_counter(writer) - from, NSEC_PER_SEC,
						writer->pace.frequency_hz);

		if (ns != WRITER_FOREVER && passed >= ns)
			return;
		if (ns - passed > LONGEST_NAP_NS)
			nanosleep(&nap, NULL);
		else
			cpu_relax();
	}
}

s64 writer_towards(struct writer *writer)
{
	switch ((enum writer_towards)writer->value[WRITER_TOWARDS]) {
	case TOWARDS_FORWARDS:
		return 1;
	case TOWARDS_BACKWARDS:
		return -1;
	case TOWARDS_BOTH:
		break;
	}
	return writer->turn++ % 2 ? -1 : 1;
}

void writer_steer(struct writer *writer)
{
	const s64 most = (s64)writer->value[WRITER_PPM] * 1000 << TIMEKEEPER_PPB_SHIFT;
	struct errmsg err;

	/* The key's range is the timekeeper's. */
	timekeeper_set_frequency(&writer->core->tk,
				 (s64)random_below(&writer->pace.random, 2 * (u64)most + 1) - most,
				 &err);
}

void writer_begin(struct writer *writer)
{
	pace_start(&writer->pace, writer_counter(writer));
	writer->due = writer->pace.start + writer_cycles(writer, writer->value[WRITER_EVERY]);
}

bool writer_wait(struct writer *writer, struct update_times *times)
{
	if (writer->burst_left && !READ_ONCE(*writer->pace.stop)) {
		writer->burst_left--;
		times->due = times->begin = writer_counter(writer);
		times->ticks = 1;
		return true;
	}
	times->begin = pace_wait(&writer->pace, &times->due, &times->ticks);
	if (times->begin && writer->value[WRITER_BURST])
		writer->burst_left = writer->value[WRITER_BURST] - 1;
	return times->begin != 0;
}

/* What the timekeeper's counter says, if that is not the one that the deadline was met by. */
static u64 timekeepers_counter(const struct writer *writer, u64 begin)
{
	const struct tk_core *core = writer->core;

	return core->locked || core->counter_mode != writer->pace.clock_mode ? tk_core_counter(core)
									     : begin;
}

static void change(struct writer *writer, u64 cycles)
{
	if (writer->kind->change)
		writer->kind->change(writer, cycles);
	else
		tk_core_advance(writer->core, cycles);
	tk_core_tell(writer->core);
}

bool writer_needs_middle(const struct writer_choice *choice)
{
	return choice->kind->middle && (choice->value[WRITER_HOLD] || choice->value[WRITER_FOR]);
}

static void stay_in_middle(void *argument)
{
	struct writer *writer = argument;

	writer->left |= !writer->kind->middle(writer);
}

/* A lock takes the same of all kinds. Each page is held for as long; what stops does so in one. */
static void publish_through_lock(struct writer *writer, const struct tk_page *page)
{
	struct tk_core *core = writer->core;
	const bool stays =
		writer->kind->middle && (page == &core->page[0] || !writer->value[WRITER_FOR]);

	lock_page_set_middle(page->page, stays ? stay_in_middle : NULL, writer);
	tk_core_publish(core, page);
	if (writer->left)
		WRITE_ONCE(*layout_u32(page->page, 0), vdso_sequence(page->page) - 1);
}

static void publish(struct writer *writer, const struct tk_page *page)
{
	if (page->lock)
		publish_through_lock(writer, page);
	else if (writer->kind->publish)
		writer->kind->publish(writer, page);
	else
		tk_core_publish(writer->core, page);
}

static bool is_odd(const struct tk_core *core)
{
	return vdso_sequence(core->page[0].page) & 1;
}

/* The same update once more, for who reads other pages. */
static void publish_to_others(struct writer *writer)
{
	for (size_t i = 1; i < writer->core->pages; i++)
		publish(writer, &writer->core->page[i]);
}

static void update(struct writer *writer, struct update_times *times)
{
	struct tk_core *core = writer->core;

	change(writer, timekeepers_counter(writer, times->begin));
	times->odd = writer_counter(writer);
	publish(writer, &core->page[0]);
	times->even = writer_counter(writer);
	if (is_odd(core))
		return;
	publish_to_others(writer);
	tk_core_finish(core);
}

/*
 * No reader is let through from before the old time ends until the new is complete: the fence
 * keeps the counter from being read before everybody can see that the sequences are odd.
 */
static void update_while_odd(struct writer *writer, struct update_times *times)
{
	struct tk_core *core = writer->core;

	times->odd = writer_counter(writer);
	for (size_t i = 0; i < core->pages; i++)
		vdso_write_begin(core->page[i].page, core->page[i].layout);
	smp_mb();
	change(writer, tk_core_counter(core));
	for (size_t i = 0; i < core->pages; i++) {
		const struct tk_page *page = &core->page[i];

		publish_coarse(page->page, page->layout, &core->tk);
		publish_hres(page->page, page->layout, &core->tk);
		vdso_write_end(page->page, page->layout);
	}
	times->even = writer_counter(writer);
	tk_core_finish(core);
}

static void write_outside(struct writer *writer, struct update_times *times)
{
	times->odd = writer_counter(writer);
	for (size_t i = 0; i < writer->core->pages; i++)
		publish(writer, &writer->core->page[i]);
	times->even = writer_counter(writer);
}

static void act(struct writer *writer, struct update_times *times)
{
	if (writer->kind->no_update)
		write_outside(writer, times);
	else if (writer->kind->while_odd)
		update_while_odd(writer, times);
	else
		update(writer, times);
}

bool writer_act(struct writer *writer, struct update_times *times)
{
	const bool locks = !writer->kind->takes_no_lock;
	bool even;

	if (locks)
		tk_core_lock(writer->core);
	/* Another one has gone for ever: an update now would let readers into what it left. */
	even = !locks || !is_odd(writer->core);
	if (even) {
		act(writer, times);
		even = !locks || !is_odd(writer->core);
	}
	if (locks)
		tk_core_unlock(writer->core);
	return even;
}

void writer_update(struct writer *writer)
{
	struct update_times times = {.begin = writer_counter(writer)};

	writer_act(writer, &times);
}
