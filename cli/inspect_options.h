/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of contend inspect.
 */
#ifndef CLI_INSPECT_OPTIONS_H
#define CLI_INSPECT_OPTIONS_H

#include "measure/inspect.h"
#include "readers/target.h"
#include "sim/errmsg.h"

struct inspect_options {
	bool disassembly;
	bool difference;
	bool page;
	bool quiet;
	bool help;
	const char *json; /* NULL: none */
	size_t specs;
	const char *spec[INSPECT_MAX_READERS];
	size_t targets;
	const struct target *target[INSPECT_MAX_TARGETS];
};

/* Parses; argv[0] is not looked at. 0, or -1 with a sentence in *err. */
int inspect_options_parse(int argc, char **argv, struct inspect_options *options,
			  struct errmsg *err);

/* Prints what --help says. */
void inspect_options_help(void);

#endif /* CLI_INSPECT_OPTIONS_H */
