// SPDX-License-Identifier: GPL-2.0-or-later
#include "writers/kinds.h"

static const struct spec_key step_keys[] = {
	WRITER_KEY_EVERY("50ms"),
	{"by", NULL, "1s", "how far, 1ns to 8784h"},
	{"towards", "both|forwards|backwards", "both", "which way; both: in turn"},
	{.name = NULL},
};

static void change(struct writer *writer, u64 cycles)
{
	struct timekeeper *tk = &writer->core->tk;
	const s64 by = writer_towards(writer) * (s64)writer->value[WRITER_BY];
	struct errmsg err;

	timekeeper_forward(tk, cycles);
	/* Where REALTIME would leave its range it goes the other way. */
	if (timekeeper_step(tk, by, &err))
		timekeeper_step(tk, -by, &err);
}

const struct writer_kind writer_step = {
	.name = "step",
	.summary = "settimeofday: REALTIME jumps, and with it TAI; MONOTONIC must not",
	.keys = step_keys,
	.changes_time = true,
	.change = change,
	.page = "page_of_kernel",
};
