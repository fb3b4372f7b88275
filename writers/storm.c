// SPDX-License-Identifier: GPL-2.0-or-later
#include "writers/kinds.h"

static const struct spec_key storm_keys[] = {
	{"hz", NULL, "1000", "bursts per second, 1 to 10000000"},
	{"burst", NULL, "0",
	 "updates in one, up to 1000000; 0: they never end, and there is no hz"},
	{.name = NULL},
};

static int check(const struct writer_choice *choice, struct errmsg *err)
{
	return choice->hz && !choice->value[WRITER_BURST]
		       ? errmsg_set(err, "hz: a storm without end has no rate; burst= gives it one")
		       : 0;
}

const struct writer_kind writer_storm = {
	.name = "storm",
	.summary = "updates back to back, without end or in bursts",
	.keys = storm_keys,
	.check = check,
	.page = "page_of_kernel",
};
