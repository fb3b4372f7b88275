/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `contend settle` is told.
 */
#ifndef CLI_SETTLE_OPTIONS_H
#define CLI_SETTLE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/argument.h"
#include "sim/errmsg.h"

struct settle_options {
	const char *file;     /* never NULL but with help */
	const char *duration; /* of each comparison; NULL: what the file says */
	size_t only_count;    /* 0: all sections */
	const char *only[ARGUMENT_MAX_SECTIONS];
	const char *json; /* where JSON goes, "-": standard output; NULL: nowhere */
	bool quiet;
	bool help; /* asked for help: nothing else is filled in */
};

/* Strings stay the arguments'. 0, or -1 with a sentence in *err. */
int settle_options_parse(int argc, char **argv, struct settle_options *options, struct errmsg *err);

/* Prints help to standard output. */
void settle_options_help(void);

#endif /* CLI_SETTLE_OPTIONS_H */
