/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Explores every execution of some threads that a memory model allows, up to where their loops are
 * cut.
 *
 * How. A thread is deterministic but for what its loads return. So it is run, as native code, with
 * what each load is to return, up to the next one that may return one thing or another; there it is
 * left, by a longjmp, and later run again from its beginning. Of the threads' steps only the graph
 * is kept (prove/graph.h), and what a step may be is asked of the model by that alone.
 *
 * Every graph is reached once, which is argued so. (1) No model here has a load that takes a value
 * from a store that needs the load, so program order and "takes from" go in no circle, and each
 * graph can be built up by threads that each go on where the store that is next taken is there
 * already. (2) What a model forbids in a part of a graph it forbids in the whole: the relations
 * only grow. So a part may be given up for that. (3) Stores and fences do not hang on what others
 * do: the thread does them at once. The place of a store among those of its cell is chosen; one
 * that is not there yet chooses its own when it comes. (4) A load takes each store that is there,
 * in turn; and then it is left aside until there are others, of which it takes one: as these were
 * not there before, no graph is reached twice. If none come, that branch led nowhere, and is not
 * counted; but if it waits, and what it was offered has been taken by others, it waits for ever.
 * (5) Whether others may come is told by who stores to which cell, which is learnt: whenever a
 * thread does what it has not been known to do, all begins anew. In the round that ends without
 * that, nobody stores to a cell where it would have been left out: the first such store, in a graph
 * as built up here, would have been met in that very round.
 *
 * Also learnt is which cells nobody loads, or nobody stores to. Stores to the former and loads of
 * the latter are left out of the graph: no model's relations lead through them to anything else, if
 * no access is seq_cst. (On x86 such a store is a fence; and RC11 asks of two seq_cst accesses
 * whether what stands between is of another cell.)
 *
 * One exploration at a time in a process: the accesses of prove/access.h are those of the
 * exploration that is under way.
 */
#ifndef PROVE_EXPLORE_H
#define PROVE_EXPLORE_H

#include "prove/access.h"
#include "prove/cells.h"
#include "prove/graph.h"
#include "sim/errmsg.h"

/*
 * Runs thread `thread`, 0 to count - 1, from its beginning to its end, on the caller's stack. It
 * may be left by longjmp at any access, so it owns nothing that would have to be given back; and
 * does the same each time, if its loads return the same.
 */
struct explore_threads {
	u32 count; /* 1 to GRAPH_MAX_THREADS */
	void (*run)(void *context, u32 thread);
	void *context;
	/* What they share, aligned to 8 bytes; as it stands now is how it is at first. Up to 65536.
	 */
	void *shared;
	size_t shared_bytes;
};

/*
 * Another order for what stands at a site, or none: see prove/weaken.h. What a compare-and-exchange
 * acquires by it more, or less, it does if it fails, too.
 */
struct explore_edit {
	const void *site;
	u8 order;	  /* a fence that is relaxed is none */
	bool fence_first; /* instead: a fence of that order before it */
};

struct explore_progress {
	u64 executions;
	u64 runs; /* of a thread: it goes on while the code that is explored comes back */
};

struct explore_config {
	enum model model;
	u32 turns; /* how often one load, from one place, of one cell is done in one pass, 1 or more
		    */
	u64 most_executions; /* 0: no limit */
	double most_seconds; /* 0: no limit */
	bool last_stores;    /* the judge asks for explore_last: no store is left out */
	const struct explore_edit *edit;
	u32 edits;
	struct explore_progress *progress; /* counted in, for whoever watches; or NULL */
	/*
	 * Looks at an execution that has come to its end, and keeps nothing of it; true: it is what
	 * was looked for. That ends the exploration, unless more is to be looked at after the
	 * first: of those that are found then, each takes the place of the one before.
	 */
	bool (*judge)(void *context, const struct graph *graph);
	void *context;
	u64 more; /* executions after the first that was found */
};

/* Two accesses of one cell, one of them a store, one of them plain, that nothing orders. */
struct explore_race {
	const void *site[2];
	u8 kind[2]; /* enum event_kind */
	u32 cell;
};

#define EXPLORE_MAX_RACES 64
#define EXPLORE_MAX_SITES 256

/* What stands at a site that was come to. */
struct explore_site {
	const void *site;
	u8 kind; /* enum event_kind */
	u8 how;
	u8 order;    /* before any edit */
	u16 threads; /* a bit for each that came there */
};

struct explore_result {
	bool found;  /* the judge said so; the execution is then `witness` */
	int crashed; /* or the code crashed by this signal, in `witness`; 0: it did not */
	u32 crashed_thread;
	bool complete;	/* every execution has been looked at */
	bool too_large; /* some have more events than a graph holds, and were not followed */
	bool strong;	/* some access is seq_cst */
	bool mixed;	/* accesses of several sizes meet, and are taken part by part */
	u64 executions; /* that came to their end */
	u64 cut;	/* of them, with a thread that was cut in a loop */
	u64 blocked;	/* of them, with a thread that waits for ever */
	double seconds;
	struct graph witness;
	u32 races;
	struct explore_race race[EXPLORE_MAX_RACES];
	u32 sites;
	struct explore_site site[EXPLORE_MAX_SITES];
	u32 cells;
	struct memory_cell cell[GRAPH_MAX_CELLS];
};

/*
 * Explores. Signals by which code crashes are caught meanwhile. 0 and *result, which the caller has
 * room for; or -1 with a sentence in *err: no memory, an access that cannot be explored. The shared
 * memory is then as it was.
 */
int explore(const struct explore_threads *threads, const struct explore_config *config,
	    struct explore_result *result, struct errmsg *err);

/* For a judge, with last_stores: the value that the memory holds at the end. */
u64 explore_last(const struct graph *graph, const void *address, u32 bytes);

/*
 * Runs one thread of result->witness once more, to its end or to where it was cut, so that what it
 * keeps by itself is as it was then. With what explore was given. 0, or -1 with a sentence in *err.
 */
int explore_rerun(const struct explore_threads *threads, const struct explore_config *config,
		  struct explore_result *result, u32 thread, struct errmsg *err);

#endif /* PROVE_EXPLORE_H */
