// SPDX-License-Identifier: GPL-2.0-or-later
#include "readers/kinds.h"
#include "readers/variation.h"

static const struct spec_key keys[] = {
	{"clock", CLOCK_CHOICES, "monotonic", "which clock to read"},
	VARIATION_KEYS,
	{.name = NULL},
};

const struct reader_kind reader_timens = {
	.name = "timens",
	.summary = "a time namespace: its page sends the reader to the page behind it, plus offset",
	.keys = keys,
	.in_namespace = true,
};
