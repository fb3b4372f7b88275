// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "readers/cache.h"
#include "readers/lines.h"
#include "readers/sources.h"

struct lines {
	void *copy; /* of the file: sections that are compressed are unpacked where it lies */
	Elf *elf;
	Dwarf *dwarf;
};

int lines_open(struct lines **lines, const struct machine_code *code, struct errmsg *err)
{
	struct lines *opened = calloc(1, sizeof(*opened));

	if (opened)
		opened->copy = malloc(code->elf_bytes ? code->elf_bytes : 1);
	if (!opened || !opened->copy) {
		free(opened);
		return errmsg_set(err, "no memory for a source's lines");
	}
	if (code->elf_bytes)
		memcpy(opened->copy, code->elf, code->elf_bytes);
	elf_version(EV_CURRENT);
	opened->elf = elf_memory(opened->copy, code->elf_bytes);
	if (opened->elf)
		opened->dwarf = dwarf_begin_elf(opened->elf, DWARF_C_READ, NULL);
	if (opened->dwarf) {
		*lines = opened;
		return 0;
	}
	errmsg_set(err, "it has no debug information: %s",
		   opened->elf ? dwarf_errmsg(-1) : elf_errmsg(-1));
	lines_close(opened);
	return -1;
}

void lines_close(struct lines *lines)
{
	if (lines->dwarf)
		dwarf_end(lines->dwarf);
	if (lines->elf)
		elf_end(lines->elf);
	free(lines->copy);
	free(lines);
}

/* Whether it is that file of ours, wherever the tree lay when it was compiled. */
static bool is_source(const char *file, const struct source *source)
{
	const size_t length = strlen(file), ours = strlen(source->path);

	return length >= ours && strcmp(file + length - ours, source->path) == 0 &&
	       (length == ours || file[length - ours - 1] == '/');
}

static const struct source *find_source(const char *file)
{
	for (const struct source *source = sources; source->path; source++)
		if (is_source(file, source))
			return source;
	return NULL;
}

/* What was given relative to a folder has that put before it; an older one may have been another.
 */
static void name_file(Dwarf_Die *unit, const char *file, struct lines_place *place)
{
	Dwarf_Attribute attribute;
	const char *folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
	const struct source *source = find_source(file);
	const size_t length = folder ? strlen(folder) : 0;

	if (source)
		file = source->path;
	else if (length && strncmp(file, folder, length) == 0 && file[length] == '/')
		file += length + 1;
	snprintf(place->file, sizeof(place->file), "%s", file);
}

static bool find_in_unit(Dwarf_Die *unit, u32 offset, struct lines_place *place)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, offset);
	const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;

	if (!file || dwarf_lineno(line, &place->line))
		return false;
	name_file(unit, file, place);
	return true;
}

/* The unit that tells the place; false: none does. */
static bool find(const struct lines *lines, u32 offset, Dwarf_Die *unit, struct lines_place *place)
{
	Dwarf_CU *next = NULL;

	*place = (struct lines_place){.line = 0};
	while (!dwarf_get_units(lines->dwarf, next, &next, NULL, NULL, unit, NULL))
		if (find_in_unit(unit, offset, place))
			return true;
	*place = (struct lines_place){.line = 0};
	return false;
}

struct lines_place lines_find(const struct lines *lines, u32 offset)
{
	struct lines_place place;
	Dwarf_Die unit;

	find(lines, offset, &unit, &place);
	return place;
}

static bool take_number(Dwarf_Die *die, unsigned int name, Dwarf_Word *number)
{
	Dwarf_Attribute attribute;

	return dwarf_formudata(dwarf_attr(die, name, &attribute), number) == 0;
}

/* Where a function was called that was inlined there; false: it is no such function. */
static bool find_call(Dwarf_Die *unit, Dwarf_Die *scope, struct lines_place *place)
{
	Dwarf_Word file_number, line;
	Dwarf_Files *files;
	const char *file;
	size_t count;

	if (dwarf_tag(scope) != DW_TAG_inlined_subroutine ||
	    !take_number(scope, DW_AT_call_file, &file_number) ||
	    !take_number(scope, DW_AT_call_line, &line) ||
	    dwarf_getsrcfiles(unit, &files, &count) || file_number >= count ||
	    !(file = dwarf_filesrc(files, (size_t)file_number, NULL, NULL)))
		return false;
	place->line = (int)line;
	name_file(unit, file, place);
	return true;
}

struct lines_place lines_find_wanted(const struct lines *lines, u32 offset,
				     bool (*is_wanted)(const struct lines_place *place))
{
	struct lines_place innermost, place;
	Dwarf_Die unit, *scopes = NULL;
	bool wanted;
	int count;

	if (!find(lines, offset, &unit, &innermost) ||
	    (innermost.line > 0 && is_wanted(&innermost)))
		return innermost;
	wanted = false;
	count = dwarf_getscopes(&unit, offset, &scopes);
	for (int i = 0; i < count && !wanted; i++)
		wanted = find_call(&unit, &scopes[i], &place) && is_wanted(&place);
	free(scopes);
	return wanted ? place : innermost;
}

static void take_line(const char *begin, const char *end, int line, char *text, size_t size)
{
	const char *stop;

	while (--line && begin < end) {
		const char *feed = memchr(begin, '\n', (size_t)(end - begin));

		begin = feed ? feed + 1 : end;
	}
	stop = memchr(begin, '\n', (size_t)(end - begin));
	if (!stop)
		stop = end;
	while (begin < stop && isspace((unsigned char)*begin))
		begin++;
	while (stop > begin && isspace((unsigned char)stop[-1]))
		stop--;
	snprintf(text, size, "%.*s", (int)(stop - begin), begin);
	for (char *c = text; *c; c++)
		if (*c == '\t')
			*c = ' ';
}

void lines_text(const struct lines_place *place, char *text, size_t size)
{
	const struct source *source = find_source(place->file);
	struct cache_file file;

	text[0] = '\0';
	if (place->line <= 0)
		return;
	if (source) {
		take_line((const char *)source->begin, (const char *)source->end, place->line, text,
			  size);
		return;
	}
	if (cache_read(place->file, &file))
		return;
	take_line(file.bytes, (const char *)file.bytes + file.size, place->line, text, size);
	free(file.bytes);
}
