// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A confined process may ask for the time and end, and do nothing else. Where there is no way to
 * confine one nothing is to be tested.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/confine.h"
#include "sim/guarded.h"
#include "sim/types.h"

#define NO_WAY 77

static void ask_for_time(void)
{
	struct timespec ts;

	if (syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &ts))
		_exit(1);
}

static void ask_for_nothing(void)
{
}

static void start_process(void)
{
	if (syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) == 0)
		_exit(0);
}

static void open_file(void)
{
	syscall(SYS_openat, AT_FDCWD, "/dev/null", O_WRONLY);
}

static void write_file(void)
{
	syscall(SYS_write, -1, "", 0);
}

static void open_socket(void)
{
	syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0);
}

static void map_memory(void)
{
	syscall(SYS_munmap, 0, 0);
}

static void send_signal(void)
{
	syscall(SYS_kill, getppid(), 0);
}

static void run_program(void)
{
	syscall(SYS_execve, "/nonexistent", NULL, NULL);
}

static void remove_file(void)
{
	syscall(SYS_unlinkat, AT_FDCWD, "/nonexistent/file", 0);
}

static void sleep_on(void)
{
	const struct timespec moment = {0, 1};

	syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &moment, NULL);
}

/* How a child ends that is confined and then does this; skips the test where there is no way to. */
static int end_of(void (*act)(void))
{
	struct errmsg err;
	int status;
	pid_t child = fork();

	if (child == 0) {
		alarm(20);
		if (guarded_begin(&err) || !confine_to_clocks())
			_exit(NO_WAY);
		act();
		_exit(0);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_WAY)
		skip();
	return status;
}

static void test_what_a_read_path_does(void **state)
{
	(void)state;
	assert_int_equal(end_of(ask_for_nothing), 0);
	assert_int_equal(end_of(ask_for_time), 0);
}

static void test_what_it_does_not(void **state)
{
	static void (*const acts[])(void) = {
		start_process, open_file,   write_file,	 open_socket, map_memory,
		send_signal,   run_program, remove_file, sleep_on,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(acts); i++) {
		const int status = end_of(acts[i]);

		if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSYS)
			fail_msg("act %zu ends with %d", i, status);
	}
}

#if defined(__x86_64__)

/* By the way of 32 bits, where the number of `write` is that of another call. */
static void write_as_32_bits(void)
{
	long result = 4;

	__asm__ volatile("int $0x80" : "+a"(result) : "b"(-1), "c"(0), "d"(0) : "memory");
}

static void test_other_machine(void **state)
{
	int status;

	(void)state;
	status = end_of(write_as_32_bits);
	/* Where the kernel does not know that way it is a fault. */
	assert_true(WIFSIGNALED(status));
}

#else

static void test_other_machine(void **state)
{
	(void)state;
	skip();
}

#endif

static void endless(void *argument)
{
	for (;;)
		__asm__ volatile("" : : "r"(argument) : "memory");
}

static void open_in_call(void *argument)
{
	(void)argument;
	open_file();
}

/* Time still runs out for it, and a call that is refused does not end the process. */
static void guard(void)
{
	for (int i = 0; i < 2; i++) {
		struct guarded_result end = guarded_call(endless, NULL, 1);

		if (end.outcome != GUARDED_HUNG)
			_exit(2);
		end = guarded_call(open_in_call, NULL, 1000);
		if (end.outcome != GUARDED_CRASHED || end.signal != SIGSYS)
			_exit(3);
	}
}

static void test_guarded(void **state)
{
	(void)state;
	assert_int_equal(end_of(guard), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_a_read_path_does),
		cmocka_unit_test(test_what_it_does_not),
		cmocka_unit_test(test_other_machine),
		cmocka_unit_test(test_guarded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
