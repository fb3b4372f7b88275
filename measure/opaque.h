/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading by code that tells nothing of what it went through: a vDSO image's.
 *
 * The sequence and the counter are looked at between two reads, so each read lies in a span of
 * both. The value must be what one single update of that span gives for a counter value of that
 * span. A payload that stands still (stamps) leaves no room in that: there it is exact.
 *
 * Retries cannot be seen. What can be is counted under its own names: reads that began while the
 * sequence was odd, and reads during which it changed. A value that is the host's own time is the
 * system call's; the page is kept years away from it. A call that fails, or leaves the carry into
 * seconds undone, has returned what no update gives.
 */
#ifndef MEASURE_OPAQUE_H
#define MEASURE_OPAQUE_H

#include "measure/reader_thread.h"

/* How far ahead of the host's clocks a page is set that such code reads, in seconds. */
#define OPAQUE_AHEAD_SEC 100000000

/*
 * Makes `most` reads, each after a piece of work if there is any. `timed`: each is timed. The
 * caller counts them as read and checked; what one was not is taken back here.
 */
void opaque_read_block(struct reader_thread *thread, u64 most, bool timed);

/*
 * Whether a value may be what the system call told shortly before it tells `now`, both in ns by one
 * clock of the host's.
 */
bool opaque_is_near_host(u64 value, u64 now);

/* Only calls the code of an attached image, so often, after work if there is any; to be timed. */
void opaque_calls(const struct reader *reader, u64 calls, struct work *work);

#endif /* MEASURE_OPAQUE_H */
