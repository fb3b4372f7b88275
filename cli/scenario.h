/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job in a file, as an INI file (see inih): sections [run], [writer] and [readers NAME], each
 * once at most, of lines "key = value"; ; or # begins a comment.
 *
 *   [run]           duration, warmup, payload, clocksource, seed, priority, writer-cpu
 *   [writer]        kind (default tick), hz, and the keys of that kind
 *   [readers NAME]  count, reader, work, cpus
 *
 * A key is the option of run of the same name, and has its values; count is --readers.
 */
#ifndef CLI_SCENARIO_H
#define CLI_SCENARIO_H

#include "sim/errmsg.h"

/*
 * Takes what the scenario says of an option of run, given by its long name, as that option would;
 * 0, or -1 with a sentence in *err. The strings are the scenario's: they do not outlive the call.
 */
typedef int scenario_take_fn(const char *option, const char *value, void *context,
			     struct errmsg *err);

/*
 * Reads a scenario and has each thing that it says taken. 0, or -1 with a sentence in *err that
 * begins with file and line, and says what would be right.
 */
int scenario_read(const char *path, scenario_take_fn *take, void *context, struct errmsg *err);

#endif /* CLI_SCENARIO_H */
