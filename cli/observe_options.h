/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `contend observe` is told.
 */
#ifndef CLI_OBSERVE_OPTIONS_H
#define CLI_OBSERVE_OPTIONS_H

#include "measure/observe.h"
#include "sim/errmsg.h"

struct observe_options {
	struct observe_config config;
	const char *save; /* where a scenario goes; NULL: nowhere */
	const char *json; /* where JSON goes, "-": standard output; NULL: nowhere */
	bool quiet;
	bool help; /* asked for help: nothing else is filled in */
};

/* Fills *options from arguments, or from defaults. Strings stay the arguments'. 0, or -1 with a
 * sentence in *err. */
int observe_options_parse(int argc, char **argv, struct observe_options *options,
			  struct errmsg *err);

/* Prints help to standard output. */
void observe_options_help(void);

#endif /* CLI_OBSERVE_OPTIONS_H */
