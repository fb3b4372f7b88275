/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Watches a run from outside: is the page still updated, do readers still get on?
 */
#ifndef MEASURE_WATCH_H
#define MEASURE_WATCH_H

#include "measure/reader_thread.h"
#include "measure/shared.h"
#include "measure/writers.h"

struct watch {
	const struct run_shared *shared;
	struct reader_thread *const *readers;
	u32 count; /* of them */
	const struct writers *writers;
	u64 ran_ns[WRITER_MAX]; /* of each, by the last look */
	bool writer_alone;	/* it shares its CPU with no reader */
	u64 last_look;		/* counter value */
	u32 seq;
	u64 seq_still; /* how long the sequence has not moved, in cycles of watched time */
	u64 blocks;
	u64 blocks_still;
	/* How long no writer that was ready to run got a CPU: at present, and at most. */
	u64 starved, most_starved;
	u64 *stuck_since; /* blocks of each reader when the sequence last moved */
};

/*
 * Starts to watch these, which stay the caller's and outlive the watch; 0, or -1 with a sentence in
 * *err. `writer_alone`: no reader shares its CPU.
 * watch_end releases what it took.
 */
int watch_begin(struct watch *watch, const struct run_shared *shared,
		struct reader_thread *const *readers, const struct writers *writers,
		bool writer_alone, struct errmsg *err);
void watch_end(struct watch *watch);

/*
 * A look, to be taken every 20 to 250 ms. True when somebody is stuck for far longer than the
 * rate allows; who and where stands in `sentence`. Time in which no writer that was ready to run
 * got a CPU says nothing of anybody, and is borne for far longer.
 */
bool watch_look(struct watch *watch, char *sentence, size_t bytes);

#endif /* MEASURE_WATCH_H */
