// SPDX-License-Identifier: GPL-2.0-or-later
#include "readers/lock_source.h"

static const struct spec_key keys[] = {LOCK_CLOCK_KEY, {.name = NULL}};

LOCK_DECLARE(spinlock)

static const struct lock_source locks[] = {
	{LOCK_LIBRARY(spinlock),
	 .no_retries = "readers wait in the C library, which does not tell, and do not try again",
	 .operations = {.publish = lock_spinlock_publish}},
	{.bare = NULL},
};

const struct reader_kind reader_spinlock = {
	.name = "spinlock",
	.summary = "a lock: pthread_spin, for one at a time, waited for without a rest",
	.keys = keys,
	.locks = locks,
};
