/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which instructions one call of a function executes: it is called in a child process, which is
 * stepped from instruction to instruction (ptrace). x86 only; needs no privilege but that nobody
 * else traces this process and no sandbox forbids ptrace.
 */
#ifndef MEASURE_TRACE_H
#define MEASURE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/errmsg.h"

/* The longest call that can be traced. A clock read takes some 60 instructions. */
#define TRACE_MAX 2048

/* What a call may take, of CPU time if it spins, of any time if it sleeps. */
#define TRACE_CPU_SECONDS 1
#define TRACE_SECONDS	  10

/* A function of up to four integers or pointers, in registers or in longs on the stack. */
struct trace_call {
	void *function;
	long argument[4];
};

/* Where each executed instruction begins, the function's first and its return included. */
struct trace {
	size_t count; /* 0: it could not be traced */
	uintptr_t address[TRACE_MAX];
	/* Then: it is the call's own doing. It crashes, ends its process, or is too long. */
	bool call_fails;
};

/* The registers before an instruction; of those that a 32-bit machine has not, and of bases that it
 * does not tell, 0. */
struct trace_registers {
	uint64_t
		general[16]; /* in the order of x86's numbers: ax, cx, dx, bx, sp, bp, si, di, r8 */
	uint64_t fs_base;
	uint64_t gs_base;
};

/* What is wanted of a call beside its addresses. */
struct trace_watch {
	struct trace_registers *registers; /* room for TRACE_MAX; NULL: not wanted */
	/*
	 * Called in this process while the call stands still before its instruction `step`, the
	 * function's first being 0. What it writes to memory that is shared, the call sees. NULL:
	 * not wanted.
	 */
	void (*before)(void *context, size_t step);
	void *context;
};

/*
 * Traces some calls and keeps the shortest, as a call that is disturbed is longer: single steps are
 * slow, and the page may be updated in any of them. What a call does to memory of this process
 * alone, it does to the child's. Returns 0, or -1 with a sentence in *err: it cannot be traced
 * here, a call is longer than TRACE_MAX instructions, does not return in time, or crashes. Where
 * children cannot be traced, the child calls all the same, so that a call that fails is found. The
 * calling process should have one thread; its signals wait until there is a child.
 */
int trace_quiet_call(const struct trace_call *call, struct trace *trace, struct errmsg *err);

/* The same of one call, the third that the child makes, with what is wanted beside. */
int trace_watched_call(const struct trace_call *call, const struct trace_watch *watch,
		       struct trace *trace, struct errmsg *err);

#endif /* MEASURE_TRACE_H */
