// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "measure/collect.h"
#include "measure/cpus.h"
#include "measure/ending.h"
#include "measure/groups.h"
#include "measure/hypervisor_thread.h"
#include "measure/interrupt.h"
#include "measure/intervals.h"
#include "measure/opaque.h"
#include "measure/put_off.h"
#include "measure/reader_thread.h"
#include "measure/thread.h"
#include "measure/thread_limits.h"
#include "measure/watch.h"
#include "measure/writers.h"
#include "sim/monotonic.h"

/* How long the oracle must remember an update, so that a reader put aside meanwhile is judged. */
#define REMEMBER_SECONDS       1
#define REMEMBER_MS_PER_READER 8
#define MIN_REMEMBERED	       4096
#define POLL_MS		       200
/* The same for who waits for the first fault. */
#define FAULT_POLL_MS 4
/* Until every reader has had its chance to notice a jump. */
#define JUMP_SEEN_MS 100
/* A writer that got no CPU for so long is a matter of the result. */
#define STARVED_TOLD_S 0.1
/* Until a reader is taken out of an image's code, once it should stop. */
#define JOIN_MS		    1000
#define JOIN_INTERRUPTED_MS 250
#define JOIN_MS_PER_READER  10
#define JOIN_LOOK_NS	    1000000

/* All that a run owns, so that one function can give it back. */
struct run {
	struct run_shared shared;
	struct groups groups;
	struct cpu_plan plan;
	u64 called_ns; /* by CLOCK_MONOTONIC: no counter has been chosen by then */
	struct writers *writers;
	const struct reader *publishing; /* whose lock they left in the midst; NULL: none's */
	struct hypervisor_thread hypervisor;
	struct baseline *baseline;
	const struct run_hooks *hooks;
	struct intervals *intervals; /* NULL: none were asked for */
	u32 allocated;		     /* readers that have memory */
	u32 started;		     /* readers that have a thread */
	struct reader_thread **readers;
	bool watched;
	struct watch watch;
	struct put_off put_off;
};

static void release(struct run *run)
{
	for (u32 i = 0; i < run->allocated; i++) {
		work_end(&run->readers[i]->work);
		munmap(run->readers[i], sizeof(*run->readers[i]));
	}
	free(run->readers);
	if (run->writers)
		writers_release(run->writers);
	free(run->writers);
	if (run->watched)
		watch_end(&run->watch);
	if (run->baseline)
		baseline_destroy(run->baseline);
	intervals_destroy(run->intervals);
	groups_release(&run->groups);
}

u32 run_readers(const struct run_config *config)
{
	u32 readers = 0;

	for (u32 i = 0; i < config->groups; i++)
		readers += config->group[i].readers;
	return readers;
}

const void *run_foreign_publisher(const struct run_config *config, u64 *bytes)
{
	const void *code = NULL;

	for (u32 i = 0; i < config->groups && !code; i++)
		code = reader_foreign_publisher(&config->group[i].reader, bytes);
	return code;
}

static int make_pages(struct run *run, struct errmsg *err)
{
	const struct clocksource *cs = run->shared.config->clocksource;

	if (groups_map(&run->groups, &run->shared, err))
		return -1;
	hypervisor_prepare(&run->hypervisor, &run->shared, &run->groups.region[0], &run->plan);
	run->shared.counter_hz = cs->frequency_hz();
	run->shared.counter_cost = clocksource_cost(cs->clock_mode, run->shared.page);
	return 0;
}

static bool has_image(const struct run_config *config)
{
	for (u32 i = 0; i < config->groups; i++)
		if (config->group[i].reader.image)
			return true;
	return false;
}

static int make_writers(struct run *run, struct errmsg *err)
{
	const struct run_config *config = run->shared.config;
	const u64 hz = writers_update_hz(config);
	u64 remembered =
		hz * REMEMBER_SECONDS + hz * run_readers(config) * REMEMBER_MS_PER_READER / 1000;
	struct tk_core_setup setup = {
		.payload = config->payload,
		.clocksource = config->clocksource,
		.frequency_hz = run->shared.counter_hz,
		.update_hz = hz,
		.ahead_sec = has_image(config) ? OPAQUE_AHEAD_SEC : 0,
		.still = has_image(config),
		.locked = config->writers > 1,
		.region = &run->groups.region[0],
		.others = run->groups.regions - 1,
		.other = run->groups.other,
	};

	if (remembered < MIN_REMEMBERED)
		remembered = MIN_REMEMBERED;
	if (groups_watch(&run->groups, &run->shared, remembered, err))
		return -1;
	setup.oracles = run->groups.oracles;
	setup.oracle = run->groups.oracle;
	run->shared.stands_still = setup.still && config->payload == PAYLOAD_STAMP;
	run->writers = aligned_alloc(CACHE_LINE, sizeof(*run->writers));
	if (!run->writers)
		return errmsg_set(err, "no memory for the writers");
	memset(run->writers, 0, sizeof(*run->writers));
	if (exchange_is_wanted(config))
		run->shared.view = &run->writers->core.view;
	run->shared.counter_changes = writers_change_counter(config);
	return writers_make(run->writers, &run->shared, &run->plan, &setup, err);
}

static int make_reader(struct run *run, const struct group_shared *group, struct errmsg *err)
{
	const struct run_config *config = run->shared.config;
	const u32 index = run->allocated;
	struct reader_thread *reader = mmap(NULL, sizeof(*reader), PROT_READ | PROT_WRITE,
					    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (reader == MAP_FAILED) {
		const int cause = errno;

		return errmsg_set(err, "--readers: no memory for reader %u of %u: %s; %s",
				  index + 1, run_readers(config), strerror(cause),
				  thread_limits_here().text);
	}
	run->readers[run->allocated++] = reader;
	reader->shared = &run->shared;
	reader->group = group;
	reader->reader = &group->config->reader;
	reader->cpu = run->plan.cpu_of_reader[index];
	if (work_begin(&reader->work, &group->config->work, config->seed + index, err))
		return -1;
	reader->view = &group->view[TK_VIEW_HOST];
	reader->work.page = reader->view->page;
	if (group->config->reader.in_namespace)
		reader->work.behind = group->page;
	return 0;
}

/* Group by group. */
static int make_all_readers(struct run *run, struct errmsg *err)
{
	const struct run_config *config = run->shared.config;

	run->readers = calloc(run_readers(config), sizeof(*run->readers));
	if (!run->readers)
		return errmsg_set(err, "no memory for %u readers", run_readers(config));
	for (u32 i = 0; i < config->groups; i++)
		for (u32 nth = 0; nth < config->group[i].readers; nth++)
			if (make_reader(run, &run->shared.group[i], err))
				return -1;
	return 0;
}

static int make_readers(struct run *run, struct errmsg *err)
{
	if (make_all_readers(run, err))
		return -1;
	if (run->shared.config->baseline) {
		run->baseline = baseline_create(&run->shared, err);
		if (!run->baseline)
			return -1;
		run->readers[0]->baseline = run->baseline;
	}
	if (watch_begin(&run->watch, &run->shared, run->readers, run->writers,
			run->plan.writer_alone, err))
		return -1;
	run->watched = true;
	return 0;
}

static int start_reader(struct run *run, u32 index, struct errmsg *err)
{
	struct reader_thread *reader = run->readers[index];
	int cause = thread_start(&reader->thread, reader->cpu, 0, reader_thread_main, reader);

	if (!cause) {
		run->started++;
		return 0;
	}
	return errmsg_set(err, "--readers: thread %u of %u cannot be started: %s", index + 1,
			  run->allocated, thread_why(cause, reader->cpu).text);
}

static int start_hypervisor(struct run *run, struct errmsg *err)
{
	struct hypervisor_thread *hypervisor = &run->hypervisor;
	int cause;

	if (!hypervisor_is_needed(run->shared.config))
		return 0;
	cause = thread_start(&hypervisor->thread, hypervisor->cpu, hypervisor->priority,
			     hypervisor_thread_main, hypervisor);
	if (cause)
		return errmsg_set(err, "the hypervisor's thread cannot be started: %s",
				  thread_why(cause, hypervisor->cpu).text);
	hypervisor->running = true;
	return 0;
}

static int start_threads(struct run *run, struct errmsg *err)
{
	for (u32 i = 0; i < run->allocated; i++)
		if (start_reader(run, i, err))
			return -1;
	writers_set_readers(run->writers, run->readers, run->allocated);
	return writers_start(run->writers, err) || start_hypervisor(run, err) ? -1 : 0;
}

static void set_times(struct run_shared *shared)
{
	shared->start = shared_counter(shared);
	shared->warm_until = shared->start + shared_cycles(shared, shared->config->warmup_ns);
	shared->end = shared->warm_until + shared_cycles(shared, shared->config->duration_ns);
}

/*
 * This thread wakes a few times a second to look around, and must be there at once for a signal.
 * Among thousands of readers it might wait for seconds to be let in, so it stays with the writer,
 * unless that never gives way, or may not: through a lock that was compiled on demand.
 */
static void stay_with_writer(const struct run *run)
{
	cpu_set_t place;
	u64 bytes;

	if (!run->plan.writer_alone || run_foreign_publisher(run->shared.config, &bytes) ||
	    (run->plan.priority && writers_never_sleep(run->shared.config)))
		return;
	CPU_ZERO(&place);
	CPU_SET((size_t)run->plan.writer_cpu, &place);
	sched_setaffinity(0, sizeof(place), &place);
}

/* Takes one of the signals if it is there already. */
static bool take_signal(const sigset_t *signals)
{
	const struct timespec at_once = {0, 0};

	return sigtimedwait(signals, NULL, &at_once) > 0;
}

/* That this process goes on after a stop: blocked, it is there for whoever asks. */
static bool take_continued(void)
{
	sigset_t continued;

	sigemptyset(&continued);
	sigaddset(&continued, SIGCONT);
	return take_signal(&continued);
}

/* What readers tell so far; nothing unless they do. */
static void tell_figures(const struct run *run, u64 passed, char *figures, size_t bytes)
{
	const struct run_shared *shared = &run->shared;
	const double seconds = shared_nanoseconds(shared, (double)passed) / NSEC_PER_SEC -
			       (double)shared->config->warmup_ns / NSEC_PER_SEC;
	u64 reads = 0, retries = 0;
	bool known = true;

	for (u32 i = 0; i < run->started; i++) {
		const struct published *published = &run->readers[i]->published;

		reads += READ_ONCE(published->reads);
		retries += READ_ONCE(published->odd_waits) + READ_ONCE(published->changed) +
			   READ_ONCE(published->off_cpu);
		known &= !run->readers[i]->reader->image && !run->readers[i]->reader->no_retries;
	}
	*figures = '\0';
	if (!reads || seconds <= 0)
		return;
	snprintf(figures, bytes, "%.3g M reads/s", (double)reads / seconds / 1e6);
	if (known)
		snprintf(figures + strlen(figures), bytes - strlen(figures),
			 ", %.1f retries per million", 1e6 * (double)retries / (double)reads);
}

static void report_progress(const struct run *run, u64 passed)
{
	char figures[96] = "";
	const struct run_shared *shared = &run->shared;
	const struct run_config *config = shared->config;
	double length = (double)(config->warmup_ns + config->duration_ns) / NSEC_PER_SEC;
	double done = shared_nanoseconds(shared, (double)passed) / NSEC_PER_SEC;

	if (!run->hooks->progress)
		return;
	if (passed && config->publish)
		tell_figures(run, passed, figures, sizeof(figures));
	run->hooks->progress(done / length, length - done, figures, run->hooks->context);
}

/* A signal was taken. Of a run that has had its time it cuts nothing off. */
static void hear_signal(const struct run_shared *shared, struct run_result *result)
{
	result->signalled = true;
	if (shared_counter(shared) < shared->end)
		result->outcome = RUN_INTERRUPTED;
}

static bool has_faulty_read(const struct run *run)
{
	for (u32 i = 0; i < run->started; i++)
		if (READ_ONCE(run->readers[i]->fault_cycles))
			return true;
	return false;
}

static bool has_jump(const struct run *run)
{
	for (size_t i = 0; i < run->groups.oracles; i++)
		if (oracle_forbidden_jumps(run->groups.oracle[i]))
			return true;
	return false;
}

/*
 * Whether a fault ends the run, if one may. An oracle is told of a jump before any reader can see
 * it, and what readers make of it is to be known, too.
 */
static bool look_for_fault(const struct run *run, u64 now, struct run_result *result)
{
	const struct run_shared *shared = &run->shared;
	const double now_ns = shared_nanoseconds(shared, (double)(now - shared->start));
	const bool faulty_read = has_faulty_read(run);

	if (!shared->config->until_fault || (!faulty_read && !has_jump(run)))
		return false;
	if (result->fault_seen_ns < 0)
		result->fault_seen_ns = now_ns;
	return faulty_read || now_ns - result->fault_seen_ns >= JUMP_SEEN_MS * 1e6;
}

/* A look from outside, a few times a second; true if the run is stuck. */
static bool look_around(struct run *run, struct run_result *result)
{
	if (!READ_ONCE(run->shared.escaped) &&
	    !watch_look(&run->watch, result->stall, sizeof(result->stall)))
		return false;
	result->outcome = RUN_STALLED;
	return true;
}

/* Until the next look, the end of an interval, or of the run. */
static struct timespec nap_length(const struct run *run, u64 now)
{
	const struct run_shared *shared = &run->shared;
	u64 most_ns = (shared->config->until_fault ? FAULT_POLL_MS : POLL_MS) * 1000000ull;

	if (run->intervals && intervals_due(run->intervals) < shared->end) {
		const u64 due = intervals_due(run->intervals);
		const u64 left = due > now ? due - now : 0;
		const u64 left_ns = (u64)shared_nanoseconds(shared, (double)left) + 1000;

		most_ns = left_ns < most_ns ? left_ns : most_ns;
	}
	return (struct timespec){0, (long)put_off_nap_ns(&run->put_off, now, most_ns)};
}

static void tell_interval(const struct run *run, const struct run_interval *interval)
{
	if (interval && run->hooks->interval)
		run->hooks->interval(interval, run->hooks->context);
}

static void end_interval_due(struct run *run, u64 now)
{
	if (run->intervals && now >= intervals_due(run->intervals) && now < run->shared.end)
		tell_interval(run, intervals_take(run->intervals, intervals_look(run->intervals)));
}

/* The stop lay somewhere in these cycles, between two looks. */
static void note_stop(const struct run_shared *shared, u64 cycles, struct run_result *result)
{
	result->continued++;
	result->stopped_seconds += shared_nanoseconds(shared, (double)cycles) / NSEC_PER_SEC;
}

/* Waits for the end of the run, a signal, a stall or a fault. The signals are blocked, and SIGCONT.
 */
static void wait_for_end(struct run *run, const sigset_t *signals, struct run_result *result)
{
	struct run_shared *shared = &run->shared;
	const u64 between_looks = shared_cycles(shared, POLL_MS * 1000000ull);
	u64 now = shared->start, looked = now;
	sigset_t awaited = *signals;

	sigaddset(&awaited, SIGCONT);
	/* However long this thread was kept from here, the first thing it asks is this. */
	if (take_signal(signals))
		hear_signal(shared, result);
	while (now < shared->end && !result->signalled) {
		const struct timespec nap = nap_length(run, now);
		const u64 before = now;
		const int came = sigtimedwait(&awaited, NULL, &nap);

		now = shared_counter(shared);
		if (came == SIGCONT || take_continued())
			note_stop(shared, now - before, result);
		if (came > 0 && came != SIGCONT)
			hear_signal(shared, result);
		if (result->signalled || look_for_fault(run, now, result))
			return;
		put_off_look(&run->put_off, now);
		end_interval_due(run, now);
		if ((shared->config->until_fault || run->intervals) && now - looked < between_looks)
			continue;
		looked = now;
		if (look_around(run, result))
			return;
		if (now < shared->end)
			report_progress(run, now - shared->start);
	}
}

static bool has_foreign_code(const struct run *run)
{
	const struct run_config *config = run->shared.config;
	u64 bytes;

	for (u32 i = 0; i < config->groups; i++)
		if (reader_foreign_code(&config->group[i].reader, &bytes))
			return true;
	return false;
}

/* The first of the readers that had to leave code of others; one that crashed, if there is one. */
static const struct reader_thread *find_escaped(const struct run *run, u32 *taken)
{
	const struct reader_thread *found = NULL;

	*taken = 0;
	for (u32 i = 0; i < run->started; i++) {
		const struct escape *escape = &run->readers[i]->escape;

		*taken += escape->taken;
		if (escape->taken && (!found || (escape->signal && !found->escape.signal)))
			found = run->readers[i];
	}
	return found;
}

static void tell_escape(const struct run *run, struct run_result *result)
{
	u32 taken;
	const struct reader_thread *escaped = find_escaped(run, &taken);
	const struct escape *escape = escaped ? &escaped->escape : NULL;
	const struct reader *reader = escaped ? escaped->reader : NULL;
	const char *image = escaped && reader->image ? reader->image->name : NULL;
	char at[64] = "outside of it", name[96];

	if (!escaped)
		return;
	snprintf(name, sizeof(name), "%s%.80s", image ? "image:" : "",
		 image ? image : reader->path);
	if (escape->offset < escape->code_bytes)
		snprintf(at, sizeof(at), "at byte 0x%llx of it",
			 (unsigned long long)escape->offset);
	result->outcome = RUN_STALLED;
	if (escape->signal)
		snprintf(result->stall, sizeof(result->stall),
			 "the code of %s crashed %s: %s; so %u of %u readers ended", name, at,
			 strsignal(escape->signal), taken, run->started);
	else
		snprintf(result->stall, sizeof(result->stall),
			 "the code of %s does not return: %u of %u readers were in it, %s, and had "
			 "to be taken out",
			 name, taken, run->started, at);
}

static void tell_escape_of_writer(const struct run *run, struct run_result *result)
{
	for (u32 i = 0; i < run->writers->count; i++) {
		const struct escape *escape = &run->writers->thread[i]->escape;
		const char *whose = run->publishing ? run->publishing->path : "a lock";

		if (!escape->taken)
			continue;
		result->outcome = RUN_STALLED;
		if (escape->signal)
			snprintf(result->stall, sizeof(result->stall),
				 "the publisher of %.100s crashed: %s; so the writer ended", whose,
				 strsignal(escape->signal));
		else
			snprintf(result->stall, sizeof(result->stall),
				 "the publisher of %.100s does not return: the writer had to be "
				 "taken out",
				 whose);
	}
}

/*
 * Looks until then: of what waits for a thread, pthread_timedjoin_np knows only a clock that may be
 * set, and the other is not known to ThreadSanitizer.
 */
static bool joined_within(pthread_t thread, u64 ms)
{
	const u64 deadline = monotonic_ns() + ms * 1000000;
	const struct timespec nap = {0, JOIN_LOOK_NS};

	while (pthread_tryjoin_np(thread, NULL)) {
		if (monotonic_ns() >= deadline)
			return false;
		nanosleep(&nap, NULL);
	}
	return true;
}

/* Whoever has interrupted it does not want to wait for code that may never return. */
static u64 patience_ms(const struct run_result *result)
{
	return result->outcome == RUN_INTERRUPTED ? JOIN_INTERRUPTED_MS : JOIN_MS;
}

static void join_writers(struct run *run, const struct run_result *result)
{
	const u64 patience = patience_ms(result);
	u64 bytes;

	if (!run_foreign_publisher(run->shared.config, &bytes)) {
		writers_join(run->writers);
		return;
	}
	for (u32 i = 0; i < run->writers->started; i++)
		while (!joined_within(run->writers->thread[i]->thread, patience))
			escape_ask(run->writers->thread[i]->thread);
}

/*
 * All of them together are given the time that each may need to get a CPU once more, and then all
 * that are left are asked together.
 */
static void join_foreign_readers(struct run *run, const struct run_result *result)
{
	const u64 patience = patience_ms(result);
	u64 deadline = monotonic_ns() / 1000000 + patience + JOIN_MS_PER_READER * run->started;

	for (u32 i = 0; i < run->started; i++) {
		u64 now = monotonic_ns() / 1000000;

		while (!joined_within(run->readers[i]->thread,
				      deadline > now ? deadline - now : 0)) {
			for (u32 left = i; left < run->started; left++)
				escape_ask(run->readers[left]->thread);
			now = monotonic_ns() / 1000000;
			deadline = now + patience;
		}
	}
}

static void join_readers(struct run *run, struct run_result *result)
{
	if (!has_foreign_code(run)) {
		for (u32 i = 0; i < run->started; i++)
			pthread_join(run->readers[i]->thread, NULL);
		return;
	}
	join_foreign_readers(run, result);
	escape_unhandle();
	tell_escape(run, result);
	tell_escape_of_writer(run, result);
}

/* It has gone from the middle of an update. */
static void tell_left(const struct run *run, u32 update, struct run_result *result)
{
	result->outcome = RUN_STALLED;
	if (run->publishing)
		snprintf(result->stall, sizeof(result->stall),
			 "the writer ended within update %u and did not finish publishing it "
			 "through %.100s",
			 update, run->publishing->path);
	else
		snprintf(result->stall, sizeof(result->stall),
			 "the writer ended within update %u and left the sequence odd", update);
}

static void stop_and_join(struct run *run, struct run_result *result)
{
	u32 update;

	WRITE_ONCE(run->shared.stop, true);
	gate_open(&run->shared.gate);
	join_writers(run, result);
	run->publishing = groups_publishing(&run->groups);
	/* However short the run was, a writer that has gone must not have left readers waiting. */
	update = groups_open_pages(&run->groups, &run->shared.released);
	if (update && result->outcome != RUN_STALLED)
		tell_left(run, update, result);
	join_readers(run, result);
	if (run->hypervisor.running)
		pthread_join(run->hypervisor.thread, NULL);
}

/* Everything that a run needs before its threads start. */
static int prepare(struct run *run, struct run_result *result, struct errmsg *err)
{
	const struct run_config *config = run->shared.config;

	if (cpus_plan(config, &run->plan, &result->remarks, err) || make_pages(run, err))
		return -1;
	run->shared.called = shared_counter(&run->shared) -
			     shared_cycles(&run->shared, monotonic_ns() - run->called_ns);
	if (make_writers(run, err) || make_readers(run, err))
		return -1;
	if (!config->interval_ns)
		return 0;
	run->intervals = intervals_create(&run->shared, run->readers, run->writers, err);
	return run->intervals ? 0 : -1;
}

/* All threads have been started. */
static void open_gate_and_wait(struct run *run, const sigset_t *signals, struct run_result *result)
{
	/* From here on there is a result to lose; before, a signal may end the process. */
	report_progress(run, 0);
	gate_await(&run->shared.gate,
		   run->started + run->writers->started + run->hypervisor.running, signals);
	/* What was before is no matter of the run's. */
	take_continued();
	set_times(&run->shared);
	put_off_begin(&run->put_off, &run->shared, run->readers, run->started);
	if (run->intervals)
		intervals_begin(run->intervals);
	gate_open(&run->shared.gate);
	wait_for_end(run, signals, result);
}

static int measure(struct run *run, struct run_result *result, struct errmsg *err)
{
	/* Blocked here and so in every thread: the wait below is who hears of them. */
	const sigset_t signals = ending_signals();
	sigset_t blocked = signals, before;
	cpu_set_t affinity;
	int failed;

	sigaddset(&blocked, SIGCONT);
	pthread_sigmask(SIG_BLOCK, &blocked, &before);
	sched_getaffinity(0, sizeof(affinity), &affinity);
	gate_init(&run->shared.gate);

	if (has_foreign_code(run))
		escape_handle();
	if (writers_interrupt(run->shared.config))
		interrupt_handle();
	failed = start_threads(run, err);
	if (!failed) {
		stay_with_writer(run);
		open_gate_and_wait(run, &signals, result);
	}
	stop_and_join(run, result);
	/*
	 * One that came too late for the wait asks for an end that has come, and must not kill. The
	 * second is the process's own.
	 */
	if (result->outcome != RUN_INTERRUPTED)
		result->signalled |= take_signal(&signals);
	if (writers_interrupt(run->shared.config))
		interrupt_unhandle();
	gate_destroy(&run->shared.gate);
	sched_setaffinity(0, sizeof(affinity), &affinity);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return failed;
}

static void remark_on_counter(struct run_result *result)
{
	const struct distribution *read = &result->all.read;

	if (result->counter_step_ns > read->mean_ns / 10 && read->samples)
		remark(&result->remarks,
		       "the counter moves in steps of %.1f ns, so a single read or hold is known "
		       "to no "
		       "better than that; the mean is not affected",
		       result->counter_step_ns);
	if (result->off_cpu_unavailable)
		remark(&result->remarks, "off-CPU retries cannot be told apart: %s",
		       result->off_cpu_unavailable);
}

static void remark_on_share(const struct run *run, struct run_result *result)
{
	/* Of who never came out of its wait the time that it had is not known. */
	if (result->seconds > 0 && result->all.cpu_share < 0.95 && !result->all.kept)
		remark(&result->remarks,
		       "readers got only %.0f %% of their CPU%s (others ran there, or the process "
		       "was "
		       "stopped): reads per second are lower for that, the time per read is not "
		       "affected",
		       100 * result->all.cpu_share, run->plan.reader_cpus == 1 ? "" : "s");
}

static void remark_on_idle(struct run_result *result)
{
	const struct readers_result *all = &result->all;
	u32 idle = 0;

	for (u32 i = 0; i < all->readers; i++)
		idle += all->each[i].counts.reads == 0;
	if (idle && all->kept)
		remark(&result->remarks,
		       "%u of %u readers finished no read in the measured time: %u waited in one "
		       "for "
		       "the writer",
		       idle, all->readers, all->kept);
	else if (idle && all->starved)
		remark(&result->remarks,
		       "%u of %u readers finished no read in the measured time: %u were given no "
		       "CPU in it",
		       idle, all->readers, all->starved);
	else if (idle)
		remark(&result->remarks, "%u of %u readers finished no read in the measured time",
		       idle, all->readers);
}

/* One remark, however many groups of it there are. */
static void remark_on_coarse(const struct run_config *config, struct run_result *result)
{
	for (u32 i = 0; i < config->groups; i++) {
		if (config->group[i].reader.uses_counter)
			continue;
		remark(&result->remarks,
		       "a coarse reader reads no counter: 1 block of %d is timed read by read, and "
		       "the timer's %.1f ns are taken out",
		       TIMED_COARSE_BLOCKS, result->group[i].timer_ns);
		return;
	}
}

/* What writers have done that is no update; the page was never updated otherwise. */
static void remark_on_no_update(const struct run_config *config, struct run_result *result)
{
	char done[256] = "";
	size_t used = 0;

	for (u32 i = 0; i < config->writers; i++) {
		const struct writer_kind *kind = config->writer[i].kind;

		if (!kind->no_update || used >= sizeof(done))
			continue;
		used += (size_t)snprintf(done + used, sizeof(done) - used, "%s %s %s %llu times",
					 used ? "," : ":", kind->name,
					 kind->exchanges ? "exchanged it"
							 : "wrote outside of the sequence",
					 (unsigned long long)result->each_writer[i].updates);
	}
	remark(&result->remarks, "the page was never updated while measured%s", done);
}

static void remark_on_writers(const struct run_config *config, struct run_result *result)
{
	if (result->steered_back)
		remark(&result->remarks,
		       "%llu times a clock went back by what a slower mult makes that was "
		       "published "
		       "late: the kernel's does as well",
		       (unsigned long long)result->steered_back);
	if (!result->writer.updates)
		remark_on_no_update(config, result);
}

static void remark_on_strayed(const struct run *run, struct run_result *result)
{
	u32 readers = 0, writers = 0;

	for (u32 i = 0; i < run->started; i++)
		readers += run->readers[i]->strayed;
	for (u32 i = 0; i < run->writers->started; i++)
		writers += run->writers->thread[i]->strayed;
	if (readers || writers)
		remark(&result->remarks,
		       "CPUs changed under the run: %u of %u readers and %u of %u writers did not "
		       "stay where they had been put (affinity, cpuset, or a CPU taken away)",
		       readers, run->started, writers, run->writers->started);
}

static void remark_on_stops(struct run_result *result)
{
	if (result->continued)
		remark(&result->remarks,
		       "the process was stopped and continued %u time%s, for %.2f s at most: what "
		       "was due then came late or not at all",
		       result->continued, result->continued == 1 ? "" : "s",
		       result->stopped_seconds);
}

static void remark_on_starved(const struct run *run, struct run_result *result)
{
	const double seconds =
		shared_nanoseconds(&run->shared, (double)run->watch.most_starved) / NSEC_PER_SEC;

	if (seconds >= STARVED_TOLD_S)
		remark(&result->remarks,
		       "the writer was ready to run and got no CPU for %.2f s or more: threads of "
		       "its priority or a higher one had it",
		       seconds);
}

static void remark_on_end(const struct run *run, struct run_result *result)
{
	const double late_ns = put_off_by_ns(&run->put_off);

	if (late_ns > 0)
		remark(&result->remarks,
		       "no reader was given a CPU in the %.3g s asked for: the end was put off by "
		       "%.2g s",
		       (double)run->shared.config->duration_ns / NSEC_PER_SEC,
		       late_ns / NSEC_PER_SEC);
}

static void remark_on_readers(const struct run *run, struct run_result *result)
{
	const struct readers_result *all = &result->all;

	/* Of who never came out of a wait neither is known: it had its CPU, and waited on it. */
	if (!READ_ONCE(run->shared.released)) {
		remark_on_share(run, result);
		remark_on_idle(result);
	}
	if (all->total.unchecked)
		remark(&result->remarks,
		       "%llu reads could not be checked: their reader was put aside for so long "
		       "that the oracle had forgotten the update",
		       (unsigned long long)all->total.unchecked);
	if (run->baseline)
		remark(&result->remarks,
		       "the first reader spent part of its time on the baseline: its share and the "
		       "reads per second are smaller for that");
	remark_on_coarse(run->shared.config, result);
}

static int collect(struct run *run, u64 steal_before, struct run_result *result, struct errmsg *err)
{
	const struct run_shared *shared = &run->shared;
	cpu_set_t used = run->plan.readers;

	if (collect_readers(shared, run->readers, result, err))
		return -1;
	if (collect_writers(shared, run->writers, result, err))
		return -1;
	collect_together(shared, run->readers, run->writers, result);
	if (run->intervals) {
		tell_interval(run, intervals_finish(run->intervals, result->seconds));
		result->interval = intervals_list(run->intervals, &result->intervals);
	}
	hypervisor_collect(&run->hypervisor, result);
	for (size_t i = 0; i < run->groups.oracles; i++) {
		result->forbidden_jumps += oracle_forbidden_jumps(run->groups.oracle[i]);
		result->steered_back += oracle_steered_back(run->groups.oracle[i]);
	}
	if (run->baseline)
		baseline_result(run->baseline, &result->baseline);
	result->counter_hz = shared->counter_hz;
	result->counter_cost_ns = shared_nanoseconds(shared, shared->counter_cost);
	result->counter_step_ns = shared_nanoseconds(
		shared,
		(double)clocksource_step(shared->config->clocksource->clock_mode, shared->page));
	if (shared->config->payload == PAYLOAD_STAMP)
		result->backwards_unavailable = "a stamp is no time";
	CPU_SET((size_t)run->plan.writer_cpu, &used);
	remark_on_counter(result);
	remark_on_stops(result);
	remark_on_starved(run, result);
	remark_on_end(run, result);
	remark_on_strayed(run, result);
	remark_on_writers(shared->config, result);
	remark_on_readers(run, result);
	machine_remarks(&result->machine, &used, machine_steal_ticks() - steal_before,
			&result->remarks);
	return 0;
}

/* Whether each reader tells enough to be judged; -1 with a sentence in *err. */
static int check_readers(const struct run_config *config, struct errmsg *err)
{
	for (u32 i = 0; i < config->groups; i++) {
		const struct reader *reader = &config->group[i].reader;

		if (reader_is_lock(reader) && !reader->tells)
			return errmsg_set(
				err,
				"--reader: '%.100s' does not fetch what was published: on a "
				"page that nobody updates other words came back",
				reader->path);
		if (!reader->image && !reader->tells)
			return errmsg_set(
				err,
				"--reader: '%.100s' does not tell what it used, so that nobody "
				"can say whether its reads are right: NOTE_USED_SEQ and "
				"NOTE_USED_CYCLES of readers/reader.h are how",
				reader->path);
	}
	return 0;
}

int run_execute(const struct run_config *config, const struct run_hooks *hooks,
		struct run_result *result, struct errmsg *err)
{
	static const struct run_hooks no_hooks;
	u64 called_ns = monotonic_ns();
	u64 steal = machine_steal_ticks();
	struct run *run;
	int failed;

	if (check_readers(config, err) || writers_check(config, err) ||
	    thread_limits_check_memory(run_readers(config), err))
		return -1;
	run = aligned_alloc(CACHE_LINE, sizeof(*run));
	if (!run)
		return errmsg_set(err, "no memory for the run");
	memset(run, 0, sizeof(*run));
	memset(result, 0, sizeof(*result));
	result->fault_seen_ns = -1;
	run->shared.config = config;
	run->called_ns = called_ns;
	run->hooks = hooks ? hooks : &no_hooks;
	machine_describe(&result->machine);

	failed = prepare(run, result, err);
	if (!failed)
		failed = measure(run, result, err);
	if (!failed)
		failed = collect(run, steal, result, err);
	if (failed)
		run_result_release(result);
	release(run);
	free(run);
	return failed ? -1 : 0;
}

void run_result_release(struct run_result *result)
{
	free(result->each);
	free(result->interval);
	result->each = NULL;
	result->interval = NULL;
	lengths_release(&result->all.lengths);
	for (u32 i = 0; i < RUN_MAX_GROUPS; i++)
		lengths_release(&result->group[i].lengths);
	lengths_release(&result->writer.holds);
	for (u32 i = 0; i < WRITER_MAX; i++)
		lengths_release(&result->each_writer[i].holds);
}
