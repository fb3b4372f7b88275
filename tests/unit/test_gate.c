// SPDX-License-Identifier: GPL-2.0-or-later
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "measure/gate.h"
#include "measure/offcpu.h"
#include "sim/barrier.h"

#define THREADS 8

static struct gate gate;
static int passed;

static void *pass(void *argument)
{
	gate_wait(&gate);
	__atomic_add_fetch(&passed, 1, __ATOMIC_RELAXED);
	return argument;
}

static void sleep_ms(long ms)
{
	const struct timespec time = {0, ms * 1000000};

	nanosleep(&time, NULL);
}

static void start(pthread_t *threads, int count)
{
	for (int i = 0; i < count; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, pass, NULL), 0);
}

static void join(const pthread_t *threads, int count)
{
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

static void test_nobody_passes_a_closed_gate(void **state)
{
	pthread_t threads[THREADS];
	sigset_t none;

	(void)state;
	sigemptyset(&none);
	passed = 0;
	gate_init(&gate);
	start(threads, THREADS);
	gate_await(&gate, THREADS, &none);
	sleep_ms(20);
	assert_int_equal(__atomic_load_n(&passed, __ATOMIC_RELAXED), 0);
	gate_open(&gate);
	join(threads, THREADS);
	assert_int_equal(passed, THREADS);
	/* It stays open for whoever comes late. */
	start(threads, 1);
	join(threads, 1);
	assert_int_equal(passed, THREADS + 1);
	gate_destroy(&gate);
}

/* Opened although one is missing: those who wait must not wait for ever. */
static void test_opened_early(void **state)
{
	pthread_t threads[THREADS];

	(void)state;
	passed = 0;
	gate_init(&gate);
	start(threads, THREADS - 1);
	gate_open(&gate);
	join(threads, THREADS - 1);
	assert_int_equal(passed, THREADS - 1);
	gate_destroy(&gate);
}

/* A signal that is pending ends the wait for threads that never come. */
static void test_signal_ends_the_wait(void **state)
{
	const struct timespec at_once = {0, 0};
	sigset_t signals, before;

	(void)state;
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &signals, &before);
	gate_init(&gate);
	pthread_kill(pthread_self(), SIGUSR1);
	gate_await(&gate, 1, &signals);
	assert_int_equal(sigtimedwait(&signals, NULL, &at_once), SIGUSR1);
	gate_destroy(&gate);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Whoever sleeps is off the CPU, and the kernel says so by clearing the flag. */
static void test_sleep_clears_the_flag(void **state)
{
	const char *why = NULL;
	u64 mark = 0;
	u64 *flag = offcpu_flag(&mark, &why);

	(void)state;
	if (!flag) {
		assert_non_null(why);
		print_message("no restartable sequences here: %s\n", why);
		skip();
	}
	assert_true(mark != 0);
	for (int i = 0; i < 10; i++) {
		WRITE_ONCE(*flag, mark);
		sleep_ms(1);
		assert_true(READ_ONCE(*flag) == 0);
	}
}

/* Whoever stays on the CPU keeps it. Somebody else may want the CPU, but not a thousand times. */
static void test_running_keeps_the_flag(void **state)
{
	const char *why = NULL;
	u64 mark = 0;
	u64 *flag = offcpu_flag(&mark, &why);
	int kept = 0;

	(void)state;
	if (!flag)
		skip();
	for (int i = 0; i < 1000; i++) {
		WRITE_ONCE(*flag, mark);
		for (int spin = 0; spin < 100; spin++)
			cpu_relax();
		kept += READ_ONCE(*flag) == mark;
	}
	assert_true(kept > 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nobody_passes_a_closed_gate),
		cmocka_unit_test(test_opened_early),
		cmocka_unit_test(test_signal_ends_the_wait),
		cmocka_unit_test(test_sleep_clears_the_flag),
		cmocka_unit_test(test_running_keeps_the_flag),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
