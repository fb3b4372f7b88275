// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "measure/collect.h"
#include "measure/cpus.h"
#include "measure/hypervisor_thread.h"
#include "measure/opaque.h"
#include "measure/reader_thread.h"
#include "measure/thread.h"
#include "measure/thread_limits.h"
#include "measure/watch.h"
#include "measure/writer_thread.h"
#include "sim/monotonic.h"

/* How long the oracle must remember an update, so that a reader put aside meanwhile is judged. */
#define REMEMBER_SECONDS       1
#define REMEMBER_MS_PER_READER 8
#define MIN_REMEMBERED	       4096
#define POLL_MS		       200
/* Until a reader is taken out of an image's code, once it should stop. */
#define JOIN_MS		      1000
#define JOIN_MS_PER_READER    10
#define NAMESPACE_OFFSET_SEC  86400
#define NAMESPACE_OFFSET_NSEC 123456789

/* All that a run owns, so that one function can give it back. */
struct run {
	struct run_shared shared;
	struct page_region region;
	bool mapped;
	struct cpu_plan plan;
	u64 called_ns; /* by CLOCK_MONOTONIC: no counter has been chosen by then */
	struct writer_thread *writer;
	struct hypervisor_thread hypervisor;
	struct baseline *baseline;
	u32 allocated; /* readers that have memory */
	u32 started;   /* readers that have a thread */
	bool writing;  /* the writer has a thread */
	struct reader_thread **readers;
	bool watched;
	struct watch watch;
};

static void release(struct run *run)
{
	for (u32 i = 0; i < run->allocated; i++) {
		work_end(&run->readers[i]->work);
		munmap(run->readers[i], sizeof(*run->readers[i]));
	}
	free(run->readers);
	free(run->writer);
	if (run->watched)
		watch_end(&run->watch);
	if (run->baseline)
		baseline_destroy(run->baseline);
	if (run->shared.oracle)
		oracle_destroy(run->shared.oracle);
	if (run->mapped)
		page_region_unmap(&run->region);
}

/* MONOTONIC and BOOTTIME have offsets in a time namespace, and their raw and coarse kin. */
static void set_namespace(struct run *run)
{
	const struct timens_offset offset = {NAMESPACE_OFFSET_SEC, NAMESPACE_OFFSET_NSEC};
	const struct reader *reader = &run->shared.config->reader;
	struct timens_offset offsets[VDSO_BASES] = {
		[CLOCK_MONOTONIC] = offset,
		[CLOCK_MONOTONIC_RAW] = offset,
		[CLOCK_MONOTONIC_COARSE] = offset,
		[CLOCK_BOOTTIME] = offset,
	};

	page_set_namespace(&run->region, offsets);
	if (!reader->in_namespace)
		return;
	run->shared.namespace_offset = (struct timespec){
		.tv_sec = (time_t)offsets[reader->clock].sec,
		.tv_nsec = (long)offsets[reader->clock].nsec,
	};
}

static int make_page(struct run *run, struct errmsg *err)
{
	const struct run_config *config = run->shared.config;
	const struct clocksource *cs = config->clocksource;
	struct vdso_image *image = config->reader.image;

	if (reader_map_page(&config->reader, &run->region, err))
		return -1;
	run->mapped = true;
	run->shared.page = page_for_readers(&run->region);
	run->shared.given_page = reader_page(&config->reader, &run->region);
	set_namespace(run);
	if (image && vdso_image_attach(image, &run->region, config->reader.in_namespace, err))
		return -1;
	hypervisor_prepare(&run->hypervisor, &run->shared, &run->region, &run->plan);
	run->shared.counter_hz = cs->frequency_hz();
	run->shared.counter_cost = clocksource_cost(cs->clock_mode, run->shared.page);
	return 0;
}

/* time() tells the seconds of REALTIME, and those are the coarse clock's. */
static clockid_t watched_clock(const struct reader *reader)
{
	return reader->image && reader->call == VDSO_TIME ? CLOCK_REALTIME_COARSE : reader->clock;
}

static int make_writer(struct run *run, struct errmsg *err)
{
	const struct run_config *config = run->shared.config;
	u64 remembered = config->hz * REMEMBER_SECONDS +
			 config->hz * config->readers * REMEMBER_MS_PER_READER / 1000;
	struct writer_setup setup = {
		.kind = config->writer,
		.payload = config->payload,
		.clocksource = config->clocksource,
		.frequency_hz = run->shared.counter_hz,
		.hz = config->hz,
		.hold_ns = config->hold_ns,
		.ahead_sec = config->reader.image ? OPAQUE_AHEAD_SEC : 0,
		.still = config->reader.image != NULL,
		.may_spin = run->plan.writer_alone,
		.stop = &run->shared.stop,
		.region = &run->region,
	};

	if (remembered < MIN_REMEMBERED)
		remembered = MIN_REMEMBERED;
	run->shared.oracle = oracle_create(watched_clock(&config->reader), remembered,
					   config->payload == PAYLOAD_TIME, err);
	run->writer = calloc(1, sizeof(*run->writer));
	if (!run->shared.oracle)
		return -1;
	if (!run->writer)
		return errmsg_set(err, "no memory for the writer");
	setup.oracle = run->shared.oracle;
	run->writer->shared = &run->shared;
	run->writer->cpu = run->plan.writer_cpu;
	run->writer->priority = run->plan.priority;
	return writer_start(&run->writer->writer, &setup, err);
}

static int make_reader(struct run *run, u32 index, struct errmsg *err)
{
	const struct run_config *config = run->shared.config;
	struct reader_thread *reader = mmap(NULL, sizeof(*reader), PROT_READ | PROT_WRITE,
					    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (reader == MAP_FAILED)
		return errmsg_set(err, "--readers: no memory for reader %u of %u: %s; %s",
				  index + 1, config->readers, strerror(errno),
				  thread_limits_here().text);
	run->readers[run->allocated++] = reader;
	reader->shared = &run->shared;
	reader->cpu = cpus_of_reader(&run->plan, index);
	if (work_begin(&reader->work, &config->work, config->seed + index, err))
		return -1;
	reader->work.page = run->shared.given_page;
	if (config->reader.in_namespace)
		reader->work.behind = run->shared.page;
	return 0;
}

static int make_readers(struct run *run, struct errmsg *err)
{
	const struct run_config *config = run->shared.config;

	run->readers = calloc(config->readers, sizeof(*run->readers));
	if (!run->readers)
		return errmsg_set(err, "no memory for %u readers", config->readers);
	for (u32 i = 0; i < config->readers; i++)
		if (make_reader(run, i, err))
			return -1;
	if (config->baseline) {
		run->baseline = baseline_create(&run->shared, err);
		if (!run->baseline)
			return -1;
		run->readers[0]->baseline = run->baseline;
	}
	if (watch_begin(&run->watch, &run->shared, run->readers, run->plan.writer_alone, err))
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
	return errmsg_set(err, "--readers: thread %u of %u cannot be started: %s; %s", index + 1,
			  run->shared.config->readers, strerror(cause), thread_limits_here().text);
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
		return errmsg_set(err, "the hypervisor's thread cannot be started: %s; %s",
				  strerror(cause), thread_limits_here().text);
	hypervisor->running = true;
	return 0;
}

static int start_threads(struct run *run, struct errmsg *err)
{
	int cause;

	for (u32 i = 0; i < run->shared.config->readers; i++)
		if (start_reader(run, i, err))
			return -1;
	cause = thread_start(&run->writer->thread, run->writer->cpu, run->writer->priority,
			     writer_thread_main, run->writer);
	if (cause)
		return errmsg_set(err, "the writer's thread cannot be started: %s; %s",
				  strerror(cause), thread_limits_here().text);
	run->writing = true;
	return start_hypervisor(run, err);
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
	const struct run_config *config = run->shared.config;
	cpu_set_t place;
	u64 bytes;

	if (!run->plan.writer_alone || reader_foreign_publisher(&config->reader, &bytes) ||
	    (run->plan.priority && writer_never_sleeps(config->hz, config->hold_ns)))
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

static void report_progress(const struct run *run, run_progress_fn *progress, void *context,
			    u64 passed)
{
	const struct run_shared *shared = &run->shared;
	const struct run_config *config = shared->config;
	double length = (double)(config->warmup_ns + config->duration_ns) / NSEC_PER_SEC;
	double done = shared_nanoseconds(shared, (double)passed) / NSEC_PER_SEC;

	if (progress)
		progress(done / length, length - done, context);
}

/* Of a run that has had its time a signal cuts nothing off. */
static enum run_outcome outcome_of_signal(const struct run_shared *shared)
{
	return shared_counter(shared) < shared->end ? RUN_INTERRUPTED : RUN_COMPLETE;
}

/* Waits for the end of the run, a signal, or a stall. The signals are blocked. */
static void wait_for_end(struct run *run, const sigset_t *signals, run_progress_fn *progress,
			 void *context, struct run_result *result)
{
	struct run_shared *shared = &run->shared;
	u64 now = shared_counter(shared);

	/* However long this thread was kept from here, the first thing it asks is this. */
	result->outcome = take_signal(signals) ? outcome_of_signal(shared) : RUN_COMPLETE;
	while (now < shared->end && result->outcome == RUN_COMPLETE) {
		u64 left_ns = (u64)shared_nanoseconds(shared, (double)(shared->end - now)) + 1000;
		u64 nap_ns = left_ns < POLL_MS * 1000000ull ? left_ns : POLL_MS * 1000000ull;
		const struct timespec nap = {0, (long)nap_ns};

		if (sigtimedwait(signals, NULL, &nap) > 0) {
			result->outcome = outcome_of_signal(shared);
			return;
		}
		now = shared_counter(shared);
		if (READ_ONCE(shared->escaped)) {
			result->outcome = RUN_STALLED;
			return;
		}
		if (watch_look(&run->watch, result->stall, sizeof(result->stall))) {
			result->outcome = RUN_STALLED;
			return;
		}
		if (now < shared->end)
			report_progress(run, progress, context, now - shared->start);
	}
}

/* Opens a page that its writer left odd, so that readers come out of their wait. */
static bool release_page(struct run *run)
{
	struct vdso_time_data *page = page_for_writer(&run->region);

	if (!(vdso_sequence(page) & 1))
		return false;
	WRITE_ONCE(run->shared.released, true);
	if (run->region.lock)
		lock_page_give_up(page);
	else
		vdso_write_end(page, run->region.layout);
	return true;
}

static bool has_foreign_code(const struct run *run)
{
	u64 bytes;

	return reader_foreign_code(&run->shared.config->reader, &bytes) != NULL;
}

/* The first of the readers that had to leave code of others; one that crashed, if there is one. */
static const struct escape *find_escape(const struct run *run, u32 *taken)
{
	const struct escape *found = NULL;

	*taken = 0;
	for (u32 i = 0; i < run->started; i++) {
		const struct escape *escape = &run->readers[i]->escape;

		*taken += escape->taken;
		if (escape->taken && (!found || (escape->signal && !found->signal)))
			found = escape;
	}
	return found;
}

static void tell_escape(const struct run *run, struct run_result *result)
{
	const struct reader *reader = &run->shared.config->reader;
	const char *image = reader->image ? reader->image->name : NULL;
	u32 taken;
	const struct escape *escape = find_escape(run, &taken);
	char at[64] = "outside of it", name[96];

	if (!escape)
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
	const struct escape *escape = &run->writer->escape;
	const char *path = run->shared.config->reader.path;

	if (!escape->taken)
		return;
	result->outcome = RUN_STALLED;
	if (escape->signal)
		snprintf(result->stall, sizeof(result->stall),
			 "the publisher of %.80s crashed: %s; so the writer ended", path,
			 strsignal(escape->signal));
	else
		snprintf(result->stall, sizeof(result->stall),
			 "the publisher of %.80s does not return: the writer had to be taken out",
			 path);
}

static bool joined_within(pthread_t thread, u64 ms)
{
	struct timespec deadline;

	clock_gettime(CLOCK_REALTIME, &deadline);
	deadline.tv_sec += (time_t)(ms / 1000);
	deadline.tv_nsec += (long)(ms % 1000 * 1000000);
	if (deadline.tv_nsec >= (long)NSEC_PER_SEC) {
		deadline.tv_nsec -= (long)NSEC_PER_SEC;
		deadline.tv_sec++;
	}
	return pthread_timedjoin_np(thread, NULL, &deadline) == 0;
}

static void join_writer(struct run *run)
{
	u64 bytes;

	if (!reader_foreign_publisher(&run->shared.config->reader, &bytes)) {
		pthread_join(run->writer->thread, NULL);
		return;
	}
	while (!joined_within(run->writer->thread, JOIN_MS))
		escape_ask(run->writer->thread);
}

/* All of them together are given the time that each may need to get a CPU once more. */
static void join_foreign_readers(struct run *run)
{
	u64 deadline = monotonic_ns() / 1000000 + JOIN_MS + JOIN_MS_PER_READER * run->started;

	for (u32 i = 0; i < run->started; i++) {
		pthread_t thread = run->readers[i]->thread;
		u64 now = monotonic_ns() / 1000000;
		u64 left = deadline > now ? deadline - now : 0;

		while (!joined_within(thread, left)) {
			escape_ask(thread);
			left = JOIN_MS;
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
	join_foreign_readers(run);
	escape_unhandle();
	tell_escape(run, result);
	tell_escape_of_writer(run, result);
}

static void stop_and_join(struct run *run, struct run_result *result)
{
	u32 seq;

	WRITE_ONCE(run->shared.stop, true);
	gate_open(&run->shared.gate);
	if (run->writing)
		join_writer(run);
	seq = vdso_sequence(page_for_writer(&run->region));
	/* However short the run was, a writer that has gone must not have left readers waiting. */
	if (release_page(run) && result->outcome != RUN_STALLED) {
		result->outcome = RUN_STALLED;
		snprintf(result->stall, sizeof(result->stall),
			 "the writer ended within update %u and left the sequence odd",
			 seq / 2 + 1);
	}
	join_readers(run, result);
	if (run->hypervisor.running)
		pthread_join(run->hypervisor.thread, NULL);
}

/* Everything that a run needs before its threads start. */
static int prepare(struct run *run, struct run_result *result, struct errmsg *err)
{
	const struct run_config *config = run->shared.config;

	if (cpus_plan(config, &run->plan, &result->remarks, err) || make_page(run, err))
		return -1;
	run->shared.called = shared_counter(&run->shared) -
			     shared_cycles(&run->shared, monotonic_ns() - run->called_ns);
	if (make_writer(run, err) || make_readers(run, err))
		return -1;
	return 0;
}

static int measure(struct run *run, run_progress_fn *progress, void *context,
		   struct run_result *result, struct errmsg *err)
{
	sigset_t signals, before;
	cpu_set_t affinity;
	int failed;

	/* Blocked here and so in every thread: the wait below is who hears of them. */
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &signals, &before);
	sched_getaffinity(0, sizeof(affinity), &affinity);
	gate_init(&run->shared.gate);

	if (has_foreign_code(run))
		escape_handle();
	failed = start_threads(run, err);
	if (!failed) {
		stay_with_writer(run);
		/* From here on there is a result to lose; before, a signal may end the process. */
		report_progress(run, progress, context, 0);
		gate_await(&run->shared.gate, run->started + 1 + run->hypervisor.running, &signals);
		set_times(&run->shared);
		gate_open(&run->shared.gate);
		wait_for_end(run, &signals, progress, context, result);
	}
	stop_and_join(run, result);
	/*
	 * One that came too late for the wait asks for an end that has come, and must not kill. The
	 * second is the process's own.
	 */
	if (result->outcome != RUN_INTERRUPTED)
		take_signal(&signals);
	gate_destroy(&run->shared.gate);
	sched_setaffinity(0, sizeof(affinity), &affinity);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return failed;
}

static void remark_on_counter(struct run_result *result)
{
	if (result->counter_step_ns > result->read.mean_ns / 10 && result->read.samples)
		remark(&result->remarks,
		       "the counter moves in steps of %.1f ns, so a single read or hold is known "
		       "to no "
		       "better than that; the mean is not affected",
		       result->counter_step_ns);
	if (result->off_cpu_unavailable)
		remark(&result->remarks, "off-CPU retries cannot be told apart: %s",
		       result->off_cpu_unavailable);
}

static void remark_on_readers(const struct run *run, struct run_result *result)
{
	u32 idle = 0;

	if (result->seconds > 0 && result->cpu_share < 0.95)
		remark(&result->remarks,
		       "readers got only %.0f %% of their CPU%s (others ran there, or the process "
		       "was "
		       "stopped): reads per second are lower for that, the time per read is not "
		       "affected",
		       100 * result->cpu_share, run->plan.reader_cpus == 1 ? "" : "s");

	for (u32 i = 0; i < result->readers; i++)
		idle += result->each[i].counts.reads == 0;
	if (idle && result->starved)
		remark(&result->remarks,
		       "%u of %u readers finished no read in the measured time: %u were given no "
		       "CPU in it",
		       idle, result->readers, result->starved);
	else if (idle)
		remark(&result->remarks, "%u of %u readers finished no read in the measured time",
		       idle, result->readers);
	if (result->total.unchecked)
		remark(&result->remarks,
		       "%llu reads could not be checked: their reader was put aside for so long "
		       "that the oracle had forgotten the update",
		       (unsigned long long)result->total.unchecked);
	if (run->baseline)
		remark(&result->remarks,
		       "the first reader spent part of its time on the baseline: its share and the "
		       "reads per second are smaller for that");
	if (!run->shared.config->reader.uses_counter)
		remark(&result->remarks,
		       "a coarse reader reads no counter: 1 block of %d is timed read by read, and "
		       "the timer's %.1f ns are taken out",
		       TIMED_COARSE_BLOCKS, result->timer_ns);
}

static int collect(struct run *run, u64 steal_before, struct run_result *result, struct errmsg *err)
{
	const struct run_shared *shared = &run->shared;
	cpu_set_t used = run->plan.readers;

	if (collect_readers(shared, run->readers, run->plan.reader_cpus, result, err))
		return -1;
	collect_writer(shared, run->writer, result);
	hypervisor_collect(&run->hypervisor, result);
	if (run->baseline)
		baseline_result(run->baseline, &result->baseline);
	result->counter_hz = shared->counter_hz;
	result->counter_cost_ns = shared_nanoseconds(shared, shared->counter_cost);
	result->counter_step_ns = shared_nanoseconds(
		shared,
		(double)clocksource_step(shared->config->clocksource->clock_mode, shared->page));
	result->retries_unavailable = shared->config->reader.image
					      ? "an image's code does not tell its retries"
					      : shared->config->reader.no_retries;
	if (shared->config->payload == PAYLOAD_STAMP)
		result->backwards_unavailable = "a stamp is no time";
	CPU_SET((size_t)run->plan.writer_cpu, &used);
	remark_on_counter(result);
	remark_on_readers(run, result);
	machine_remarks(&result->machine, &used, machine_steal_ticks() - steal_before,
			&result->remarks);
	return 0;
}

int run_execute(const struct run_config *config, run_progress_fn *progress, void *context,
		struct run_result *result, struct errmsg *err)
{
	struct run *run = aligned_alloc(CACHE_LINE, sizeof(*run));
	u64 called_ns = monotonic_ns();
	u64 steal = machine_steal_ticks();
	int failed;

	if (!run)
		return errmsg_set(err, "no memory for the run");
	if (!config->reader.image && !config->reader.tells) {
		free(run);
		return errmsg_set(err,
				  "--reader: '%.100s' does not tell what it used, so that nobody "
				  "can say whether its reads are right: NOTE_USED_SEQ and "
				  "NOTE_USED_CYCLES of readers/reader.h are how",
				  config->reader.path);
	}
	memset(run, 0, sizeof(*run));
	memset(result, 0, sizeof(*result));
	run->shared.config = config;
	run->called_ns = called_ns;
	machine_describe(&result->machine);

	failed = prepare(run, result, err);
	if (!failed)
		failed = measure(run, progress, context, result, err);
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
	result->each = NULL;
}
