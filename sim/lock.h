/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a lock's publisher and its readers share: a page of its own in place of the kernel's, and
 * the words in which it is told a clock.
 */
#ifndef SIM_LOCK_H
#define SIM_LOCK_H

#include "sim/barrier.h"
#include "sim/page.h"
#include "sim/types.h"

/* Words of 64 bits that a lock must be able to guard. */
#define LOCK_MAX_WORDS 16

/* Of its shared memory at most. */
#define LOCK_SHARED_BYTES 3968

/* A clock, as one update makes it. */
enum lock_word {
	LOCK_WORD_NUMBER, /* of the update */
	LOCK_WORD_MODE,	  /* enum vdso_clock_mode or sim_clock_mode */
	LOCK_WORD_CYCLE_LAST,
	LOCK_WORD_MAX_CYCLES,
	LOCK_WORD_SCALE, /* mult, and shift << 32 */
	LOCK_WORD_SEC,
	LOCK_WORD_NSEC, /* << shift */
	LOCK_CLOCK_WORDS
};

/*
 * What lies where other readers have the kernel's data, in memory that readers may write to. What
 * only the writer uses has a line of its own.
 */
struct lock_page {
	/* Where the kernel's lies: odd within a publication, else twice the number of the last. */
	u32 seq;
	/* Called in the middle of each publication of a lock that says where that is; or NULL. */
	void (*middle)(void *argument);
	void *argument;
	/* A hint of how to read the counter before the lock has told: what it tells, counts. */
	s32 clock_mode __attribute__((aligned(CACHE_LINE)));
	/* The lock's own. */
	u8 shared[LOCK_SHARED_BYTES] __attribute__((aligned(CACHE_LINE)));
};

_Static_assert(sizeof(struct lock_page) == SIM_PAGE_BYTES, "it fills the data's page");

static inline struct lock_page *lock_page_of(void *shared)
{
	return (struct lock_page *)((char *)shared - offsetof(struct lock_page, shared));
}

/*
 * A lock's second entry. Publishes n words; with n 0 it sets up the shared memory, which is zeroed,
 * or does nothing if that is NULL. Returns how many bytes of it the lock needs. By one thread at a
 * time.
 */
typedef u32 lock_publish_fn(void *shared, const u64 *words, u32 n);

#endif /* SIM_LOCK_H */
