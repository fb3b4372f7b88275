// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sequence that is stored and loaded in two halves, the bit that says odd and the number of
 * publications. Between the two stores that end a publication it looks as it did before that began,
 * which is the more often seen the further they are apart: each half has a line of its own, and a
 * writer that is slow is slow there. So that this is met, the reader is held in its section once in
 * a while, as if it were preempted, until the next publication has come to that. By the number that
 * it began with, not by the words: new words are met first where that number is about to change.
 */
#include "readers/reader.h"

/* Of so many publications: */
#define HELD_EVERY 8
/* Some milliseconds: the writer may be slow, or gone. */
#define MOST_SPINS (1u << 17)

struct halves {
	u32 odd;
	u32 count __attribute__((aligned(CACHE_LINE)));
	u64 word[LOCK_MAX_WORDS] __attribute__((aligned(8)));
	/* The count that a reader was last held with: once, for there may be no next publication.
	 */
	u32 held __attribute__((aligned(CACHE_LINE)));
};

static void publish(struct halves *lock, const u64 *words, u32 n)
{
	WRITE_ONCE(lock->odd, 1);
	smp_wmb();
	lock_store(lock->word, words, n);
	smp_wmb();
	WRITE_ONCE(lock->odd, 0);
	PUBLISH_MIDDLE(lock);
	WRITE_ONCE(lock->count, lock->count + 1);
}

static inline u32 begin(const struct halves *lock, struct read_note *note)
{
	u32 count;

	while (READ_ONCE(lock->odd)) {
		NOTE_SPIN(note);
		cpu_relax();
	}
	count = READ_ONCE(lock->count);
	smp_rmb();
	return count;
}

/* That the words are being stored is seen by the first of them: it stays, where `odd` does not. */
static __attribute__((noinline)) void be_held(struct halves *lock, u32 count, u64 first)
{
	u32 spins = 0;

	if (READ_ONCE(lock->held) == count)
		return;
	WRITE_ONCE(lock->held, count);
	while (PLAIN_LOAD(lock->word[0]) == first && spins++ < MOST_SPINS)
		cpu_relax();
	smp_rmb();
	while (READ_ONCE(lock->odd) && spins++ < MOST_SPINS)
		cpu_relax();
}

static inline void fetch(struct halves *lock, u64 *words, u32 n, struct read_note *note)
{
	for (;;) {
		const u32 count = begin(lock, note);

		lock_load(lock->word, words, n / 2);
		if (unlikely(count % HELD_EVERY == HELD_EVERY / 2))
			be_held(lock, count, words[0]);
		lock_load(lock->word + n / 2, words + n / 2, n - n / 2);
		smp_rmb();
		if (likely(READ_ONCE(lock->count) == count && !READ_ONCE(lock->odd)))
			return;
		NOTE_LOST(note, words, n);
	}
}

LOCK(struct halves, lock_begins_zero, publish, fetch);
