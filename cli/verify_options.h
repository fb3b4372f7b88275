/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `contend verify` is told.
 */
#ifndef CLI_VERIFY_OPTIONS_H
#define CLI_VERIFY_OPTIONS_H

#include <stdbool.h>

#include "cli/output_format.h"
#include "measure/verify.h"
#include "sim/errmsg.h"

#define VERIFY_MAX_ONLY 64

struct verify_options {
	u64 duration_ns;   /* of each run of what is correct */
	size_t only_count; /* 0: all */
	const char *only[VERIFY_MAX_ONLY];
	const char *json; /* a path, "-", or NULL */
	enum output_format format;
	bool quiet;
	bool help; /* asked for; nothing else counts */
	/* What is chosen of the catalogue. */
	struct verify_config config;
	struct verify_mutant *mutant;
	struct verify_job *correct;
};

/*
 * Fills *options, whose strings stay argv's. Returns 0, or -1 with a sentence in *err; to be
 * released in either case.
 */
int verify_options_parse(int argc, char **argv, struct verify_options *options, struct errmsg *err);
void verify_options_release(struct verify_options *options);

/* Prints the help to standard output. */
void verify_options_help(void);

#endif /* CLI_VERIFY_OPTIONS_H */
