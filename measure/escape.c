// SPDX-License-Identifier: GPL-2.0-or-later
#include <ucontext.h>

#include "measure/escape.h"

/* ThreadSanitizer delivers at once only signals that code itself may have caused, as this one. */
#define ASKED SIGSYS

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

static void leave(int number, siginfo_t *info, void *context)
{
	struct escape *escape = escape_here;
	const bool asked = info->si_code == SI_TKILL;

	if (!escape && asked)
		return;
	if (!escape) {
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	escape_here = NULL;
	escape->taken = true;
	escape->signal = asked ? 0 : number;
	escape->offset = place(context) - (u64)(uintptr_t)escape->image->start;
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

void escape_begin(struct escape *escape, const struct vdso_image *image)
{
	/* Code that has lost its stack can be left only from another one. */
	const stack_t own = {.ss_sp = escape->stack, .ss_size = sizeof(escape->stack)};

	escape->image = image;
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
