/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `contend prove` is told.
 */
#ifndef CLI_PROVE_OPTIONS_H
#define CLI_PROVE_OPTIONS_H

#include "cli/output_format.h"
#include "prove/study.h"
#include "sim/lock.h"

#define PROVE_MAX_WRITERS 4
#define PROVE_MAX_READERS (GRAPH_MAX_THREADS - PROVE_MAX_WRITERS)

/* Of a lock, where nobody said how many words it is to guard. */
#define PROVE_WORDS 2

struct prove_options {
	const char *reader; /* a spec */
	size_t writers;
	const char *writer[PROVE_MAX_WRITERS]; /* specs */
	u32 words;			       /* that a lock is given to guard; 0: nobody said */
	u32 counter_bits;		       /* counters begin so close to their end; 0: at 0 */
	struct study_config study;
	const char *json; /* a path, "-", or NULL */
	enum output_format format;
	bool quiet;
	bool help; /* asked for; nothing else counts */
};

/* Fills *options, whose strings stay argv's. Returns 0, or -1 with a sentence in *err. */
int prove_options_parse(int argc, char **argv, struct prove_options *options, struct errmsg *err);

/* Prints the help to standard output. */
void prove_options_help(void);

#endif /* CLI_PROVE_OPTIONS_H */
