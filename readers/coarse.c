// SPDX-License-Identifier: GPL-2.0-or-later
#include "readers/kinds.h"
#include "readers/variation.h"

static const struct spec_key keys[] = {
	{"clock", "realtime_coarse|monotonic_coarse", "monotonic_coarse", "which clock to read"},
	VARIATION_KEYS,
	{.name = NULL},
};

const struct reader_kind reader_coarse = {
	.name = "coarse",
	.summary = "the coarse clocks: the last update's time, no counter",
	.keys = keys,
};
