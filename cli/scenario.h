/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job in a file, as an INI file (see inih): sections of lines "key = value"; ; or # begins a
 * comment, a ; behind a blank does within a line, too.
 *
 *   [run]           duration, warmup, payload, clocksource, seed, priority, writer-cpu
 *   [writer]        kind (default tick), and the keys of that kind; up to 8 of them
 *   [readers NAME]  count, reader, work, cpus; one section for each group of readers, no two of
 *                   one name
 *   [expect]        lines that are conditions, see report/expect.h, and no keys
 *
 * A key is the option of run of the same name, and has its values; count is --readers.
 */
#ifndef CLI_SCENARIO_H
#define CLI_SCENARIO_H

#include "sim/errmsg.h"

/*
 * Who takes what the scenario says; 0, or -1 with a sentence in *err. The strings are the
 * scenario's: they do not outlive the call.
 */
struct scenario_taker {
	/* What it says of an option of run, given by its long name; of a group, the last begun. */
	int (*option)(const char *option, const char *value, void *context, struct errmsg *err);
	/* A group of readers begins. */
	int (*group)(const char *name, void *context, struct errmsg *err);
	/* A writer, as --writer has it. */
	int (*writer)(const char *spec, void *context, struct errmsg *err);
	/* A condition, once all else has been taken. */
	int (*condition)(const char *text, void *context, struct errmsg *err);
};

/*
 * Reads a scenario and has each thing that it says taken. 0, or -1 with a sentence in *err that
 * begins with file and line, and says what would be right.
 */
int scenario_read(const char *path, const struct scenario_taker *taker, void *context,
		  struct errmsg *err);

#endif /* CLI_SCENARIO_H */
