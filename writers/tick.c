// SPDX-License-Identifier: GPL-2.0-or-later
#include "writers/kinds.h"

const struct spec_key writer_tick_keys[] = {
	{"hz", NULL, "1000", "updates per second, 1 to 10000000"},
	{.name = NULL},
};

static void publish(struct writer *writer)
{
	update_vsyscall(writer->page, &writer->tk);
}

const struct writer_kind writer_tick = {
	.name = "tick",
	.summary = "the periodic tick: accumulates what passed and publishes it",
	.keys = writer_tick_keys,
	.publish = publish,
};
