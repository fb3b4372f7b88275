/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A litmus shape: a few threads, an outcome, and which models allow it. To be included behind
 * cmocka.h.
 */
#ifndef TESTS_UNIT_PROVE_SHAPE_H
#define TESTS_UNIT_PROVE_SHAPE_H

#include <stdio.h>

#include "tests/unit/prove_threads.h"

#define SHAPE_THREADS 4

struct shape {
	const char *name;
	prove_thread thread[SHAPE_THREADS];
	u64 told[SHAPE_THREADS][4]; /* the outcome: what each tells, in order */
	u32 last[3];		    /* and what x, y and z are at the end; 0: of no matter */
};

static inline u32 shape_threads(const struct shape *shape)
{
	u32 count = 0;

	while (count < SHAPE_THREADS && shape->thread[count])
		count++;
	return count;
}

static inline bool shape_is_met(void *context, const struct graph *graph)
{
	const struct shape *shape = context;
	u32 *const cell[] = {&shared.x, &shared.y, &shared.z};

	for (u32 i = 0; i < shape_threads(shape); i++)
		for (u32 n = 0; n < graph->thread[i].told; n++)
			if (graph->thread[i].tell[n] != shape->told[i][n])
				return false;
	for (u32 i = 0; i < ARRAY_SIZE(cell); i++)
		if (shape->last[i] &&
		    explore_last(graph, cell[i], sizeof(*cell[i])) != shape->last[i])
			return false;
	return true;
}

/*
 * Whether a complete exploration comes to the outcome. None of these threads loops or waits, so
 * nothing may be cut or blocked.
 */
static inline bool shape_is_allowed(const struct shape *shape, enum model model)
{
	const struct explore_config config = {
		.model = model,
		.turns = 1,
		.last_stores = shape->last[0] || shape->last[1] || shape->last[2],
		.judge = shape_is_met,
		.context = (void *)(uintptr_t)shape,
	};
	struct explore_result *result = explore_with(shape->thread, shape_threads(shape), &config);
	const bool found = result->found;

	assert_true(found || result->complete);
	assert_true(result->executions > 0);
	assert_int_equal(result->cut, 0);
	assert_int_equal(result->blocked, 0);
	free(result);
	return found;
}

/* `answer`: 'a' allowed, 'f' forbidden. 1 if that is not what comes of it, which is told. */
static inline int shape_fails(const struct shape *shape, const char *dress, enum model model,
			      char answer)
{
	const bool allowed = shape_is_allowed(shape, model);

	if (allowed == (answer == 'a'))
		return 0;
	fprintf(stderr, "%s (%s) under %s: %s, which should be %s\n", shape->name, dress,
		model_names[model], allowed ? "allowed" : "forbidden",
		allowed ? "forbidden" : "allowed");
	return 1;
}

#endif /* TESTS_UNIT_PROVE_SHAPE_H */
