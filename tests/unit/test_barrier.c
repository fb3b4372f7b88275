// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What threads share outside of the page comes whole, 64 bits on a 32-bit machine too: between
 * threads, and on x86 at every single instruction.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <ucontext.h>

#include <cmocka.h>

#include "sim/barrier.h"
#include "sim/types.h"

#if (defined(__x86_64__) || defined(__i386__)) && !CONTEND_TSAN
#include <x86intrin.h>
#define CAN_STEP 1
#else
#define CAN_STEP 0
#endif

#define LOOKS 3000000

static struct {
	u32 before; /* the word after it is aligned all the same */
	u64 word;
	bool started;
	bool stop;
} shared;

static bool is_half(u64 word)
{
	return word != 0 && word != UINT64_MAX;
}

static void *store_both(void *unused)
{
	while (!READ_ONCE(shared.stop)) {
		WRITE_ONCE(shared.word, 0);
		WRITE_ONCE(shared.word, UINT64_MAX);
		smp_store_release(&shared.word, 0);
		smp_store_release(&shared.word, UINT64_MAX);
		WRITE_ONCE(shared.started, true);
	}
	return unused;
}

static void test_between_threads(void **state)
{
	pthread_t writer;
	u64 halves = 0;

	(void)state;
	assert_int_equal(pthread_create(&writer, NULL, store_both, NULL), 0);
	while (!READ_ONCE(shared.started))
		cpu_relax();
	for (int i = 0; i < LOOKS; i++) {
		halves += is_half(READ_ONCE(shared.word));
		halves += is_half(smp_load_acquire(&shared.word));
	}
	WRITE_ONCE(shared.stop, true);
	pthread_join(writer, NULL);
	assert_int_equal(halves, 0);
	assert_true(READ_ONCE(shared.word) == UINT64_MAX);
}

#if CAN_STEP

#define TRAP_FLAG 0x100

static volatile u64 stepped_word __attribute__((aligned(8)));
static volatile int steps, halves_seen;
static volatile bool flip;

/* Between any two instructions of what is under test. */
static void on_step(int signal_number, siginfo_t *info, void *context)
{
	(void)signal_number;
	(void)info;
	(void)context;
	steps++;
	halves_seen += is_half(stepped_word);
	if (flip)
		stepped_word = ~stepped_word;
}

static void start_stepping(struct sigaction *before)
{
	struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};

	steps = halves_seen = 0;
	assert_int_equal(sigaction(SIGTRAP, &action, before), 0);
	__writeeflags(__readeflags() | TRAP_FLAG);
}

static void stop_stepping(const struct sigaction *before)
{
	__writeeflags(__readeflags() & ~(__typeof__(__readeflags()))TRAP_FLAG);
	sigaction(SIGTRAP, before, NULL);
}

static void test_stores_at_each_instruction(void **state)
{
	struct sigaction before;

	(void)state;
	flip = false;
	start_stepping(&before);
	WRITE_ONCE(stepped_word, UINT64_MAX);
	WRITE_ONCE(stepped_word, 0);
	smp_store_release(&stepped_word, UINT64_MAX);
	smp_store_release(&stepped_word, 0);
	stop_stepping(&before);
	assert_true(steps >= 4);
	assert_int_equal(halves_seen, 0);
}

static void test_loads_at_each_instruction(void **state)
{
	struct sigaction before;
	u64 seen[8];

	(void)state;
	flip = true;
	start_stepping(&before);
	for (size_t i = 0; i < ARRAY_SIZE(seen); i += 2) {
		seen[i] = READ_ONCE(stepped_word);
		seen[i + 1] = smp_load_acquire(&stepped_word);
	}
	stop_stepping(&before);
	assert_true(steps >= (int)ARRAY_SIZE(seen));
	for (size_t i = 0; i < ARRAY_SIZE(seen); i++)
		assert_false(is_half(seen[i]));
}

#endif

static void test_alignment(void **state)
{
	(void)state;
	assert_int_equal((uintptr_t)&shared.word % sizeof(u64), 0);
	assert_int_equal(_Alignof(u64), 8);
	assert_int_equal(_Alignof(s64), 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alignment),
		cmocka_unit_test(test_between_threads),
#if CAN_STEP
		cmocka_unit_test(test_stores_at_each_instruction),
		cmocka_unit_test(test_loads_at_each_instruction),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
