/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `contend sweep` is told.
 */
#ifndef CLI_SWEEP_OPTIONS_H
#define CLI_SWEEP_OPTIONS_H

#include "measure/sweep.h"
#include "sim/errmsg.h"

struct sweep_options {
	struct sweep_config config;
	const char *json; /* where JSON goes, "-": standard output; NULL: nowhere */
	const char *csv;  /* likewise */
	bool quiet;
	bool help; /* asked for help: nothing else is filled in */
};

/*
 * Fills *options from arguments, or from defaults, and finds every contradiction that can be found
 * before anything runs; the reader is compiled if need be, and its code is run. Strings stay the
 * arguments'. 0, or -1 with a sentence in *err; to be released in either case.
 */
int sweep_options_parse(int argc, char **argv, struct sweep_options *options, struct errmsg *err);
void sweep_options_release(struct sweep_options *options);

/* Prints help to standard output. */
void sweep_options_help(void);

#endif /* CLI_SWEEP_OPTIONS_H */
