/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `contend calibrate` is told.
 */
#ifndef CLI_CALIBRATE_OPTIONS_H
#define CLI_CALIBRATE_OPTIONS_H

#include "measure/calibrate.h"
#include "sim/errmsg.h"

struct calibrate_options {
	struct calibrate_config config; /* its images are the options' own */
	const char *json;		/* where JSON goes, "-": standard output; NULL: nowhere */
	bool quiet;
	bool help; /* asked for help: nothing else is filled in */
};

/*
 * Fills *options from arguments, or from defaults, and opens the images, which runs their code.
 * Strings stay the arguments'. 0, or -1 with a sentence in *err; then nothing is left to release.
 */
int calibrate_options_parse(int argc, char **argv, struct calibrate_options *options,
			    struct errmsg *err);
void calibrate_options_release(struct calibrate_options *options);

/* Prints help to standard output. */
void calibrate_options_help(void);

#endif /* CLI_CALIBRATE_OPTIONS_H */
