// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "sim/guarded.h"
#include "sim/types.h"

/* More than the kernel's frame with all its vector registers takes. */
#define STACK_BYTES 65536

/*
 * What the timer sends. ThreadSanitizer puts all signals off until the next system call but those
 * that an instruction may cause, as this one; its code tells that the timer did.
 */
#define TIME_IS_UP SIGSYS

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};

static sigjmp_buf way_out;
static volatile sig_atomic_t inside; /* a call: there is a way out */
static volatile struct guarded_result found;
/* What is done before time is up: once, when the timer expires first. NULL: nothing. */
static void (*volatile meanwhile)(void *argument);
static void *volatile meanwhile_argument;
static volatile unsigned int ms_left; /* after that */
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

static void note(int signal, const siginfo_t *info, const void *context)
{
	found.wrote = was_write(context);
	found.signal = signal;
	found.address = info->si_addr;
	if (info->si_code == SI_TIMER)
		found.outcome = GUARDED_HUNG;
	else
		found.outcome =
			signal == SIGSEGV || signal == SIGBUS ? GUARDED_FAULTED : GUARDED_CRASHED;
}

static void set_timer(unsigned int ms)
{
	const struct itimerspec left = {
		.it_value = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000}};

	timer_settime(timer, 0, &left, NULL);
}

/* True: the call goes on. */
static bool act_meanwhile(const siginfo_t *info)
{
	void (*const act)(void *argument) = meanwhile;

	if (info->si_code != SI_TIMER || !act)
		return false;
	meanwhile = NULL;
	act(meanwhile_argument);
	set_timer(ms_left);
	return true;
}

static void leave(int number, siginfo_t *info, void *context)
{
	if (!inside) {
		/* It expired as the call came to its end. */
		if (info->si_code == SI_TIMER)
			return;
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	if (act_meanwhile(info))
		return;
	/* Time may run out while a fault is being dealt with: then this is the second to come. */
	if (found.outcome == GUARDED_RETURNED)
		note(number, info, context);
	siglongjmp(way_out, 1);
}

int guarded_begin(struct errmsg *err)
{
	static char stack[STACK_BYTES];
	/* Code that has lost its stack can be left only from another one. */
	const stack_t other = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action = {.sa_sigaction = leave, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	/* For this thread: a sanitizer's own is no place to leave the call from. */
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = TIME_IS_UP};
	sigset_t wanted;

	event._sigev_un._tid = gettid();
	sigaltstack(&other, NULL);
	sigfillset(&action.sa_mask);
	sigemptyset(&wanted);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		sigaction(signals[i], &action, NULL);
		sigaddset(&wanted, signals[i]);
	}
	sigprocmask(SIG_UNBLOCK, &wanted, NULL);
	return timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer)
		       ? errmsg_set(err, "no timer to call code by: %s", strerror(errno))
		       : 0;
}

static struct guarded_result call(void (*function)(void *argument), void *argument, unsigned int ms)
{
	struct guarded_result result;

	found.outcome = GUARDED_RETURNED;
	found.signal = 0;
	found.address = NULL;
	found.wrote = false;
	if (sigsetjmp(way_out, 1) == 0) {
		inside = true;
		set_timer(ms);
		function(argument);
	}
	inside = false;
	set_timer(0);
	result.outcome = found.outcome;
	result.signal = found.signal;
	result.address = found.address;
	result.wrote = found.wrote;
	return result;
}

struct guarded_result guarded_call(void (*function)(void *argument), void *argument,
				   unsigned int ms)
{
	meanwhile = NULL;
	return call(function, argument, ms);
}

struct guarded_result guarded_call_with(void (*function)(void *argument), void *argument,
					const struct guarded_act *act, unsigned int ms)
{
	meanwhile_argument = act->argument;
	ms_left = ms;
	meanwhile = act->function;
	return call(function, argument, act->after_ms);
}
