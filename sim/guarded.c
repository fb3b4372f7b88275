// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#include "sim/guarded.h"
#include "sim/types.h"

/* More than the kernel's frame with all its vector registers takes. */
#define STACK_BYTES 65536

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};

/*
 * What says that time is up. ThreadSanitizer delivers at once only signals that the code itself
 * may have caused, and others when code that it knows runs next, which may be never.
 */
#define TIME_IS_UP SIGTRAP

static sigjmp_buf way_out;
static volatile struct guarded_result found;
static timer_t timer;

/* Bit 1 of the page fault's error code. */
static bool was_write(const void *context)
{
#if defined(__x86_64__) || defined(__i386__)
	return ((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & 2;
#else
	(void)context;
	return false;
#endif
}

static void leave(int signal, siginfo_t *info, void *context)
{
	found.wrote = was_write(context);
	found.signal = signal;
	found.address = info->si_addr;
	if (signal == TIME_IS_UP && info->si_code == SI_TIMER)
		found.outcome = GUARDED_HUNG;
	else
		found.outcome =
			signal == SIGSEGV || signal == SIGBUS ? GUARDED_FAULTED : GUARDED_CRASHED;
	siglongjmp(way_out, 1);
}

void guarded_begin(void)
{
	static char stack[STACK_BYTES];
	/* Code that has lost its stack can be left only from another one. */
	const stack_t other = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action = {.sa_sigaction = leave, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	struct sigevent expiry = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = TIME_IS_UP};
	sigset_t wanted;

	timer_create(CLOCK_PROCESS_CPUTIME_ID, &expiry, &timer);
	sigaltstack(&other, NULL);
	sigfillset(&action.sa_mask);
	sigemptyset(&wanted);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		sigaction(signals[i], &action, NULL);
		sigaddset(&wanted, signals[i]);
	}
	sigprocmask(SIG_UNBLOCK, &wanted, NULL);
}

static void set_timer(unsigned int ms)
{
	const struct itimerspec from_now = {
		.it_value = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000}};

	timer_settime(timer, 0, &from_now, NULL);
}

struct guarded_result guarded_call(void (*function)(void *argument), void *argument,
				   unsigned int ms)
{
	struct guarded_result result;

	memset((void *)(uintptr_t)&found, 0, sizeof(found));
	if (sigsetjmp(way_out, 1) == 0) {
		set_timer(ms);
		function(argument);
	}
	set_timer(0);
	result.outcome = found.outcome;
	result.signal = found.signal;
	result.address = found.address;
	result.wrote = found.wrote;
	return result;
}
