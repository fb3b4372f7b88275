// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The latch: two copies, of which the sequence selects one that nobody writes. Whoever interrupts
 * the writer can read, as the kernel's clock for non-maskable interrupts must.
 */
#include "readers/reader.h"

#ifndef COPY_BEGINS
#define COPY_BEGINS 0
#endif

struct copy {
	u8 before[COPY_BEGINS];
	u64 word[LOCK_MAX_WORDS] __attribute__((aligned(8)));
} __attribute__((aligned(CACHE_LINE)));

struct latch {
	u32 seq; /* even: the first copy is to be read; odd: the second */
	struct copy copy[2];
};

#ifndef COPY_TO_READ
#define COPY_TO_READ(seq) ((seq)&1)
#endif

/* The stores of the copy that readers had are over before they are led to it; and the other way. */
static inline void lead_to_other(struct latch *lock)
{
	smp_wmb();
	WRITE_ONCE(lock->seq, lock->seq + 1);
	smp_wmb();
}

static void publish(struct latch *lock, const u64 *words, u32 n)
{
	lead_to_other(lock);
	lock_store(lock->copy[0].word, words, n / 2);
	PUBLISH_MIDDLE(lock);
	lock_store(lock->copy[0].word + n / 2, words + n / 2, n - n / 2);
	lead_to_other(lock);
	lock_store(lock->copy[1].word, words, n);
}

static inline void fetch(struct latch *lock, u64 *words, u32 n, struct read_note *note)
{
	for (;;) {
		const u32 seq = READ_ONCE(lock->seq);

		smp_rmb();
		lock_load(lock->copy[COPY_TO_READ(seq)].word, words, n);
		smp_rmb();
		if (likely(READ_ONCE(lock->seq) == seq))
			return;
		NOTE_LOST(note, words, n);
	}
}

static void setup(struct latch *lock)
{
	lock->seq = COUNTER_FIRST(u32);
}

LOCK(struct latch, setup, publish, fetch);
