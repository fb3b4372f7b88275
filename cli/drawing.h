/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Progress as a command draws it, and what the first report of it means: the work has begun, so
 * that from then on there is a result to lose.
 */
#ifndef CLI_DRAWING_H
#define CLI_DRAWING_H

#include <stdbool.h>

#include "cli/json_file.h"
#include "cli/progress.h"
#include "sim/types.h"

struct drawing {
	struct progress progress;
	const struct json_file *json;
	bool drawn; /* once at least */
};

/* As progress_start. `json` stays the caller's, and is emptied when the work has begun. */
void drawing_start(struct drawing *drawing, const struct json_file *json, u64 length_ns,
		   bool quiet);

/* A progress_fn; `context` is a struct drawing. */
void drawing_draw(double share_done, double seconds_left, const char *figures, void *context);

void drawing_end(struct drawing *drawing);

#endif /* CLI_DRAWING_H */
