// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>

#include "cli/ini_lines.h"

/* False at the end of the line. */
static bool take_character(struct ini_lines *lines, int *c)
{
	*c = getc(lines->file);
	return *c != EOF && *c != '\n';
}

static void skip_rest(struct ini_lines *lines)
{
	int c;

	while (take_character(lines, &c))
		;
}

static bool read_line(struct ini_lines *lines, char *line, int room)
{
	int used = 0;
	int c;

	while (take_character(lines, &c)) {
		if (used == 0 && (c == ' ' || c == '\t'))
			continue;
		if (c == '\0') {
			snprintf(lines->why, sizeof(lines->why), "a zero byte: this is no text");
			return false;
		}
		if (used + 2 >= room) {
			snprintf(lines->why, sizeof(lines->why),
				 "the line is longer than %d characters", room - 2);
			return false;
		}
		line[used++] = (char)c;
		if (used == 1 && (c == ';' || c == '#')) {
			skip_rest(lines);
			break;
		}
	}
	line[used++] = '\n';
	line[used] = '\0';
	return true;
}

static bool at_end(FILE *file)
{
	int c = getc(file);

	if (c != EOF)
		ungetc(c, file);
	return c == EOF;
}

char *ini_lines_next(struct ini_lines *lines, char *line, int room)
{
	if (*lines->why || at_end(lines->file))
		return NULL;
	lines->line++;
	return read_line(lines, line, room) ? line : NULL;
}
