// SPDX-License-Identifier: GPL-2.0-or-later
#include <ucontext.h>

#include "measure/escape.h"

/* ThreadSanitizer delivers at once only signals that code itself may have caused, as this one. */
#define ASKED SIGSYS

/* A request that finds a thread in code of ours is let pass, but not for ever. */
#define ESCAPE_REQUESTS_ELSEWHERE 5

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, ASKED};
static struct sigaction before[ARRAY_SIZE(signals)];

static __thread struct escape *escape_here;

static u64 place(const ucontext_t *context)
{
#if defined(__x86_64__)
	return (u64)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__i386__)
	return (u32)context->uc_mcontext.gregs[REG_EIP];
#else
	(void)context;
	return 0;
#endif
}

/* Not of a reader in such code: whoever was there before is to deal with it. */
static void pass_on(int number, const siginfo_t *info)
{
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		if (signals[i] == number)
			sigaction(number, &before[i], NULL);
	/* A fault comes again by itself. */
	if (info->si_code <= 0)
		raise(number);
}

/*
 * A thread that was put aside may have had no time to return. That a second request is delivered,
 * a good while after the first, shows that it has run meanwhile.
 */
static bool is_stuck(struct escape *escape)
{
	const u32 patience = escape->offset < escape->code_bytes ? 1 : ESCAPE_REQUESTS_ELSEWHERE;

	return escape->requests++ >= patience;
}

static void leave(int number, siginfo_t *info, void *context)
{
	struct escape *escape = escape_here;
	const bool asked = number == ASKED && info->si_code == SI_TKILL;

	if (!escape && asked)
		return;
	if (!escape || (info->si_code <= 0 && !asked)) {
		pass_on(number, info);
		return;
	}
	escape->offset = place(context) - (u64)(uintptr_t)escape->code;
	if (asked && !is_stuck(escape))
		return;
	escape_here = NULL;
	escape->taken = true;
	escape->signal = asked ? 0 : number;
	siglongjmp(escape->way_out, 1);
}

void escape_handle(void)
{
	const struct sigaction action = {.sa_sigaction = leave,
					 .sa_flags = SA_SIGINFO | SA_ONSTACK};

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &action, &before[i]);
}

void escape_unhandle(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &before[i], NULL);
}

void escape_begin(struct escape *escape, const void *code, u64 code_bytes)
{
	/* Code that has lost its stack can be left only from another one. */
	const stack_t own = {.ss_sp = escape->stack, .ss_size = sizeof(escape->stack)};

	escape->code = code;
	escape->code_bytes = code_bytes;
	sigaltstack(&own, &escape->other_stack);
	escape_here = escape;
}

void escape_end(struct escape *escape)
{
	escape_here = NULL;
	sigaltstack(&escape->other_stack, NULL);
}

void escape_ask(pthread_t thread)
{
	pthread_kill(thread, ASKED);
}
