/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a reader can ever return a mixture under a memory model: the smallest case that shows it,
 * or all executions of the largest case that was asked for.
 */
#ifndef PROVE_PROOF_H
#define PROVE_PROOF_H

#include "prove/explore.h"

/* What a reader's thread tells of each read in turn: the update's number, or this. */
#define PROOF_MIXTURE UINT64_MAX

/* How much of it is explored: each 1 or more. */
struct proof_bounds {
	u32 updates;  /* of each writer */
	u32 readers;  /* threads */
	u32 reads;    /* of each reader */
	u32 attempts; /* of each read: how often it comes to one load of one place */
};

/*
 * What is explored. The threads for these bounds: the writers first, then the readers. They are the
 * subject's own, until the next call. NULL with a sentence in *err: no memory.
 */
struct proof_subject {
	u32 writers;   /* threads that are; of several each does all updates */
	bool in_order; /* the later of two updates has the larger number */
	const struct explore_threads *(*threads)(void *context, const struct proof_bounds *bounds,
						 struct errmsg *err);
	/* Whether two sites are one place of the source, which the compiler has made twice. */
	bool (*is_one_place)(void *context, const void *a, const void *b);
	/* What the reader's thread that was run last made of its read, from 0: the words, in text.
	 */
	void (*describe)(void *context, u32 thread, u32 read, char *text, size_t size);
	void *context;
};

enum proof_verdict {
	PROOF_HOLDS,
	PROOF_BROKEN,
	PROOF_INCOMPLETE,
};

enum proof_fault {
	PROOF_NO_FAULT,
	PROOF_MIXED,	 /* a read returned what no single update published */
	PROOF_BACKWARDS, /* a thread read an update older than one that it had read */
	PROOF_CRASHED,	 /* the code crashed over what it had been given */
	PROOF_RACED,	 /* strict only: plain accesses raced */
};

struct proof_config {
	enum model model;
	struct proof_bounds most;
	bool shortest;	     /* of a case that is broken, an execution that is short to tell */
	bool strict;	     /* a race of plain accesses is a fault */
	double most_seconds; /* 0: no limit */
	const struct explore_edit *edit;
	u32 edits;
	struct explore_progress *progress; /* of all cases; or NULL */
};

/*
 * `explored` is the exploration that decided: its witness, if the verdict is broken; else of the
 * largest case. executions and seconds are of all cases together.
 */
struct proof {
	enum proof_verdict verdict;
	enum proof_fault fault;
	u32 reader; /* broken: the thread, and which of its reads, from 0 */
	u32 read;
	struct proof_bounds bounds; /* of the case that decided */
	bool one_for_all; /* readers store nothing, so none notices another: one was explored */
	bool out_of_time; /* cases were left out */
	bool none_ended;  /* in no execution did a read come to its end */
	u64 executions;
	double seconds;
	struct explore_result explored;
};

/*
 * 0 and *proof, or -1 with a sentence in *err: the code does what cannot be explored. It is RUN,
 * and may never come back, if it loops without touching shared memory.
 */
int proof_find(const struct proof_subject *subject, const struct proof_config *config,
	       struct proof *proof, struct errmsg *err);

/* Of what is broken: the pass of thread proof->reader in which that shows, see prove/timeline.h. */
u32 proof_last_pass(const struct proof *proof);

#endif /* PROVE_PROOF_H */
