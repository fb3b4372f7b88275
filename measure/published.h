/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a reader tells of its counts while it runs: after each block, if the run asks for it, into a
 * line that nobody else writes. Each count only grows, and is told by a store of its own: whoever
 * looks may find some of them one block older than the others.
 */
#ifndef MEASURE_PUBLISHED_H
#define MEASURE_PUBLISHED_H

#include <stdbool.h>

#include "measure/run.h"
#include "sim/barrier.h"

/* All zero: it has not begun to count. */
struct published {
	u64 reads;
	u64 odd_waits;
	u64 changed;
	u64 off_cpu;
	u64 torn;
	bool counting; /* its histogram is that of the measured time, and may be looked at */
};

/* By the reader itself, which has begun to count. */
static inline void published_tell(struct published *published, const struct reader_counts *counts)
{
	WRITE_ONCE(published->reads, counts->reads);
	WRITE_ONCE(published->odd_waits, counts->odd_waits);
	WRITE_ONCE(published->changed, counts->changed);
	WRITE_ONCE(published->off_cpu, counts->off_cpu);
	WRITE_ONCE(published->torn, counts->torn);
	smp_store_release(&published->counting, true);
}

#endif /* MEASURE_PUBLISHED_H */
