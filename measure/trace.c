// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/trace.h"
#include "sim/types.h"

#if defined(__x86_64__) || defined(__i386__)

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* Between a call's breakpoint and the call. */
#define STEPS_BEFORE 256
#define CALLS	     5
/* By which the child says that it may not be traced. */
#define NOT_TRACED 77

typedef long traced_fn(long, long, long, long);

#if defined(__x86_64__)
#define PROGRAM_COUNTER rip
#define STACK_POINTER	rsp
#else
#define PROGRAM_COUNTER eip
#define STACK_POINTER	esp
#endif

struct tracee {
	pid_t pid;
	int status; /* as waitpid gives it */
	uintptr_t at;
	uintptr_t stack;
};

/*
 * Twice before it is traced, so that whatever the first call resolves is not part of it. A child
 * without its parent would be traced by whoever inherits it, and stand still for ever.
 */
static void be_child(const struct trace_call *call, pid_t parent)
{
	traced_fn *const function = (traced_fn *)call->function;
	const long *a = call->argument;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) || getppid() != parent ||
	    ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(NOT_TRACED);
	function(a[0], a[1], a[2], a[3]);
	function(a[0], a[1], a[2], a[3]);
	for (;;) {
		__asm__ __volatile__("int3" ::: "memory");
		function(a[0], a[1], a[2], a[3]);
	}
}

static bool await_stop(struct tracee *tracee)
{
	struct user_regs_struct registers;

	while (waitpid(tracee->pid, &tracee->status, 0) < 0)
		if (errno != EINTR)
			return false;
	if (!WIFSTOPPED(tracee->status) || WSTOPSIG(tracee->status) != SIGTRAP ||
	    ptrace(PTRACE_GETREGS, tracee->pid, NULL, &registers))
		return false;
	tracee->at = (uintptr_t)registers.PROGRAM_COUNTER;
	tracee->stack = (uintptr_t)registers.STACK_POINTER;
	return true;
}

static bool step(struct tracee *tracee)
{
	return ptrace(PTRACE_SINGLESTEP, tracee->pid, NULL, NULL) == 0 && await_stop(tracee);
}

static bool run_to_breakpoint(struct tracee *tracee)
{
	return ptrace(PTRACE_CONT, tracee->pid, NULL, NULL) == 0 && await_stop(tracee);
}

static int say_end(const struct tracee *tracee, struct errmsg *err)
{
	if (WIFEXITED(tracee->status) && WEXITSTATUS(tracee->status) == NOT_TRACED)
		return errmsg_set(err, "a child process may not be traced here");
	if (WIFSTOPPED(tracee->status))
		return errmsg_set(err, "the call was stopped by a signal: %s",
				  strsignal(WSTOPSIG(tracee->status)));
	if (WIFSIGNALED(tracee->status))
		return errmsg_set(err, "the call was ended by a signal: %s",
				  strsignal(WTERMSIG(tracee->status)));
	return errmsg_set(err, "the call ended its process");
}

/* The stop is at the breakpoint; the call comes soon after it. */
static int step_to(struct tracee *tracee, uintptr_t function, struct errmsg *err)
{
	for (int i = 0; i < STEPS_BEFORE; i++) {
		if (tracee->at == function)
			return 0;
		if (!step(tracee))
			return say_end(tracee, err);
	}
	return errmsg_set(err, "the call could not be found in the child's steps");
}

static int step_through(struct tracee *tracee, struct trace *trace, struct errmsg *err)
{
	const uintptr_t stack = tracee->stack;
	uintptr_t back;

	errno = 0;
	back = (uintptr_t)ptrace(PTRACE_PEEKDATA, tracee->pid, (void *)stack, NULL);
	if (errno)
		return errmsg_set(err, "the child's stack cannot be read: %s", strerror(errno));
	trace->count = 0;
	while (tracee->at != back || tracee->stack <= stack) {
		if (trace->count == TRACE_MAX)
			return errmsg_set(err, "the call is longer than %d instructions",
					  TRACE_MAX);
		trace->address[trace->count++] = tracee->at;
		if (!step(tracee))
			return say_end(tracee, err);
	}
	return 0;
}

static void end_child(struct tracee *tracee)
{
	if (WIFEXITED(tracee->status) || WIFSIGNALED(tracee->status))
		return;
	kill(tracee->pid, SIGKILL);
	while (waitpid(tracee->pid, &tracee->status, 0) < 0 && errno == EINTR)
		;
}

/* Keeps the shortest. The child is at a breakpoint. */
static int trace_calls(struct tracee *tracee, uintptr_t function, struct trace *shortest,
		       struct errmsg *err)
{
	struct trace trace;

	for (int i = 0; i < CALLS; i++) {
		if (i && !run_to_breakpoint(tracee))
			return say_end(tracee, err);
		if (step_to(tracee, function, err) || step_through(tracee, &trace, err))
			return -1;
		if (i == 0 || trace.count < shortest->count)
			*shortest = trace;
	}
	return 0;
}

int trace_quiet_call(const struct trace_call *call, struct trace *trace, struct errmsg *err)
{
	const pid_t parent = getpid();
	struct tracee tracee = {.pid = fork()};
	int failed;

	trace->count = 0;
	if (tracee.pid < 0)
		return errmsg_set(err, "no child process: %s", strerror(errno));
	if (tracee.pid == 0)
		be_child(call, parent);
	if (!await_stop(&tracee))
		failed = say_end(&tracee, err);
	else
		failed = trace_calls(&tracee, (uintptr_t)call->function, trace, err);
	end_child(&tracee);
	return failed;
}

#else

int trace_quiet_call(const struct trace_call *call, struct trace *trace, struct errmsg *err)
{
	(void)call;
	*trace = (struct trace){.count = 0};
	return errmsg_set(err, "calls can be traced on x86 only");
}

#endif
