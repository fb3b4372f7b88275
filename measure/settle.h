/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What becomes of a read that the straight line of a reader's loop cannot judge by itself: the
 * first under another update, one with a retry, one that took long. All of it is slow and out of
 * the way. Only the reader's own thread calls these.
 */
#ifndef MEASURE_SETTLE_H
#define MEASURE_SETTLE_H

#include "measure/reader_thread.h"

/* Whether the thread was off its CPU since the last call. One flag word; every note points to it.
 */
bool reader_was_off_cpu(struct reader_thread *thread);

/*
 * Records the length, in cycles, of a read that may show that the thread was off its CPU.
 *
 * Two reads are under way when one is judged, and the flag does not say which of them was put
 * aside: the one that was long enough for it. If this one is not, it is kept for the next; and the
 * next may have taken it for itself already.
 */
void reader_time_long(struct reader_thread *thread, const struct read_slot *slot, u64 length,
		      bool off_cpu);

/* What a reader adds to the clock that the oracle watches: a namespace's offset, in ns. */
u64 reader_offset_ns(const struct reader_thread *thread);

/* Expects reads under thread->update, in the second of a read that returned *ts. Stamps that stand
 * still tell the same whatever the counter says.
 */
void reader_expect(struct reader_thread *thread, const struct timespec *ts);

/* Has the next read judged here, whatever it is. */
void reader_expect_nothing(struct reader_thread *thread);

/* Remembers when the first faulty read was judged. */
void reader_note_fault(struct reader_thread *thread);

/*
 * Whether the counter value that a read tells must be judged too: it was made of a record in
 * memory, and may be a mixture of two states of it. The page's oracle cannot know, for the page's
 * part in the read may be right. What it can be held against is the time: the reading lies between
 * the one before it and the present.
 */
static inline bool reader_counter_may_be_torn(const struct reader_thread *thread)
{
	return thread->shared->config->clocksource->has_record && thread->reader->uses_counter;
}

/*
 * Judges the read in `slot`, counts what it went through, and expects more like it. The block
 * counts every read as accepted and checked; what this one was not is taken back here.
 * `before_cycles` is the counter value of the read before it; `length` is in cycles, and recorded
 * if `timed`.
 */
__attribute__((cold)) void reader_settle(struct reader_thread *thread, struct read_slot *slot,
					 u64 before_cycles, u64 length, bool timed);

#endif /* MEASURE_SETTLE_H */
