/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Words behind a lock of the C library that lets in one at a time. Included once, by the file of
 * each, which says its type, EXCLUSIVE, and how it is set up, taken and given back.
 */
#include <pthread.h>

#include "readers/reader.h"

struct exclusive {
	EXCLUSIVE lock;
	u64 word[LOCK_MAX_WORDS];
};

static void setup(struct exclusive *lock)
{
	EXCLUSIVE_SETUP(&lock->lock);
}

static void publish(struct exclusive *lock, const u64 *words, u32 n)
{
	EXCLUSIVE_TAKE(&lock->lock);
	for (u32 i = 0; i < n / 2; i++)
		lock->word[i] = words[i];
	PUBLISH_MIDDLE(lock);
	for (u32 i = n / 2; i < n; i++)
		lock->word[i] = words[i];
	EXCLUSIVE_GIVE(&lock->lock);
}

static inline void fetch(struct exclusive *lock, u64 *words, u32 n, struct read_note *note)
{
	(void)note;
	EXCLUSIVE_TAKE(&lock->lock);
	LOCK_UNROLL
	for (u32 i = 0; i < n; i++)
		words[i] = lock->word[i];
	EXCLUSIVE_GIVE(&lock->lock);
}

LOCK(struct exclusive, setup, publish, fetch);
