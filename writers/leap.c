// SPDX-License-Identifier: GPL-2.0-or-later
#include "writers/kinds.h"

static const struct spec_key leap_keys[] = {
	WRITER_KEY_HZ,
	{"towards", "both|delete|insert", "both", "which; both: in turn"},
	{.name = NULL},
};

/* As in the kernel, the first tick of a second finds that the one before has ended. */
static void change(struct writer *writer, u64 cycles)
{
	struct timekeeper *tk = &writer->core->tk;
	const u64 second = tk->realtime_sec;
	struct errmsg err;

	timekeeper_forward(tk, cycles);
	if (tk->realtime_sec != second)
		timekeeper_leap(tk, (int)writer_towards(writer), &err);
}

const struct writer_kind writer_leap = {
	.name = "leap",
	.summary =
		"a tick that inserts or deletes a leap second at every second's end; TAI must not "
		"notice",
	.keys = leap_keys,
	.changes_time = true,
	.change = change,
};
