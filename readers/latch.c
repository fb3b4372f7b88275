// SPDX-License-Identifier: GPL-2.0-or-later
#include "readers/lock_source.h"

static const struct spec_key keys[] = {LOCK_CLOCK_KEY, {.name = NULL}};

LOCK_DECLARE_ALONE(latch)

static const struct lock_source locks[] = {{LOCK_ALONE(latch)}, {.bare = NULL}};

const struct reader_kind reader_latch = {
	.name = "latch",
	.summary = "a lock: two copies, of which the sequence selects the one that nobody writes",
	.keys = keys,
	.locks = locks,
};
