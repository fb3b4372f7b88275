// SPDX-License-Identifier: GPL-2.0-or-later
#include "writers/kinds.h"

static const struct spec_key leap_keys[] = {
	WRITER_KEY_HZ,
	{"towards", "both|delete|insert", "both", "which; both: in turn"},
	{.name = NULL},
};

/* Seconds of TAI end when those of REALTIME do, and no leap moves them. */
static u64 second_of(const struct timekeeper *tk)
{
	return tk->realtime_sec + (u64)(s64)tk->tai_offset_sec;
}

/*
 * As in the kernel, the first tick of a second finds that the one before has ended, though another
 * writer may have moved time into it. A second that the clock was set to is none that has ended.
 */
static void change(struct writer *writer, u64 cycles)
{
	struct timekeeper *tk = &writer->core->tk;
	const u64 jumps = timekeeper_jumps(tk, CLOCK_TAI);
	struct errmsg err;

	if (!writer->second || writer->jumps != jumps)
		writer->second = second_of(tk);
	timekeeper_forward(tk, cycles);
	if (second_of(tk) != writer->second)
		timekeeper_leap(tk, (int)writer_towards(writer), &err);
	writer->second = second_of(tk);
	writer->jumps = jumps;
}

const struct writer_kind writer_leap = {
	.name = "leap",
	.summary =
		"a tick that inserts or deletes a leap second at every second's end; TAI must not "
		"notice",
	.keys = leap_keys,
	.changes_time = true,
	.change = change,
	.page = "page_of_kernel",
};
