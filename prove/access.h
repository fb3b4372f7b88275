/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What code that is explored does to the memory that its threads share. Each of these calls is one
 * step of the thread that is being run, and may not return: the explorer leaves the thread there by
 * a longjmp, and later runs it again from its beginning, up to that place and beyond.
 *
 * An access outside of the shared memory is the thread's own affair: loads and stores are then done
 * as they stand. Not thread-safe: exploration is one thread's work.
 */
#ifndef PROVE_ACCESS_H
#define PROVE_ACCESS_H

#include <stdbool.h>

#include "sim/types.h"

/* How the source says it. Of plain ones, those that race are told. */
enum access_how {
	ACCESS_ATOMIC,
	ACCESS_VOLATILE,
	ACCESS_PLAIN,
};

/* `order` is one of __ATOMIC_RELAXED to __ATOMIC_SEQ_CST; relaxed for what is not atomic. */
struct access {
	void *address; /* aligned to `bytes`, unless it is plain or volatile */
	u32 bytes;     /* 1, 2, 4, 8; plain and volatile ones may have any number up to 64 */
	u8 order;
	u8 how;		  /* enum access_how */
	const void *site; /* where in the code it stands: the address behind the call */
};

enum access_operation {
	ACCESS_EXCHANGE,
	ACCESS_ADD,
	ACCESS_SUB,
	ACCESS_AND,
	ACCESS_OR,
	ACCESS_XOR,
	ACCESS_NAND,
};

/* Values are those of the low `bytes` bytes; the rest is zero. */
u64 access_load(const struct access *access);
void access_store(const struct access *access, u64 value);
/* A read-modify-write; what was there before. */
u64 access_modify(const struct access *access, enum access_operation operation, u64 operand);
/*
 * A compare-and-exchange, which never fails without a cause. Whether it took place; *expected is
 * then as it was, and else what was there.
 */
bool access_compare(const struct access *access, u64 *expected, u64 desired, u8 failure_order);
void access_fence(u8 order, const void *site);

/*
 * Announces a load that the code does by itself after this returned: the value is then in place.
 */
void access_before_load(const struct access *access);

/*
 * A load that waits until the value is one that `wanted` wants; a read-modify-write that waits for
 * it, and makes `change` of it. What was there. For whatever has no loop of its own: a loop is cut
 * after so many turns, a wait is not.
 */
u64 access_await(const struct access *access, bool (*wanted)(u64 value, u64 argument),
		 u64 argument);
u64 access_await_and_modify(const struct access *access, bool (*wanted)(u64 value, u64 argument),
			    u64 argument, u64 (*change)(u64 value, u64 argument));

/* A function was entered, called from there, or left: one site in two callers is then two. */
void access_enter(const void *caller);
void access_leave(void);

/* What the thread does from here on belongs to its update, or its read, of this number, from 1. */
void access_pass(u32 number);

/* Ends the exploration, which fails with that sentence: what the thread does cannot be explored. */
__attribute__((noreturn)) void access_refuse(const char *why);

/* An outcome of the thread, for whoever judges the execution; so many at most. */
#define ACCESS_MAX_OUTCOMES 8
void access_tell(u64 outcome);

#endif /* PROVE_ACCESS_H */
