/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What argp leaves to be desired: bad usage is one line that says what is wrong and what would be
 * right, and exit status 1.
 */
#ifndef CLI_USAGE_H
#define CLI_USAGE_H

#include <argp.h>

#include "sim/errmsg.h"

/* How argp is called by every command, so that it stays silent and never exits. */
#define USAGE_ARGP_FLAGS (ARGP_NO_ERRS | ARGP_NO_HELP | ARGP_NO_EXIT)

/* Rows of a table of options that mean the same to every command. */
#define USAGE_JSON(key)                                                                     \
	{                                                                                   \
		"json", key, "FILE", 0,                                                     \
			"Write the result to FILE as one JSON object, too; - for standard " \
			"output, "                                                          \
			"and no text there. Default no JSON",                               \
			0                                                                   \
	}
#define USAGE_QUIET(key)                                                                       \
	{                                                                                      \
		"quiet", key, NULL, 0,                                                         \
			"No text, no remarks, no progress: only errors, the exit status, and " \
			"JSON "                                                                \
			"if asked for",                                                        \
			0                                                                      \
	}
#define USAGE_HELP(key)                                        \
	{                                                      \
		"help", key, NULL, 0, "Print this and exit", 0 \
	}

/*
 * Holds arguments against a table of options (ended by an entry of zeros), before argp sees them:
 * an unknown or ambiguous option, a missing or unwanted value, more than `words` arguments that
 * are no options. 0, or -1 with a sentence in *err.
 * argv[0] is not looked at.
 */
int usage_check(const struct argp_option *options, int words, int argc, char **argv,
		struct errmsg *err);

/*
 * What a parser of argp returns when the option of this key, which is in the table, has a wrong
 * value: *err is to say "--name: " and what is wrong with it.
 */
error_t usage_refuse(const struct argp_option *options, int key, const struct errmsg *why,
		     struct errmsg *err);

/* Prints "contend: " and the sentence, in one line whatever it quotes. Returns 1, to exit with. */
int usage_complain(const struct errmsg *err);

/*
 * Prints a command's help to standard output. `name` is how the command is called. One thread only:
 * it may set ARGP_HELP_FMT in the environment.
 */
void usage_help(const struct argp *argp, const char *name, unsigned int argp_help_flags);

#endif /* CLI_USAGE_H */
