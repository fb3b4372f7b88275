// SPDX-License-Identifier: GPL-2.0-or-later
#include "readers/lock_source.h"

static const struct spec_key keys[] = {
	LOCK_CLOCK_KEY,
	{"form", "fences|rmw|seqcst", "fences",
	 "by fences; acquire loads and a read-modify-write for the recheck; all seq_cst"},
	{.name = NULL},
};

LOCK_DECLARE_ALONE(c11_fences)
LOCK_DECLARE_ALONE(c11_rmw)
LOCK_DECLARE_ALONE(c11_seqcst)

static const struct lock_source locks[] = {
	{LOCK_ALONE(c11_fences), .value = "fences"},
	{LOCK_ALONE(c11_rmw), .value = "rmw"},
	{LOCK_ALONE(c11_seqcst), .value = "seqcst"},
	{.bare = NULL},
};

const struct reader_kind reader_c11 = {
	.name = "c11",
	.summary = "a lock: a sequence counter in C11 atomics",
	.keys = keys,
	.locks = locks,
	.lock_key = "form",
};
