/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every writer has that ticks, wherever the tick happens.
 */
#ifndef WRITERS_TICK_H
#define WRITERS_TICK_H

#include "writers/kinds.h"

/* clang-format off */
#define TICK_KEYS                                                                                  \
	WRITER_KEY_HZ,                                                                             \
	{"hold", NULL, "0",                                                                        \
	 "least time that an update keeps the sequence odd, 0 to 1ms, as in 300ns"},               \
	{"jitter", NULL, "0", "each tick comes late by chance, by 0 to this much, at most 1s"},    \
	{"arrivals", "periodic|poisson", "periodic",                                               \
	 "when ticks come: at fixed distances, or independently of each other, hz being the mean"}, \
	{"nohz", NULL, "0",                                                                        \
	 "stretches of this length, and of a tick at least, with ticks and without take turns, as "  \
	 "of a CPU that is idle; the first update after one accumulates all of it; 0 to 10s"}
/* clang-format on */

/* What of writer_kind they have in common. */
int tick_check(const struct writer_choice *choice, struct errmsg *err);
void tick_publish(struct writer *writer, const struct tk_page *page);
bool tick_middle(struct writer *writer);

/* Waits for as long as an update is to be held. */
static inline void tick_hold(const struct writer *writer)
{
	const u64 start = writer_counter(writer);

	while (writer_counter(writer) - start < writer->hold_cycles)
		cpu_relax();
}

#endif /* WRITERS_TICK_H */
