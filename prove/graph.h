/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One execution: who did what, which store each load took, and in which order the stores to each
 * cell of memory stand. What a memory model forbids is told by this alone, whatever the order was
 * in which a machine did it.
 *
 * Three models. The relations are those of the literature: sequential consistency by Lamport;
 * x86-TSO by Owens, Sarkar and Sewell (2009); "weak" is RC11 of Lahav, Vafeiadis, Kang, Hur and
 * Dreyer (2017), C11 repaired, in which no load takes a value from a store that comes after it in
 * program order. Of each event it is kept which others come before it: for weak by happens-before,
 * which is the view of a thread as a set of events; for the others by the one order that all
 * threads agree upon.
 *
 * Not thread-safe.
 */
#ifndef PROVE_GRAPH_H
#define PROVE_GRAPH_H

#include <stddef.h>
#include <string.h>

#include "prove/event_set.h"

#define GRAPH_MAX_CELLS	  256
#define GRAPH_MAX_THREADS 8
/* What a thread tells the judge of its outcome, in order. */
#define GRAPH_MAX_TOLD 8

enum model {
	MODEL_SC,
	MODEL_TSO,
	MODEL_WEAK,
	MODELS
};

enum event_kind {
	EVENT_LOAD,
	EVENT_STORE,
	EVENT_MODIFY, /* a read-modify-write that took place */
	EVENT_FENCE,
};

/* Event 0 stands for the initial value of each cell; it comes before all. */
#define EVENT_INITIAL 0

struct event {
	u8 kind;
	u8 thread;
	u8 order;    /* __ATOMIC_RELAXED to __ATOMIC_SEQ_CST */
	u8 how;	     /* enum access_how */
	bool failed; /* a compare-and-exchange that was none, and is a load; tso: a fence too */
	u16 cell;
	u16 from;		  /* of a load: the store that it took */
	u16 next;		  /* of a store: the next one to the cell; 0: it is the last */
	u16 following;		  /* the next one of its thread; 0: it is the last */
	u16 pass;		  /* the number of the update or of the read in which it was done */
	u64 taken;		  /* what was loaded */
	u64 value;		  /* what was stored */
	const void *site;	  /* in the code */
	struct event_set before;  /* all events that are ordered before it */
	struct event_set carried; /* weak, of a store: what comes before whoever acquires it */
};

/* What it is by itself; its sets are the graph's affair. */
static inline void event_copy(struct event *to, const struct event *from)
{
	memcpy(to, from, offsetof(struct event, before));
}

enum thread_state {
	THREAD_RUNS,	/* it is to be run again, up to its next choice */
	THREAD_CHOOSES, /* it stands before an access that may go more than one way */
	THREAD_ENDED,
	THREAD_CUT, /* in a loop, after as many turns as it was given */
};

struct graph_thread {
	u8 state; /* enum thread_state */
	u8 told;
	u16 after; /* of a choice: events before this one were offered to it, and left */
	u16 first, last, last_load, last_store, last_full; /* 0: none yet */
	/* Weak: what comes before its next event; before its next acquire fence; what it releases.
	 */
	struct event_set seen, acquired, released;
	u64 tell[GRAPH_MAX_TOLD];
};

struct graph {
	u32 threads;
	u32 events;
	u32 strong;		    /* of them that are seq_cst */
	bool dead;		    /* the model forbids it */
	u16 first[GRAPH_MAX_CELLS]; /* the first store to each cell; 0: none */
	struct graph_thread thread[GRAPH_MAX_THREADS];
	struct event event[GRAPH_MAX_EVENTS];
};

/* An execution in which nothing has been done. */
void graph_begin(struct graph *graph, u32 threads);

/* Copies what is used of it, over a graph of as many threads or one that is all zero. */
void graph_copy(struct graph *to, const struct graph *from);

/*
 * The newest store of the cell that the thread cannot but know of, by what it did and has been
 * told: it takes none that is older, and its stores come later.
 */
u16 graph_floor(const struct graph *graph, enum model model, u32 thread, u32 cell);

/* The store after this one in the cell's order; `store` may be EVENT_INITIAL. 0: none. */
u16 graph_next(const struct graph *graph, u32 cell, u16 store);

/* Whether a read-modify-write has taken it, so that nothing comes between. */
bool graph_is_modified(const struct graph *graph, u32 cell, u16 store);

/*
 * Whether the model lets the thread's next event, as it stands in *event, be this load of, or this
 * store right behind, the store `at`; a read-modify-write both. By itself: seq_cst accesses of weak
 * are looked at when it has been added.
 */
bool graph_allows(const struct graph *graph, enum model model, const struct event *event, u16 at);

/*
 * Adds it. event->from and next are filled in. The graph is dead if that was not allowed after all.
 * There must be room: fewer than GRAPH_MAX_EVENTS.
 */
void graph_add(struct graph *graph, enum model model, const struct event *event, u16 at);

/* The last store to the cell; EVENT_INITIAL: none. */
u16 graph_last_store(const struct graph *graph, u32 cell);

/* Whether the order of all seq_cst accesses and fences has a place for each. prove/strong.c */
bool graph_strong_is_ordered(const struct graph *graph);

static inline bool event_loads(const struct event *event)
{
	return event->kind == EVENT_LOAD || event->kind == EVENT_MODIFY;
}

static inline bool event_stores(const struct event *event)
{
	return event->kind == EVENT_STORE || event->kind == EVENT_MODIFY;
}

#endif /* PROVE_GRAPH_H */
