/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets of events, by number. Plain values; all zero is the empty set.
 */
#ifndef PROVE_EVENT_SET_H
#define PROVE_EVENT_SET_H

#include <stdbool.h>

#include "sim/types.h"

/* Of one execution at most, the one that stands for all initial values among them. */
#define GRAPH_MAX_EVENTS 512

#define EVENT_SET_WORDS (GRAPH_MAX_EVENTS / 64)

struct event_set {
	u64 word[EVENT_SET_WORDS];
};

static inline bool event_set_has(const struct event_set *set, u32 event)
{
	return set->word[event / 64] >> event % 64 & 1;
}

static inline void event_set_add(struct event_set *set, u32 event)
{
	set->word[event / 64] |= 1ull << event % 64;
}

static inline void event_set_join(struct event_set *set, const struct event_set *other)
{
	for (u32 i = 0; i < EVENT_SET_WORDS; i++)
		set->word[i] |= other->word[i];
}

#endif /* PROVE_EVENT_SET_H */
