/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What becomes of a snapshot that is freed too early, in the mutants: whoever still reads it is to
 * notice. AddressSanitizer notices by itself. Without it the words are spoilt at once and the
 * memory is given back later, as allocators do that look for such faults: given back at once, it
 * would soon hold another update, whole. The mode stays, for a reader that finds another one than
 * its hint asks again.
 */
#ifndef READERS_LIBRARY_POISON_H
#define READERS_LIBRARY_POISON_H

#include "readers/library/flavour.h"
#include "readers/reader.h"

#define POISON 0x2424242424242424u

static inline void poison(u64 *word)
{
	for (u32 i = 0; i < LOCK_MAX_WORDS; i++)
		if (i != LOCK_WORD_MODE)
			WRITE_ONCE(word[i], word[i] ^ POISON);
}

#define FREE_TOO_EARLY(old)                             \
	do {                                            \
		if (FREE_IS_SEEN) {                     \
			retire(&(old)->head);           \
		} else {                                \
			poison((old)->word);            \
			call_rcu(&(old)->head, retire); \
		}                                       \
	} while (0)

#endif /* READERS_LIBRARY_POISON_H */
