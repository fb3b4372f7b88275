/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The C library's lock for many readers or one writer. Included once, by the file of each
 * preference, which says RWLOCK_KIND. Readers and writer wait in the library, and nobody tries
 * again.
 */
#include <pthread.h>

#include "readers/reader.h"

struct rwlock {
	pthread_rwlock_t lock;
	u64 word[LOCK_MAX_WORDS];
};

static void setup(struct rwlock *lock)
{
	pthread_rwlockattr_t attributes;

	pthread_rwlockattr_init(&attributes);
	pthread_rwlockattr_setkind_np(&attributes, RWLOCK_KIND);
	pthread_rwlock_init(&lock->lock, &attributes);
	pthread_rwlockattr_destroy(&attributes);
}

static void publish(struct rwlock *lock, const u64 *words, u32 n)
{
	pthread_rwlock_wrlock(&lock->lock);
	for (u32 i = 0; i < n / 2; i++)
		lock->word[i] = words[i];
	PUBLISH_MIDDLE(lock);
	for (u32 i = n / 2; i < n; i++)
		lock->word[i] = words[i];
	pthread_rwlock_unlock(&lock->lock);
}

static inline void fetch(struct rwlock *lock, u64 *words, u32 n, struct read_note *note)
{
	(void)note;
	pthread_rwlock_rdlock(&lock->lock);
	LOCK_UNROLL
	for (u32 i = 0; i < n; i++)
		words[i] = lock->word[i];
	pthread_rwlock_unlock(&lock->lock);
}

LOCK(struct rwlock, setup, publish, fetch);
