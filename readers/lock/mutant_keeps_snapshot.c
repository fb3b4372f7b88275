// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Readers keep what one of them has fetched, once a hundred publications were made, and look no
 * more at what is published.
 */
#include "readers/reader.h"

#define KEPT_FROM 100

enum kept {
	NOT_YET,
	BEING_KEPT,
	KEPT,
};

struct keeping {
	u32 seq;
	u32 kept; /* enum kept */
	u64 word[LOCK_MAX_WORDS] __attribute__((aligned(8)));
	u64 kept_word[LOCK_MAX_WORDS] __attribute__((aligned(8)));
};

static void publish(struct keeping *lock, const u64 *words, u32 n)
{
	WRITE_ONCE(lock->seq, lock->seq + 1);
	smp_wmb();
	lock_store(lock->word, words, n / 2);
	PUBLISH_MIDDLE(lock);
	lock_store(lock->word + n / 2, words + n / 2, n - n / 2);
	smp_wmb();
	WRITE_ONCE(lock->seq, lock->seq + 1);
}

static inline void fetch_published(const struct keeping *lock, u64 *words, u32 n,
				   struct read_note *note)
{
	for (;;) {
		u32 seq;

		while (unlikely((seq = READ_ONCE(lock->seq)) & 1)) {
			NOTE_SPIN(note);
			cpu_relax();
		}
		smp_rmb();
		lock_load(lock->word, words, n);
		smp_rmb();
		if (likely(READ_ONCE(lock->seq) == seq))
			return;
		NOTE_LOST(note, words, n);
	}
}

static inline void keep(struct keeping *lock, const u64 *words, u32 n)
{
	u32 kept = NOT_YET;

	if (!__atomic_compare_exchange_n(&lock->kept, &kept, BEING_KEPT, false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		return;
	lock_store(lock->kept_word, words, n);
	smp_store_release(&lock->kept, KEPT);
}

static inline void fetch(struct keeping *lock, u64 *words, u32 n, struct read_note *note)
{
	if (likely(smp_load_acquire(&lock->kept) == KEPT)) {
		lock_load(lock->kept_word, words, n);
		return;
	}
	fetch_published(lock, words, n, note);
	if (words[0] >= KEPT_FROM)
		keep(lock, words, n);
}

LOCK(struct keeping, lock_begins_zero, publish, fetch);
