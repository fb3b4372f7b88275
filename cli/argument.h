/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An argument in a file, as an INI file (see inih) of lines "key = value"; ; or # begins a comment,
 * a ; behind a blank does within a line, too.
 *
 *   [argument]      title, once; claim and by, lines of text, as many as it takes
 *   [compare NAME]  baseline and reader, once; claim, lines of text; claimed_percent, a number or
 *                   LOW to HIGH (negative: faster); and the long options of contend compare, a flag
 *                   with the value yes or no
 *   [inspect NAME]  reader, one or more; target, none or more; claim, lines of text
 */
#ifndef CLI_ARGUMENT_H
#define CLI_ARGUMENT_H

#include <argp.h>

#include "cli/ini_lines.h"
#include "report/claim.h"
#include "sim/errmsg.h"

#define ARGUMENT_MAX_SECTIONS 64
#define ARGUMENT_MAX_READERS  8
#define ARGUMENT_MAX_OPTIONS  16

struct argument_option {
	const struct argp_option *option; /* of contend compare */
	const char *value;		  /* NULL: it is a flag */
};

/* What is in a file stays its struct argument's. */
struct argument_section {
	bool is_inspection;
	char name[INI_MAX_NAME + 1];
	int line; /* where it begins */
	struct claim claim;
	size_t readers;				  /* of a comparison: 2 */
	const char *reader[ARGUMENT_MAX_READERS]; /* its baseline is the first */
	size_t targets;
	const char *target[ARGUMENT_MAX_READERS];
	size_t options; /* none of an inspection */
	struct argument_option option[ARGUMENT_MAX_OPTIONS];
};

struct argument_string;

struct argument {
	const char *title;
	struct claim_text claim;
	struct claim_text by;
	size_t sections;
	struct argument_section section[ARGUMENT_MAX_SECTIONS];
	struct argument_string *strings;
};

/* Whether the file is there and has a section [argument]. */
bool argument_is_one(const char *path);

/*
 * Reads such a file. The values of options have been held against the options, but for those that
 * hang on the machine (compare_options_try); readers have not been looked at. 0, or -1 with a
 * sentence in *err that begins with file and line, and says what would be right; to be released in
 * either case.
 */
int argument_read(const char *path, struct argument *argument, struct errmsg *err);
void argument_release(struct argument *argument);

/* A number, or LOW to HIGH, in percent; 0, or -1 with a sentence in *err. */
int argument_parse_claimed(const char *text, struct claim *claim, struct errmsg *err);

#endif /* CLI_ARGUMENT_H */
