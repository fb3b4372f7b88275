// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A lock to begin one's own with: a ring, of which the writer fills one slot after the other. Who
 * reads is in nobody's way, and tries again only if the writer came round meanwhile.
 *
 *	./contend --reader ./readers/example/lock.c:clock=realtime
 */
#include "readers/reader.h"

#define SLOTS 4

struct ring {
	u32 count; /* of publications; the last is in slot count % SLOTS */
	u64 slot[SLOTS][LOCK_MAX_WORDS];
};

static void publish(struct ring *ring, const u64 *words, u32 n)
{
	const u32 count = ring->count + 1;

	/* Whoever finds the new words in an old slot must find, too, that its turn is over. */
	smp_wmb();
	lock_store(ring->slot[count % SLOTS], words, n);
	PUBLISH_MIDDLE(ring);
	smp_store_release(&ring->count, count);
}

static inline void fetch(struct ring *ring, u64 *words, u32 n, struct read_note *note)
{
	for (;;) {
		const u32 count = smp_load_acquire(&ring->count);

		lock_load(ring->slot[count % SLOTS], words, n);
		smp_rmb();
		if (likely(READ_ONCE(ring->count) - count < SLOTS - 1))
			return;
		NOTE_LOST(note, words, n);
	}
}

LOCK(struct ring, lock_begins_zero, publish, fetch);
