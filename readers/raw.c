// SPDX-License-Identifier: GPL-2.0-or-later
#include "readers/kinds.h"
#include "readers/variation.h"

static const struct spec_key keys[] = {
	{"clock", "monotonic_raw", "monotonic_raw", "which clock to read"},
	VARIATION_KEYS,
	{.name = NULL},
};

const struct reader_kind reader_raw = {
	.name = "raw",
	.summary = "MONOTONIC_RAW, from the second clock structure with its own sequence",
	.keys = keys,
};
