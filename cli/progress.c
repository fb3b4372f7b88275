// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <unistd.h>

#include "cli/progress.h"

void progress_start(struct progress *progress, u64 length_ns, bool quiet)
{
	*progress = (struct progress){
		.shown = !quiet && length_ns > NSEC_PER_SEC && isatty(STDERR_FILENO),
	};
}

/* Spaces over what a longer line has left behind, which any terminal understands. */
static void redraw(struct progress *progress, const char *line)
{
	int drawn = fprintf(stderr, "\r%-*s", progress->width, line) - 1;

	if (drawn > progress->width)
		progress->width = drawn;
	fflush(stderr);
}

void progress_draw(double share_done, double seconds_left, void *context)
{
	struct progress *progress = context;
	char line[160];
	int length;

	if (!progress->shown)
		return;
	length = snprintf(line, sizeof(line), "%s", progress->label);
	if (seconds_left < 120)
		snprintf(line + length, sizeof(line) - (size_t)length, "%3.0f %% done, %.0f s left",
			 share_done * 100, seconds_left);
	else
		snprintf(line + length, sizeof(line) - (size_t)length,
			 "%3.0f %% done, %.0f min left", share_done * 100, seconds_left / 60);
	redraw(progress, line);
}

void progress_end(struct progress *progress)
{
	if (!progress->width)
		return;
	redraw(progress, "");
	fputc('\r', stderr);
	fflush(stderr);
}
