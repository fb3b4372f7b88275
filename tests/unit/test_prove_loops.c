// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads that wait, by a wait of the explorer's or by a loop of their own, which is cut; and locks
 * made of that.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/prove_threads.h"

/* What the judge has seen of all executions. */
struct seen {
	u64 executions;
	u64 cut, blocked; /* of thread 1 */
	u32 outcomes;	  /* a bit for each that thread 1 told first, and came to its end */
	u32 last;	  /* a bit for each value that y had at the end */
};

static bool note(void *context, const struct graph *graph)
{
	struct seen *seen = context;
	const struct graph_thread *thread = &graph->thread[1];

	seen->executions++;
	seen->cut += thread->state == THREAD_CUT;
	seen->blocked += thread->state == THREAD_CHOOSES;
	if (thread->state == THREAD_ENDED && thread->told)
		seen->outcomes |= 1u << thread->tell[0];
	seen->last |= 1u << explore_last(graph, &shared.y, sizeof(shared.y));
	return false;
}

static struct seen explore_all(const prove_thread *thread, u32 count, enum model model, u32 turns,
			       struct explore_result *result)
{
	struct seen seen = {.executions = 0};
	const struct explore_config config = {
		.model = model,
		.turns = turns,
		.last_stores = true,
		.judge = note,
		.context = &seen,
	};
	struct explore_result *explored = explore_with(thread, count, &config);

	memcpy(result, explored, sizeof(*result));
	free(explored);
	assert_true(result->complete);
	assert_false(result->found);
	/* As it was before. */
	assert_int_equal(shared.x | shared.y | shared.z | shared.w, 0);
	return seen;
}

static struct explore_result result;

/* ---- locks ---- */

static bool is_equal(u64 value, u64 argument)
{
	return value == argument;
}

static u64 make_one(u64 value, u64 argument)
{
	(void)value;
	(void)argument;
	return 1;
}

static void take_lock(u32 *lock, u8 order, const void *site)
{
	const struct access access = atomic_access(lock, order, site);

	access_await_and_modify(&access, is_equal, 0, make_one);
}

#define TAKE(cell, order) take_lock(&shared.cell, order, HERE)

static void count_one(void)
{
	store_plainly(&shared.y, load_plainly(&shared.y, HERE) + 1, HERE);
}

static void counts(void)
{
	TAKE(x, ACQUIRE);
	count_one();
	STORE(x, 0, RELEASE);
}

static void counts_without_acquire(void)
{
	TAKE(x, RELAXED);
	count_one();
	STORE(x, 0, RELEASE);
}

static void counts_without_release(void)
{
	TAKE(x, ACQUIRE);
	count_one();
	STORE(x, 0, RELAXED);
}

static void counts_without_lock(void)
{
	count_one();
}

static void test_mutual_exclusion(void **state)
{
	static const prove_thread three[] = {counts, counts, counts};
	static const u64 orders[] = {1, 1, 2, 6};

	(void)state;
	for (u32 model = 0; model < MODELS; model++)
		for (u32 count = 2; count <= 3; count++) {
			const struct seen seen =
				explore_all(three, count, all_models[model], 1, &result);

			/* Each order in which they may come. */
			assert_int_equal(seen.executions, orders[count]);
			assert_int_equal(result.executions, orders[count]);
			assert_int_equal(result.blocked, 0);
			assert_int_equal(result.cut, 0);
			assert_int_equal(result.races, 0);
			assert_int_equal(seen.last, 1u << count);
		}
}

/* What a lock without one of its orders, or none at all, lets happen. */
static void test_weak_locks(void **state)
{
	static const prove_thread without[][2] = {
		{counts_without_acquire, counts_without_acquire},
		{counts_without_release, counts_without_release},
	};
	static const prove_thread none[] = {counts_without_lock, counts_without_lock};

	(void)state;
	for (u32 model = 0; model < MODELS; model++) {
		const bool weak = all_models[model] == MODEL_WEAK;

		for (u32 i = 0; i < ARRAY_SIZE(without); i++) {
			const struct seen seen =
				explore_all(without[i], 2, all_models[model], 1, &result);

			assert_int_equal(seen.last, weak ? 1u << 1 | 1u << 2 : 1u << 2);
			assert_int_equal(result.races > 0, weak);
			assert_int_equal(result.blocked, 0);
		}
		assert_int_equal(explore_all(none, 2, all_models[model], 1, &result).last,
				 1u << 1 | 1u << 2);
	}
}

static void takes_x_then_y(void)
{
	TAKE(x, ACQUIRE);
	TAKE(y, ACQUIRE);
	STORE(y, 0, RELEASE);
	STORE(x, 0, RELEASE);
}

static void takes_y_then_x(void)
{
	TAKE(y, ACQUIRE);
	TAKE(x, ACQUIRE);
	STORE(x, 0, RELEASE);
	STORE(y, 0, RELEASE);
}

static void takes_x_for_ever(void)
{
	TAKE(x, ACQUIRE);
}

static void takes_x_twice(void)
{
	TAKE(x, ACQUIRE);
	TAKE(x, ACQUIRE);
}

static void test_deadlock(void **state)
{
	static const prove_thread opposite[] = {takes_x_then_y, takes_y_then_x};
	static const prove_thread alike[] = {takes_x_then_y, takes_x_then_y};
	static const prove_thread forgets[] = {takes_x_for_ever, takes_x_for_ever};
	static const prove_thread again[] = {takes_x_twice};

	(void)state;
	for (u32 model = 0; model < MODELS; model++) {
		/* One after the other, either way; or each has one, and waits. */
		explore_all(opposite, 2, all_models[model], 1, &result);
		assert_int_equal(result.executions, 3);
		assert_int_equal(result.blocked, 1);
		explore_all(alike, 2, all_models[model], 1, &result);
		assert_int_equal(result.executions, 2);
		assert_int_equal(result.blocked, 0);
		explore_all(forgets, 2, all_models[model], 1, &result);
		assert_int_equal(result.executions, 2);
		assert_int_equal(result.blocked, 2);
		explore_all(again, 1, all_models[model], 1, &result);
		assert_int_equal(result.executions, 1);
		assert_int_equal(result.blocked, 1);
	}
}

/* ---- waits ---- */

static u64 await(u32 *cell, u32 value, u8 order, const void *site)
{
	const struct access access = atomic_access(cell, order, site);

	return access_await(&access, is_equal, value);
}

#define AWAIT(cell, value, order) await(&shared.cell, value, order, HERE)

static void publishes(void)
{
	STORE(x, 1, RELAXED);
	STORE(y, 1, RELEASE);
}

static void publishes_twice(void)
{
	STORE(x, 1, RELAXED);
	STORE(y, 1, RELEASE);
	STORE(y, 2, RELEASE);
}

static void awaits(void)
{
	assert_int_equal(AWAIT(y, 1, ACQUIRE), 1);
	access_tell(LOAD(x, RELAXED));
}

static void awaits_relaxed(void)
{
	AWAIT(y, 1, RELAXED);
	access_tell(LOAD(x, RELAXED));
}

static void awaits_relaxed_then_fence(void)
{
	AWAIT(y, 1, RELAXED);
	FENCE(ACQUIRE);
	access_tell(LOAD(x, RELAXED));
}

static void awaits_what_nobody_stores(void)
{
	AWAIT(z, 1, ACQUIRE);
	access_tell(0);
}

static void awaits_another_value(void)
{
	AWAIT(y, 3, ACQUIRE);
	access_tell(0);
}

static void awaits_what_is_there(void)
{
	AWAIT(z, 0, ACQUIRE);
	access_tell(0);
}

static void test_await(void **state)
{
	static const struct {
		prove_thread thread[2];
		u64 executions[2]; /* under sc and tso; under weak */
		u32 outcomes[2];
		bool blocked;
	} cases[] = {
		{{publishes, awaits}, {1, 1}, {1u << 1, 1u << 1}, false},
		{{publishes_twice, awaits}, {1, 1}, {1u << 1, 1u << 1}, false},
		{{publishes, awaits_relaxed}, {1, 2}, {1u << 1, 1u << 0 | 1u << 1}, false},
		{{publishes, awaits_relaxed_then_fence}, {1, 1}, {1u << 1, 1u << 1}, false},
		{{publishes, awaits_another_value}, {1, 1}, {0, 0}, true},
		{{publishes, awaits_what_nobody_stores}, {1, 1}, {0, 0}, true},
		{{publishes, awaits_what_is_there}, {1, 1}, {1u << 0, 1u << 0}, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (u32 model = 0; model < MODELS; model++) {
			const bool weak = all_models[model] == MODEL_WEAK;
			const struct seen seen =
				explore_all(cases[i].thread, 2, all_models[model], 1, &result);

			assert_int_equal(result.executions, cases[i].executions[weak]);
			assert_int_equal(seen.outcomes, cases[i].outcomes[weak]);
			assert_int_equal(result.blocked, cases[i].blocked ? result.executions : 0);
			assert_int_equal(seen.blocked, result.blocked);
			assert_int_equal(result.cut, 0);
		}
}

/* ---- loops ---- */

static void stores_1(void)
{
	STORE(y, 1, RELEASE);
}

static void does_nothing(void)
{
}

static void spins(void)
{
	u32 turns = 0;

	while (LOAD(y, ACQUIRE) != 1)
		turns++;
	access_tell(turns);
}

static void test_turns(void **state)
{
	static const prove_thread threads[] = {stores_1, spins};

	(void)state;
	for (u32 model = 0; model < MODELS; model++)
		for (u32 turns = 1; turns <= 6; turns++) {
			const struct seen seen =
				explore_all(threads, 2, all_models[model], turns, &result);

			/* So often in vain, or always. */
			assert_int_equal(result.executions, turns + 1);
			assert_int_equal(result.cut, 1);
			assert_int_equal(seen.cut, 1);
			assert_int_equal(seen.outcomes, (1u << turns) - 1);
			assert_int_equal(result.blocked, 0);
		}
}

/* Of what nobody stores to, and of what only it stores to, as well. */
static void spins_on_its_own(void)
{
	STORE(z, 1, RELAXED);
	while (LOAD(z, RELAXED))
		;
}

static void test_loop_for_ever(void **state)
{
	static const prove_thread nobody[] = {does_nothing, spins};
	static const prove_thread own[] = {does_nothing, spins_on_its_own};

	(void)state;
	for (u32 model = 0; model < MODELS; model++) {
		explore_all(nobody, 2, all_models[model], 3, &result);
		assert_int_equal(result.executions, 1);
		assert_int_equal(result.cut, 1);
		explore_all(own, 2, all_models[model], 3, &result);
		assert_int_equal(result.executions, 1);
		assert_int_equal(result.cut, 1);
	}
}

/* One place in the source, of which turns are counted. */
static u32 load_y_here(void)
{
	return LOAD(y, RELAXED);
}

static u32 load_y_for(const void *caller)
{
	u32 value;

	access_enter(caller);
	value = load_y_here();
	access_leave();
	return value;
}

static void loads_in_two_passes(void)
{
	access_pass(1);
	load_y_here();
	access_pass(2);
	load_y_here();
	access_tell(0);
}

static void loads_for_two_callers(void)
{
	access_pass(1);
	load_y_for(HERE);
	load_y_for(HERE);
	access_tell(0);
}

static void loads_for_one_caller(void)
{
	const void *caller = HERE;

	access_pass(1);
	load_y_for(caller);
	load_y_for(caller);
	access_tell(0);
}

static void test_what_is_a_turn(void **state)
{
	static const prove_thread passes[] = {stores_1, loads_in_two_passes};
	static const prove_thread two[] = {stores_1, loads_for_two_callers};
	static const prove_thread one[] = {stores_1, loads_for_one_caller};

	(void)state;
	for (u32 model = 0; model < MODELS; model++) {
		explore_all(passes, 2, all_models[model], 1, &result);
		assert_int_equal(result.executions, 3);
		assert_int_equal(result.cut, 0);
		explore_all(two, 2, all_models[model], 1, &result);
		assert_int_equal(result.executions, 3);
		assert_int_equal(result.cut, 0);
		explore_all(one, 2, all_models[model], 1, &result);
		assert_int_equal(result.executions, 2);
		assert_int_equal(result.cut, 2);
		explore_all(one, 2, all_models[model], 2, &result);
		assert_int_equal(result.executions, 3);
		assert_int_equal(result.cut, 0);
	}
}

/* A spinlock of the source's own: a loop of compare-and-exchanges, or of loads before one. */
static void counts_by_compare(void)
{
	while (COMPARE(x, 0, 1, ACQUIRE))
		;
	count_one();
	STORE(x, 0, RELEASE);
}

static void counts_by_test_and_set(void)
{
	do {
		while (LOAD(x, RELAXED))
			;
	} while (EXCHANGE(x, 1, ACQUIRE));
	count_one();
	STORE(x, 0, RELEASE);
}

static void test_spinlocks(void **state)
{
	static const prove_thread by_compare[] = {counts_by_compare, counts_by_compare};
	static const prove_thread by_test[] = {counts_by_test_and_set, counts_by_test_and_set};

	(void)state;
	for (u32 model = 0; model < MODELS; model++)
		for (u32 turns = 1; turns <= 3; turns++) {
			struct seen seen =
				explore_all(by_compare, 2, all_models[model], turns, &result);

			assert_true(result.cut > 0 && result.cut < result.executions);
			assert_int_equal(result.races, 0);
			/* A thread that is cut has counted nothing. */
			assert_int_equal(seen.last, 1u << 1 | 1u << 2);
			seen = explore_all(by_test, 2, all_models[model], turns, &result);
			assert_true(result.cut > 0);
			assert_int_equal(result.races, 0);
			assert_int_equal(seen.last, 1u << 1 | 1u << 2);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mutual_exclusion),
		cmocka_unit_test(test_weak_locks),
		cmocka_unit_test(test_deadlock),
		cmocka_unit_test(test_await),
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_what_is_a_turn),
		cmocka_unit_test(test_spinlocks),
		cmocka_unit_test(test_loop_for_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
