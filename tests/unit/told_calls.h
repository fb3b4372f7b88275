/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A host for code that is to be explored: it does what it is told to at once, on the memory as it
 * stands, and writes down what that was, in words.
 */
#ifndef TESTS_UNIT_TOLD_CALLS_H
#define TESTS_UNIT_TOLD_CALLS_H

#include <stdio.h>
#include <string.h>

#include "prove/calls.h"

#define TOLD_BYTES 32768

static u8 told_memory[TOLD_BYTES] __attribute__((aligned(64)));
static char told[8192];
static u32 told_entered;	   /* functions that were not left yet */
static u32 told_waits;		   /* that found what they waited for */
static bool told_waits_in_vain;	   /* one would have waited for ever */
static const void *told_site;	   /* of the last access */
static const void *told_sites[64]; /* of all, in order */
static u32 told_accesses;
static struct prove_host told_host;

static const char *told_order(u8 order)
{
	static const char *const names[] = {"relaxed", "consume", "acquire",
					    "release", "acq_rel", "seq_cst"};

	return order < ARRAY_SIZE(names) ? names[order] : "?";
}

/* Accesses as "load4 acquire +8 =5": bytes, order or how, offset, value. */
static void tell_access(const char *what, const struct access *access, u64 value)
{
	static const char *const hows[] = {NULL, "volatile", "plain"};
	const size_t used = strlen(told);

	told_site = access->site;
	if (told_accesses < ARRAY_SIZE(told_sites))
		told_sites[told_accesses] = access->site;
	told_accesses++;
	snprintf(told + used, sizeof(told) - used, "%s%s%u %s +%ld =%llu", used ? ", " : "", what,
		 access->bytes, access->how ? hows[access->how] : told_order(access->order),
		 (long)((u8 *)access->address - told_memory), (unsigned long long)value);
}

static u64 told_peek(const struct access *access)
{
	u64 value = 0;

	memcpy(&value, access->address, access->bytes);
	return value;
}

static void told_poke(const struct access *access, u64 value)
{
	memcpy(access->address, &value, access->bytes);
}

static u64 told_load(const struct access *access)
{
	tell_access("load", access, told_peek(access));
	return told_peek(access);
}

static void told_store(const struct access *access, u64 value)
{
	tell_access("store", access, value);
	told_poke(access, value);
}

static void told_before_load(const struct access *access)
{
	tell_access("look", access, told_peek(access));
}

static u64 told_modify(const struct access *access, enum access_operation operation, u64 operand)
{
	static const char *const names[] = {"exchange", "add", "sub", "and", "or", "xor", "nand"};
	const u64 was = told_peek(access);
	u64 is = operand;

	tell_access(names[operation], access, operand);
	if (operation == ACCESS_ADD)
		is = was + operand;
	else if (operation == ACCESS_SUB)
		is = was - operand;
	else if (operation == ACCESS_AND)
		is = was & operand;
	else if (operation == ACCESS_OR)
		is = was | operand;
	else if (operation == ACCESS_XOR)
		is = was ^ operand;
	else if (operation == ACCESS_NAND)
		is = ~(was & operand);
	told_poke(access, is);
	return was;
}

static bool told_compare(const struct access *access, u64 *expected, u64 desired, u8 failure_order)
{
	const u64 was = told_peek(access);
	const bool done = was == *expected;
	size_t used;

	tell_access(done ? "swap" : "differ", access, desired);
	used = strlen(told);
	snprintf(told + used, sizeof(told) - used, " else %s", told_order(failure_order));
	if (done)
		told_poke(access, desired);
	*expected = was;
	return done;
}

static void told_fence(u8 order, const void *site)
{
	const size_t used = strlen(told);

	told_site = site;
	snprintf(told + used, sizeof(told) - used, "%sfence %s", used ? ", " : "",
		 told_order(order));
}

static u64 told_await(const struct access *access, bool (*wanted)(u64 value, u64 argument),
		      u64 argument)
{
	const u64 is = told_peek(access);

	tell_access("await", access, is);
	if (wanted(is, argument))
		told_waits++;
	else
		told_waits_in_vain = true;
	return is;
}

static u64 told_await_and_modify(const struct access *access,
				 bool (*wanted)(u64 value, u64 argument), u64 argument,
				 u64 (*change)(u64 value, u64 argument))
{
	const u64 was = told_peek(access);

	tell_access("take", access, change(was, argument));
	if (wanted(was, argument))
		told_waits++;
	else
		told_waits_in_vain = true;
	told_poke(access, change(was, argument));
	return was;
}

static void told_enter(const void *caller)
{
	(void)caller;
	told_entered++;
}

static void told_leave(void)
{
	told_entered--;
}

static const struct prove_calls told_calls = {
	.load = told_load,
	.store = told_store,
	.modify = told_modify,
	.compare = told_compare,
	.fence = told_fence,
	.before_load = told_before_load,
	.await = told_await,
	.await_and_modify = told_await_and_modify,
	.enter = told_enter,
	.leave = told_leave,
};

static void told_forget(void)
{
	told[0] = '\0';
	told_site = NULL;
	told_accesses = told_waits = 0;
	told_waits_in_vain = false;
}

/*
 * Memory all zero, and nothing told. The second half is for RCU's counters and what is allocated.
 */
static void told_begin(void)
{
	u8 *const behind = told_memory + TOLD_BYTES / 2;

	memset(told_memory, 0, sizeof(told_memory));
	memset(&told_host, 0, sizeof(told_host));
	told_host.calls = &told_calls;
	told_host.shared = told_memory;
	told_host.shared_bytes = sizeof(told_memory);
	told_host.rcu_counter = (u32 *)(void *)behind;
	told_host.arena = behind + 256;
	told_host.part_bytes = 1536;
	told_entered = 0;
	told_forget();
}

#endif /* TESTS_UNIT_TOLD_CALLS_H */
