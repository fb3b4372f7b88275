/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An execution as a list, one access after the other, as somebody might have seen it: each thread's
 * in its order, and no load before the store that it took.
 */
#ifndef PROVE_TIMELINE_H
#define PROVE_TIMELINE_H

#include "prove/graph.h"

struct timeline_line {
	const struct event *event; /* the graph's */
	int from;  /* of a load: the line of the store that it took; -1: the initial value */
	int newer; /* of a load: the line of the newest store above it that it did not take; -1 */
};

struct timeline {
	u32 lines;
	struct timeline_line line[GRAPH_MAX_EVENTS];
};

/*
 * The graph must outlive the timeline. Of sc it is an order in which the whole may have happened.
 * It ends with what thread `last` does in its pass `pass`, by which all is decided.
 */
void timeline_make(const struct graph *graph, enum model model, u32 writers, u32 last, u32 pass,
		   struct timeline *timeline);

/* How long it is to read: lines, and how often they change from one thread to another. */
u32 timeline_length(const struct timeline *timeline);

#endif /* PROVE_TIMELINE_H */
