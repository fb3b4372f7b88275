// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sequence of 8 bits, which is what it was after 128 publications. So that this happens, the
 * reader is held in its section once in a while, as if it were preempted, until they have passed.
 */
#include "readers/reader.h"

/* Explored, it has fewer, or too many publications would have to be. */
#ifdef COUNTER_BITS
#define MOST (u8)((1u << COUNTER_BITS) - 1)
#else
#define MOST UINT8_MAX
#endif

#define WRAPS	   128
#define HELD_AT	   512 /* of so many publications, the first word's number: */
#define HELD_EVERY 1024
/* Some tenths of a second: the writer may be slow, or gone. */
#define MOST_SPINS (1u << 23)

struct narrow {
	u8 seq;
	u32 publications;
	u64 word[LOCK_MAX_WORDS] __attribute__((aligned(8)));
};

static inline void go_on(struct narrow *lock)
{
	WRITE_ONCE(lock->seq, (u8)(lock->seq + 1) & MOST);
}

static void publish(struct narrow *lock, const u64 *words, u32 n)
{
	go_on(lock);
	smp_wmb();
	lock_store(lock->word, words, n / 2);
	PUBLISH_MIDDLE(lock);
	lock_store(lock->word + n / 2, words + n / 2, n - n / 2);
	smp_wmb();
	go_on(lock);
	WRITE_ONCE(lock->publications, lock->publications + 1);
}

static inline u8 begin(const struct narrow *lock, struct read_note *note)
{
	u8 seq;

	while (unlikely((seq = READ_ONCE(lock->seq)) & 1)) {
		NOTE_SPIN(note);
		cpu_relax();
	}
	smp_rmb();
	return seq;
}

static __attribute__((noinline)) void be_held(const struct narrow *lock)
{
	const u32 from = READ_ONCE(lock->publications);

	for (u32 i = 0; i < MOST_SPINS; i++) {
		const u32 passed = READ_ONCE(lock->publications) - from;

		if (passed && passed % WRAPS == 0)
			return;
		cpu_relax();
	}
}

static inline void fetch(struct narrow *lock, u64 *words, u32 n, struct read_note *note)
{
	for (;;) {
		const u8 seq = begin(lock, note);

		lock_load(lock->word, words, n / 2);
		if (unlikely(words[0] % HELD_EVERY == HELD_AT))
			be_held(lock);
		lock_load(lock->word + n / 2, words + n / 2, n - n / 2);
		smp_rmb();
		if (likely(READ_ONCE(lock->seq) == seq))
			return;
		NOTE_LOST(note, words, n);
	}
}

LOCK(struct narrow, lock_begins_zero, publish, fetch);
