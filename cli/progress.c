// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/progress.h"
#include "cli/signals.h"

/* Columns of ^C. */
#define TYPED 2

void progress_start(struct progress *progress, u64 length_ns, bool quiet)
{
	*progress = (struct progress){
		.shown = !quiet && length_ns > NSEC_PER_SEC && isatty(STDERR_FILENO),
	};
}

/*
 * Less than it has, for some go on to the next line as soon as the last column is full, and where
 * Ctrl-C is typed the terminal itself adds two.
 */
static size_t most_columns(void)
{
	struct winsize size;
	size_t columns = PROGRESS_COLUMNS;

	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		columns = size.ws_col;
	return columns > 1 + TYPED ? columns - 1 - TYPED : 0;
}

/*
 * Spaces over what a longer line has left behind, which any terminal understands. One that has been
 * made narrower meanwhile has wrapped that line already, and what is left of it is not reached.
 */
static void redraw(struct progress *progress, const char *line)
{
	const size_t most = most_columns();
	const size_t length = strnlen(line, most);
	const size_t width = progress->width < most + TYPED ? progress->width : most + TYPED;

	fprintf(stderr, "\r%.*s%*s", (int)length, line, width > length ? (int)(width - length) : 0,
		"");
	if (length && width > length)
		fprintf(stderr, "\r%.*s", (int)length, line);
	progress->width = length;
	fflush(stderr);
	signals_erase(length ? length + TYPED : 0);
}

void progress_draw(double share_done, double seconds_left, const char *figures, void *context)
{
	struct progress *progress = context;
	const bool minutes = seconds_left >= 120;
	char line[PROGRESS_LINE];

	if (!progress->shown)
		return;
	snprintf(line, sizeof(line), "%3.0f %% done, %.0f %s left%s%s", fmin(share_done, 1) * 100,
		 fmax(minutes ? seconds_left / 60 : seconds_left, 0), minutes ? "min" : "s",
		 *figures ? ": " : "", figures);
	redraw(progress, line);
}

void progress_end(struct progress *progress)
{
	if (!progress->width)
		return;
	progress->width += TYPED;
	redraw(progress, "");
	fputc('\r', stderr);
	fflush(stderr);
}
