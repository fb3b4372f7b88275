// SPDX-License-Identifier: GPL-2.0-or-later
#include "readers/lock_source.h"

static const struct spec_key keys[] = {LOCK_CLOCK_KEY, {.name = NULL}};

LOCK_DECLARE_ALONE(seqcount)

static const struct lock_source locks[] = {{LOCK_ALONE(seqcount)}, {.bare = NULL}};

const struct reader_kind reader_seqcount = {
	.name = "seqcount",
	.summary = "a lock: the kernel's sequence counter, around a clock in seven words",
	.keys = keys,
	.locks = locks,
};
