// SPDX-License-Identifier: GPL-2.0-or-later
#include "writers/kinds.h"

static const struct spec_key ntp_keys[] = {
	WRITER_KEY_HZ,
	{"ppm", NULL, "500", "the frequency is corrected by up to so much, 0 to 500"},
	{.name = NULL},
};

static void change(struct writer *writer, u64 cycles)
{
	writer_steer(writer);
	tk_core_advance(writer->core, cycles);
}

const struct writer_kind writer_ntp = {
	.name = "ntp",
	.summary = "a tick that is steered: mult changes at every one",
	.keys = ntp_keys,
	.changes_time = true,
	.change = change,
	.page = "page_of_kernel",
};
