/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The option --format of commands whose result is also one of tests.
 */
#ifndef CLI_OUTPUT_FORMAT_H
#define CLI_OUTPUT_FORMAT_H

#include <stdbool.h>

#include "sim/errmsg.h"

enum output_format {
	OUTPUT_TEXT,
	OUTPUT_KTAP,
};

/* A row of a command's table of options. */
#define OUTPUT_FORMAT_OPTION(key)                                                     \
	{                                                                             \
		"format", key, "text|ktap", 0,                                        \
			"ktap: results of tests, as the kernel's own harness and CI " \
			"farms read them; default text",                              \
			0                                                             \
	}

/* 0, or -1 with a sentence in *err. */
int output_format_parse(const char *text, enum output_format *format, struct errmsg *err);

/*
 * Where no text is printed it has no format: -1 with a sentence in *err if one was asked for all
 * the same, be it for --quiet or since `path`, which the option of that name was given, is "-";
 * else 0. `path` may be NULL.
 */
int output_format_check(enum output_format format, bool quiet, const char *option, const char *path,
			struct errmsg *err);

#endif /* CLI_OUTPUT_FORMAT_H */
