// SPDX-License-Identifier: GPL-2.0-or-later
#include "writers/kinds.h"

static const struct spec_key clocksource_keys[] = {
	WRITER_KEY_EVERY("20ms"),
	{"counters", "all|none|other", "all",
	 "what takes turns with the run's own counter: none, so that readers call the system; "
	 "another, CLOCK_MONOTONIC_RAW by system call, of another frequency; or both in turn"},
	{.name = NULL},
};

/* What the counter is to be after this turn; the core's own in every other. */
static const struct clocksource *next_counter(struct writer *writer, bool *readable)
{
	const enum writer_counters counters = (enum writer_counters)writer->value[WRITER_COUNTERS];
	const u64 turn = writer->turn++;
	const bool away = turn % 2 == 0;
	const bool none = counters == COUNTERS_NONE || (counters == COUNTERS_ALL && turn % 4 == 0);

	*readable = !away || !none;
	return away && !none ? clocksource_find("monotonic_raw") : writer->core->clocksource;
}

static void change(struct writer *writer, u64 cycles)
{
	struct tk_core *core = writer->core;
	bool readable;
	const struct clocksource *cs = next_counter(writer, &readable);
	const struct timekeeper_counter counter = {
		.frequency_hz = cs == core->clocksource ? core->frequency_hz : cs->frequency_hz(),
		.mask = cs->mask,
		.clock_mode = cs->clock_mode,
	};
	struct errmsg err;

	timekeeper_forward(&core->tk, cycles);
	if (cs->clock_mode != core->counter_mode &&
	    !timekeeper_change_counter(&core->tk, &counter,
				       clocksource_read(cs->clock_mode, core->readers_page), &err))
		core->counter_mode = cs->clock_mode;
	core->tk.clock_mode = readable ? core->counter_mode : VDSO_CLOCKMODE_NONE;
}

const struct writer_kind writer_clocksource = {
	.name = "clocksource",
	.summary = "another clock source: none, so that readers fall back to the system call and "
		   "come back, and a counter of another frequency; readers wait for the change",
	.keys = clocksource_keys,
	.changes_time = true,
	.while_odd = true,
	.changes_counter = true,
	.change = change,
};
