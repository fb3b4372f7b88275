/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `contend run` is told.
 */
#ifndef CLI_RUN_OPTIONS_H
#define CLI_RUN_OPTIONS_H

#include "cli/output_format.h"
#include "measure/run.h"
#include "report/expect.h"
#include "sim/errmsg.h"

struct run_options {
	struct run_config config;
	struct expect expect; /* by the scenario */
	/* Where it goes, "-": standard output; NULL: nowhere. */
	const char *json;
	const char *csv; /* the intervals */
	const char *histogram;
	const char *hgrm;
	enum output_format format;
	bool quiet;
	bool help; /* asked for help: nothing else is filled in */
};

/*
 * Fills *options from arguments, or from defaults, and finds every contradiction that can be found
 * before anything runs. Strings stay the arguments'. 0, or -1 with a sentence in *err.
 */
int run_options_parse(int argc, char **argv, struct run_options *options, struct errmsg *err);

/* Gives back the readers; after run_options_parse, whatever it returned. */
void run_options_release(struct run_options *options);

/* Print help to standard output: all of it, or the list of options alone. */
void run_options_help(void);
void run_options_list(void);

#endif /* CLI_RUN_OPTIONS_H */
