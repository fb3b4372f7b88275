// SPDX-License-Identifier: GPL-2.0-or-later
#include "writers/kinds.h"

static const struct spec_key suspend_keys[] = {
	WRITER_KEY_EVERY("100ms"),
	{"for", NULL, "1ms", "how long readers are made to wait, 1us to 1s"},
	{"asleep", NULL, "1h", "how long the clocks are told it was, 0 to 8784h"},
	{"ppm", NULL, "500", "the frequency on resume is off by up to so much, 0 to 500"},
	{.name = NULL},
};

static int check(const struct writer_choice *choice, struct errmsg *err)
{
	return choice->value[WRITER_FOR] == WRITER_FOREVER
		       ? errmsg_set(err, "for: 'forever' is no length; from 1us to 1s is wanted")
		       : 0;
}

static void change(struct writer *writer, u64 cycles)
{
	struct timekeeper *tk = &writer->core->tk;
	struct errmsg err;

	timekeeper_forward(tk, cycles);
	writer_pause(writer, writer->value[WRITER_FOR]);
	writer_steer(writer);
	/* A sleep that would end after the clocks' range is one of no length. */
	cycles = tk_core_counter(writer->core);
	if (timekeeper_resume(tk, cycles, writer->value[WRITER_ASLEEP], &err))
		timekeeper_resume(tk, cycles, 0, &err);
}

const struct writer_kind writer_suspend = {
	.name = "suspend",
	.summary = "suspend and resume: MONOTONIC stands still, BOOTTIME does not, mult and bases "
		   "change; readers wait meanwhile, as if they were frozen",
	.keys = suspend_keys,
	.changes_time = true,
	.while_odd = true,
	.check = check,
	.change = change,
};
