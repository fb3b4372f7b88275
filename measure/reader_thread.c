// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "measure/offcpu.h"
#include "measure/opaque.h"
#include "measure/queued.h"
#include "measure/reader_thread.h"
#include "measure/settle.h"
#include "measure/thread.h"

/* Reads between two looks at the stop flag and the end, where reads follow at once. */
#define BLOCK_READS 1024
/* With work in between: how long a block may be. */
#define BLOCK_NS 20000
/* Being switched away and back takes longer than this on any machine. */
#define SWITCH_NS 500

static inline __attribute__((always_inline)) bool as_expected(const struct reader_thread *thread,
							      const struct read_slot *slot)
{
	const struct expectation *expect = &thread->expect;
	u64 cycles = slot->note.cycles;
	u64 nsec = ((cycles - expect->cycle_last) * expect->mult + expect->base) >> expect->shift;
	u64 seq_events;

	memcpy(&seq_events, &slot->note.seq, sizeof(seq_events));
	return ((seq_events ^ expect->seq_events) | (u64)(slot->ts.tv_sec ^ expect->sec) |
		(nsec ^ (u64)slot->ts.tv_nsec)) == 0;
}

/* True if the read was settled, which takes time that must not be taken for a read's. */
static inline __attribute__((always_inline)) bool check(struct reader_thread *thread,
							struct read_slot *slot, u64 before_cycles,
							bool timed)
{
	u64 length = slot->note.cycles - before_cycles;

	if (unlikely(!as_expected(thread, slot) || (timed && length >= HISTOGRAM_LINEAR))) {
		reader_settle(thread, slot, before_cycles, length, timed);
		return true;
	}
	if (timed)
		histogram_count(&thread->lengths, length);
	return false;
}

/* What every read of a block is called with, in registers. */
struct call {
	reader_fn *read;
	const struct vdso_time_data *page;
	clockid_t clock;
	bool timed;   /* each read's length is recorded */
	bool stamped; /* there is no counter in the path: it is read after each read */
};

static inline __attribute__((always_inline)) void read_once(struct reader_thread *thread,
							    struct read_slot *slot,
							    const struct call *call)
{
	call->read(call->page, call->clock, &slot->ts, &slot->note);
	if (call->stamped)
		slot->note.cycles = shared_counter(thread->shared);
}

/* Reads into slot `next` and judges the read before it; true if that had to be settled. */
static inline __attribute__((always_inline)) bool read_and_check(struct reader_thread *thread,
								 u32 next, const struct call *call)
{
	struct read_slot *slot = thread->slot;

	read_once(thread, &slot[next], call);
	return check(thread, &slot[(next + 3) % 4], slot[(next + 2) % 4].note.cycles, call->timed);
}

/* The first read of a stretch: its length is not known, but it must not lie before the last. */
static inline bool check_first(struct reader_thread *thread, struct read_slot *slot)
{
	if (unlikely(reader_counter_may_be_torn(thread) && slot->note.cycles < thread->last_read)) {
		reader_settle(thread, slot, thread->last_read, 0, false);
		return true;
	}
	return check(thread, slot, thread->last_read, false);
}

/* What is read from here on is of the update that is finished by now, or of a later one. */
static inline void begin_reads(struct reader_thread *thread)
{
	thread->oldest = oracle_finished(thread->group->oracle);
	if (unlikely(thread->update.number < thread->oldest))
		reader_expect_nothing(thread);
}

/*
 * Reads until `most` reads are done, or a few more, or one had to be settled; returns how many it
 * did. The first read's length is not known. Slots take turns: one is judged while the next is
 * filled, and the one before still tells where its length begins.
 */
static inline __attribute__((always_inline)) u64 read_stretch(struct reader_thread *thread,
							      u64 most, const struct call *call)
{
	struct read_slot *const slot = thread->slot;
	u64 reads = 2;
	u32 last = 1;

	begin_reads(thread);
	reader_was_off_cpu(thread);
	thread->gap = false;
	read_once(thread, &slot[0], call);
	if (check_first(thread, &slot[0])) {
		thread->last_read = slot[0].note.cycles;
		return 1;
	}
	read_once(thread, &slot[1], call);
	for (; reads < most; reads += 4) {
		if (read_and_check(thread, 2, call)) {
			last = 2;
			break;
		}
		if (read_and_check(thread, 3, call)) {
			last = 3;
			break;
		}
		if (read_and_check(thread, 0, call)) {
			last = 0;
			break;
		}
		if (read_and_check(thread, 1, call)) {
			reads += 4;
			break;
		}
	}
	reads += last == 1 ? 0 : (last + 3) % 4;
	check(thread, &slot[last], slot[(last + 3) % 4].note.cycles, call->timed);
	thread->last_read = slot[last].note.cycles;
	return reads;
}

static void count_block(struct reader_thread *thread, u64 reads)
{
	thread->counts.reads += reads;
	thread->counts.checked += reads;
	thread->block_reads = reads;
}

static inline __attribute__((always_inline)) void read_block(struct reader_thread *thread, u64 most,
							     bool timed, bool stamped)
{
	const struct call call = {
		.read = thread->reader->counted,
		.page = thread->view->page,
		.clock = thread->reader->clock,
		.timed = timed,
		.stamped = stamped,
	};
	u64 reads = 0;

	while (reads < most)
		reads += read_stretch(thread, most - reads, &call);
	count_block(thread, reads);
}

/*
 * With work between reads each one lies between two readings of the counter: what is left when a
 * long piece of work is taken from a length that it makes up nearly alone would be noise.
 */
static void read_block_beside_work(struct reader_thread *thread, u64 most)
{
	const struct run_shared *shared = thread->shared;
	const struct vdso_time_data *page = thread->view->page;
	const struct reader *reader = thread->reader;
	struct read_slot *slot = &thread->slot[0];
	bool bounded = reader_counter_may_be_torn(thread);

	begin_reads(thread);
	for (u64 i = 0; i < most; i++) {
		u64 start, length;
		bool strayed;

		work_once(&thread->work);
		reader_was_off_cpu(thread);
		thread->gap = false;
		start = shared_counter(shared);
		reader->counted(page, reader->clock, &slot->ts, &slot->note);
		length = shared_counter(shared) - start;
		strayed = bounded && slot->note.cycles - start > length;
		if (as_expected(thread, slot) && !strayed)
			reader_time_long(thread, slot, length, reader_was_off_cpu(thread));
		else
			reader_settle(thread, slot, strayed ? start : thread->last_read, length,
				      true);
		thread->last_read = slot->note.cycles;
	}
	count_block(thread, most);
}

/* Counter values of two reads may be of different counters: only ours tells how long one took. */
static bool reads_singly(const struct reader_thread *thread)
{
	return thread->work.spec.kind != WORK_NONE || thread->shared->counter_changes;
}

bool reader_thread_has_timer(const struct reader_thread *thread)
{
	return !thread->reader->uses_counter || thread->reader->image || reads_singly(thread);
}

/*
 * Code that tells nothing has the counter read beside it anyway, if it is a counter that it reads.
 * And where a counter value may be a mixture, it is a read's length that shows it.
 */
static u64 timed_every(const struct reader_thread *thread)
{
	const struct reader *reader = thread->reader;

	if (!reader->uses_counter)
		return TIMED_COARSE_BLOCKS;
	return reader->image || reader_counter_may_be_torn(thread) ? 1 : TIMED_BLOCKS;
}

static void run_block(struct reader_thread *thread, u64 most)
{
	bool counter = thread->reader->uses_counter;
	bool timed = thread->blocks % timed_every(thread) == 0;

	/* Of what may have to be left in the middle. */
	if (thread->foreign)
		thread->whole_blocks = thread->counts;
	if (thread->reader->image) {
		opaque_read_block(thread, most, timed);
		count_block(thread, most);
	} else if (reads_singly(thread))
		read_block_beside_work(thread, most);
	else if (!timed)
		read_block(thread, most, false, false);
	else if (counter)
		read_block(thread, most, true, false);
	else
		read_block(thread, most, true, true);
}

/* Cycles of one piece of work: the least of several runs, for others may want the CPU too. */
static double measure_work(struct reader_thread *thread)
{
	const struct run_shared *shared = thread->shared;
	double least = 0;

	for (int run = 0; run < 7; run++) {
		u64 pieces = 0;
		u64 start = shared_counter(shared);
		u64 now;
		double each;

		do {
			work_once(&thread->work);
			pieces++;
			now = shared_counter(shared);
		} while (now - start < shared_cycles(shared, BLOCK_NS));
		each = (double)(now - start) / (double)pieces - shared->counter_cost;
		if (run == 0 || each < least)
			least = each;
	}
	return least > 0 ? least : 0;
}

static u64 choose_block(const struct reader_thread *thread)
{
	double budget = (double)shared_cycles(thread->shared, BLOCK_NS);
	double reads = budget / (thread->work_cycles + 1);

	if (thread->work.spec.kind == WORK_NONE || reads > BLOCK_READS)
		return BLOCK_READS;
	return reads < 1 ? 1 : (u64)reads;
}

static void prepare(struct reader_thread *thread)
{
	struct read_note note = {.seq = 0};

	note.on_cpu = offcpu_flag(&note.on_cpu_mark, &thread->off_cpu_unavailable);
	for (size_t i = 0; i < ARRAY_SIZE(thread->slot); i++)
		thread->slot[i].note = note;
	thread->switch_cycles = shared_cycles(thread->shared, SWITCH_NS);
	if (thread->work.spec.kind != WORK_NONE)
		thread->work_cycles = measure_work(thread);
	if (reader_thread_has_timer(thread))
		thread->timer_cycles = thread->shared->counter_cost;
}

/* Forgets what was counted while warming up, but not what the oracle found. */
static void end_warmup(struct reader_thread *thread, u64 now)
{
	const struct reader_counts counts = thread->counts;

	thread->counts = (struct reader_counts){
		.checked = counts.checked,
		.unchecked = counts.unchecked,
		.torn = counts.torn,
		.stale = counts.stale,
		.backwards = counts.backwards,
	};
	memset(&thread->lengths, 0, sizeof(thread->lengths));
	WRITE_ONCE(thread->warm_cycles, now);
	thread->cpu_ns = thread_cpu_ns();
}

/*
 * One set of blocks for each round of the run's own, timed and not timed, so that its figure is
 * that of both together. Gives the time after that.
 */
static u64 take_baseline(struct reader_thread *thread, u64 block_cycles)
{
	thread->round_cycles += block_cycles;
	thread->round_reads += thread->block_reads;
	if (thread->blocks % timed_every(thread) == 0) {
		baseline_take(thread->baseline,
			      (double)thread->round_cycles / (double)thread->round_reads);
		thread->round_cycles = thread->round_reads = 0;
	}
	return shared_counter(thread->shared);
}

/* Out of the way of the loop that reads, which is to be the same whether it is asked for or not. */
static __attribute__((noinline)) void publish(struct reader_thread *thread)
{
	if (thread->warm_cycles)
		published_tell(&thread->published, &thread->counts);
}

static void read_until_stopped(struct reader_thread *thread, u64 most)
{
	const struct run_shared *shared = thread->shared;
	void (*const quiesce)(void) = thread->reader->lock.quiesce;
	u64 now = thread->first_cycles;

	while (!READ_ONCE(shared->stop) && now < READ_ONCE(shared->end)) {
		u64 before = now;

		if (quiesce)
			quiesce();
		if (!thread->warm_cycles && now >= shared->warm_until)
			end_warmup(thread, now);
		/* What it may have to be taken out of is no part of its time. */
		thread->last_cycles = now;
		if (shared->view)
			thread->view = &thread->group->view[smp_load_acquire(shared->view)];
		run_block(thread, most);
		WRITE_ONCE(thread->blocks, thread->blocks + 1);
		if (unlikely(shared->config->publish))
			publish(thread);
		thread->strayed |= thread_strayed(thread->cpu);
		now = shared_counter(shared);
		if (thread->baseline && thread->warm_cycles)
			now = take_baseline(thread, now - before);
	}
	thread->last_cycles = now;
}

/*
 * What a block has counted that was never finished means nothing, but for the faults it found; and
 * for the lengths of its reads, each of which had returned by then.
 */
static void forget_block(struct reader_thread *thread)
{
	const struct reader_counts counts = thread->counts;

	thread->counts = thread->whole_blocks;
	/* Each of those was judged, too. */
	thread->counts.checked += counts.torn - thread->counts.torn;
	thread->counts.checked += counts.stale - thread->counts.stale;
	thread->counts.torn = counts.torn;
	thread->counts.stale = counts.stale;
	thread->counts.backwards = counts.backwards;
}

static void read_with_escape(struct reader_thread *thread, u64 most)
{
	struct run_shared *shared = (struct run_shared *)(uintptr_t)thread->shared;
	u64 bytes;
	const void *code = reader_foreign_code(thread->reader, &bytes);

	thread->foreign = true;
	if (sigsetjmp(thread->escape.way_out, 1) == 0) {
		escape_begin(&thread->escape, code, bytes);
		read_until_stopped(thread, most);
	} else {
		forget_block(thread);
		WRITE_ONCE(shared->escaped, true);
	}
	escape_end(&thread->escape);
}

void *reader_thread_main(void *argument)
{
	struct reader_thread *thread = argument;
	struct run_shared *shared = (struct run_shared *)(uintptr_t)thread->shared;
	const struct lock_operations *lock = &thread->reader->lock;
	u64 most, bytes;

	if (lock->enlist)
		lock->enlist();
	prepare(thread);
	most = choose_block(thread);
	gate_wait(&shared->gate);
	thread->first_cycles = shared_counter(shared);
	thread->whole_cpu_ns = thread_cpu_ns();
	if (reader_foreign_code(thread->reader, &bytes))
		read_with_escape(thread, most);
	else
		read_until_stopped(thread, most);
	if (!thread->warm_cycles)
		end_warmup(thread, thread->last_cycles);
	thread->whole_cpu_ns = thread_cpu_ns() - thread->whole_cpu_ns;
	thread->cpu_ns = thread_cpu_ns() - thread->cpu_ns;
	if (shared->config->until_fault)
		thread->queued_ns = queued_ns();
	if (lock->leave)
		lock->leave();
	return NULL;
}
