// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/work.h"
#include "sim/clocksource.h"

#define MIB (1ull << 20)

static void begin(struct work *work, enum work_kind kind, u64 amount)
{
	const struct work_spec spec = {.kind = kind, .amount = amount};
	struct errmsg err;

	if (work_begin(work, &spec, 1234, &err))
		fail_msg("%s", err.text);
}

static u64 cost_of_one(struct work *work)
{
	s32 mode = clocksource_default()->clock_mode;
	u64 start = clocksource_read(mode, NULL);

	work_once(work);
	return clocksource_read(mode, NULL) - start;
}

/*
 * Interruptions only lengthen, so the least of many is the work's own. The two amounts take turns
 * lest the CPU changes its speed between them.
 */
static void test_alu_cost_grows(void **state)
{
	u64 least_small = UINT64_MAX, least_large = UINT64_MAX;
	struct work small, large;

	(void)state;
	begin(&small, WORK_ALU, 2000);
	begin(&large, WORK_ALU, 20000);
	for (int i = 0; i < 200; i++) {
		u64 cost_small = cost_of_one(&small);
		u64 cost_large = cost_of_one(&large);

		least_small = cost_small < least_small ? cost_small : least_small;
		least_large = cost_large < least_large ? cost_large : least_large;
	}
	work_end(&small);
	work_end(&large);
	if (least_large < 5 * least_small)
		fail_msg("2000 operations take %llu cycles, 20000 take %llu",
			 (unsigned long long)least_small, (unsigned long long)least_large);
}

/* A result that nobody could see would let the compiler drop the work. */
static void test_alu_leaves_a_result(void **state)
{
	struct work work, same;

	(void)state;
	begin(&work, WORK_ALU, 3);
	begin(&same, WORK_ALU, 3);
	assert_null(work.memory);
	for (int i = 0; i < 1000; i++) {
		u64 before = work.value;

		work_once(&work);
		assert_int_not_equal(work.value, before);
		work_once(&same);
		assert_int_equal(work.value, same.value);
	}
	work_end(&work);
	work_end(&same);
}

static void check_lines(const struct work *work, const u8 *before, u8 touched)
{
	for (u64 line = 0; line < work->lines; line++) {
		u32 changes = 0;

		for (u64 i = line * CACHE_LINE; i < (line + 1) * CACHE_LINE; i++)
			changes += (u8)(work->memory[i] - before[i]);
		if (changes != touched)
			fail_msg("line %llu of %llu is touched %u times in %u calls",
				 (unsigned long long)line, (unsigned long long)work->lines, changes,
				 touched);
	}
}

static void check_cache(u64 amount)
{
	static u8 before[MIB];
	struct work work;

	begin(&work, WORK_CACHE, amount);
	assert_int_equal(work.lines, amount / CACHE_LINE);
	assert_non_null(work.memory);
	assert_int_equal((uintptr_t)work.memory % CACHE_LINE, 0);
	memcpy(before, work.memory, (size_t)amount);
	check_lines(&work, before, 0);
	for (u8 call = 1; call <= 5; call++) {
		work_once(&work);
		check_lines(&work, before, call);
	}
	work_end(&work);
}

static void test_cache_touches_each_line_once(void **state)
{
	(void)state;
	check_cache(CACHE_LINE);
	check_cache(3 * CACHE_LINE);
	check_cache(4096);
	check_cache(4096 + CACHE_LINE);
	check_cache(MIB);
}

/* Readers that got the same page of zeros would all stay within the cache. */
static void test_memory_is_there_from_the_start(void **state)
{
	unsigned char resident[MIB / 4096] = {0};
	struct work work;

	(void)state;
	begin(&work, WORK_CACHE, MIB);
	assert_int_equal(mincore(work.memory, MIB, resident), 0);
	for (u64 page = 0; page < MIB / (u64)sysconf(_SC_PAGESIZE); page++)
		assert_true(resident[page] & 1);
	work_end(&work);
}

static bool is_mapped(void *memory)
{
	unsigned char resident;

	return mincore(memory, 1, &resident) == 0;
}

static void test_release(void **state)
{
	const u64 amount = MIB + CACHE_LINE;
	struct work work;
	u8 *memory;

	(void)state;
	begin(&work, WORK_CACHE, amount);
	memory = work.memory;
	assert_true(is_mapped(memory));
	assert_true(is_mapped(memory + MIB));
	work_end(&work);
	assert_null(work.memory);
	assert_false(is_mapped(memory));
	assert_int_equal(errno, ENOMEM);
	assert_false(is_mapped(memory + MIB));
	work_end(&work);
}

static u64 cost_of_loading(const volatile u8 *page)
{
	s32 mode = clocksource_default()->clock_mode;
	u64 start = clocksource_read(mode, NULL);

	for (int i = 0; i < WORK_COLD_BYTES; i += CACHE_LINE)
		(void)page[i];
	return clocksource_read(mode, NULL) - start;
}

/* The least of many again, by turns: what was put out takes longer to load. */
static void test_cold_lines(void **state)
{
	static u8 page[WORK_COLD_BYTES] __attribute__((aligned(CACHE_LINE)));
	u64 least_warm = UINT64_MAX, least_cold = UINT64_MAX;
	struct work work;

	(void)state;
	if (!work_can_be_cold())
		skip();
	begin(&work, WORK_COLD, 0);
	work_once(&work);
	work.page = page;
	for (int i = 0; i < 400; i++) {
		u64 warm, cold;

		cost_of_loading(page);
		warm = cost_of_loading(page);
		work_once(&work);
		cold = cost_of_loading(page);
		least_warm = warm < least_warm ? warm : least_warm;
		least_cold = cold < least_cold ? cold : least_cold;
	}
	work_end(&work);
	if (least_cold <= least_warm)
		fail_msg("loading takes %llu cycles at least, after cold work %llu",
			 (unsigned long long)least_warm, (unsigned long long)least_cold);
}

static void test_none(void **state)
{
	struct work before, work;

	(void)state;
	begin(&work, WORK_NONE, 0);
	assert_null(work.memory);
	before = work;
	work_once(&work);
	assert_int_equal(work.value, before.value);
	work_end(&work);
	work_end(&work);
}

enum verdict {
	SENTENCE_RIGHT,
	NOT_LIMITED,
	NOT_REFUSED,
	SENTENCE_WRONG,
	MEMORY_LEFT,
};

static int begin_without_memory(void)
{
	const struct work_spec spec = {.kind = WORK_CACHE, .amount = 1024 * MIB};
	const struct rlimit limit = {256 * MIB, 256 * MIB};
	struct errmsg err = {""};
	struct work work;

	if (setrlimit(RLIMIT_AS, &limit))
		return NOT_LIMITED;
	if (work_begin(&work, &spec, 1, &err) != -1)
		return NOT_REFUSED;
	if (!strstr(err.text, "memory") || !strstr(err.text, "cache:1073741824"))
		return SENTENCE_WRONG;
	if (work.memory)
		return MEMORY_LEFT;
	work_end(&work);
	return SENTENCE_RIGHT;
}

static void test_no_memory(void **state)
{
	int status;
	pid_t child;

	(void)state;
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		_exit(begin_without_memory());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), SENTENCE_RIGHT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alu_cost_grows),
		cmocka_unit_test(test_alu_leaves_a_result),
		cmocka_unit_test(test_cache_touches_each_line_once),
		cmocka_unit_test(test_memory_is_there_from_the_start),
		cmocka_unit_test(test_release),
		cmocka_unit_test(test_cold_lines),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
