// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sequence counter in C11 for who wants to think of no orders: all accesses sequentially
 * consistent, those of the words as well.
 */
#include "readers/reader.h"

struct c11 {
	u32 seq;
	u64 word[LOCK_MAX_WORDS] __attribute__((aligned(8)));
};

static inline void store(u64 *shared, const u64 *words, u32 n)
{
	for (u32 i = 0; i < n; i++)
		__atomic_store_n(&shared[i], words[i], __ATOMIC_SEQ_CST);
}

static void publish(struct c11 *lock, const u64 *words, u32 n)
{
	const u32 seq = __atomic_load_n(&lock->seq, __ATOMIC_SEQ_CST);

	__atomic_store_n(&lock->seq, seq + 1, __ATOMIC_SEQ_CST);
	store(lock->word, words, n / 2);
	PUBLISH_MIDDLE(lock);
	store(lock->word + n / 2, words + n / 2, n - n / 2);
	__atomic_store_n(&lock->seq, seq + 2, __ATOMIC_SEQ_CST);
}

static inline void fetch(struct c11 *lock, u64 *words, u32 n, struct read_note *note)
{
	for (;;) {
		const u32 seq = __atomic_load_n(&lock->seq, __ATOMIC_SEQ_CST);

		if (unlikely(seq & 1)) {
			NOTE_SPIN(note);
			cpu_relax();
			continue;
		}
		LOCK_UNROLL
		for (u32 i = 0; i < n; i++)
			words[i] = __atomic_load_n(&lock->word[i], __ATOMIC_SEQ_CST);
		if (likely(__atomic_load_n(&lock->seq, __ATOMIC_SEQ_CST) == seq))
			return;
		NOTE_LOST(note, words, n);
	}
}

static void setup(struct c11 *lock)
{
	lock->seq = COUNTER_FIRST(u32);
}

LOCK(struct c11, setup, publish, fetch);
