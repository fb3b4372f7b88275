/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run's intervals, printed as they come: a head first, and on a terminal again every so many
 * lines, so that it stays in sight. One thread only.
 */
#ifndef CLI_INTERVAL_LINES_H
#define CLI_INTERVAL_LINES_H

#include <stdbool.h>
#include <stdio.h>

#include "measure/run.h"

struct interval_lines {
	FILE *out; /* NULL: nowhere */
	bool on_terminal;
	u64 printed;
};

/* `out` stays the caller's. */
void interval_lines_start(struct interval_lines *lines, FILE *out);

/* Prints one and flushes. */
void interval_lines_print(struct interval_lines *lines, const struct run_interval *interval);

/* An empty line between them and what follows, if there were any. */
void interval_lines_end(struct interval_lines *lines);

#endif /* CLI_INTERVAL_LINES_H */
