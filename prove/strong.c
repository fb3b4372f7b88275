// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The seq_cst accesses and fences of weak: RC11's condition that psc, made of the relations below,
 * goes in no circle (Lahav and others, Repairing Sequential Consistency in C/C++11, 2017, section
 * 3.4). A relation is here, for each event, the set of those that it relates it to.
 */
#include <stdlib.h>
#include <string.h>

#include "prove/graph.h"

struct relation {
	struct event_set to[GRAPH_MAX_EVENTS];
};

struct strong {
	const struct graph *graph;
	struct relation before; /* happens-before */
	struct relation eco;	/* extended coherence: from one access to a later one of its cell */
	struct relation
		elsewhere; /* from one event to a later one of its thread, on another cell */
	struct relation scb;
	struct relation psc;
	struct event_set of_thread[GRAPH_MAX_THREADS];
	struct event_set of_cell[GRAPH_MAX_CELLS]; /* accesses */
	struct event_set stores;
};

static bool is_strong(const struct graph *graph, u32 event)
{
	return graph->event[event].order == __ATOMIC_SEQ_CST;
}

static bool is_strong_fence(const struct graph *graph, u32 event)
{
	return is_strong(graph, event) && graph->event[event].kind == EVENT_FENCE;
}

/* Words of a set that are in use. */
static u32 words_of(const struct graph *graph)
{
	return (graph->events + 63) / 64;
}

static void join(const struct graph *graph, struct event_set *to, const struct event_set *set)
{
	for (u32 word = 0; word < words_of(graph); word++)
		to->word[word] |= set->word[word];
}

/* Adds what the relation has for each of the set. */
static void join_all(const struct graph *graph, struct event_set *to, const struct event_set *set,
		     const struct relation *relation)
{
	for (u32 word = 0; word < words_of(graph); word++)
		for (u64 left = set->word[word]; left; left &= left - 1)
			join(graph, to, &relation->to[word * 64 + (u32)__builtin_ctzll(left)]);
}

static void find_before(struct strong *strong)
{
	const struct graph *graph = strong->graph;

	for (u32 b = 1; b < graph->events; b++)
		for (u32 word = 0; word < words_of(graph); word++)
			for (u64 left = graph->event[b].before.word[word]; left; left &= left - 1)
				event_set_add(
					&strong->before.to[word * 64 + (u32)__builtin_ctzll(left)],
					b);
}

/* The place of a store in its cell's order, from 1; of a load, that of the store it took. */
static void find_places(const struct graph *graph, u32 *place)
{
	for (u32 i = 1; i < graph->events; i++) {
		const struct event *event = &graph->event[i];
		u32 nth = 0;

		if (event->kind == EVENT_FENCE || !event_stores(event) || place[i])
			continue;
		for (u16 store = graph->first[event->cell]; store; store = graph->event[store].next)
			place[store] = ++nth;
	}
	for (u32 i = 1; i < graph->events; i++)
		if (graph->event[i].kind == EVENT_LOAD)
			place[i] = graph->event[i].from ? place[graph->event[i].from] : 0;
}

/* Which events are of which thread, and of which cell. */
static void find_members(struct strong *strong)
{
	const struct graph *graph = strong->graph;

	for (u32 i = 1; i < graph->events; i++)
		strong->of_cell[graph->event[i].cell] = (struct event_set){{0}};
	for (u32 i = 1; i < graph->events; i++) {
		const struct event *event = &graph->event[i];

		event_set_add(&strong->of_thread[event->thread], i);
		if (event->kind == EVENT_FENCE)
			continue;
		event_set_add(&strong->of_cell[event->cell], i);
		if (event_stores(event))
			event_set_add(&strong->stores, i);
	}
}

/* Accesses of the event's cell, itself among them; a fence has none. */
static const struct event_set *of_cell(const struct strong *strong, u32 event)
{
	static const struct event_set none;
	const struct event *known = &strong->graph->event[event];

	return known->kind == EVENT_FENCE ? &none : &strong->of_cell[known->cell];
}

/*
 * Two accesses of a cell, not both loads of one store: the later place comes after; of the same
 * place, a load comes after its store.
 */
static void find_eco(struct strong *strong, const u32 *place)
{
	const struct graph *graph = strong->graph;

	for (u32 a = 1; a < graph->events; a++) {
		const struct event_set *cell = of_cell(strong, a);

		for (u32 word = 0; word < words_of(graph); word++)
			for (u64 left = cell->word[word]; left; left &= left - 1) {
				const u32 b = word * 64 + (u32)__builtin_ctzll(left);

				if (a != b &&
				    (place[a] < place[b] ||
				     (place[a] == place[b] && event_stores(&graph->event[a]))))
					event_set_add(&strong->eco.to[a], b);
			}
	}
}

/* Those of the event's thread that come after it, a word of the set. */
static u64 later_of_thread(const struct strong *strong, u32 event, u32 word)
{
	const u64 own = strong->of_thread[strong->graph->event[event].thread].word[word];

	if (word == event / 64)
		return own & ~1ull << event % 64;
	return word > event / 64 ? own : 0;
}

static void find_elsewhere(struct strong *strong)
{
	const struct graph *graph = strong->graph;

	for (u32 a = 1; a < graph->events; a++)
		for (u32 word = 0; word < words_of(graph); word++)
			strong->elsewhere.to[a].word[word] =
				later_of_thread(strong, a, word) & ~of_cell(strong, a)->word[word];
}

/* From a to b in the program, with happens-before between, on other cells at both ends. */
static void find_scb_detours(struct strong *strong, u32 a)
{
	const struct graph *graph = strong->graph;
	struct event_set after = {{0}};

	join_all(graph, &after, &strong->elsewhere.to[a], &strong->before);
	join_all(graph, &strong->scb.to[a], &after, &strong->elsewhere);
}

/* In one cell: happens-before; mo and rb, which are what eco has between an access and a later
 * store. */
static void find_scb_of_cell(struct strong *strong, u32 a)
{
	const struct event_set *cell = of_cell(strong, a);

	for (u32 word = 0; word < words_of(strong->graph); word++) {
		const u64 before = strong->before.to[a].word[word];
		const u64 overwritten_by = strong->eco.to[a].word[word] & strong->stores.word[word];

		strong->scb.to[a].word[word] |= cell->word[word] & (before | overwritten_by);
	}
}

static void find_scb(struct strong *strong)
{
	const struct graph *graph = strong->graph;

	for (u32 a = 1; a < graph->events; a++) {
		for (u32 word = 0; word < words_of(graph); word++)
			strong->scb.to[a].word[word] |= later_of_thread(strong, a, word);
		find_scb_of_cell(strong, a);
		find_scb_detours(strong, a);
	}
}

/* [access] or [fence] and what happens before it: where a seq_cst event reaches from or to. */
static void reach_from(const struct strong *strong, u32 event, struct event_set *from)
{
	*from = (struct event_set){{0}};
	event_set_add(from, event);
	if (is_strong_fence(strong->graph, event))
		join(strong->graph, from, &strong->before.to[event]);
}

/* Of all that `set` has, and what of it happens before a fence. */
static void reach_to(const struct strong *strong, const struct event_set *set,
		     struct event_set *reached)
{
	const struct graph *graph = strong->graph;
	struct event_set later = {{0}};

	join_all(graph, &later, set, &strong->before);
	for (u32 b = 1; b < graph->events; b++)
		if (is_strong(graph, b) && (event_set_has(set, b) || (is_strong_fence(graph, b) &&
								      event_set_has(&later, b))))
			event_set_add(reached, b);
}

/* Between fences: happens-before, with a step of eco in its midst or without. */
static void find_psc_of_fences(struct strong *strong, u32 a)
{
	const struct graph *graph = strong->graph;
	struct event_set after = {{0}}, later = strong->before.to[a];

	join_all(graph, &after, &strong->before.to[a], &strong->eco);
	join_all(graph, &later, &after, &strong->before);
	for (u32 b = 1; b < graph->events; b++)
		if (is_strong_fence(graph, b) && event_set_has(&later, b))
			event_set_add(&strong->psc.to[a], b);
}

static void find_psc(struct strong *strong)
{
	const struct graph *graph = strong->graph;

	for (u32 a = 1; a < graph->events; a++) {
		struct event_set from, after = {{0}};

		if (!is_strong(graph, a))
			continue;
		reach_from(strong, a, &from);
		join_all(graph, &after, &from, &strong->scb);
		reach_to(strong, &after, &strong->psc.to[a]);
		if (is_strong_fence(graph, a))
			find_psc_of_fences(strong, a);
	}
}

/* By taking away, again and again, what leads to nothing that is left. */
static bool has_circle(const struct strong *strong)
{
	const struct graph *graph = strong->graph;
	struct event_set left = {{0}};
	bool taken = true, any = false;

	for (u32 i = 1; i < graph->events; i++)
		if (is_strong(graph, i))
			event_set_add(&left, i);
	while (taken) {
		taken = any = false;
		for (u32 i = 1; i < graph->events; i++) {
			bool leads = false;

			if (!event_set_has(&left, i))
				continue;
			for (u32 word = 0; word < words_of(graph); word++)
				leads |= (strong->psc.to[i].word[word] & left.word[word]) != 0;
			any |= leads;
			if (!leads) {
				left.word[i / 64] &= ~(1ull << i % 64);
				taken = true;
			}
		}
	}
	return any;
}

bool graph_strong_is_ordered(const struct graph *graph)
{
	/* It is large, and asked for often. */
	static struct strong strong;
	u32 place[GRAPH_MAX_EVENTS] = {0};
	const size_t used = graph->events * sizeof(struct event_set);

	strong.graph = graph;
	memset(&strong.before, 0, used);
	memset(&strong.eco, 0, used);
	memset(&strong.elsewhere, 0, used);
	memset(&strong.scb, 0, used);
	memset(&strong.psc, 0, used);
	memset(strong.of_thread, 0, sizeof(strong.of_thread));
	strong.stores = (struct event_set){{0}};
	find_members(&strong);
	find_before(&strong);
	find_places(graph, place);
	find_eco(&strong, place);
	find_elsewhere(&strong);
	find_scb(&strong);
	find_psc(&strong);
	return !has_circle(&strong);
}
