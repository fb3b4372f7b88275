// SPDX-License-Identifier: GPL-2.0-or-later
#include "readers/lock_source.h"

static const struct spec_key keys[] = {
	LOCK_CLOCK_KEY,
	{"prefer", "readers|writers", "readers", "whom the lock lets in first"},
	{.name = NULL},
};

#define NO_RETRIES "readers wait in the C library, which does not tell, and do not try again"

LOCK_DECLARE(rwlock_readers)
LOCK_DECLARE(rwlock_writers)

static const struct lock_source locks[] = {
	{LOCK_LIBRARY(rwlock_readers), .value = "readers", .no_retries = NO_RETRIES,
	 .operations = {.publish = lock_rwlock_readers_publish}},
	{LOCK_LIBRARY(rwlock_writers), .value = "writers", .no_retries = NO_RETRIES,
	 .operations = {.publish = lock_rwlock_writers_publish}},
	{.bare = NULL},
};

const struct reader_kind reader_rwlock = {
	.name = "rwlock",
	.summary = "a lock: pthread_rwlock, for many readers or one writer",
	.keys = keys,
	.locks = locks,
	.lock_key = "prefer",
};
