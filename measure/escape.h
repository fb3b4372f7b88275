/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A way out of code of others that crashes or never returns, for the thread that has called it: an
 * image's, or what was compiled on demand.
 *
 * The thread arms its escape and jumps back there from the handler of the signal that the crash
 * caused, or that another thread sent it. Code that was left so may leave anything behind.
 */
#ifndef MEASURE_ESCAPE_H
#define MEASURE_ESCAPE_H

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

#include "sim/types.h"

#define ESCAPE_STACK_BYTES 32768

/* One thread's; all zero before escape_begin. */
struct escape {
	sigjmp_buf way_out;
	const void *code; /* where the code lies that may be left */
	u64 code_bytes;
	stack_t other_stack; /* what the thread had */
	u32 requests;	     /* to leave that were let pass */
	bool taken;
	int signal; /* that crashed it; 0: it was asked to leave */
	u64 offset; /* where it was, from the code's start; beyond its size: elsewhere */
	u8 stack[ESCAPE_STACK_BYTES] __attribute__((aligned(16)));
};

/* Sets up the handlers of the process, and puts back what was there. One run at a time. */
void escape_handle(void);
void escape_unhandle(void);

/* Between these two the calling thread leaves by sigsetjmp(escape->way_out, 1), set beforehand. */
void escape_begin(struct escape *escape, const void *code, u64 code_bytes);
void escape_end(struct escape *escape);

/*
 * Asks another thread, which must still exist, to take its way out if it is between the two. It
 * does so at the second request that finds it in that code; let a second pass between them.
 */
void escape_ask(pthread_t thread);

#endif /* MEASURE_ESCAPE_H */
