// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Code that misbehaves, called in a child process: what is said of it, and that the next call finds
 * everything as if nothing had been.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/barrier.h"
#include "sim/guarded.h"
#include "sim/types.h"

/* What never returns is let run for this long, of CPU time. */
#define MS 20

#if defined(__x86_64__) || defined(__i386__)
#define KNOWS_WRITES 1
#else
#define KNOWS_WRITES 0
#endif

/* The accesses are meant to fail, and not in a sanitizer. */
#define MISBEHAVES __attribute__((noinline, no_sanitize("address", "undefined", "thread")))

/* ThreadSanitizer has a stack of its own, and its own ways with a signal within a signal. */
#define SKIP_IF_TSAN()            \
	do {                      \
		if (CONTEND_TSAN) \
			skip();   \
	} while (0)

typedef void guarded_fn(void *argument);

struct step {
	guarded_fn *function;
	void *argument;
	struct guarded_result expected;
};

#define MAX_STEPS 64

/* What the child saw, in memory that both have. */
struct seen {
	u32 done; /* calls made */
	struct guarded_result result[MAX_STEPS];
	bool changed[MAX_STEPS]; /* not all was as it had been before the call */
	bool ends;		 /* of the child: it came to its own end */
};

static struct seen *seen;
static volatile u32 returns;

/* What a call might leave behind: blocked signals, the other stack. */
struct surroundings {
	sigset_t blocked;
	stack_t stack;
};

static struct surroundings look_around(void)
{
	struct surroundings here;

	memset(&here, 0, sizeof(here));
	sigprocmask(SIG_SETMASK, NULL, &here.blocked);
	sigaltstack(NULL, &here.stack);
	return here;
}

static bool differ(const struct surroundings *a, const struct surroundings *b)
{
	for (int signal = 1; signal < SIGRTMAX; signal++)
		if (sigismember(&a->blocked, signal) != sigismember(&b->blocked, signal))
			return true;
	return a->stack.ss_flags != b->stack.ss_flags || a->stack.ss_sp != b->stack.ss_sp;
}

static void take_steps(const struct step *steps, size_t count)
{
	const struct rlimit no_core = {0, 0};
	struct surroundings before;
	struct errmsg err;

	setrlimit(RLIMIT_CORE, &no_core);
	if (guarded_begin(&err))
		return;
	before = look_around();
	for (size_t i = 0; i < count; i++) {
		struct surroundings after;

		seen->result[i] = guarded_call(steps[i].function, steps[i].argument, MS);
		after = look_around();
		seen->changed[i] = differ(&before, &after);
		seen->done++;
	}
	seen->ends = true;
}

static void check_result(const struct step *step, const struct guarded_result *result, size_t i)
{
	const struct guarded_result *expected = &step->expected;

	if (result->outcome != expected->outcome || result->signal != expected->signal)
		fail_msg("call %zu: outcome %d by signal %d, not %d by %d", i, (int)result->outcome,
			 result->signal, (int)expected->outcome, expected->signal);
	if (expected->outcome != GUARDED_FAULTED)
		return;
	if (result->address != expected->address)
		fail_msg("call %zu: fault at %p, not %p", i, result->address, expected->address);
	if (result->wrote != (expected->wrote && KNOWS_WRITES))
		fail_msg("call %zu: a %s is told as another access", i,
			 expected->wrote ? "write" : "read");
}

static void in_child(const struct step *steps, size_t count)
{
	pid_t child;
	int status;

	assert_true(count <= MAX_STEPS);
	memset(seen, 0, sizeof(*seen));
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		take_steps(steps, count);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (!WIFEXITED(status) || !seen->ends)
		fail_msg("call %u ended the process, status 0x%x", seen->done, (unsigned)status);
	for (size_t i = 0; i < count; i++) {
		check_result(&steps[i], &seen->result[i], i);
		if (seen->changed[i])
			fail_msg("call %zu left something behind", i);
	}
}

#define IN_CHILD(steps) in_child(steps, ARRAY_SIZE(steps))

#define RETURNED                            \
	{                                   \
		.outcome = GUARDED_RETURNED \
	}
#define READ_FAULT(where)                                                         \
	{                                                                         \
		.outcome = GUARDED_FAULTED, .signal = SIGSEGV, .address = (where) \
	}
#define WRITE_FAULT(where)                                                                       \
	{                                                                                        \
		.outcome = GUARDED_FAULTED, .signal = SIGSEGV, .address = (where), .wrote = true \
	}
#define CRASHED(number)                                        \
	{                                                      \
		.outcome = GUARDED_CRASHED, .signal = (number) \
	}
#define HUNG                                              \
	{                                                 \
		.outcome = GUARDED_HUNG, .signal = SIGSYS \
	}

static void add_one(void *number)
{
	++*(u32 *)number;
}

MISBEHAVES static void read_from(void *address)
{
	(void)*(volatile u8 *)address;
}

MISBEHAVES static void write_to(void *address)
{
	*(volatile u8 *)address = 1;
}

MISBEHAVES static void read_and_write(void *address)
{
	__atomic_fetch_add((u8 *)address, 1, __ATOMIC_SEQ_CST);
}

static void raise_signal(void *number)
{
	raise((int)(intptr_t)number);
}

static void stop_on_instruction(void *unused)
{
	(void)unused;
#if defined(__x86_64__) || defined(__i386__)
	__asm__ __volatile__("ud2");
#else
	raise(SIGILL);
#endif
}

static void never_return(void *unused)
{
	(void)unused;
	for (;;)
		barrier();
}

static char *nobodys, *readonly;

static void test_returns(void **state)
{
	const struct step steps[] = {
		{add_one, (void *)(uintptr_t)&returns, RETURNED},
		{add_one, (void *)(uintptr_t)&seen->done, RETURNED},
		{read_from, readonly, RETURNED},
	};

	(void)state;
	IN_CHILD(steps);
	/* It was called, and with its argument: the second counted itself, too. */
	assert_int_equal(seen->done, ARRAY_SIZE(steps) + 1);
	assert_int_equal(returns, 0);
}

static void test_faults(void **state)
{
	const struct step steps[] = {
		{read_from, nobodys, READ_FAULT(nobodys)},
		{write_to, nobodys, WRITE_FAULT(nobodys)},
		{read_from, nobodys + 4095, READ_FAULT(nobodys + 4095)},
		{write_to, readonly + 123, WRITE_FAULT(readonly + 123)},
		{read_from, nobodys + 1, READ_FAULT(nobodys + 1)},
		{read_and_write, nobodys + 8, WRITE_FAULT(nobodys + 8)},
		{read_from, NULL, READ_FAULT(NULL)},
		{write_to, NULL, WRITE_FAULT(NULL)},
	};

	(void)state;
	IN_CHILD(steps);
}

/* A file that has become shorter than its mapping. */
static void test_bus_error(void **state)
{
	int fd = memfd_create("short", MFD_CLOEXEC);
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	const struct step steps[] = {
		{read_from,
		 page + 5,
		 {.outcome = GUARDED_FAULTED, .signal = SIGBUS, .address = page + 5}},
		{add_one, (void *)(uintptr_t)&returns, RETURNED},
	};

	(void)state;
	assert_ptr_not_equal(page, MAP_FAILED);
	IN_CHILD(steps);
	munmap(page, 4096);
	close(fd);
}

static void test_crashes(void **state)
{
	static const int numbers[] = {SIGILL, SIGFPE, SIGTRAP, SIGSYS};
	struct step steps[1 + 2 * ARRAY_SIZE(numbers)] = {
		{stop_on_instruction, NULL, CRASHED(SIGILL)},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		for (size_t again = 0; again < 2; again++)
			steps[1 + 2 * i + again] = (struct step){
				raise_signal, (void *)(intptr_t)numbers[i], CRASHED(numbers[i])};
	IN_CHILD(steps);
}

#if defined(__x86_64__) || defined(__i386__)
/* Jumping to where no code can be is a read there. */
static void jump_to(void *address)
{
	guarded_fn *function;

	*(void **)&function = address;
	function(NULL);
}
#endif

/* Deeper than any stack, for all that the compiler knows not without end. */
MISBEHAVES static void recurse(void *depth)
{
	volatile u8 frame[1024];

	frame[0] = 0;
	if (*(volatile u32 *)depth && ++*(volatile u32 *)depth)
		recurse(depth);
	frame[1] = frame[0];
}

static void return_nowhere(void *unused)
{
	(void)unused;
#if defined(__x86_64__)
	__asm__ __volatile__("movq %0, (%%rsp)\n\tret" : : "r"(8l) : "memory");
#elif defined(__i386__)
	__asm__ __volatile__("movl %0, (%%esp)\n\tret" : : "r"(8) : "memory");
#endif
}

#if defined(__x86_64__) || defined(__i386__)
static void lose_stack(void *stack)
{
#if defined(__x86_64__)
	__asm__ __volatile__("movq %0, %%rsp\n\tpushq %%rax\n\tud2" : : "r"(stack) : "memory");
#else
	__asm__ __volatile__("movl %0, %%esp\n\tpushl %%eax\n\tud2" : : "r"(stack) : "memory");
#endif
}

static void hang_without_stack(void *unused)
{
	(void)unused;
	__asm__ __volatile__("xorl %%esp, %%esp\n1:\tpause\n\tjmp 1b" : : : "memory");
}

/* Copying forwards is what code after the call counts on. */
static void fault_backwards(void *address)
{
	__asm__ __volatile__("std\n\tmovb (%0), %%al" : : "r"(address) : "memory", "al");
}
#endif

/* Whatever has become of the stack and the flags. */
static void test_loses_its_stack(void **state)
{
#if defined(__x86_64__) || defined(__i386__)
	const size_t word = sizeof(long);
	const struct step steps[] = {
		{lose_stack, NULL, WRITE_FAULT((void *)(0 - word))},
		{lose_stack, nobodys + 64, WRITE_FAULT(nobodys + 64 - word)},
		{fault_backwards, nobodys, READ_FAULT(nobodys)},
		{lose_stack, readonly + 64, WRITE_FAULT(readonly + 64 - word)},
		{add_one, (void *)(uintptr_t)&returns, RETURNED},
		{return_nowhere, NULL, READ_FAULT((void *)8)},
		{jump_to, nobodys, READ_FAULT(nobodys)},
		{jump_to, (void *)16, READ_FAULT((void *)16)},
#if defined(__x86_64__)
		/* Not an address at all: the processor does not say which it was. */
		{read_from, (void *)(1ull << 60), READ_FAULT(NULL)},
		{lose_stack, (void *)(1ull << 60), {GUARDED_FAULTED, SIGBUS, NULL, false}},
#endif
	};

	(void)state;
	IN_CHILD(steps);
#else
	(void)state;
	(void)return_nowhere;
	skip();
#endif
}

/* Where the stack ends is not told to us; that there was no room on it is. */
static void test_overflows_its_stack(void **state)
{
	u32 depth = 1;
	const struct step steps[] = {
		{recurse, &depth, {.outcome = GUARDED_FAULTED, .signal = SIGSEGV}},
		{recurse, &depth, {.outcome = GUARDED_FAULTED, .signal = SIGSEGV}},
		{add_one, (void *)(uintptr_t)&returns, RETURNED},
	};
	int status;
	pid_t child;

	(void)state;
	SKIP_IF_TSAN();
	memset(seen, 0, sizeof(*seen));
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		take_steps(steps, ARRAY_SIZE(steps));
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(seen->ends);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		assert_int_equal(seen->result[i].outcome, steps[i].expected.outcome);
		assert_int_equal(seen->result[i].signal, steps[i].expected.signal);
		assert_false(seen->changed[i]);
	}
}

static void test_hangs(void **state)
{
	const struct step steps[] = {
		{never_return, NULL, HUNG},
		{never_return, NULL, HUNG},
#if defined(__x86_64__) || defined(__i386__)
		{hang_without_stack, NULL, HUNG},
#endif
		{add_one, (void *)(uintptr_t)&returns, RETURNED},
		{read_from, nobodys, READ_FAULT(nobodys)},
		{never_return, NULL, HUNG},
	};

	(void)state;
	IN_CHILD(steps);
}

static volatile u32 released;

static void release(void *by)
{
	released += *(const u32 *)by;
}

static void wait_for_release(void *count)
{
	while (!released)
		barrier();
	++*(u32 *)count;
}

static int status_of_acts(void)
{
	struct errmsg err;
	u32 two = 2, count = 0;
	const struct guarded_act act = {release, &two, MS};
	struct guarded_result result;

	if (guarded_begin(&err))
		return 1;
	/* Alone it would wait for ever. */
	if (guarded_call(wait_for_release, &count, MS).outcome != GUARDED_HUNG || count)
		return 2;
	result = guarded_call_with(wait_for_release, &count, &act, MS);
	if (result.outcome != GUARDED_RETURNED || count != 1 || released != 2)
		return 3;
	/* Nothing is done to who returns before. */
	if (guarded_call_with(wait_for_release, &count, &act, MS).outcome != GUARDED_RETURNED ||
	    released != 2)
		return 4;
	/* It happens once, and does not keep a call from being cut short. */
	result = guarded_call_with(never_return, NULL, &act, MS);
	if (result.outcome != GUARDED_HUNG || result.signal != SIGSYS || released != 4)
		return 5;
	result = guarded_call_with(read_from, nobodys, &act, MS);
	if (result.outcome != GUARDED_FAULTED || result.address != nobodys || released != 4)
		return 6;
	/* Nor is it remembered. */
	if (guarded_call(never_return, NULL, MS).outcome != GUARDED_HUNG || released != 4)
		return 7;
	return 0;
}

static void test_act_in_the_midst_of_a_call(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	assert_true(child >= 0);
	if (child == 0)
		_exit(status_of_acts());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* Each after each: no call remembers the one before. */
static void test_each_after_each(void **state)
{
	const struct step kinds[] = {
		{add_one, (void *)(uintptr_t)&returns, RETURNED},
		{read_from, nobodys + 16, READ_FAULT(nobodys + 16)},
		{write_to, readonly + 32, WRITE_FAULT(readonly + 32)},
		{stop_on_instruction, NULL, CRASHED(SIGILL)},
		{never_return, NULL, HUNG},
	};
	struct step steps[2 * ARRAY_SIZE(kinds) * ARRAY_SIZE(kinds)];
	size_t count = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		for (size_t j = 0; j < ARRAY_SIZE(kinds); j++) {
			steps[count++] = kinds[i];
			steps[count++] = kinds[j];
		}
	in_child(steps, count);
}

static void block_all(void *fault_at)
{
	sigset_t all;

	sigfillset(&all);
	/* Those that the processor sends end the process if they are blocked. */
	sigdelset(&all, SIGSEGV);
	sigprocmask(SIG_BLOCK, &all, NULL);
	read_from(fault_at);
}

static void fault_in_handler(int number)
{
	(void)number;
	read_from(nobodys + 77);
}

static void hang_in_handler(int number)
{
	(void)number;
	never_return(NULL);
}

static void raise_with(void (*handler)(int number))
{
	struct sigaction action = {.sa_handler = handler};

	sigaddset(&action.sa_mask, SIGUSR2);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
}

static void fault_within_signal(void *unused)
{
	(void)unused;
	raise_with(fault_in_handler);
}

static void hang_within_signal(void *unused)
{
	(void)unused;
	raise_with(hang_in_handler);
}

/* Cut short in a signal's handler or while signals were blocked: they are not blocked afterwards.
 */
static void test_signal_mask_is_put_back(void **state)
{
	const struct step steps[] = {
		{block_all, nobodys, READ_FAULT(nobodys)},
		{fault_within_signal, NULL, READ_FAULT(nobodys + 77)},
		{hang_within_signal, NULL, HUNG},
		{fault_within_signal, NULL, READ_FAULT(nobodys + 77)},
		{block_all, nobodys, READ_FAULT(nobodys)},
		{never_return, NULL, HUNG},
		{stop_on_instruction, NULL, CRASHED(SIGILL)},
	};

	(void)state;
	SKIP_IF_TSAN();
	IN_CHILD(steps);
}

/* A caller that has blocked or ignores these signals has no other result. */
static void test_signals_blocked_before(void **state)
{
	const struct step steps[] = {
		{never_return, NULL, HUNG},
		{read_from, nobodys, READ_FAULT(nobodys)},
		{stop_on_instruction, NULL, CRASHED(SIGILL)},
		{raise_signal, (void *)SIGFPE, CRASHED(SIGFPE)},
	};
	sigset_t all, before;

	(void)state;
	signal(SIGILL, SIG_IGN);
	signal(SIGSYS, SIG_IGN);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	IN_CHILD(steps);
	sigprocmask(SIG_SETMASK, &before, NULL);
	signal(SIGILL, SIG_DFL);
	signal(SIGSYS, SIG_DFL);
}

/* The timer that expires while a fault is being dealt with must not make a hang of it. */
static void fault_as_time_runs_out(void *address)
{
	sigset_t late, before;

	sigemptyset(&late);
	sigaddset(&late, SIGSYS);
	sigprocmask(SIG_BLOCK, &late, &before);
	raise(SIGSYS);
	read_from(address);
}

static void test_first_outcome_counts(void **state)
{
	const struct step steps[] = {
		{fault_as_time_runs_out, nobodys + 9, READ_FAULT(nobodys + 9)},
		{add_one, (void *)(uintptr_t)&returns, RETURNED},
		{fault_as_time_runs_out, nobodys + 10, READ_FAULT(nobodys + 10)},
	};

	(void)state;
	IN_CHILD(steps);
}

/* How a child ends that makes two calls and then does this. */
static int status_of_child(void (*afterwards)(void))
{
	struct errmsg err;
	int status;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		const struct rlimit no_core = {0, 0};

		setrlimit(RLIMIT_CORE, &no_core);
		if (guarded_begin(&err))
			_exit(1);
		guarded_call(read_from, nobodys, MS);
		guarded_call(add_one, (void *)(uintptr_t)&returns, MS);
		afterwards();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void fault(void)
{
	read_from(nobodys);
}

static void use_time(void)
{
	struct timespec now;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < 10 * MS);
}

/* Outside of a call a fault is the process's own, and ends it; and nobody is called to time. */
static void test_outside_of_a_call(void **state)
{
	int status = status_of_child(fault);

	(void)state;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSEGV);
	assert_int_equal(status_of_child(use_time), 0);
}

static void *map(size_t bytes, int protection)
{
	void *memory = mmap(NULL, bytes, protection, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	return memory;
}

static int set_up(void **state)
{
	(void)state;
	seen = map(sizeof(*seen), PROT_READ | PROT_WRITE);
	nobodys = map(4096, PROT_NONE);
	readonly = map(4096, PROT_READ);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_returns),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_bus_error),
		cmocka_unit_test(test_crashes),
		cmocka_unit_test(test_loses_its_stack),
		cmocka_unit_test(test_overflows_its_stack),
		cmocka_unit_test(test_hangs),
		cmocka_unit_test(test_act_in_the_midst_of_a_call),
		cmocka_unit_test(test_each_after_each),
		cmocka_unit_test(test_signal_mask_is_put_back),
		cmocka_unit_test(test_signals_blocked_before),
		cmocka_unit_test(test_first_outcome_counts),
		cmocka_unit_test(test_outside_of_a_call),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
