// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "readers/trial.h"
#include "sim/clocksource.h"
#include "sim/confine.h"
#include "sim/guarded.h"
#include "sim/publish.h"
#include "sim/stamp.h"

#define CALLS	   16
#define CALL_MS	   1000
#define CHILD_S	   10 /* however the code keeps from using CPU time */
#define UPDATE	   5  /* number of the stamp that it is shown */
#define NO_COUNTER UINT64_MAX

/* What the child has found, in memory that it shares. */
struct verdict {
	bool begun; /* there was a page, and a way to cut calls short */
	bool done;
	bool counted; /* which path it was, if it did not end */
	bool tells;
	int result; /* of a call that failed */
	struct guarded_result end;
};

struct call {
	reader_fn *read;
	const struct vdso_time_data *page;
	clockid_t clock;
	struct timespec ts;
	struct read_note note;
	int result;
};

static void call_reader(void *argument)
{
	struct call *call = argument;

	call->result = call->read(call->page, call->clock, &call->ts, &call->note);
}

static bool call_goes_well(const struct reader *reader, struct call *call, struct verdict *verdict)
{
	call->read = verdict->counted ? reader->counted : reader->bare;
	call->result = 0;
	verdict->end = guarded_call(call_reader, call, CALL_MS);
	verdict->result = call->result;
	return verdict->end.outcome == GUARDED_RETURNED && !call->result;
}

/* It tells if it has said which sequence and which counter value it used. */
static void try_calls(const struct reader *reader, struct call *call, struct verdict *verdict)
{
	for (int i = 0; i < 2 * CALLS; i++) {
		verdict->counted = i % 2;
		call->note = (struct read_note){.cycles = NO_COUNTER};
		if (!call_goes_well(reader, call, verdict))
			return;
		if (verdict->counted)
			verdict->tells = call->note.seq == 2 * UPDATE && !call->note.fallbacks &&
					 (!reader->uses_counter || call->note.cycles != NO_COUNTER);
	}
	verdict->done = true;
}

/* Whatever the process that started contend made of that signal. */
static void end_by_alarm(void)
{
	sigset_t alarms;

	signal(SIGALRM, SIG_DFL);
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarms, NULL);
	alarm(CHILD_S);
}

_Noreturn static void be_child(const struct reader *reader, struct verdict *verdict)
{
	const struct clocksource *cs = clocksource_default();
	struct timekeeper tk = {.clock_mode = cs->clock_mode, .mask = cs->mask};
	const struct timens_offset none[VDSO_BASES] = {{.sec = 0}};
	struct call call = {.clock = reader->clock};
	struct page_region region;
	struct errmsg err;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	end_by_alarm();
	if (page_region_map(&region, reader->layout, reader->data_offset, &err) ||
	    guarded_begin(&err))
		_exit(1);
	verdict->begun = true;
	page_set_namespace(&region, none);
	timekeeper_stamp(&tk, UPDATE, clocksource_read(cs->clock_mode, page_for_readers(&region)));
	call.page = reader->in_namespace ? page_for_namespace(&region) : page_for_readers(&region);
	vdso_set_sequences(page_for_writer(&region), region.layout, 2 * (UPDATE - 1));
	update_vsyscall(page_for_writer(&region), region.layout, &tk);
	/* Where that cannot be had it is tried all the same. */
	(void)confine_to_clocks();
	try_calls(reader, &call, verdict);
	_exit(0);
}

static int say_end(const struct reader *reader, const struct verdict *verdict, int status,
		   struct errmsg *err)
{
	const char *path = verdict->counted ? "with READER_COUNTED 1 " : "";

	if (!verdict->begun)
		return errmsg_set(err, "reader '%.100s': there is no memory or no timer to try it",
				  reader->path);
	switch (verdict->end.outcome) {
	case GUARDED_FAULTED:
		return errmsg_set(err, "reader '%.100s': its code crashes, %sat address %#llx: %s",
				  reader->path, path,
				  (unsigned long long)(uintptr_t)verdict->end.address,
				  strsignal(verdict->end.signal));
	case GUARDED_CRASHED:
		if (verdict->end.signal == SIGSYS)
			return errmsg_set(err,
					  "reader '%.100s': its code %smakes a system call, and "
					  "asks for no time by it: that is no read path's",
					  reader->path, path);
		return errmsg_set(err, "reader '%.100s': its code crashes, %sby %s", reader->path,
				  path, strsignal(verdict->end.signal));
	case GUARDED_HUNG:
		return errmsg_set(err,
				  "reader '%.100s': its code does not return, %swithin %d ms, on a "
				  "page that nobody updates",
				  reader->path, path, CALL_MS);
	default:
		break;
	}
	if (verdict->result)
		return errmsg_set(err, "reader '%.100s': its code %sreturns %d, where 0 is right",
				  reader->path, path, verdict->result);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		return errmsg_set(err, "reader '%.100s': its code %sdoes not return within %d s",
				  reader->path, path, CHILD_S);
	return errmsg_set(err, "reader '%.100s': its code ended the process that it was tried in",
			  reader->path);
}

int trial_run(struct reader *reader, struct errmsg *err)
{
	struct verdict *verdict = mmap(NULL, sizeof(*verdict), PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = 0, failed = 0;
	pid_t child;

	if (verdict == MAP_FAILED)
		return errmsg_set(err, "no memory to try a reader: %s", strerror(errno));
	child = fork();
	if (child == 0)
		be_child(reader, verdict);
	if (child < 0)
		failed =
			errmsg_set(err, "no child process to try a reader in: %s", strerror(errno));
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (child > 0 && !verdict->done)
		failed = say_end(reader, verdict, status, err);
	reader->tells = verdict->tells;
	munmap(verdict, sizeof(*verdict));
	return failed;
}
