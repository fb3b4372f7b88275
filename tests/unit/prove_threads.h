/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests of the explorer: threads written as C functions that call prove/access.h, and the
 * exploration of them. To be included behind cmocka.h.
 */
#ifndef TESTS_UNIT_PROVE_THREADS_H
#define TESTS_UNIT_PROVE_THREADS_H

#include <stdlib.h>

#include "prove/explore.h"

/* What all threads share, and what it is at first: all zero, unless a test says otherwise. */
static struct {
	u32 x, y, z, w;
} shared __attribute__((aligned(8)));

/* A site of its own for each place in the source. */
#define HERE                            \
	({                              \
		static const char site; \
		(const void *)&site;    \
	})

#define RELAXED __ATOMIC_RELAXED
#define ACQUIRE __ATOMIC_ACQUIRE
#define RELEASE __ATOMIC_RELEASE
#define ACQ_REL __ATOMIC_ACQ_REL
#define SEQ_CST __ATOMIC_SEQ_CST

static inline struct access atomic_access(u32 *cell, u8 order, const void *site)
{
	return (struct access){
		.address = cell, .bytes = sizeof(*cell), .order = order, .site = site};
}

static inline u32 load(u32 *cell, u8 order, const void *site)
{
	const struct access access = atomic_access(cell, order, site);

	return (u32)access_load(&access);
}

static inline void store(u32 *cell, u32 value, u8 order, const void *site)
{
	const struct access access = atomic_access(cell, order, site);

	access_store(&access, value);
}

/* As an instrumented plain load is: announced, and then done by the code itself. */
static inline u32 load_plainly(u32 *cell, const void *site)
{
	struct access access = atomic_access(cell, RELAXED, site);

	access.how = ACCESS_PLAIN;
	access_before_load(&access);
	return *(volatile u32 *)cell;
}

static inline void store_plainly(u32 *cell, u32 value, const void *site)
{
	struct access access = atomic_access(cell, RELAXED, site);

	access.how = ACCESS_PLAIN;
	access_store(&access, value);
}

static inline u32 modify(u32 *cell, enum access_operation operation, u32 operand, u8 order,
			 const void *site)
{
	const struct access access = atomic_access(cell, order, site);

	return (u32)access_modify(&access, operation, operand);
}

/* What was there before; it took place if that is `expected`. */
static inline u32 compare(u32 *cell, u32 expected, u32 desired, u8 order, u8 failure_order,
			  const void *site)
{
	const struct access access = atomic_access(cell, order, site);
	u64 found = expected;

	access_compare(&access, &found, desired, failure_order);
	return (u32)found;
}

#define LOAD(cell, order)		   load(&shared.cell, order, HERE)
#define STORE(cell, value, order)	   store(&shared.cell, value, order, HERE)
#define ADD(cell, operand, order)	   modify(&shared.cell, ACCESS_ADD, operand, order, HERE)
#define EXCHANGE(cell, value, order)	   modify(&shared.cell, ACCESS_EXCHANGE, value, order, HERE)
#define COMPARE(cell, old, value, order)   compare(&shared.cell, old, value, order, RELAXED, HERE)
#define COMPARE_OR(cell, old, value, a, b) compare(&shared.cell, old, value, a, b, HERE)
#define FENCE(order)			   access_fence(order, HERE)

typedef void (*prove_thread)(void);

static inline void run_thread_of(void *context, u32 thread)
{
	((const prove_thread *)context)[thread]();
}

/*
 * Explores them with what *config says; *result is the test's to free. Fails the test if the
 * explorer cannot do it.
 */
static inline struct explore_result *explore_with(const prove_thread *thread, u32 count,
						  const struct explore_config *config)
{
	struct explore_result *result = malloc(sizeof(*result));
	const struct explore_threads threads = {
		.count = count,
		.run = run_thread_of,
		.context = (void *)(uintptr_t)thread,
		.shared = &shared,
		.shared_bytes = sizeof(shared),
	};
	struct errmsg err;

	assert_non_null(result);
	if (explore(&threads, config, result, &err))
		fail_msg("not explored: %s", err.text);
	return result;
}

static const enum model all_models[MODELS] = {MODEL_SC, MODEL_TSO, MODEL_WEAK};
static const char *const model_names[MODELS] = {
	[MODEL_SC] = "sc", [MODEL_TSO] = "tso", [MODEL_WEAK] = "weak"};

#endif /* TESTS_UNIT_PROVE_THREADS_H */
