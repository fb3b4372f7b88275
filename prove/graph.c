// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <string.h>

#include "prove/graph.h"

#define NOBODY 0xff

void graph_begin(struct graph *graph, u32 threads)
{
	memset(graph, 0, offsetof(struct graph, event) + sizeof(graph->event[0]));
	graph->threads = threads;
	graph->events = 1;
	graph->event[EVENT_INITIAL].kind = EVENT_STORE;
	graph->event[EVENT_INITIAL].thread = NOBODY;
	for (u32 i = 0; i < GRAPH_MAX_THREADS; i++) {
		graph->thread[i].state = i < threads ? THREAD_RUNS : THREAD_ENDED;
		event_set_add(&graph->thread[i].seen, EVENT_INITIAL);
	}
}

void graph_copy(struct graph *to, const struct graph *from)
{
	memcpy(to, from, offsetof(struct graph, thread));
	memcpy(to->thread, from->thread, from->threads * sizeof(from->thread[0]));
	memcpy(to->event, from->event, from->events * sizeof(from->event[0]));
}

u16 graph_next(const struct graph *graph, u32 cell, u16 store)
{
	return store == EVENT_INITIAL ? graph->first[cell] : graph->event[store].next;
}

u16 graph_last_store(const struct graph *graph, u32 cell)
{
	u16 last = EVENT_INITIAL, next;

	while ((next = graph_next(graph, cell, last)))
		last = next;
	return last;
}

bool graph_is_modified(const struct graph *graph, u32 cell, u16 store)
{
	const u16 next = graph_next(graph, cell, store);

	return next && graph->event[next].kind == EVENT_MODIFY && graph->event[next].from == store;
}

/* Whether the thread knows of the event by what is before its next one. */
static bool is_known(const struct graph *graph, enum model model, u32 thread, u32 event)
{
	return model == MODEL_WEAK ? event_set_has(&graph->thread[thread].seen, event)
				   : graph->event[event].thread == thread;
}

u16 graph_floor(const struct graph *graph, enum model model, u32 thread, u32 cell)
{
	struct event_set known = {{0}};
	u16 floor = EVENT_INITIAL;

	for (u32 i = 1; i < graph->events; i++) {
		const struct event *event = &graph->event[i];

		if (event->cell != cell || event->kind == EVENT_FENCE ||
		    !is_known(graph, model, thread, i))
			continue;
		if (event_stores(event))
			event_set_add(&known, i);
		else
			event_set_add(&known, event->from);
	}
	for (u16 store = graph->first[cell]; store; store = graph->event[store].next)
		if (event_set_has(&known, store))
			floor = store;
	return floor;
}

static bool is_acquire(u8 order)
{
	return order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME ||
	       order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

static bool is_release(u8 order)
{
	return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

/* An event, and all before it. */
static void join_event(const struct graph *graph, struct event_set *set, u16 event)
{
	if (!event)
		return;
	event_set_join(set, &graph->event[event].before);
	event_set_add(set, event);
}

/* On x86 an instruction that modifies is locked, whether or not it stores in the end. */
static bool is_locked(const struct event *event)
{
	return event->kind == EVENT_MODIFY || event->failed;
}

/*
 * On x86 all is done in the program's order but a load, which may come before the stores ahead of
 * it; unless a fence, a locked instruction, or the one behind a seq_cst store stands between.
 */
static void order_by_program(const struct graph *graph, enum model model, const struct event *event,
			     struct event_set *before)
{
	const struct graph_thread *thread = &graph->thread[event->thread];
	const bool full = event->order == __ATOMIC_SEQ_CST && event->kind == EVENT_FENCE;

	event_set_add(before, EVENT_INITIAL);
	if (model == MODEL_SC) {
		join_event(graph, before, thread->last);
		return;
	}
	/* Other fences order what is in order anyway. */
	if (event->kind == EVENT_FENCE && !full)
		return;
	join_event(graph, before, thread->last_full);
	join_event(graph, before, thread->last_load);
	if (event->kind != EVENT_LOAD || is_locked(event))
		join_event(graph, before, thread->last_store);
}

/* Everybody who took the store comes before the one that is next to it. */
static void order_after_readers(const struct graph *graph, u32 cell, u16 store,
				struct event_set *before)
{
	for (u16 i = 1; i < graph->events; i++) {
		const struct event *event = &graph->event[i];

		if (event->kind != EVENT_FENCE && event_loads(event) && event->cell == cell &&
		    event->from == store)
			join_event(graph, before, i);
	}
}

/* All that comes before an event, in the order that all threads of sc or tso agree upon. */
static void order_before(const struct graph *graph, enum model model, const struct event *event,
			 u16 at, struct event_set *before)
{
	order_by_program(graph, model, event, before);
	if (event->kind == EVENT_FENCE)
		return;
	/* A thread may see its own store before all others do. */
	if (event_loads(event) && (model == MODEL_SC || graph->event[at].thread != event->thread))
		join_event(graph, before, at);
	if (event_stores(event)) {
		join_event(graph, before, at);
		order_after_readers(graph, event->cell, at, before);
	}
}

bool graph_allows(const struct graph *graph, enum model model, const struct event *event, u16 at)
{
	struct event_set before = {{0}};
	u16 next;

	if (event->kind == EVENT_FENCE)
		return true;
	if (event_stores(event) && graph_is_modified(graph, event->cell, at))
		return false;
	next = graph_next(graph, event->cell, at);
	if (model == MODEL_WEAK || !next)
		return true;
	/* It is the newest event: only what must come after it can close a circle. */
	order_before(graph, model, event, at, &before);
	return !event_set_has(&before, next);
}

/* What must come after the newest event has it, and all before it, before it. */
static void order_after(struct graph *graph, u16 event, u16 next)
{
	struct event_set before = graph->event[event].before;

	if (event_set_has(&before, next)) {
		graph->dead = true;
		return;
	}
	event_set_add(&before, event);
	for (u32 i = 1; i < graph->events; i++)
		if (i == next || event_set_has(&graph->event[i].before, next))
			event_set_join(&graph->event[i].before, &before);
}

/* By views: what a thread has seen, and hands on by releasing. */
static void see(struct graph *graph, u16 number)
{
	struct event *event = &graph->event[number];
	struct graph_thread *thread = &graph->thread[event->thread];

	event->before = thread->seen;
	event->carried = (struct event_set){{0}};
	if (event->kind == EVENT_FENCE && is_acquire(event->order))
		event_set_join(&event->before, &thread->acquired);
	if (event->kind != EVENT_FENCE && event_loads(event)) {
		const struct event_set *carried = &graph->event[event->from].carried;

		event_set_join(is_acquire(event->order) ? &event->before : &thread->acquired,
			       carried);
		/* A read-modify-write hands on what it found. */
		if (event->kind == EVENT_MODIFY)
			event->carried = *carried;
	}
	thread->seen = event->before;
	event_set_add(&thread->seen, number);
	if (event->kind == EVENT_FENCE && is_release(event->order))
		thread->released = thread->seen;
	if (event->kind != EVENT_FENCE && event_stores(event))
		event_set_join(&event->carried,
			       is_release(event->order) ? &thread->seen : &thread->released);
}

static void remember_last(struct graph *graph, const struct event *event, u16 number)
{
	struct graph_thread *thread = &graph->thread[event->thread];
	const bool strong = event->order == __ATOMIC_SEQ_CST;

	if (thread->last)
		graph->event[thread->last].following = number;
	else
		thread->first = number;
	thread->last = number;
	if (is_locked(event) || (event->kind != EVENT_LOAD && strong))
		thread->last_full = number;
	if (event->kind == EVENT_FENCE)
		return;
	if (event_loads(event))
		thread->last_load = number;
	if (event_stores(event))
		thread->last_store = number;
}

void graph_add(struct graph *graph, enum model model, const struct event *event, u16 at)
{
	const u16 number = (u16)graph->events;
	struct event *added = &graph->event[number];
	u16 next = 0;

	event_copy(added, event);
	added->from = event->kind != EVENT_FENCE && event_loads(event) ? at : EVENT_INITIAL;
	added->next = added->following = 0;
	added->before = (struct event_set){{0}};
	if (event->kind != EVENT_FENCE)
		next = graph_next(graph, event->cell, at);
	if (model == MODEL_WEAK)
		see(graph, number);
	else
		order_before(graph, model, event, at, &added->before);
	graph->events++; /* of those before it, it is none itself */
	if (event->kind != EVENT_FENCE && event_stores(event)) {
		added->next = next;
		if (at == EVENT_INITIAL)
			graph->first[event->cell] = number;
		else
			graph->event[at].next = number;
	}
	if (model != MODEL_WEAK && next)
		order_after(graph, number, next);
	remember_last(graph, event, number);
	graph->strong += event->order == __ATOMIC_SEQ_CST;
	/* The rest are looked at when the execution has come to its end. */
	if (model == MODEL_WEAK && event->order == __ATOMIC_SEQ_CST && graph->strong > 1 &&
	    !graph_strong_is_ordered(graph))
		graph->dead = true;
}
