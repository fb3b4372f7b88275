// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "measure/opaque.h"
#include "measure/settle.h"

/* Between two system calls nobody is put aside for so long; the page's time is further off. */
#define HOST_NEAR_NS (1000ull * NSEC_PER_SEC)

/* What all reads of a block have in common, in registers. */
struct opaque_call {
	void *function;
	enum vdso_call which;
	clockid_t clock;
	u64 quantum;	  /* the value is rounded down to this, in ns */
	u64 offset_ns;	  /* of the namespace */
	bool uses_cycles; /* the counter is read between two reads */
	bool timed;
};

/* What no update gives: for calls that fail, which must not pass for what was there before. */
static const struct timespec no_time = {.tv_nsec = -1};

static inline __attribute__((always_inline)) void call_image(const struct opaque_call *call,
							     struct timespec *ts)
{
	struct vdso_old_timespec resolution;
	struct vdso_old_timeval tv;
	int failed = 0;

	switch (call->which) {
	case VDSO_CLOCK_GETTIME:
		failed = ((vdso_clock_gettime_fn *)call->function)(call->clock, ts);
		break;
	case VDSO_GETTIMEOFDAY:
		failed = ((vdso_gettimeofday_fn *)call->function)(&tv, NULL);
		*ts = (struct timespec){.tv_sec = tv.tv_sec,
					.tv_nsec = (long)((unsigned long)tv.tv_usec * 1000)};
		break;
	case VDSO_TIME:
		*ts = (struct timespec){.tv_sec = ((vdso_time_fn *)call->function)(NULL)};
		break;
	default:
		failed = ((vdso_clock_getres_fn *)call->function)(call->clock, &resolution);
		*ts = (struct timespec){.tv_sec = resolution.tv_sec, .tv_nsec = resolution.tv_nsec};
		break;
	}
	if (unlikely(failed))
		*ts = no_time;
}

/* Whether the carry into seconds was done. */
static inline bool is_carried(const struct timespec *ts)
{
	return (u64)ts->tv_nsec < NSEC_PER_SEC;
}

/* Whether the update at hand explains the read. */
static inline __attribute__((always_inline)) bool as_expected(const struct expectation *expect,
							      const struct oracle_span *span,
							      const struct timespec *ts,
							      u64 quantum)
{
	u64 low = ((span->begin_cycles - expect->cycle_last) * expect->mult + expect->base) >>
		  expect->shift;
	u64 high = ((span->end_cycles - expect->cycle_last) * expect->mult + expect->base) >>
		   expect->shift;
	u64 value = ((u64)ts->tv_sec - (u64)expect->sec) * NSEC_PER_SEC + (u64)ts->tv_nsec;

	return ((span->begin_seq ^ (u32)expect->seq_events) |
		(span->end_seq ^ (u32)expect->seq_events)) == 0 &&
	       is_carried(ts) && value + quantum > low && value <= high;
}

bool opaque_is_near_host(u64 value, u64 now)
{
	/* A host may have been started just now, and a 0 is not its time for that. */
	const u64 near = now / 2 < HOST_NEAR_NS ? now / 2 : HOST_NEAR_NS;

	return value + near > now && value < now + near;
}

/* Whether this is the time that the system call tells, and not the page's. */
static bool is_host_time(const struct reader_thread *thread, u64 nanoseconds)
{
	struct timespec host = {0, 0};
	u64 now;

	clock_gettime_syscall(thread->reader->clock, &host);
	now = (u64)host.tv_sec * NSEC_PER_SEC + (u64)host.tv_nsec;
	return opaque_is_near_host(nanoseconds, now);
}

/*
 * Only a read whose span knows one update can be held against other threads' reads. Of the others
 * it is known which updates they may have used: the first of one span to the last of the next.
 */
static void judge_order(struct reader_thread *thread, const struct oracle_span *span, u64 value,
			u64 quantum)
{
	struct oracle *oracle = thread->group->oracle;
	bool clean = span->begin_seq == span->end_seq && !(span->end_seq & 1);
	u64 number = oracle_number(oracle, span->end_seq);
	struct oracle_update update;

	if (thread->have_last && clean)
		thread->counts.backwards += oracle_order_rounded(
			oracle, thread->update.number, thread->last_ns, number, value, quantum);
	else if (thread->last_number)
		/* Of an update in progress a word may be read, by code that looks at no sequence.
		 */
		thread->counts.backwards +=
			oracle_ran_backwards(oracle, thread->last_number, thread->last_ns,
					     number + (span->end_seq & 1), value, quantum);
	thread->last_number = oracle_number(oracle, span->begin_seq);
	thread->have_last = clean && oracle_recall(oracle, number, &update);
	if (thread->have_last)
		thread->update = update;
}

static void take_back(struct reader_thread *thread)
{
	thread->counts.reads--;
	thread->counts.checked--;
	thread->have_last = false;
}

static enum oracle_verdict verdict_on(const struct reader_thread *thread,
				      const struct oracle_span *span, const struct timespec *ts,
				      u64 value, u64 quantum)
{
	if (!is_carried(ts))
		return ORACLE_TORN;
	return oracle_judge_span(thread->group->oracle, span, value, quantum);
}

/* Counts what became of a read that the straight line could not judge; false: it is no read. */
static bool judge(struct reader_thread *thread, const struct oracle_span *span,
		  const struct timespec *ts, u64 quantum)
{
	u64 returned = (u64)ts->tv_sec * NSEC_PER_SEC + (u64)ts->tv_nsec;
	u64 value = returned - reader_offset_ns(thread);
	enum oracle_verdict verdict = verdict_on(thread, span, ts, value, quantum);

	/* That is the system call's however old the page's updates are by now. */
	if (verdict != ORACLE_RIGHT && is_carried(ts) && is_host_time(thread, returned)) {
		thread->counts.fallbacks++;
		take_back(thread);
		return false;
	}
	switch (verdict) {
	case ORACLE_RIGHT:
		judge_order(thread, span, value, quantum);
		thread->last_ns = value;
		if (thread->have_last)
			reader_expect(thread, ts);
		break;
	case ORACLE_TORN:
		thread->counts.torn++;
		thread->have_last = false;
		break;
	case ORACLE_STALE:
		thread->counts.stale++;
		thread->have_last = false;
		break;
	case ORACLE_UNKNOWN:
		thread->counts.checked--;
		thread->counts.unchecked++;
		thread->have_last = false;
		break;
	}
	return true;
}

static __attribute__((cold, noinline)) void settle(struct reader_thread *thread,
						   const struct oracle_span *span,
						   const struct timespec *ts, u64 quantum,
						   bool timed)
{
	bool off_cpu = reader_was_off_cpu(thread);

	/* A page opened by force lets readers out of their wait with whatever is in it. */
	if (READ_ONCE(thread->shared->released)) {
		take_back(thread);
		return;
	}
	if (!judge(thread, span, ts, quantum))
		return;
	thread->counts.began_odd += span->begin_seq & 1;
	thread->counts.sequence_changed += span->begin_seq != span->end_seq;
	reader_note_fault(thread);
	if (timed)
		reader_time_long(thread, &thread->slot[0], span->end_cycles - span->begin_cycles,
				 off_cpu);
}

static inline __attribute__((always_inline)) void read_block(struct reader_thread *thread, u64 most,
							     const struct opaque_call *call)
{
	const struct run_shared *shared = thread->shared;
	const struct vdso_time_data *page = thread->group->page;
	const bool works = thread->work.spec.kind != WORK_NONE;
	struct oracle_span span = {.end_seq = 0};
	struct timespec ts;
	bool fresh = true; /* the span's end is not the next one's beginning */

	for (u64 i = 0; i < most; i++) {
		if (works)
			work_once(&thread->work);
		if (fresh || works) {
			reader_was_off_cpu(thread);
			thread->gap = false;
			span.end_seq = vdso_sequence(page);
			span.end_cycles = call->uses_cycles ? shared_counter(shared) : 0;
		}
		span.begin_seq = span.end_seq;
		span.begin_cycles = span.end_cycles;
		call_image(call, &ts);
		smp_rmb();
		span.end_seq = vdso_sequence(page);
		if (call->uses_cycles)
			span.end_cycles = shared_counter(shared);
		fresh = !as_expected(&thread->expect, &span, &ts, call->quantum) ||
			(call->timed && span.end_cycles - span.begin_cycles >= HISTOGRAM_LINEAR);
		if (unlikely(fresh)) {
			settle(thread, &span, &ts, call->quantum, call->timed);
			continue;
		}
		if (call->timed)
			histogram_count(&thread->lengths, span.end_cycles - span.begin_cycles);
		thread->last_ns = (u64)ts.tv_sec * NSEC_PER_SEC + (u64)ts.tv_nsec - call->offset_ns;
	}
}

/* The resolution stands in the page, or is the tick of the kernel that the image is of. */
static bool resolution_is_right(clockid_t clock, const struct timespec *ts)
{
	static const long ticks_ns[] = {10000000, 4000000, 3333333, 1000000};

	if (!clock_is_coarse(clock))
		return ts->tv_sec == 0 && ts->tv_nsec == 1;
	for (size_t i = 0; i < ARRAY_SIZE(ticks_ns); i++)
		if (ts->tv_sec == 0 && ts->tv_nsec == ticks_ns[i])
			return true;
	return false;
}

/* No update changes it, so there is no span to hold it against. */
static void read_resolutions(struct reader_thread *thread, u64 most, const struct opaque_call *call)
{
	for (u64 i = 0; i < most; i++) {
		struct timespec ts;
		u64 start, length;

		work_once(&thread->work);
		reader_was_off_cpu(thread);
		thread->gap = false;
		start = call->timed ? shared_counter(thread->shared) : 0;
		call_image(call, &ts);
		length = call->timed ? shared_counter(thread->shared) - start : 0;
		if (!resolution_is_right(call->clock, &ts))
			thread->counts.torn++;
		reader_note_fault(thread);
		if (call->timed)
			reader_time_long(thread, &thread->slot[0], length,
					 reader_was_off_cpu(thread));
	}
}

void opaque_read_block(struct reader_thread *thread, u64 most, bool timed)
{
	const struct reader *reader = thread->reader;
	struct opaque_call call = {
		.function = vdso_image_function(reader->image, reader->call),
		.which = reader->call,
		.clock = reader->clock,
		.quantum = 1,
		.offset_ns = reader_offset_ns(thread),
		.uses_cycles = reader->uses_counter || timed,
		.timed = timed,
	};

	switch (reader->call) {
	case VDSO_CLOCK_GETTIME:
		/* Said once more, so that it has a loop of its own, without a question in it. */
		call.which = VDSO_CLOCK_GETTIME;
		read_block(thread, most, &call);
		break;
	case VDSO_CLOCK_GETRES:
		read_resolutions(thread, most, &call);
		break;
	default:
		call.quantum = reader->call == VDSO_TIME ? NSEC_PER_SEC : 1000;
		read_block(thread, most, &call);
		break;
	}
}

void opaque_calls(const struct reader *reader, u64 calls, struct work *work)
{
	const struct opaque_call call = {
		.function = vdso_image_function(reader->image, reader->call),
		.which = reader->call,
		.clock = reader->clock,
	};
	struct timespec ts;

	for (u64 i = 0; i < calls; i++) {
		if (work)
			work_once(work);
		call_image(&call, &ts);
	}
}
