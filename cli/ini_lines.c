// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

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
		/* A mark of UTF-8's that some editors put before the first line. */
		if (used == 2 && lines->line <= 1 && c == 0xbf &&
		    memcmp(line, "\xef\xbb", 2) == 0) {
			used = 0;
			continue;
		}
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

int ini_lines_section(const char *line, char name[INI_MAX_NAME + 1], struct errmsg *why)
{
	const char *end = strchr(line, ']');
	const char *after = end ? end + 1 + strspn(end + 1, " \t\r\n") : NULL;

	if (*line != '[')
		return 0;
	if (!end)
		return errmsg_set(why, "the ] of [section] is missing");
	if (*after && *after != ';' && *after != '#')
		return errmsg_set(why, "more than a comment follows the ]");
	if (end - line > INI_MAX_NAME + 1)
		return errmsg_set(why, "the name of a section has no more than %d characters",
				  INI_MAX_NAME);
	snprintf(name, INI_MAX_NAME + 1, "%.*s", (int)(end - line - 1), line + 1);
	return 1;
}

static void cut_blanks(char *text)
{
	size_t length = strlen(text);

	while (length && strchr(" \t\r\n", text[length - 1]))
		text[--length] = '\0';
}

char *ini_lines_cut_word(char *name)
{
	const size_t word = strcspn(name, " \t");
	char *rest = name + word + strspn(name + word, " \t");

	cut_blanks(rest);
	name[word] = '\0';
	return rest;
}

char *ini_lines_trim(char *line)
{
	char *comment = line;

	while (*comment && (*comment != ';' || (comment > line && !strchr(" \t", comment[-1]))))
		comment++;
	*comment = '\0';
	if (*line == '#')
		*line = '\0';
	cut_blanks(line);
	return line;
}

int ini_lines_end(const struct ini_lines *lines, int wrong, struct errmsg *why)
{
	if (*lines->why) {
		errmsg_set(why, "%s", lines->why);
		return lines->line;
	}
	if (ferror(lines->file)) {
		errmsg_set(why, "it cannot be read: %s", strerror(errno));
		return lines->line + 1;
	}
	if (wrong > 0)
		errmsg_set(why, "this is neither [section] nor key = value");
	else if (wrong < 0)
		errmsg_set(why, "no memory for it");
	return wrong > 0 ? wrong : wrong < 0 ? lines->line : 0;
}

void ini_lines_complain(struct errmsg *err, const char *path, int line, const char *format,
			va_list arguments)
{
	struct errmsg why;

	vsnprintf(why.text, sizeof(why.text), format, arguments);
	errmsg_set(err, "%.120s:%d: %.380s", path, line, why.text);
}
