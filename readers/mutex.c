// SPDX-License-Identifier: GPL-2.0-or-later
#include "readers/lock_source.h"

static const struct spec_key keys[] = {LOCK_CLOCK_KEY, {.name = NULL}};

LOCK_DECLARE(mutex)

static const struct lock_source locks[] = {
	{LOCK_LIBRARY(mutex),
	 .no_retries = "readers wait in the C library, which does not tell, and do not try again",
	 .operations = {.publish = lock_mutex_publish}},
	{.bare = NULL},
};

const struct reader_kind reader_mutex = {
	.name = "mutex",
	.summary = "a lock: pthread_mutex, for one at a time",
	.keys = keys,
	.locks = locks,
};
