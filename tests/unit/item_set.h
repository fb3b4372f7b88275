/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A set of items of one size, which are the same if their bytes are. To be included behind
 * cmocka.h.
 */
#ifndef TESTS_UNIT_ITEM_SET_H
#define TESTS_UNIT_ITEM_SET_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/random.h"

struct item_set {
	size_t size; /* of an item, in bytes */
	size_t count;
	size_t slots; /* 0 or a power of 2 */
	u8 *item;
	u32 *slot; /* an item's number, plus 1; 0: none */
};

/* `size` is a multiple of 8. */
static inline struct item_set item_set_of(size_t size)
{
	return (struct item_set){.size = size};
}

static inline void item_set_free(struct item_set *set)
{
	free(set->item);
	free(set->slot);
	*set = item_set_of(set->size);
}

/* Keeps the room that it has. */
static inline void item_set_clear(struct item_set *set)
{
	set->count = 0;
	if (set->slots)
		memset(set->slot, 0, set->slots * sizeof(*set->slot));
}

static inline const void *item_set_at(const struct item_set *set, size_t number)
{
	return set->item + number * set->size;
}

static inline u64 item_hash(const void *item, size_t size)
{
	u64 hash = size, word;

	for (size_t i = 0; i < size; i += sizeof(word)) {
		memcpy(&word, (const u8 *)item + i, sizeof(word));
		hash = random_scramble(hash + word) + i;
	}
	return hash;
}

/* Where it stands, or would. */
static inline u32 *item_set_slot(const struct item_set *set, const void *item)
{
	size_t at = (size_t)item_hash(item, set->size) & (set->slots - 1);

	while (set->slot[at] && memcmp(item_set_at(set, set->slot[at] - 1), item, set->size))
		at = (at + 1) & (set->slots - 1);
	return &set->slot[at];
}

static inline bool item_set_has(const struct item_set *set, const void *item)
{
	return set->slots && *item_set_slot(set, item);
}

static inline void item_set_grow(struct item_set *set)
{
	const size_t slots = set->slots ? 2 * set->slots : 64;

	free(set->slot);
	set->slot = calloc(slots, sizeof(*set->slot));
	set->item = realloc(set->item, slots / 2 * set->size);
	if (!set->slot || !set->item)
		abort();
	set->slots = slots;
	for (size_t i = 0; i < set->count; i++)
		*item_set_slot(set, item_set_at(set, i)) = (u32)(i + 1);
}

/* Whether it was not there before. */
static inline bool item_set_add(struct item_set *set, const void *item)
{
	u32 *slot;

	if (2 * set->count >= set->slots)
		item_set_grow(set);
	slot = item_set_slot(set, item);
	if (*slot)
		return false;
	memcpy(set->item + set->count * set->size, item, set->size);
	*slot = (u32)++set->count;
	return true;
}

/* Whether all of the one's are in the other. */
static inline bool item_set_within(const struct item_set *set, const struct item_set *other)
{
	for (size_t i = 0; i < set->count; i++)
		if (!item_set_has(other, item_set_at(set, i)))
			return false;
	return true;
}

#endif /* TESTS_UNIT_ITEM_SET_H */
