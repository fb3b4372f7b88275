/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line on standard error that says how a run is going; redrawn in place, erased at the end.
 *
 * There is one only if standard error is a terminal and the run takes longer than a second. All
 * calls come from one thread.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

#include "sim/types.h"

struct progress {
	bool shown;
	char label[64]; /* stands before it; whoever has something to say writes it here */
	int width;	/* columns drawn so far */
};

/* `length_ns` is how long the whole will take. */
void progress_start(struct progress *progress, u64 length_ns, bool quiet);

/* A run_progress_fn; `context` is a struct progress. */
void progress_draw(double share_done, double seconds_left, void *context);

void progress_end(struct progress *progress);

#endif /* CLI_PROGRESS_H */
