// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What an exploration tells of the places in the code: races, what stands where, edits of that; of
 * cells and their sizes; and its limits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/prove_threads.h"

static const char at_data_store, at_release, at_flag_store, at_flag_load, at_acquire, at_data_load;
static struct explore_result *result;

static int free_result(void **state)
{
	(void)state;
	free(result);
	result = NULL;
	return 0;
}

/* ---- message passing, with all said by name ---- */

static u8 flag_stored = RELAXED, flag_loaded = RELAXED;
static bool looks_anyway;

static void publishes(void)
{
	store_plainly(&shared.x, 1, &at_data_store);
	access_fence(RELAXED, &at_release);
	store(&shared.y, 1, flag_stored, &at_flag_store);
}

static void fetches(void)
{
	const u32 flag = load(&shared.y, flag_loaded, &at_flag_load);

	access_fence(RELAXED, &at_acquire);
	if (flag || looks_anyway)
		access_tell(load_plainly(&shared.x, &at_data_load));
}

static void publishes_with_fence(void)
{
	store_plainly(&shared.x, 1, &at_data_store);
	access_fence(RELEASE, &at_release);
	store(&shared.y, 1, RELAXED, &at_flag_store);
}

static bool is_stale(void *context, const struct graph *graph)
{
	(void)context;
	return graph->thread[1].told && graph->thread[1].tell[0] == 0;
}

static bool is_none(void *context, const struct graph *graph)
{
	(void)context;
	(void)graph;
	return false;
}

static void explore_pair(const prove_thread *threads, enum model model,
			 const struct explore_edit *edit, u32 edits)
{
	const struct explore_config config = {
		.model = model,
		.turns = 1,
		.edit = edit,
		.edits = edits,
		.judge = is_stale,
	};

	free(result);
	result = explore_with(threads, 2, &config);
}

static void explore_to_end(const prove_thread *threads, u32 count, enum model model)
{
	const struct explore_config config = {.model = model, .turns = 1, .judge = is_none};

	free(result);
	result = explore_with(threads, count, &config);
	assert_true(result->complete);
}

/* ---- races ---- */

static bool is_race_of(const struct explore_race *race, const void *a, const void *b)
{
	return (race->site[0] == a && race->site[1] == b) ||
	       (race->site[0] == b && race->site[1] == a);
}

static void test_races(void **state)
{
	static const prove_thread threads[] = {publishes, fetches};
	static const struct {
		u8 stored, loaded;
		bool anyway, races;
	} cases[] = {
		{RELAXED, RELAXED, false, true},  {RELEASE, RELAXED, false, true},
		{RELAXED, ACQUIRE, false, true},  {RELEASE, ACQUIRE, false, false},
		{SEQ_CST, SEQ_CST, false, false}, {RELEASE, ACQUIRE, true, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		flag_stored = cases[i].stored;
		flag_loaded = cases[i].loaded;
		looks_anyway = cases[i].anyway;
		explore_to_end(threads, 2, MODEL_WEAK);
		assert_int_equal(result->races, cases[i].races);
		if (!cases[i].races)
			continue;
		assert_true(is_race_of(&result->race[0], &at_data_store, &at_data_load));
		assert_int_equal(result->cell[result->race[0].cell].offset,
				 offsetof(typeof(shared), x));
		assert_int_equal(result->race[0].kind[0] + result->race[0].kind[1],
				 EVENT_LOAD + EVENT_STORE);
	}
	flag_stored = flag_loaded = RELAXED;
	looks_anyway = false;
}

/* Who only loads races with nobody who does. */
static void test_two_who_load(void **state)
{
	static const prove_thread threads[] = {publishes, fetches, fetches};

	(void)state;
	flag_stored = RELEASE;
	flag_loaded = ACQUIRE;
	explore_to_end(threads, 3, MODEL_WEAK);
	assert_int_equal(result->races, 0);
	flag_stored = flag_loaded = RELAXED;
}

static void stores_plainly(void)
{
	store_plainly(&shared.x, 1, &at_data_store);
}

static void stores_plainly_too(void)
{
	store_plainly(&shared.x, 2, &at_flag_store);
}

static void stores_atomically(void)
{
	store(&shared.x, 2, RELAXED, &at_flag_store);
}

static void adds_atomically(void)
{
	modify(&shared.x, ACCESS_ADD, 2, RELAXED, &at_flag_store);
}

static void loads_plainly(void)
{
	load_plainly(&shared.x, &at_data_load);
}

static void loads_plainly_too(void)
{
	load_plainly(&shared.x, &at_flag_load);
}

static void loads_atomically(void)
{
	load(&shared.x, ACQUIRE, &at_flag_load);
}

static void stores_another(void)
{
	store_plainly(&shared.y, 1, &at_flag_store);
}

static void test_what_races(void **state)
{
	static const struct {
		prove_thread thread[2];
		const void *site[2];
		bool races;
	} cases[] = {
		{{stores_plainly, stores_plainly_too}, {&at_data_store, &at_flag_store}, true},
		{{stores_plainly, stores_atomically}, {&at_data_store, &at_flag_store}, true},
		{{stores_plainly, adds_atomically}, {&at_data_store, &at_flag_store}, true},
		{{stores_plainly, loads_atomically}, {&at_data_store, &at_flag_load}, true},
		{{stores_atomically, loads_plainly}, {&at_flag_store, &at_data_load}, true},
		{{adds_atomically, loads_plainly}, {&at_flag_store, &at_data_load}, true},
		{{stores_atomically, loads_atomically}, {NULL, NULL}, false},
		{{adds_atomically, adds_atomically}, {NULL, NULL}, false},
		{{loads_plainly, loads_plainly_too}, {NULL, NULL}, false},
		{{stores_plainly, stores_another}, {NULL, NULL}, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		explore_to_end(cases[i].thread, 2, MODEL_WEAK);
		assert_int_equal(result->races, cases[i].races);
		if (cases[i].races)
			assert_true(
				is_race_of(&result->race[0], cases[i].site[0], cases[i].site[1]));
	}
}

/* ---- what stands where ---- */

static const struct explore_site *find_site(const void *site)
{
	for (u32 i = 0; i < result->sites; i++)
		if (result->site[i].site == site)
			return &result->site[i];
	fail_msg("a site that was come to is not told");
	return NULL;
}

static void assert_site(const void *at, enum event_kind kind, enum access_how how, u8 order,
			u32 threads)
{
	const struct explore_site *site = find_site(at);

	assert_int_equal(site->kind, kind);
	if (kind != EVENT_FENCE)
		assert_int_equal(site->how, how);
	assert_int_equal(site->order, order);
	assert_int_equal(site->threads, threads);
}

static void test_sites(void **state)
{
	static const prove_thread threads[] = {publishes_with_fence, fetches, fetches};

	(void)state;
	flag_loaded = ACQUIRE;
	for (u32 model = 0; model < MODELS; model++) {
		explore_to_end(threads, 3, all_models[model]);
		assert_site(&at_data_store, EVENT_STORE, ACCESS_PLAIN, RELAXED, 1);
		assert_site(&at_release, EVENT_FENCE, ACCESS_ATOMIC, RELEASE, 1);
		assert_site(&at_flag_store, EVENT_STORE, ACCESS_ATOMIC, RELAXED, 1);
		assert_site(&at_flag_load, EVENT_LOAD, ACCESS_ATOMIC, ACQUIRE, 6);
		assert_site(&at_data_load, EVENT_LOAD, ACCESS_PLAIN, RELAXED, 6);
	}
	flag_loaded = RELAXED;
}

/* ---- edits ---- */

#define EDIT(where, what)                         \
	{                                         \
		.site = &(where), .order = (what) \
	}
#define FENCE_BEFORE(where, what)                                      \
	{                                                              \
		.site = &(where), .order = (what), .fence_first = true \
	}
#define MAX_EDITS 2

static void test_edits(void **state)
{
	static const prove_thread bare[] = {publishes, fetches};
	static const prove_thread fenced[] = {publishes_with_fence, fetches};
	static const struct {
		const prove_thread *thread;
		u8 stored, loaded;
		struct explore_edit edit[MAX_EDITS];
		u32 edits;
		bool stale;
	} cases[] = {
		/* Made stronger. */
		{bare, RELAXED, RELAXED, {{.site = NULL}}, 0, true},
		{bare, RELAXED, ACQUIRE, {EDIT(at_flag_store, RELEASE)}, 1, false},
		{bare, RELEASE, RELAXED, {EDIT(at_flag_load, ACQUIRE)}, 1, false},
		{bare,
		 RELAXED,
		 RELAXED,
		 {EDIT(at_flag_store, RELEASE), EDIT(at_flag_load, ACQUIRE)},
		 2,
		 false},
		{bare, RELAXED, RELAXED, {EDIT(at_flag_store, RELEASE)}, 1, true},
		{bare, RELAXED, ACQUIRE, {EDIT(at_release, RELEASE)}, 1, false},
		{bare, RELEASE, RELAXED, {EDIT(at_acquire, ACQUIRE)}, 1, false},
		/* A fence of its own. */
		{bare, RELAXED, ACQUIRE, {FENCE_BEFORE(at_flag_store, RELEASE)}, 1, false},
		{bare, RELEASE, RELAXED, {FENCE_BEFORE(at_data_load, ACQUIRE)}, 1, false},
		{bare, RELAXED, ACQUIRE, {FENCE_BEFORE(at_data_store, RELEASE)}, 1, true},
		{bare, RELEASE, RELAXED, {FENCE_BEFORE(at_flag_load, ACQUIRE)}, 1, true},
		/* Made weaker. */
		{bare, RELEASE, ACQUIRE, {{.site = NULL}}, 0, false},
		{bare, RELEASE, ACQUIRE, {EDIT(at_flag_store, RELAXED)}, 1, true},
		{bare, RELEASE, ACQUIRE, {EDIT(at_flag_load, RELAXED)}, 1, true},
		{fenced, RELAXED, ACQUIRE, {{.site = NULL}}, 0, false},
		{fenced, RELAXED, ACQUIRE, {EDIT(at_release, RELAXED)}, 1, true},
		{fenced, RELAXED, ACQUIRE, {EDIT(at_release, SEQ_CST)}, 1, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		flag_stored = cases[i].stored;
		flag_loaded = cases[i].loaded;
		explore_pair(cases[i].thread, MODEL_WEAK, cases[i].edit, cases[i].edits);
		if (result->found != cases[i].stale)
			fail_msg("case %zu: stale data was %sfound", i,
				 result->found ? "" : "not ");
		assert_int_equal(result->complete, !result->found);
	}
	/* What is told of a site is what stands there. */
	assert_site(&at_release, EVENT_FENCE, ACCESS_ATOMIC, RELEASE, 1);
	flag_stored = flag_loaded = RELAXED;
}

static u8 compared = ACQUIRE, failed = ACQUIRE;

static void fetches_by_compare(void)
{
	if (compare(&shared.y, 2, 3, compared, failed, &at_flag_load))
		access_tell(load_plainly(&shared.x, &at_data_load));
}

/* One that fails, and acquires by that. */
static void test_edits_of_compares(void **state)
{
	static const prove_thread threads[] = {publishes, fetches_by_compare};
	static const struct {
		u8 success, failure;
		struct explore_edit edit[1];
		u32 edits;
		bool stale;
	} cases[] = {
		{ACQUIRE, ACQUIRE, {{.site = NULL}}, 0, false},
		{ACQUIRE, ACQUIRE, {EDIT(at_flag_load, RELAXED)}, 1, true},
		{ACQ_REL, ACQUIRE, {EDIT(at_flag_load, ACQUIRE)}, 1, false},
		{ACQ_REL, ACQUIRE, {EDIT(at_flag_load, RELEASE)}, 1, true},
		{ACQ_REL, RELAXED, {{.site = NULL}}, 0, true},
		{ACQ_REL, RELAXED, {EDIT(at_flag_load, ACQUIRE)}, 1, true},
		{RELEASE, RELAXED, {EDIT(at_flag_load, ACQ_REL)}, 1, false},
	};

	(void)state;
	flag_stored = RELEASE;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		compared = cases[i].success;
		failed = cases[i].failure;
		explore_pair(threads, MODEL_WEAK, cases[i].edit, cases[i].edits);
		if (result->found != cases[i].stale)
			fail_msg("case %zu: stale data was %sfound", i,
				 result->found ? "" : "not ");
	}
	flag_stored = RELAXED;
}

/* On x86 only what is in between a store and a load matters. */
static void stores_x_loads_y(void)
{
	store(&shared.x, 1, RELAXED, &at_flag_store);
	access_tell(load(&shared.y, RELAXED, &at_flag_load));
}

static void stores_y_loads_x(void)
{
	store(&shared.y, 1, RELAXED, &at_data_store);
	access_tell(load(&shared.x, RELAXED, &at_data_load));
}

static bool is_both_stale(void *context, const struct graph *graph)
{
	(void)context;
	return graph->thread[0].tell[0] == 0 && graph->thread[1].tell[0] == 0;
}

static void test_edits_on_x86(void **state)
{
	static const prove_thread threads[] = {stores_x_loads_y, stores_y_loads_x};
	static const struct explore_edit fences[] = {FENCE_BEFORE(at_flag_load, SEQ_CST),
						     FENCE_BEFORE(at_data_load, SEQ_CST)};
	static const struct explore_edit stores[] = {EDIT(at_flag_store, SEQ_CST),
						     EDIT(at_data_store, SEQ_CST)};
	struct explore_config config = {.model = MODEL_TSO, .turns = 1, .judge = is_both_stale};

	(void)state;
	for (u32 edits = 0; edits <= 2; edits++)
		for (u32 i = 0; i < 2; i++) {
			config.edit = i ? stores : fences;
			config.edits = edits;
			free(result);
			result = explore_with(threads, 2, &config);
			assert_int_equal(result->found, edits < 2);
		}
}

/* ---- once more ---- */

static u32 kept;

static void fetches_and_keeps(void)
{
	kept = load(&shared.y, SEQ_CST, &at_flag_load) << 8;
	kept |= load(&shared.x, RELAXED, &at_data_load);
	access_tell(kept);
}

static void stores_two(void)
{
	store(&shared.x, 1, RELAXED, &at_data_store);
	store(&shared.z, 1, SEQ_CST, &at_release);
	store(&shared.x, 2, RELAXED, &at_data_store);
	store(&shared.y, 3, RELEASE, &at_flag_store);
}

static bool is_wanted(void *context, const struct graph *graph)
{
	return graph->thread[1].tell[0] == *(const u32 *)context;
}

static void test_rerun(void **state)
{
	static const prove_thread thread[] = {stores_two, fetches_and_keeps};
	static const u32 outcomes[] = {0, 1, 2, 3 << 8 | 2};
	const struct explore_threads threads = {
		.count = 2,
		.run = run_thread_of,
		.context = (void *)(uintptr_t)thread,
		.shared = &shared,
		.shared_bytes = sizeof(shared),
	};
	struct errmsg err;

	(void)state;
	for (u32 model = 0; model < MODELS; model++)
		for (size_t i = 0; i < ARRAY_SIZE(outcomes); i++) {
			const struct explore_config config = {
				.model = all_models[model],
				.turns = 1,
				.judge = is_wanted,
				.context = (void *)(uintptr_t)&outcomes[i],
			};

			free(result);
			result = explore_with(thread, 2, &config);
			assert_true(result->found);
			kept = 99;
			assert_int_equal(explore_rerun(&threads, &config, result, 1, &err), 0);
			assert_int_equal(kept, outcomes[i]);
			assert_int_equal(shared.x | shared.y | shared.z, 0);
		}
}

/* ---- sizes ---- */

static u8 *byte_of_x(u32 number)
{
	return (u8 *)&shared.x + number;
}

static u64 load_bytes(const void *at, u32 bytes, const void *site)
{
	const struct access access = {.address = (void *)(uintptr_t)at,
				      .bytes = bytes,
				      .how = ACCESS_VOLATILE,
				      .site = site};

	return access_load(&access);
}

static void stores_all_of_x(void)
{
	STORE(x, 0x04030201, RELAXED);
}

static void loads_two_bytes_of_x(void)
{
	access_tell(load_bytes(byte_of_x(1), 1, HERE));
	access_tell(load_bytes(byte_of_x(2), 1, HERE));
}

static void loads_x_and_y(void)
{
	access_tell(load_bytes(&shared.x, 8, HERE));
}

static void stores_x_and_y(void)
{
	STORE(x, 1, RELAXED);
	STORE(y, 2, RELAXED);
}

static void adds_to_x(void)
{
	ADD(x, 1, RELAXED);
}

static bool note_told(void *context, const struct graph *graph)
{
	u32 *seen = context;
	const struct graph_thread *thread = &graph->thread[1];

	for (u32 i = 0; i < thread->told; i++)
		*seen |= 1u << ((thread->tell[i] | thread->tell[i] >> 30) & 31);
	return false;
}

/* By what another thread loads, a store is in parts, each of which comes by itself. */
static void test_sizes(void **state)
{
	static const prove_thread parts[] = {stores_all_of_x, loads_two_bytes_of_x};
	static const prove_thread whole[] = {stores_x_and_y, loads_x_and_y};
	u32 seen = 0;
	struct explore_config config = {
		.model = MODEL_WEAK, .turns = 1, .judge = note_told, .context = &seen};

	(void)state;
	free(result);
	result = explore_with(parts, 2, &config);
	assert_true(result->mixed);
	assert_int_equal(result->executions, 4);
	assert_int_equal(seen, 1u << 0 | 1u << 2 | 1u << 3);
	/* x in the low half, y in the high one. */
	seen = 0;
	free(result);
	result = explore_with(whole, 2, &config);
	assert_int_equal(result->executions, 4);
	assert_int_equal(seen, 1u << 0 | 1u << 1 | 1u << (2u << 2) | 1u << (1 | 2u << 2));
}

static void explore_refused(const prove_thread *thread, u32 count, const char *about)
{
	const struct explore_threads threads = {
		.count = count,
		.run = run_thread_of,
		.context = (void *)(uintptr_t)thread,
		.shared = &shared,
		.shared_bytes = sizeof(shared),
	};
	const struct explore_config config = {.turns = 1, .judge = is_none};
	struct errmsg err = {""};

	free(result);
	result = malloc(sizeof(*result));
	assert_int_equal(explore(&threads, &config, result, &err), -1);
	assert_non_null(strstr(err.text, about));
	assert_int_equal(shared.x | shared.y, 0);
}

static void waits_for_its_own(void)
{
	u32 own = 0;
	const struct access access = {.address = &own, .bytes = 4, .site = HERE};

	access_await(&access, NULL, 1);
}

static void test_refusals(void **state)
{
	static const prove_thread parts[] = {adds_to_x, loads_two_bytes_of_x};
	static const prove_thread waits[] = {waits_for_its_own};

	(void)state;
	explore_refused(parts, 2, "a read-modify-write of 4 bytes");
	explore_refused(waits, 1, "a wait for what no other thread can change");
}

/* ---- limits ---- */

static void stores_often(void)
{
	for (u32 i = 1; i <= 8; i++)
		STORE(x, i, RELAXED);
}

static void stores_too_often(void)
{
	for (u32 i = 1; i <= GRAPH_MAX_EVENTS; i++)
		STORE(x, i, RELAXED);
}

static void test_limits(void **state)
{
	static const prove_thread often[] = {stores_often, loads_plainly};
	static const prove_thread too_often[] = {stores_too_often, loads_plainly};
	struct explore_config config = {.model = MODEL_WEAK, .turns = 1, .judge = is_none};

	(void)state;
	free(result);
	result = explore_with(often, 2, &config);
	assert_true(result->complete);
	assert_int_equal(result->executions, 9);
	for (config.most_executions = 1; config.most_executions <= 8; config.most_executions++) {
		free(result);
		result = explore_with(often, 2, &config);
		assert_int_equal(result->executions, config.most_executions);
		assert_false(result->complete);
		assert_false(result->found);
	}
	config.most_executions = 0;
	free(result);
	result = explore_with(too_often, 2, &config);
	assert_true(result->too_large);
	assert_false(result->complete);
}

static void stores_for_long(void)
{
	for (u32 i = 1; i <= GRAPH_MAX_EVENTS * 2 / 3; i++)
		STORE(x, i, RELAXED);
}

/* No execution comes to its end: all are too large, and there are very many of them. */
static void test_time_limit(void **state)
{
	static const prove_thread threads[] = {stores_for_long, stores_for_long};
	const struct explore_config config = {
		.model = MODEL_WEAK, .turns = 1, .most_seconds = 0.02, .judge = is_none};

	(void)state;
	free(result);
	result = explore_with(threads, 2, &config);
	assert_false(result->complete);
	assert_int_equal(result->executions, 0);
}

/* It looks up what it was given, in a table of its own. */
static void crashes_on_2(void)
{
	static volatile int table[] = {1, 1};
	volatile int *const row[] = {&table[0], &table[1], NULL};

	access_tell(LOAD(x, RELAXED));
	access_tell((u64)*row[load(&shared.x, RELAXED, HERE)]);
}

static void stores_1_then_2(void)
{
	STORE(x, 1, RELAXED);
	STORE(x, 2, RELAXED);
}

static void test_crash(void **state)
{
	static const prove_thread threads[] = {stores_1_then_2, crashes_on_2};

	(void)state;
	for (u32 model = 0; model < MODELS; model++) {
		const struct explore_config config = {
			.model = all_models[model], .turns = 1, .judge = is_none};

		free(result);
		result = explore_with(threads, 2, &config);
		assert_int_equal(result->crashed, SIGSEGV);
		assert_int_equal(result->crashed_thread, 1);
		assert_false(result->complete);
		assert_int_equal(result->witness.event[result->witness.events - 1].taken, 2);
	}
}

/* Of its own memory a thread makes what it likes. */
static void uses_its_own(void)
{
	u32 own = 3;
	const struct access access = {.address = &own, .bytes = 4, .order = SEQ_CST, .site = HERE};
	u64 expected = 4;

	access_tell(access_load(&access));
	access_store(&access, 4);
	access_tell(access_modify(&access, ACCESS_NAND, 1));
	access_tell(own);
	access_tell(access_compare(&access, &expected, 9, RELAXED));
	access_tell(expected);
}

static bool note_own(void *context, const struct graph *graph)
{
	(void)context;
	assert_int_equal(graph->events, 1);
	assert_int_equal(graph->thread[0].told, 5);
	assert_int_equal(graph->thread[0].tell[0], 3);
	assert_int_equal(graph->thread[0].tell[1], 4);
	assert_int_equal(graph->thread[0].tell[2], UINT32_MAX);
	assert_int_equal(graph->thread[0].tell[3], 0);
	assert_int_equal(graph->thread[0].tell[4], UINT32_MAX);
	return true;
}

static void test_own_memory(void **state)
{
	static const prove_thread threads[] = {uses_its_own};
	const struct explore_config config = {.turns = 1, .judge = note_own};

	(void)state;
	free(result);
	result = explore_with(threads, 1, &config);
	assert_true(result->found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_races),	     cmocka_unit_test(test_what_races),
		cmocka_unit_test(test_two_who_load), cmocka_unit_test(test_sites),
		cmocka_unit_test(test_edits),	     cmocka_unit_test(test_edits_of_compares),
		cmocka_unit_test(test_edits_on_x86), cmocka_unit_test(test_rerun),
		cmocka_unit_test(test_sizes),	     cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_limits),	     cmocka_unit_test(test_own_memory),
		cmocka_unit_test(test_time_limit),   cmocka_unit_test(test_crash),
	};

	return cmocka_run_group_tests(tests, NULL, free_result);
}
