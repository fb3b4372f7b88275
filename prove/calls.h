/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What lies between a source that is explored and whoever explores it. The source is compiled so
 * that each access is a call; the run-time of ours that is linked to it (prove/runtime/) makes of
 * these what prove/access.h describes, and finds whoever answers in a table of the host's.
 *
 * Included by both sides. All of it is for one thread.
 */
#ifndef PROVE_CALLS_H
#define PROVE_CALLS_H

#include "prove/access.h"

#define PROVE_MAX_THREADS 8
/* And who prepares, before any of them. */
#define PROVE_PREPARER PROVE_MAX_THREADS

/* prove/access.h as a table: the explorer's, or prove/direct.h's. */
struct prove_calls {
	u64 (*load)(const struct access *access);
	void (*store)(const struct access *access, u64 value);
	u64 (*modify)(const struct access *access, enum access_operation operation, u64 operand);
	bool (*compare)(const struct access *access, u64 *expected, u64 desired, u8 failure_order);
	void (*fence)(u8 order, const void *site);
	void (*before_load)(const struct access *access);
	u64 (*await)(const struct access *access, bool (*wanted)(u64 value, u64 argument),
		     u64 argument);
	u64 (*await_and_modify)(const struct access *access,
				bool (*wanted)(u64 value, u64 argument), u64 argument,
				u64 (*change)(u64 value, u64 argument));
	void (*enter)(const void *caller);
	void (*leave)(void);
	void (*pass)(u32 number);
	void (*tell)(u64 outcome);
};

/*
 * A plain or volatile store that was announced, and is done by the code after that: what it stored
 * is told with the thread's next call. Nobody else runs in between.
 */
struct prove_pending {
	u8 *address;
	size_t bytes; /* 0: there is none */
	const void *site;
	u8 how;
};

/* What a thread knows for itself: private, and all zero whenever it begins. */
struct prove_own {
	struct prove_pending pending;
	u32 used;	    /* of its part of the arena, in bytes */
	void *written;	    /* the lock for many readers that it has for itself */
	u32 rcu_count;	    /* what it stored last in its RCU counter: odd in a section */
	u32 rcu_nesting;    /* sections within each other */
	bool rcu_is_online; /* QSBR: whether it is in a section by itself */
};

#define PROVE_MOST_BLOCKS 256

/* A block of the arena. */
struct prove_block {
	void *address;
	u32 bytes;
};

/* The host's side. It outlives all calls of the object's. */
struct prove_host {
	const struct prove_calls *calls;
	u8 *shared; /* what the threads share: accesses beside it are not told */
	size_t shared_bytes;
	u32 thread; /* that runs */
	/*
	 * Where its code may store: in the first bytes of what is shared, on the stack below
	 * `stack`, and in what it was given to fill. Elsewhere is told, before it is done, by where
	 * it stands. `stray` NULL: nobody wants to know.
	 */
	size_t stored_bytes;
	const u8 *stack;
	const u8 *given;
	size_t given_bytes;
	void (*stray)(struct prove_host *host, const void *site);
	/* In the shared memory: what RCU's threads tell each other, and where memory comes from. */
	u32 *rcu_counter; /* for each thread, and the preparer behind them */
	u8 *arena;	  /* a part for each thread, and the preparer's behind them */
	u32 part_bytes;
	struct prove_own own[PROVE_MAX_THREADS + 1];
	/* Who asks for the same again is given the same, so what was told of a block stays true. */
	u32 blocks;
	struct prove_block block[PROVE_MOST_BLOCKS];
};

/* What an object exports, by the name of PROVE_HEAD. */
struct prove_head {
	struct prove_host *host; /* to be set before any call */
	void *entry;		 /* the source's: see readers/reader.h */
	void (*settle)(void); /* tells of a store that is pending; after each call of the entry */
	/* What the source wants of each thread, as struct lock_operations says; NULL: nothing. */
	void (*enlist)(void);
	void (*quiesce)(void);
	void (*leave)(void);
};

#define PROVE_HEAD "prove_head"

#endif /* PROVE_CALLS_H */
