// SPDX-License-Identifier: GPL-2.0-or-later
#include "prove/timeline.h"

#define NO_LINE -1

struct making {
	const struct graph *graph;
	enum model model;
	struct timeline *timeline;
	struct event_set done;
	int line[GRAPH_MAX_EVENTS]; /* of each event that is done */
};

static bool may_follow(const struct making *making, u32 number)
{
	const struct event *event = &making->graph->event[number];

	for (u32 i = 1; i < making->graph->events; i++) {
		const bool earlier = i < number && making->graph->event[i].thread == event->thread;
		const bool before = making->model == MODEL_SC && event_set_has(&event->before, i);

		if ((earlier || before) && !event_set_has(&making->done, i))
			return false;
	}
	return event->kind == EVENT_FENCE || !event_loads(event) || !event->from ||
	       event_set_has(&making->done, event->from);
}

/* The store of the cell that is newest in the cell's order, of those that stand above. */
static u16 newest_above(const struct making *making, u32 cell)
{
	const struct graph *graph = making->graph;
	u16 newest = EVENT_INITIAL;

	for (u16 store = graph->first[cell]; store; store = graph->event[store].next)
		if (event_set_has(&making->done, store))
			newest = store;
	return newest;
}

static void put(struct making *making, u32 number)
{
	const struct event *event = &making->graph->event[number];
	struct timeline *timeline = making->timeline;
	struct timeline_line line = {event, NO_LINE, NO_LINE};
	u16 newest;

	if (event->kind != EVENT_FENCE && event_loads(event)) {
		newest = newest_above(making, event->cell);
		line.from = event->from ? making->line[event->from] : NO_LINE;
		line.newer = newest != event->from ? making->line[newest] : NO_LINE;
	}
	making->line[number] = (int)timeline->lines;
	timeline->line[timeline->lines++] = line;
	event_set_add(&making->done, number);
}

/* Readers first: so each stands near what it took. */
static bool put_one(struct making *making, u32 first_thread, u32 last_thread)
{
	for (u32 i = 1; i < making->graph->events; i++) {
		const u32 thread = making->graph->event[i].thread;

		if (thread >= first_thread && thread <= last_thread &&
		    !event_set_has(&making->done, i) && may_follow(making, i)) {
			put(making, i);
			return true;
		}
	}
	return false;
}

/* What comes after the last that counts tells nothing any more. */
static void cut(struct timeline *timeline, u32 thread, u32 pass)
{
	for (u32 lines = timeline->lines; lines; lines--) {
		const struct event *event = timeline->line[lines - 1].event;

		if (event->thread == thread && event->pass <= pass) {
			timeline->lines = lines;
			return;
		}
	}
}

void timeline_make(const struct graph *graph, enum model model, u32 writers, u32 last, u32 pass,
		   struct timeline *timeline)
{
	struct making making = {.graph = graph, .model = model, .timeline = timeline};

	timeline->lines = 0;
	while (put_one(&making, writers, GRAPH_MAX_THREADS) ||
	       (writers && put_one(&making, 0, writers - 1)))
		;
	cut(timeline, last, pass);
}

u32 timeline_length(const struct timeline *timeline)
{
	u32 changes = 0;

	for (u32 i = 1; i < timeline->lines; i++)
		changes += timeline->line[i].event->thread != timeline->line[i - 1].event->thread;
	return timeline->lines + changes;
}
