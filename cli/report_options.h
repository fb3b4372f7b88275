/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of contend report.
 */
#ifndef CLI_REPORT_OPTIONS_H
#define CLI_REPORT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/picture.h"
#include "sim/errmsg.h"

#define REPORT_MAX_RESULTS 64

struct report_options {
	const char *path[REPORT_MAX_RESULTS]; /* of the results, in order */
	size_t results;
	const char *output; /* "-": standard output */
	/* --plot: that picture alone. NULL: the whole report. */
	const struct picture *picture;
	const char *part;	    /* of it, "v6.15" of layout:v6.15; NULL: not named */
	enum picture_format format; /* of the picture, by the output's name */
	bool list;		    /* --plot list */
	bool help;
};

/* 0, or -1 with a sentence in *err. Strings stay argv's. */
int report_options_parse(int argc, char **argv, struct report_options *options, struct errmsg *err);

void report_options_help(void);

#endif /* CLI_REPORT_OPTIONS_H */
