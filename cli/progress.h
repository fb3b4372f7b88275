/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line on standard error that says how a run is going; redrawn in place, erased at the end.
 *
 * There is one only if standard error is a terminal and the work takes longer than a second. What a
 * narrow terminal has no room for is cut off, its end first. All that is drawn is ASCII. All calls
 * come from one thread.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/types.h"

#define PROGRESS_COLUMNS 80  /* of a terminal that does not say how many it has */
#define PROGRESS_LINE	 256 /* bytes that a line has at most */

struct progress {
	bool shown;
	size_t width; /* columns that are drawn on */
};

/* `length_ns` is how long the whole will take. */
void progress_start(struct progress *progress, u64 length_ns, bool quiet);

/* A progress_fn; `context` is a struct progress. */
void progress_draw(double share_done, double seconds_left, const char *figures, void *context);

void progress_end(struct progress *progress);

#endif /* CLI_PROGRESS_H */
