// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/argument.h"
#include "cli/compare_options.h"
#include "sim/types.h"
#include "sim/value.h"

/* What takes less time than nothing has not been measured. */
#define CLAIM_LOWEST  (-100)
#define CLAIM_HIGHEST 100000

#define ALL_SECTIONS "[argument], [compare NAME] and [inspect NAME]"

struct argument_string {
	struct argument_string *next;
	char text[];
};

enum which {
	NONE,
	ARGUMENT,
	COMPARE,
	INSPECT,
};

struct reading {
	const char *path;
	struct ini_lines lines;
	struct argument *argument;
	struct argument_section *section; /* of COMPARE and INSPECT */
	enum which which;		  /* the one that is being read */
	int begun_at;			  /* line of [argument]; 0: not yet */
	bool failed;
	struct errmsg *err;
};

/* Always false. */
static __attribute__((format(printf, 3, 4))) bool fail(struct reading *reading, int line,
						       const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	ini_lines_complain(reading->err, reading->path, line, format, arguments);
	va_end(arguments);
	reading->failed = true;
	return false;
}

#define fail_here(reading, ...) fail(reading, (reading)->lines.line, __VA_ARGS__)

/* NULL, if there is no memory, and then it has failed. */
static const char *keep(struct reading *reading, const char *text)
{
	const size_t length = strlen(text) + 1;
	struct argument_string *string = malloc(sizeof(*string) + length);

	if (!string) {
		fail_here(reading, "no memory for it");
		return NULL;
	}
	memcpy(string->text, text, length);
	string->next = reading->argument->strings;
	reading->argument->strings = string;
	return string->text;
}

static bool keep_once(struct reading *reading, const char *key, const char *value,
		      const char **place)
{
	if (*place)
		return fail_here(reading, "%s: it stands here already", key);
	if (!*value)
		return fail_here(reading, "%s: there is no value", key);
	*place = keep(reading, value);
	return *place != NULL;
}

static bool keep_another(struct reading *reading, const char *key, const char *value,
			 const char **list, size_t *count, size_t most)
{
	if (*count == most)
		return fail_here(reading, "%s: there can be no more than %zu", key, most);
	if (!keep_once(reading, key, value, &list[*count]))
		return false;
	(*count)++;
	return true;
}

static bool keep_line(struct reading *reading, const char *key, const char *value,
		      struct claim_text *text)
{
	return keep_another(reading, key, value, text->line, &text->lines, CLAIM_MAX_LINES);
}

/* Moves *text past a number. */
static bool take_percent(const char **text, double *percent)
{
	char *end;

	if (!strchr("+-.0123456789", **text))
		return false;
	*percent = strtod(*text, &end);
	if (end == *text || !(*percent > CLAIM_LOWEST && *percent <= CLAIM_HIGHEST))
		return false;
	*text = end + strspn(end, " \t");
	return true;
}

int argument_parse_claimed(const char *text, struct claim *claim, struct errmsg *err)
{
	const char *at = text;
	double low, high;

	if (take_percent(&at, &low)) {
		high = low;
		if (strncmp(at, "to", 2) == 0 && (at[2] == ' ' || at[2] == '\t')) {
			at += 2 + strspn(at + 2, " \t");
			if (!take_percent(&at, &high))
				at = "?";
		}
		if (!*at && low <= high) {
			claim->has_percent = true;
			claim->low_percent = low;
			claim->high_percent = high;
			return 0;
		}
	}
	return errmsg_set(err,
			  "%s is neither a number of percent above %d, negative if it is faster, "
			  "nor LOW to HIGH",
			  value_quote(text).text, CLAIM_LOWEST);
}

static bool take_claimed(struct reading *reading, const char *key, const char *value)
{
	struct claim *claim = &reading->section->claim;
	struct errmsg why;

	if (claim->has_percent)
		return fail_here(reading, "%s: it stands here already", key);
	if (argument_parse_claimed(value, claim, &why))
		return fail_here(reading, "%s: %s", key, why.text);
	return true;
}

static bool unknown_key(struct reading *reading, const char *key)
{
	static const char *const known[] = {
		[ARGUMENT] = "title, claim, by",
		[COMPARE] = "baseline, reader, claim, claimed_percent, and the options of contend "
			    "compare that say how to measure",
		[INSPECT] = "reader, target, claim",
	};

	return fail_here(reading, "there is no key %s here: there are %s", value_quote(key).text,
			 known[reading->which]);
}

/* A flag that says no is as good as none. */
static bool take_flag(struct reading *reading, const char *key, const char *value, bool *is_set)
{
	*is_set = strcmp(value, "yes") == 0;
	return *is_set || strcmp(value, "no") == 0 ||
	       fail_here(reading, "%s: %s is neither yes nor no", key, value_quote(value).text);
}

static bool take_option(struct reading *reading, const char *key, const char *value)
{
	struct argument_section *section = reading->section;
	struct argument_option *place = &section->option[section->options];
	const struct argp_option *option = compare_options_find(key);
	bool is_set = true;
	struct errmsg why;

	if (!option)
		return unknown_key(reading, key);
	for (size_t i = 0; i < section->options; i++)
		if (section->option[i].option == option)
			return fail_here(reading, "%s: it stands here already", key);
	if (section->options == ARGUMENT_MAX_OPTIONS)
		return fail_here(reading, "%s: no section has more than %d options", key,
				 ARGUMENT_MAX_OPTIONS);
	if (!option->arg && !take_flag(reading, key, value, &is_set))
		return false;
	if (compare_options_try(option, option->arg ? value : NULL, &why))
		return fail_here(reading, "%s: %s", key, why.text);
	*place = (struct argument_option){option, option->arg ? keep(reading, value) : NULL};
	section->options += is_set;
	return !reading->failed;
}

static bool take_of_argument(struct reading *reading, const char *key, const char *value)
{
	if (strcmp(key, "title") == 0)
		return keep_once(reading, key, value, &reading->argument->title);
	if (strcmp(key, "claim") == 0)
		return keep_line(reading, key, value, &reading->argument->claim);
	if (strcmp(key, "by") == 0)
		return keep_line(reading, key, value, &reading->argument->by);
	return unknown_key(reading, key);
}

static bool take_of_compare(struct reading *reading, const char *key, const char *value)
{
	struct argument_section *section = reading->section;

	if (strcmp(key, "baseline") == 0)
		return keep_once(reading, key, value, &section->reader[0]);
	if (strcmp(key, "reader") == 0)
		return keep_once(reading, key, value, &section->reader[1]);
	if (strcmp(key, "claim") == 0)
		return keep_line(reading, key, value, &section->claim.text);
	if (strcmp(key, "claimed_percent") == 0)
		return take_claimed(reading, key, value);
	return take_option(reading, key, value);
}

static bool take_of_inspect(struct reading *reading, const char *key, const char *value)
{
	struct argument_section *section = reading->section;

	if (strcmp(key, "reader") == 0)
		return keep_another(reading, key, value, section->reader, &section->readers,
				    ARGUMENT_MAX_READERS);
	if (strcmp(key, "target") == 0)
		return keep_another(reading, key, value, section->target, &section->targets,
				    ARGUMENT_MAX_READERS);
	if (strcmp(key, "claim") == 0)
		return keep_line(reading, key, value, &section->claim.text);
	return unknown_key(reading, key);
}

/* An ini_handler: 1 goes on. */
static int take_line(void *context, const char *section, const char *key, const char *value)
{
	struct reading *reading = context;

	(void)section;
	if (reading->failed)
		return 0;
	switch (reading->which) {
	case ARGUMENT:
		return take_of_argument(reading, key, value);
	case COMPARE:
		return take_of_compare(reading, key, value);
	case INSPECT:
		return take_of_inspect(reading, key, value);
	case NONE:
		break;
	}
	return fail_here(reading, "%s belongs to no section: one of " ALL_SECTIONS " comes first",
			 value_quote(key).text);
}

/* Whether the section that is being read has all that it must have. */
static bool end_section(struct reading *reading)
{
	struct argument_section *section = reading->section;

	switch (reading->which) {
	case NONE:
		break;
	case ARGUMENT:
		return reading->argument->title ||
		       fail(reading, reading->begun_at, "[argument] has no title");
	case COMPARE:
		if (!section->reader[0] || !section->reader[1])
			return fail(reading, section->line, "[compare %s] has no %s", section->name,
				    section->reader[0] ? "reader" : "baseline");
		section->readers = 2;
		break;
	case INSPECT:
		return section->readers ||
		       fail(reading, section->line, "[inspect %s] has no reader", section->name);
	}
	return true;
}

static bool begin_argument(struct reading *reading, const char *name)
{
	if (*name)
		return fail_here(reading, "[argument %s]: [argument] has no name", name);
	if (reading->begun_at)
		return fail_here(reading, "a second [argument]: line %d has one",
				 reading->begun_at);
	reading->begun_at = reading->lines.line;
	reading->which = ARGUMENT;
	return true;
}

static bool begin_named(struct reading *reading, enum which which, const char *name)
{
	const char *kind = which == COMPARE ? "compare" : "inspect";
	struct argument *argument = reading->argument;
	struct argument_section *section = &argument->section[argument->sections];

	if (!*name)
		return fail_here(reading, "[%s] has no name: it is [%s NAME]", kind, kind);
	for (size_t i = 0; i < argument->sections; i++)
		if (strcmp(argument->section[i].name, name) == 0)
			return fail_here(reading, "a second section named %s: line %d has one",
					 name, argument->section[i].line);
	if (argument->sections == ARGUMENT_MAX_SECTIONS)
		return fail_here(reading,
				 "there can be no more than %d comparisons and "
				 "inspections",
				 ARGUMENT_MAX_SECTIONS);
	snprintf(section->name, sizeof(section->name), "%s", name);
	section->is_inspection = which == INSPECT;
	section->line = reading->lines.line;
	argument->sections++;
	reading->section = section;
	reading->which = which;
	return true;
}

/* `name` is what stands in the brackets. */
static bool take_section(struct reading *reading, char *name)
{
	const char *rest = ini_lines_cut_word(name);

	if (!end_section(reading))
		return false;
	if (strcmp(name, "argument") == 0)
		return begin_argument(reading, rest);
	if (strcmp(name, "compare") == 0)
		return begin_named(reading, COMPARE, rest);
	if (strcmp(name, "inspect") == 0)
		return begin_named(reading, INSPECT, rest);
	return fail_here(reading, "there is no section [%s]: there are " ALL_SECTIONS, name);
}

/* An ini_reader. */
static char *next_line(char *line, int room, void *context)
{
	struct reading *reading = context;
	char name[INI_MAX_NAME + 1];
	struct errmsg why;
	int found;

	if (reading->failed || !ini_lines_next(&reading->lines, line, room))
		return NULL;
	found = ini_lines_section(line, name, &why);
	if (found < 0)
		fail_here(reading, "%s", why.text);
	else if (found)
		take_section(reading, name);
	return reading->failed ? NULL : line;
}

static void read_all(struct reading *reading)
{
	const int wrong = ini_parse_stream(next_line, reading, take_line, reading);
	struct errmsg why;
	int line;

	if (reading->failed)
		return;
	line = ini_lines_end(&reading->lines, wrong, &why);
	if (line)
		fail(reading, line, "%s", why.text);
	else if (!end_section(reading))
		return;
	else if (!reading->begun_at)
		fail_here(reading, "the end, and there was no [argument]: if it is a job for "
				   "readers and a writer, contend run takes it");
	else if (!reading->argument->sections)
		fail_here(reading, "the end, and there was no [compare NAME] or [inspect NAME]");
}

int argument_read(const char *path, struct argument *argument, struct errmsg *err)
{
	struct reading reading = {
		.path = path,
		.lines = {.file = fopen(path, "re")},
		.argument = argument,
		.err = err,
	};

	*argument = (struct argument){.title = NULL};
	if (!reading.lines.file)
		return errmsg_set(err, "the argument %s cannot be read: %s", value_quote(path).text,
				  strerror(errno));
	read_all(&reading);
	fclose(reading.lines.file);
	return reading.failed ? -1 : 0;
}

void argument_release(struct argument *argument)
{
	while (argument->strings) {
		struct argument_string *next = argument->strings->next;

		free(argument->strings);
		argument->strings = next;
	}
}

/* What is wrong in the file is for whoever reads it to say. */
bool argument_is_one(const char *path)
{
	struct ini_lines lines = {.file = fopen(path, "re")};
	char line[256], name[INI_MAX_NAME + 1];
	struct errmsg why;
	bool found = false;

	if (!lines.file)
		return false;
	while (!found && ini_lines_next(&lines, line, sizeof(line)))
		if (ini_lines_section(line, name, &why) > 0) {
			ini_lines_cut_word(name);
			found = strcmp(name, "argument") == 0;
		}
	fclose(lines.file);
	return found;
}
