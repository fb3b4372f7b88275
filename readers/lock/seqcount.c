// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's sequence counter, around words of any kind. Mutants define one of the steps for
 * themselves, and include this file.
 */
#include "readers/reader.h"

struct seqcount {
	u32 seq;
	u64 word[LOCK_MAX_WORDS] __attribute__((aligned(8)));
};

static inline void go_on(struct seqcount *lock)
{
	WRITE_ONCE(lock->seq, lock->seq + 1);
}

/* Whether words are published at all. */
#ifndef IS_PUBLISHED
#define IS_PUBLISHED(words) true
#endif

#ifndef GO_EVEN
#define GO_EVEN(lock)        \
	do {                 \
		smp_wmb();   \
		go_on(lock); \
	} while (0)
#endif

static void publish(struct seqcount *lock, const u64 *words, u32 n)
{
	if (!IS_PUBLISHED(words))
		return;
	go_on(lock);
	smp_wmb();
	lock_store(lock->word, words, n / 2);
	PUBLISH_MIDDLE(lock);
	lock_store(lock->word + n / 2, words + n / 2, n - n / 2);
	GO_EVEN(lock);
}

static inline u32 begin(const struct seqcount *lock, struct read_note *note)
{
	u32 seq;

	while (unlikely((seq = READ_ONCE(lock->seq)) & 1)) {
		NOTE_SPIN(note);
		cpu_relax();
	}
	smp_rmb();
	return seq;
}

static inline bool changed(const struct seqcount *lock, u32 seq)
{
	smp_rmb();
	return unlikely(READ_ONCE(lock->seq) != seq);
}

static inline void fetch(struct seqcount *lock, u64 *words, u32 n, struct read_note *note)
{
	for (;;) {
		const u32 seq = begin(lock, note);

		lock_load(lock->word, words, n);
		if (!changed(lock, seq))
			return;
		NOTE_LOST(note, words, n);
	}
}

static void setup(struct seqcount *lock)
{
	lock->seq = COUNTER_FIRST(u32);
}

LOCK(struct seqcount, setup, publish, fetch);
