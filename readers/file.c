// SPDX-License-Identifier: GPL-2.0-or-later
#include "readers/kinds.h"
#include "readers/variation.h"

static const struct spec_key keys[] = {
	{"clock", CLOCK_CHOICES, "monotonic", "which clock to read"},
	LAYOUT_KEY,
	{.name = NULL},
};

const struct reader_kind reader_file = {
	.name = "./FILE.c",
	.summary = "a source of your own, by a name with a slash, which is compiled and RUN; see "
		   "readers/reader.h",
	.keys = keys,
};
