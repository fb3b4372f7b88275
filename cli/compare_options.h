/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `contend compare` is told.
 */
#ifndef CLI_COMPARE_OPTIONS_H
#define CLI_COMPARE_OPTIONS_H

#include <argp.h>

#include "measure/compare.h"
#include "sim/errmsg.h"

enum compare_format {
	COMPARE_TEXT,
	COMPARE_COMMIT, /* a table for a commit message */
};

struct compare_options {
	struct compare_config config;
	struct reader reader[COMPARE_MAX_READERS];
	const char *spec[COMPARE_MAX_READERS]; /* of each reader, as it was given */
	/* Readers that were named and cannot take part, each with a sentence that says why. */
	size_t refused;
	const char *refused_spec[COMPARE_MAX_READERS];
	struct errmsg refusal[COMPARE_MAX_READERS];
	bool null; /* one reader against itself, to judge the machine */
	enum compare_format format;
	const char *json; /* where JSON goes, "-": standard output; NULL: nowhere */
	bool quiet;
	bool help; /* asked for help: nothing else is filled in */
};

/*
 * Fills *options from arguments, or from defaults; readers are compiled if need be, and their code
 * is run. A reader other than the baseline that cannot take part is put aside as refused. Strings
 * stay the arguments'. 0, or -1 with a sentence in *err; to be released in either case.
 */
int compare_options_parse(int argc, char **argv, struct compare_options *options,
			  struct errmsg *err);
void compare_options_release(struct compare_options *options);

/*
 * For files that say what options would. The option of that full long name, as argp describes it;
 * NULL: there is none, or it says what becomes of the result, which is the command line's to say.
 */
const struct argp_option *compare_options_find(const char *name);

/*
 * Whether such an option takes that value (NULL if it wants none), whatever else is given; 0, or -1
 * with a sentence in *err without its name. Of a value that one machine has and another has not, a
 * CPU, a counter, a level of caches, only compare_options_parse can say it.
 */
int compare_options_try(const struct argp_option *option, const char *value, struct errmsg *err);

/* Prints help to standard output. */
void compare_options_help(void);

#endif /* CLI_COMPARE_OPTIONS_H */
