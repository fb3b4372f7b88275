// SPDX-License-Identifier: GPL-2.0-or-later
#include "readers/kinds.h"
#include "readers/variation.h"

static const struct spec_key keys[] = {
	{"clock", "realtime|monotonic|boottime|tai", "monotonic", "which clock to read"},
	VARIATION_KEYS,
	{.name = NULL},
};

const struct reader_kind reader_hres = {
	.name = "hres",
	.summary = "the high-resolution clocks: counter, multiply, shift",
	.keys = keys,
};
