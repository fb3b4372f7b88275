/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one way through a read path costs, counted and not timed.
 */
#ifndef MEASURE_PATH_H
#define MEASURE_PATH_H

#include "measure/walk.h"

struct path_memory {
	u32 page;  /* the pages that are shared with the writer */
	u32 stack; /* return addresses included */
	u32 elsewhere;
};

struct path_figures {
	struct errmsg unavailable; /* why the rest is not known; empty: it is */
	u32 instructions;	   /* each pass of a repeated one */
	u32 branches_taken;	   /* conditional */
	u32 branches_not_taken;
	u32 jumps; /* unconditional */
	u32 calls;
	u32 system_calls;
	u32 code_lines; /* of 64 bytes */
	u32 entry_byte; /* where in its line the entry lay: 0 unless it could not be moved there */
	struct path_memory loads;
	struct path_memory stores;
	/* Lines of 64 bytes that were touched, a bit for each, the lowest that at the page's start.
	 */
	u64 page_lines[PAGE_SLOTS];
	u32 data_offset; /* where in the pages the data begins */
};

/* Fills in a reader's fast path for a clock. For a process with one thread; see walk_make. */
void path_fill(struct path_figures *figures, const struct reader *reader, clockid_t clock);

/* Fills in what a walk has seen. */
void path_of_walk(struct path_figures *figures, const struct walk *walk);

#endif /* MEASURE_PATH_H */
