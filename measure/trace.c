// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/trace.h"
#include "sim/types.h"

#if defined(__x86_64__) || defined(__i386__)

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/time.h>
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

/* What a call's own code may cause, and what comes when its time is up. */
static const int own_signals[] = {SIGSEGV, SIGBUS, SIGILL,  SIGFPE,
				  SIGTRAP, SIGSYS, SIGPROF, SIGALRM};

struct tracee {
	pid_t pid;
	int status; /* as waitpid gives it, if there is no error */
	int error;  /* an errno: that it could not be waited for, or stepped */
	bool ended;
	bool call_fails;
	uintptr_t at;
	uintptr_t stack;
	struct user_regs_struct registers; /* where it stands */
	const struct trace_watch *watch;   /* NULL: nothing is wanted but addresses */
};

/* Whatever else comes is for the parent, as a key that is pressed; a child would stop on it. */
static void choose_signals(void)
{
	sigset_t others;

	sigfillset(&others);
	for (size_t i = 0; i < ARRAY_SIZE(own_signals); i++) {
		signal(own_signals[i], SIG_DFL);
		sigdelset(&others, own_signals[i]);
	}
	sigprocmask(SIG_SETMASK, &others, NULL);
}

/* CPU time, so that a busy machine changes nothing, and much more of any time. */
static void limit_time(void)
{
	const struct itimerval limit = {.it_value = {.tv_sec = TRACE_CPU_SECONDS}};

	setitimer(ITIMER_PROF, &limit, NULL);
	alarm(TRACE_SECONDS);
}

/*
 * Twice before it is traced, so that whatever the first call resolves is not part of it. A child
 * without its parent would be traced by whoever inherits it, and stand still for ever.
 */
static void be_child(const struct trace_call *call, pid_t parent)
{
	const struct rlimit no_core = {0, 0};
	traced_fn *const function = (traced_fn *)call->function;
	const long *a = call->argument;

	setrlimit(RLIMIT_CORE, &no_core);
	choose_signals();
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) || getppid() != parent)
		_exit(NOT_TRACED);
	limit_time();
	function(a[0], a[1], a[2], a[3]);
	function(a[0], a[1], a[2], a[3]);
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(NOT_TRACED);
	for (;;) {
		limit_time();
		__asm__ __volatile__("int3" ::: "memory");
		function(a[0], a[1], a[2], a[3]);
	}
}

static bool await(struct tracee *tracee)
{
	int status;

	while (waitpid(tracee->pid, &status, 0) < 0) {
		if (errno != EINTR) {
			tracee->error = errno;
			return false;
		}
	}
	tracee->status = status;
	tracee->ended = WIFEXITED(status) || WIFSIGNALED(status);
	return true;
}

/* Somebody may have killed the child where it stood: then that is what there is to tell. */
static bool lose(struct tracee *tracee, int error)
{
	if (error != ESRCH || !await(tracee) || !tracee->ended)
		tracee->error = error;
	return false;
}

static bool await_stop(struct tracee *tracee)
{
	if (!await(tracee) || !WIFSTOPPED(tracee->status) || WSTOPSIG(tracee->status) != SIGTRAP)
		return false;
	if (ptrace(PTRACE_GETREGS, tracee->pid, NULL, &tracee->registers))
		return lose(tracee, errno);
	tracee->at = (uintptr_t)tracee->registers.PROGRAM_COUNTER;
	tracee->stack = (uintptr_t)tracee->registers.STACK_POINTER;
	return true;
}

static bool step(struct tracee *tracee)
{
	if (ptrace(PTRACE_SINGLESTEP, tracee->pid, NULL, NULL))
		return lose(tracee, errno);
	return await_stop(tracee);
}

static bool run_to_breakpoint(struct tracee *tracee)
{
	if (ptrace(PTRACE_CONT, tracee->pid, NULL, NULL))
		return lose(tracee, errno);
	return await_stop(tracee);
}

static bool is_own(int signal)
{
	for (size_t i = 0; i < ARRAY_SIZE(own_signals); i++)
		if (own_signals[i] == signal)
			return true;
	return false;
}

/* Of any other signal nobody can tell whether the call has caused it. */
static int say_signal(struct tracee *tracee, int signal, struct errmsg *err)
{
	tracee->call_fails = is_own(signal);
	if (signal == SIGPROF)
		return errmsg_set(err, "the call did not return within %d s of CPU time",
				  TRACE_CPU_SECONDS);
	if (signal == SIGALRM)
		return errmsg_set(err, "the call did not return within %d s", TRACE_SECONDS);
	return errmsg_set(err, "the call was ended by a signal: %s", strsignal(signal));
}

static int say_end(struct tracee *tracee, struct errmsg *err)
{
	if (tracee->error)
		return errmsg_set(err, "the child process cannot be followed: %s",
				  strerror(tracee->error));
	if (WIFEXITED(tracee->status) && WEXITSTATUS(tracee->status) == NOT_TRACED)
		return errmsg_set(err, "a child process may not be traced here");
	if (WIFSTOPPED(tracee->status))
		return say_signal(tracee, WSTOPSIG(tracee->status), err);
	if (WIFSIGNALED(tracee->status))
		return say_signal(tracee, WTERMSIG(tracee->status), err);
	tracee->call_fails = true;
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

#if defined(__x86_64__)
static struct trace_registers keep_registers(const struct user_regs_struct *r)
{
	return (struct trace_registers){
		.general = {r->rax, r->rcx, r->rdx, r->rbx, r->rsp, r->rbp, r->rsi, r->rdi, r->r8,
			    r->r9, r->r10, r->r11, r->r12, r->r13, r->r14, r->r15},
		.fs_base = r->fs_base,
		.gs_base = r->gs_base,
	};
}
#else
static struct trace_registers keep_registers(const struct user_regs_struct *r)
{
	return (struct trace_registers){
		.general = {(u32)r->eax, (u32)r->ecx, (u32)r->edx, (u32)r->ebx, (u32)r->esp,
			    (u32)r->ebp, (u32)r->esi, (u32)r->edi},
	};
}
#endif

static void watch_step(const struct tracee *tracee, size_t step)
{
	if (!tracee->watch)
		return;
	if (tracee->watch->registers)
		tracee->watch->registers[step] = keep_registers(&tracee->registers);
	if (tracee->watch->before)
		tracee->watch->before(tracee->watch->context, step);
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
		if (trace->count == TRACE_MAX) {
			tracee->call_fails = true;
			return errmsg_set(err, "the call is longer than %d instructions",
					  TRACE_MAX);
		}
		watch_step(tracee, trace->count);
		trace->address[trace->count++] = tracee->at;
		if (!step(tracee))
			return say_end(tracee, err);
	}
	return 0;
}

static void end_child(struct tracee *tracee)
{
	if (tracee->ended)
		return;
	kill(tracee->pid, SIGKILL);
	while (await(tracee) && !tracee->ended)
		;
}

/* Keeps the shortest. The child is at a breakpoint. */
static int trace_calls(struct tracee *tracee, uintptr_t function, struct trace *shortest,
		       struct errmsg *err)
{
	const int calls = tracee->watch ? 1 : CALLS;
	struct trace trace = {.count = 0};

	for (int i = 0; i < calls; i++) {
		if (i && !run_to_breakpoint(tracee))
			return say_end(tracee, err);
		if (step_to(tracee, function, err) || step_through(tracee, &trace, err))
			return -1;
		if (i == 0 || trace.count < shortest->count)
			*shortest = trace;
	}
	return 0;
}

/* Until the child has chosen its signals it has none of them. */
static pid_t fork_child(const struct trace_call *call)
{
	const pid_t parent = getpid();
	sigset_t all, before;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (pid == 0)
		be_child(call, parent);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

static int trace_in_child(const struct trace_call *call, const struct trace_watch *watch,
			  struct trace *trace, struct errmsg *err)
{
	struct tracee tracee = {.pid = fork_child(call), .watch = watch};
	int failed;

	if (tracee.pid < 0)
		return errmsg_set(err, "no child process: %s", strerror(errno));
	if (!await_stop(&tracee))
		failed = say_end(&tracee, err);
	else
		failed = trace_calls(&tracee, (uintptr_t)call->function, trace, err);
	end_child(&tracee);
	if (failed)
		*trace = (struct trace){.call_fails = tracee.call_fails};
	return failed;
}

int trace_watched_call(const struct trace_call *call, const struct trace_watch *watch,
		       struct trace *trace, struct errmsg *err)
{
	const struct sigaction usual = {.sa_handler = SIG_DFL};
	struct sigaction before;
	int failed;

	*trace = (struct trace){.count = 0};
	/* Of children that are ignored nobody hears how they ended. */
	sigaction(SIGCHLD, &usual, &before);
	failed = trace_in_child(call, watch, trace, err);
	sigaction(SIGCHLD, &before, NULL);
	return failed;
}

#else

int trace_watched_call(const struct trace_call *call, const struct trace_watch *watch,
		       struct trace *trace, struct errmsg *err)
{
	(void)call;
	(void)watch;
	*trace = (struct trace){.count = 0};
	return errmsg_set(err, "calls can be traced on x86 only");
}

#endif

int trace_quiet_call(const struct trace_call *call, struct trace *trace, struct errmsg *err)
{
	return trace_watched_call(call, NULL, trace, err);
}
