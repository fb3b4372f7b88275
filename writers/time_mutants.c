// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writers that change clocks which they must leave alone.
 */
#include "writers/kinds.h"

static const struct spec_key step_keys[] = {WRITER_KEY_EVERY("50ms"), {.name = NULL}};
static const struct spec_key leap_keys[] = {WRITER_KEY_HZ, {.name = NULL}};

#define STEP_NS	  1000000000
#define ASLEEP_NS 60000000000ull

/* A step of REALTIME that is not taken back from the others. */
static void step_all(struct writer *writer, u64 cycles)
{
	struct timekeeper *tk = &writer->core->tk;
	const struct timespec monotonic = tk->wall_to_monotonic;
	struct errmsg err;

	timekeeper_forward(tk, cycles);
	if (!timekeeper_step(tk, writer->turn++ % 2 ? -STEP_NS : STEP_NS, &err))
		tk->wall_to_monotonic = monotonic;
}

static void leap_tai(struct writer *writer, u64 cycles)
{
	struct timekeeper *tk = &writer->core->tk;
	const u64 second = tk->realtime_sec;
	const s32 offset = tk->tai_offset_sec;
	struct errmsg err;

	timekeeper_forward(tk, cycles);
	if (tk->realtime_sec != second && !timekeeper_leap(tk, -1, &err))
		tk->tai_offset_sec = offset;
}

static void sleep_monotonic(struct writer *writer, u64 cycles)
{
	struct timekeeper *tk = &writer->core->tk;
	struct errmsg err;

	timekeeper_forward(tk, cycles);
	if (!timekeeper_resume(tk, cycles, ASLEEP_NS, &err))
		tk->wall_to_monotonic.tv_sec += (time_t)(ASLEEP_NS / NSEC_PER_SEC);
}

/* What the old counter has counted since the last update is forgotten. */
static void change_counter(struct writer *writer, u64 cycles)
{
	struct tk_core *core = writer->core;
	const struct timekeeper_counter counter = {
		.frequency_hz = core->frequency_hz,
		.mask = core->clocksource->mask,
		.clock_mode = core->clocksource->clock_mode,
	};
	struct errmsg err;

	if (!timekeeper_change_counter(&core->tk, &counter, cycles, &err))
		core->tk.ended_cycles = cycles;
}

const struct writer_kind mutant_step_moves_monotonic = {
	.name = "step-moves-monotonic",
	.summary = "settimeofday that forgets to take the step back from MONOTONIC",
	.keys = step_keys,
	.fault = "a step moves MONOTONIC",
	.changes_time = true,
	.change = step_all,
};

const struct writer_kind mutant_leap_moves_tai = {
	.name = "leap-moves-tai",
	.summary = "a leap second that forgets TAI's offset",
	.keys = leap_keys,
	.fault = "a leap second moves TAI",
	.changes_time = true,
	.change = leap_tai,
};

const struct writer_kind mutant_suspend_moves_monotonic = {
	.name = "suspend-moves-monotonic",
	.summary = "a suspend that MONOTONIC notices",
	.keys = step_keys,
	.fault = "a suspend moves MONOTONIC",
	.changes_time = true,
	.while_odd = true,
	.change = sleep_monotonic,
};

const struct writer_kind mutant_counter_loses_time = {
	.name = "counter-loses-time",
	.summary = "a change of the counter that forgets what the old one had counted",
	.keys = step_keys,
	.fault = "a change of the counter loses time",
	.changes_time = true,
	.while_odd = true,
	.change = change_counter,
};
