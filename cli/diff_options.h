/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `contend diff` is told.
 */
#ifndef CLI_DIFF_OPTIONS_H
#define CLI_DIFF_OPTIONS_H

#include <stdbool.h>

#include "sim/errmsg.h"

struct diff_options {
	const char *old_path; /* "-" is standard input, of one of them */
	const char *new_path;
	double fail_above_percent; /* below 0: not asked for */
	bool force;
	const char *json; /* a path, "-", or NULL */
	bool quiet;
	bool help; /* asked for; nothing else counts */
};

/* Fills *options, whose strings stay argv's. Returns 0, or -1 with a sentence in *err. */
int diff_options_parse(int argc, char **argv, struct diff_options *options, struct errmsg *err);

/* Prints the help to standard output. */
void diff_options_help(void);

#endif /* CLI_DIFF_OPTIONS_H */
