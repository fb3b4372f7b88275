/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file in lines as inih is to have them: nothing cut short, and none taken for more of the one
 * before because it is indented.
 */
#ifndef CLI_INI_LINES_H
#define CLI_INI_LINES_H

#include <stdio.h>

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

#endif /* CLI_INI_LINES_H */
