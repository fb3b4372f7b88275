/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the value of an option that was begun may become.
 */
#ifndef CLI_OPTION_VALUES_H
#define CLI_OPTION_VALUES_H

#include <argp.h>

#include "cli/candidates.h"

/* A command line, without the program. */
struct typed {
	int words;   /* 1 or more */
	char **word; /* the last is the one that was begun */
	const char *command;
};

/*
 * Offers them: names that there are tables of, what the option's own row in its table of options
 * lists, as in "text|commit", or files where that says FILE. Of a number nothing is known.
 */
void option_values_offer(const struct argp_option *option, const struct typed *typed,
			 struct candidates *candidates);

#endif /* CLI_OPTION_VALUES_H */
