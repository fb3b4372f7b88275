/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file in lines as inih is to have them: nothing cut short, and none taken for more of the one
 * before because it is indented.
 */
#ifndef CLI_INI_LINES_H
#define CLI_INI_LINES_H

#include <stdarg.h>
#include <stdio.h>

#include "sim/errmsg.h"

/* Longest name of a section or a key: inih cuts short what is longer than 49 characters. */
#define INI_MAX_NAME 48

struct ini_lines {
	FILE *file;   /* the caller's */
	int line;     /* number of the last one, from 1 */
	char why[80]; /* what is wrong with it; "": nothing */
};

/*
 * Puts the next line into `line`, which has room for `room` characters, without what stands before
 * its first character, and without a comment's text, which may be of any length. Returns `line`, or
 * NULL: there is none, the file cannot be read (see ferror), or something is wrong.
 */
char *ini_lines_next(struct ini_lines *lines, char *line, int room);

/*
 * Whether such a line begins a section, of which inih tells nothing if it has no keys: 1, and what
 * stands in the brackets is in `name`; 0 if not; -1 and a sentence in *why: of a line that begins
 * with [ and is none.
 */
int ini_lines_section(const char *line, char name[INI_MAX_NAME + 1], struct errmsg *why);

/*
 * Cuts off the first word of what stands in the brackets, and blanks at its ends. What is left
 * behind it, which may be nothing.
 */
char *ini_lines_cut_word(char *name);

/*
 * Cuts off what inih leaves out of a value: a ; behind a blank and what follows, and blanks at the
 * end; and a whole line that is a comment. Returns `line`.
 */
char *ini_lines_trim(char *line);

/*
 * Of a file that inih has read to its end, or as far as it could, and of which it returned `wrong`:
 * the line at which it is none of its kind, and a sentence in *why; 0: all of it could be read.
 */
int ini_lines_end(const struct ini_lines *lines, int wrong, struct errmsg *why);

/* Says in *err what is wrong, "PATH:LINE: " before it. */
void ini_lines_complain(struct errmsg *err, const char *path, int line, const char *format,
			va_list arguments) __attribute__((format(printf, 4, 0)));

#endif /* CLI_INI_LINES_H */
