// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The explorer against plain enumerations that know nothing of it, on small programs made by
 * chance: machines that do one step after another, and all graphs there are held against the
 * axioms. The same outcomes must come of them, and as many graphs, each once.
 *
 * test_prove_random [PROGRAMS [SEED]]: other programs than those of every run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "prove/explore.h"
#include "tests/unit/item_set.h"
#include "tests/unit/prove_axioms.h"
#include "tests/unit/prove_buffers.h"
#include "tests/unit/prove_sample.h"
#include "tests/unit/prove_views.h"

#ifdef CONTEND_TEST_ONCE
static u64 programs = 10000;
#else
static u64 programs = 1000;
#endif
static u64 seed = 1;

/* More candidates than that a program may not have; every so many-th program may have more. */
#define CANDIDATES	5000
#define MANY_CANDIDATES 60000
#define MANY_EVERY	40

static const char *const model_names[MODELS] = {
	[MODEL_SC] = "sc", [MODEL_TSO] = "tso", [MODEL_WEAK] = "weak"};

/*
 * Which store each load took, 0: none; and which stands behind each store, 0: none. A load that is
 * left out of the graph, as it is before stores to its cell are known, took none.
 */
struct signature {
	u8 from[16];
	u8 next[16];
};

struct exploration {
	const struct sample *sample;
	bool last_stores;
	struct item_set outcomes;
	struct item_set graphs; /* signatures */
	u64 executions;
	u64 circles; /* events that come before themselves */
};

static u64 memory[SAMPLE_CELLS];

/* ---- the program, as the explorer runs it ---- */

static struct access access_of(const struct sample *sample, const struct sample_step *step)
{
	return (struct access){
		.address = &memory[step->cell],
		.bytes = sample->bytes,
		.order = step->order,
		.how = step->how,
		.site = step,
	};
}

static u64 do_load(const struct access *access)
{
	u64 value = 0;

	if (access->how == ACCESS_ATOMIC)
		return access_load(access);
	access_before_load(access);
	memcpy(&value, access->address, access->bytes);
	return value;
}

static void do_step(const struct sample *sample, const struct sample_step *step,
		    struct sample_thread *thread, u64 *reg)
{
	const struct access access = access_of(sample, step);
	const u64 value = sample_value(sample, step, thread);

	switch ((enum sample_kind)step->kind) {
	case SAMPLE_LOAD:
		*reg = do_load(&access);
		break;
	case SAMPLE_STORE:
		access_store(&access, value);
		break;
	case SAMPLE_MODIFY:
		*reg = access_modify(&access, step->operation, value);
		break;
	case SAMPLE_COMPARE:
		*reg = step->expected;
		access_compare(&access, reg, value, step->failure_order);
		break;
	case SAMPLE_FENCE:
		access_fence(step->order, step);
		break;
	}
}

static void run_thread(void *context, u32 number)
{
	const struct sample *sample = context;
	struct sample_thread thread = {.done = 0};

	for (u32 n = 0; n < sample->steps[number]; n++) {
		const struct sample_step *step = &sample->step[number][n];

		if (!sample_is_done(step, &thread))
			continue;
		do_step(sample, step, &thread, &thread.reg[n]);
		thread.done |= 1u << n;
	}
	access_tell(sample_told(&thread));
}

static u8 number_of(const struct sample *sample, const struct event *event)
{
	const struct sample_step *step = event->site;

	return (u8)(1 + (step - &sample->step[0][0]));
}

static struct signature signature_of(const struct sample *sample, const struct graph *graph)
{
	struct signature signature = {{0}, {0}};

	for (u32 i = 1; i < graph->events; i++) {
		const struct event *event = &graph->event[i];
		const u8 number = number_of(sample, event);

		if (event->kind == EVENT_FENCE)
			continue;
		if (event_loads(event) && event->from)
			signature.from[number] = number_of(sample, &graph->event[event->from]);
		if (event_stores(event) && event->next)
			signature.next[number] = number_of(sample, &graph->event[event->next]);
	}
	return signature;
}

static bool look(void *context, const struct graph *graph)
{
	struct exploration *exploration = context;
	const struct sample *sample = exploration->sample;
	const struct signature signature = signature_of(sample, graph);
	struct sample_outcome outcome = {.last = 0};
	u64 last[SAMPLE_CELLS] = {0};

	for (u32 i = 1; i < graph->events; i++)
		exploration->circles += event_set_has(&graph->event[i].before, i);
	for (u32 i = 0; i < sample->threads; i++)
		outcome.told[i] = graph->thread[i].tell[0];
	for (u32 cell = 0; cell < SAMPLE_CELLS && exploration->last_stores; cell++)
		last[cell] = explore_last(graph, &memory[cell], sample->bytes);
	outcome.last = sample_last(last);
	item_set_add(&exploration->outcomes, &outcome);
	item_set_add(&exploration->graphs, &signature);
	return false;
}

static void explore_sample(enum model model, struct exploration *exploration)
{
	static struct explore_result result;
	const struct explore_threads threads = {
		.count = exploration->sample->threads,
		.run = run_thread,
		.context = (void *)(uintptr_t)exploration->sample,
		.shared = memory,
		.shared_bytes = sizeof(memory),
	};
	const struct explore_config config = {
		.model = model,
		.turns = 1,
		.last_stores = exploration->last_stores,
		.judge = look,
		.context = exploration,
	};
	struct errmsg err;

	for (u32 cell = 0; cell < SAMPLE_CELLS; cell++)
		memory[cell] = exploration->sample->initial[cell];
	if (explore(&threads, &config, &result, &err))
		fail_msg("not explored: %s", err.text);
	assert_true(result.complete);
	assert_int_equal(result.cut, 0);
	assert_int_equal(result.blocked, 0);
	assert_int_equal(exploration->circles, 0);
	exploration->executions = result.executions;
}

/* ---- one program, in all ways ---- */

struct ways {
	struct exploration explored[MODELS];
	struct exploration without_last[MODELS]; /* stores that nobody loads left out */
	struct item_set by_axioms[MODELS];
	struct item_set by_machine[MODELS];
	struct item_set told; /* what was explored, without the last values */
	u64 graphs;	      /* consistent ones, of all programs and models */
	u64 candidates;
	u64 failures;
	bool quiet;
};

static void begin_ways(struct ways *ways)
{
	for (u32 model = 0; model < MODELS; model++) {
		const struct exploration empty = {
			.outcomes = item_set_of(sizeof(struct sample_outcome)),
			.graphs = item_set_of(sizeof(struct signature)),
		};

		ways->explored[model] = ways->without_last[model] = empty;
		ways->explored[model].last_stores = true;
		ways->by_axioms[model] = ways->by_machine[model] = empty.outcomes;
	}
	ways->told = item_set_of(sizeof(struct sample_outcome));
}

static void clear_ways(struct ways *ways, const struct sample *sample)
{
	for (u32 model = 0; model < MODELS; model++) {
		item_set_clear(&ways->explored[model].outcomes);
		item_set_clear(&ways->explored[model].graphs);
		item_set_clear(&ways->without_last[model].outcomes);
		item_set_clear(&ways->without_last[model].graphs);
		item_set_clear(&ways->by_axioms[model]);
		item_set_clear(&ways->by_machine[model]);
		ways->explored[model].sample = ways->without_last[model].sample = sample;
	}
}

static void free_ways(struct ways *ways)
{
	for (u32 model = 0; model < MODELS; model++) {
		item_set_free(&ways->explored[model].outcomes);
		item_set_free(&ways->explored[model].graphs);
		item_set_free(&ways->without_last[model].outcomes);
		item_set_free(&ways->without_last[model].graphs);
		item_set_free(&ways->by_axioms[model]);
		item_set_free(&ways->by_machine[model]);
	}
	item_set_free(&ways->told);
}

static void complain(struct ways *ways, const struct sample *sample, enum model model,
		     const char *about)
{
	ways->failures++;
	if (ways->quiet)
		return;
	fprintf(stderr, "%s: %s\n", model_names[model], about);
	print_sample(sample);
}

static void print_missing(const struct sample *sample, const char *what, const struct item_set *of,
			  const struct item_set *in)
{
	for (size_t i = 0; i < of->count; i++)
		if (!item_set_has(in, item_set_at(of, i))) {
			fprintf(stderr, "  %s:", what);
			print_outcome(sample, item_set_at(of, i));
		}
}

static void compare_outcomes(struct ways *ways, const struct sample *sample, enum model model,
			     const struct item_set *plain, const char *by)
{
	const struct item_set *explored = &ways->explored[model].outcomes;

	if (item_set_within(plain, explored) && item_set_within(explored, plain))
		return;
	complain(ways, sample, model, by);
	if (ways->quiet)
		return;
	print_missing(sample, "not explored", plain, explored);
	print_missing(sample, "explored only", explored, plain);
}

static void compare_without_last(struct ways *ways, const struct sample *sample, enum model model)
{
	const struct item_set *with = &ways->explored[model].outcomes;
	const struct item_set *without = &ways->without_last[model].outcomes;

	item_set_clear(&ways->told);
	for (size_t i = 0; i < with->count; i++) {
		struct sample_outcome outcome;

		memcpy(&outcome, item_set_at(with, i), sizeof(outcome));
		outcome.last = 0;
		item_set_add(&ways->told, &outcome);
	}
	if (!item_set_within(&ways->told, without) || !item_set_within(without, &ways->told))
		complain(ways, sample, model, "other outcomes where stores are left out");
	if (ways->without_last[model].executions > ways->explored[model].executions)
		complain(ways, sample, model, "more graphs where stores are left out");
}

static void compare_graphs(struct ways *ways, const struct sample *sample, enum model model,
			   u64 graphs)
{
	const struct exploration *explored = &ways->explored[model];

	ways->graphs += graphs;
	if (explored->executions != explored->graphs.count)
		complain(ways, sample, model, "a graph was reached twice");
	if (explored->executions > graphs)
		complain(ways, sample, model, "more graphs explored than are consistent");
	if (explored->executions < graphs)
		complain(ways, sample, model, "fewer graphs explored than are consistent");
}

static void try_sample(struct ways *ways, const struct sample *sample, bool seq_cst)
{
	struct axioms_search axioms = {.sample = sample};

	clear_ways(ways, sample);
	for (u32 model = 0; model < MODELS; model++) {
		explore_sample((enum model)model, &ways->explored[model]);
		explore_sample((enum model)model, &ways->without_last[model]);
		axioms.model[model] = true;
		axioms.outcomes[model] = &ways->by_axioms[model];
	}
	axioms_search(&axioms);
	ways->candidates += axioms.candidates;
	buffers_outcomes(sample, false, &ways->by_machine[MODEL_SC]);
	buffers_outcomes(sample, true, &ways->by_machine[MODEL_TSO]);
	if (!seq_cst)
		views_outcomes(sample, &ways->by_machine[MODEL_WEAK]);
	for (u32 i = 0; i < MODELS; i++) {
		const enum model model = (enum model)i;

		if (model != MODEL_WEAK || !seq_cst)
			compare_outcomes(ways, sample, model, &ways->by_machine[model],
					 "other outcomes than the machine's");
		compare_outcomes(ways, sample, model, &ways->by_axioms[model],
				 "other outcomes than by the axioms");
		compare_graphs(ways, sample, model, axioms.graphs[model]);
		compare_without_last(ways, sample, model);
	}
}

static bool fails(struct ways *ways, const struct sample *sample, bool seq_cst)
{
	const u64 before = ways->failures;

	try_sample(ways, sample, seq_cst);
	return ways->failures > before;
}

/* As few steps of it as still fail, and what is wrong with them. */
static void tell_failure(struct ways *ways, const struct sample *sample, bool seq_cst)
{
	struct sample least = *sample;

	ways->quiet = true;
	for (u32 i = 0; i < least.threads; i++)
		for (u32 n = 0; n < least.steps[i];) {
			const struct sample less = sample_without(&least, i, n);

			if (fails(ways, &less, seq_cst)) {
				least = less;
				i = n = 0;
			} else {
				n++;
			}
		}
	ways->quiet = false;
	try_sample(ways, &least, seq_cst);
}

static void test_random_programs(void **state)
{
	struct ways ways = {.failures = 0};
	u64 random = seed;

	(void)state;
	begin_ways(&ways);
	for (u64 i = 0; i < programs && !ways.failures; i++) {
		static struct sample sample;
		const bool seq_cst = i % 2;

		make_sample(&random, &sample, seq_cst,
			    i % MANY_EVERY ? CANDIDATES : MANY_CANDIDATES);
		ways.quiet = true;
		if (!fails(&ways, &sample, seq_cst))
			continue;
		fprintf(stderr, "program %" PRIu64 " of seed %" PRIu64 "\n", i, seed);
		tell_failure(&ways, &sample, seq_cst);
	}
	printf("seed %" PRIu64 ": %" PRIu64 " programs, %" PRIu64 " graphs consistent of %" PRIu64
	       " candidates under three models\n",
	       seed, programs, ways.graphs, ways.candidates);
	free_ways(&ways);
	assert_int_equal(ways.failures, 0);
}

/* A number, or the end of the program. */
static u64 number_from(const char *text)
{
	char *end;
	const unsigned long long number = strtoull(text, &end, 10);

	if (*end || end == text) {
		fprintf(stderr, "usage: test_prove_random [PROGRAMS [SEED]]; '%s' is no number\n",
			text);
		exit(1);
	}
	return number;
}

int main(int count, char **arguments)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_programs),
	};

	if (count > 1)
		programs = number_from(arguments[1]);
	if (count > 2)
		seed = number_from(arguments[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
