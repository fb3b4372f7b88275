// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "measure/settle.h"

static u64 slot_nanoseconds(const struct read_slot *slot)
{
	return (u64)slot->ts.tv_sec * NSEC_PER_SEC + (u64)slot->ts.tv_nsec;
}

u64 reader_offset_ns(const struct reader_thread *thread)
{
	const struct timespec *offset = &thread->view->offset;

	return (u64)offset->tv_sec * NSEC_PER_SEC + (u64)offset->tv_nsec;
}

void reader_expect(struct reader_thread *thread, const struct timespec *ts)
{
	const struct oracle_update *update = &thread->update;
	struct expectation *expect = &thread->expect;
	u64 seconds_before = (update->sec * NSEC_PER_SEC + reader_offset_ns(thread) -
			      (u64)ts->tv_sec * NSEC_PER_SEC)
			     << update->shift;
	struct read_note clean = {.seq = (u32)(update->number * 2)};

	memcpy(&expect->seq_events, &clean.seq, sizeof(expect->seq_events));
	expect->cycle_last = update->cycle_last;
	expect->mult = thread->shared->stands_still ? 0 : update->mult;
	expect->shift = update->shift;
	expect->base = update->nsec + seconds_before;
	expect->sec = ts->tv_sec;
}

void reader_expect_nothing(struct reader_thread *thread)
{
	/* More events than a read has. */
	const struct read_note never = {.events = UINT32_MAX};

	memcpy(&thread->expect.seq_events, &never.seq, sizeof(thread->expect.seq_events));
}

void reader_note_fault(struct reader_thread *thread)
{
	if (unlikely(reader_faults(&thread->counts) && !thread->fault_cycles))
		WRITE_ONCE(thread->fault_cycles, shared_counter(thread->shared));
}

/*
 * A reader that was put aside right after it had read the sequence finds one whole later update. It
 * is no mixture, though far from where it began.
 */
static enum oracle_verdict judge_attempt(const struct oracle *oracle,
					 const struct lost_attempt *lost)
{
	u64 nanoseconds = lost->sec * NSEC_PER_SEC + lost->nsec;
	enum oracle_verdict verdict = oracle_judge(oracle, lost->seq, lost->cycles, nanoseconds);

	if (verdict == ORACLE_TORN)
		verdict = oracle_judge(oracle, lost->end_seq, lost->cycles, nanoseconds);
	return verdict;
}

/* Attempts that were thrown away: mixtures among them show that the retry was needed. */
static void judge_lost(struct reader_thread *thread, const struct read_note *note)
{
	const struct oracle *oracle = thread->group->oracle;
	u32 kept = note->changed < NOTE_LOST_ATTEMPTS ? note->changed : NOTE_LOST_ATTEMPTS;

	for (u32 i = 0; i < kept; i++) {
		const struct lost_attempt *lost = &note->lost[i];
		enum oracle_verdict verdict = judge_attempt(oracle, lost);

		if (verdict == ORACLE_TORN)
			thread->counts.caught++;
		else if (verdict == ORACLE_UNKNOWN)
			thread->counts.lost_unjudged++;
	}
	thread->counts.lost_unjudged += note->changed - kept;
}

/*
 * An attempt was off-CPU if the kernel has cleared the thread's flag since it was last set, and
 * the read took as long as a switch must take (UINT64_MAX: its length is not known). In a block
 * that is not timed the flag may have been cleared some reads ago; the second condition is what
 * tells the attempt from those.
 */
static void count_events(struct reader_thread *thread, struct read_note *note, u64 length)
{
	struct reader_counts *counts = &thread->counts;
	u64 run = (u64)note->odd_waits + note->changed;

	if (length < thread->switch_cycles)
		note->off_cpu = 0;
	judge_lost(thread, note);
	counts->odd_waits += note->odd_waits;
	counts->spins += note->spins;
	counts->changed += note->changed - note->off_cpu;
	counts->off_cpu += note->off_cpu;
	counts->fallbacks += note->fallbacks;
	counts->retried += run > note->off_cpu;
	counts->waited += note->odd_waits && note->changed == note->off_cpu;
	if (run > counts->longest_run)
		counts->longest_run = run;
	note->events = note->odd_waits = note->spins = note->changed = 0;
	note->off_cpu = note->fallbacks = note->waiting = 0;
}

/* Whether time ran backwards from the last read to this one, or against other readers' reads. */
static u64 judge_order(const struct reader_thread *thread, u64 before_cycles,
		       const struct oracle_update *update, u64 nanoseconds)
{
	u64 before = oracle_nanoseconds(&thread->update, before_cycles);

	if (!thread->have_last)
		return 0;
	/*
	 * Who reads the counter before the lock's words may be overtaken meanwhile: of reads that
	 * overlap neither is the earlier.
	 */
	if (reader_is_lock(thread->reader))
		return oracle_ran_backwards(thread->group->oracle, thread->update.number, before,
					    update->number, nanoseconds, 1);
	return oracle_order(thread->group->oracle, thread->update.number, before, update->number,
			    nanoseconds);
}

/* The first read under another update, or one that the straight line could not judge. */
static void judge_read(struct reader_thread *thread, const struct read_slot *slot,
		       u64 before_cycles)
{
	struct oracle *oracle = thread->group->oracle;
	u64 nanoseconds = slot_nanoseconds(slot) - reader_offset_ns(thread);
	u64 number = oracle_number(oracle, slot->note.seq);
	struct oracle_update update;

	if (number >= thread->oldest && oracle_recall(oracle, number, &update) &&
	    oracle_nanoseconds(&update, slot->note.cycles) == nanoseconds) {
		thread->counts.backwards +=
			judge_order(thread, before_cycles, &update, nanoseconds);
		thread->update = update;
		thread->have_last = true;
		reader_expect(thread, &slot->ts);
		return;
	}
	thread->have_last = false;
	switch (oracle_judge_since(oracle, thread->oldest, slot->note.seq, slot->note.cycles,
				   nanoseconds)) {
	case ORACLE_RIGHT:
		break;
	case ORACLE_TORN:
		thread->counts.torn++;
		break;
	case ORACLE_STALE:
		thread->counts.stale++;
		break;
	case ORACLE_UNKNOWN:
		thread->counts.checked--;
		thread->counts.unchecked++;
		break;
	}
}

/* The present is read after the value was, and before_cycles is a bound if that read was right. */
static bool counter_is_torn(const struct reader_thread *thread, const struct read_slot *slot,
			    u64 before_cycles)
{
	u64 cycles = slot->note.cycles;

	if (!reader_counter_may_be_torn(thread))
		return false;
	return cycles > shared_counter(thread->shared) ||
	       (thread->have_last && cycles < before_cycles);
}

bool reader_was_off_cpu(struct reader_thread *thread)
{
	return note_was_off_cpu(&thread->slot[0].note);
}

void reader_time_long(struct reader_thread *thread, const struct read_slot *slot, u64 length,
		      bool off_cpu)
{
	size_t next = (size_t)(slot - thread->slot + 1) % ARRAY_SIZE(thread->slot);

	off_cpu |= thread->gap || thread->slot[next].note.off_cpu;
	thread->gap = false;
	if (off_cpu && length >= thread->switch_cycles) {
		thread->counts.off_cpu_gaps++;
	} else {
		histogram_record(&thread->lengths, length);
		thread->gap = off_cpu;
	}
}

void reader_settle(struct reader_thread *thread, struct read_slot *slot, u64 before_cycles,
		   u64 length, bool timed)
{
	bool off_cpu = slot->note.off_cpu;
	bool fell_back = slot->note.fallbacks;
	bool uses_counter = thread->reader->uses_counter;

	if (slot->note.events)
		count_events(thread, &slot->note, timed || uses_counter ? length : UINT64_MAX);
	off_cpu |= reader_was_off_cpu(thread);
	/* A page opened by force lets readers out of their wait with whatever is in it. */
	if (fell_back || READ_ONCE(thread->shared->released)) {
		thread->counts.reads--;
		thread->counts.checked--;
		return;
	}
	if (counter_is_torn(thread, slot, before_cycles)) {
		thread->counts.torn++;
		thread->have_last = false;
		/* Neither its length nor that of the next, which began with it, is known. */
		slot->note.cycles = shared_counter(thread->shared);
		timed = false;
	} else {
		judge_read(thread, slot, before_cycles);
	}
	reader_note_fault(thread);
	if (timed && (s64)length >= 0)
		reader_time_long(thread, slot, length, off_cpu);
}
