// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "cli/ini_lines.h"
#include "cli/scenario.h"
#include "sim/spec.h"
#include "sim/types.h"
#include "sim/value.h"

#define MAX_KEYS 24

/* A key, and the option of run that it is; NULL: it is part of the writer's spec. */
struct key {
	const char *name;
	const char *option;
};

static const struct key run_keys[] = {
	{"duration", "duration"},	{"warmup", "warmup"}, {"payload", "payload"},
	{"clocksource", "clocksource"}, {"seed", "seed"},     {"priority", "priority"},
	{"writer-cpu", "writer-cpu"},	{NULL, NULL},
};

/* The others are asked of the kind. */
static const struct key writer_keys[] = {
	{"kind", NULL},
	{"hz", "hz"},
	{NULL, NULL},
};

static const struct key readers_keys[] = {
	{"count", "readers"}, {"reader", "reader"}, {"work", "work"},
	{"cpus", "cpus"},     {NULL, NULL},
};

enum which {
	RUN,
	WRITER,
	READERS,
	SECTIONS,
	NONE = SECTIONS
};

static const struct section {
	const char *name;
	const struct key *keys;
	bool named; /* [section NAME] */
} sections[SECTIONS] = {
	[RUN] = {"run", run_keys, false},
	[WRITER] = {"writer", writer_keys, false},
	[READERS] = {"readers", readers_keys, true},
};

#define ALL_SECTIONS "[run], [writer] and [readers NAME]"

struct said {
	char key[INI_MAX_NAME + 1];
	char value[SPEC_MAX_TEXT];
	int line;
};

struct reading {
	const char *path;
	struct ini_lines lines;
	scenario_take_fn *take;
	void *context;
	bool failed;
	struct errmsg *err;
	enum which section;	/* the one that is being read */
	int begun_at[SECTIONS]; /* line; 0: not yet */
	int count;
	struct said said[MAX_KEYS]; /* in this section */
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

static bool take(struct reading *reading, int line, const char *key, const char *option,
		 const char *value)
{
	struct errmsg why;

	if (!reading->take(option, value, reading->context, &why))
		return true;
	return fail(reading, line, "%s: %s", key, why.text);
}

static const struct said *find_said(const struct reading *reading, const char *key)
{
	for (int i = 0; i < reading->count; i++)
		if (strcmp(reading->said[i].key, key) == 0)
			return &reading->said[i];
	return NULL;
}

/* Each key of a writer's kind by itself, so that what is wrong is said of its line. */
static bool take_writer_key(struct reading *reading, const char *kind, const struct said *said,
			    char *whole, size_t room)
{
	char one[SPEC_MAX_TEXT + 2 * INI_MAX_NAME + 3];
	size_t used = strlen(whole);

	if (strpbrk(said->value, ",=:"))
		return fail(reading, said->line, "%s: %s is no single value", said->key,
			    value_quote(said->value).text);
	snprintf(one, sizeof(one), "%s:%s=%s", kind, said->key, said->value);
	if (!take(reading, said->line, said->key, "writer", one))
		return false;
	snprintf(whole + used, room - used, "%c%s=%s", strchr(whole, ':') ? ',' : ':', said->key,
		 said->value);
	return true;
}

static bool take_writer(struct reading *reading)
{
	const struct said *kind = find_said(reading, "kind");
	const char *name = kind ? kind->value : "tick";
	const int line = kind ? kind->line : reading->begun_at[WRITER];
	char whole[2 * SPEC_MAX_TEXT];

	if (strpbrk(name, ",=:"))
		return fail(reading, line, "kind: %s is no single name", value_quote(name).text);
	if (!take(reading, line, "kind", "writer", name))
		return false;
	snprintf(whole, sizeof(whole), "%s", name);
	for (int i = 0; i < reading->count; i++) {
		const struct said *said = &reading->said[i];

		if (said == kind || strcmp(said->key, "hz") == 0)
			continue;
		if (!take_writer_key(reading, name, said, whole, sizeof(whole)))
			return false;
	}
	return take(reading, line, "kind", "writer", whole);
}

/* A writer's spec is known only when all of its section is. */
static bool end_section(struct reading *reading)
{
	return reading->section != WRITER || take_writer(reading);
}

static bool begin_section(struct reading *reading, enum which which, const char *rest)
{
	const char *name = sections[which].name;

	if (sections[which].named && !*rest)
		return fail(reading, reading->lines.line, "[%s] has no name: it is [%s NAME]", name,
			    name);
	if (!sections[which].named && *rest)
		return fail(reading, reading->lines.line, "[%s %.40s]: [%s] has no name", name,
			    rest, name);
	if (reading->begun_at[which])
		return fail(reading, reading->lines.line,
			    "a second [%s]: line %d has one, and so far there can be no more", name,
			    reading->begun_at[which]);
	if (!end_section(reading))
		return false;
	reading->begun_at[which] = reading->lines.line;
	reading->section = which;
	reading->count = 0;
	return true;
}

/* `name` is what stands in the brackets. */
static bool take_section(struct reading *reading, const char *name)
{
	const size_t length = strcspn(name, " \t");
	const char *rest = name + length + strspn(name + length, " \t");

	for (enum which i = 0; i < SECTIONS; i++)
		if (strlen(sections[i].name) == length &&
		    strncmp(name, sections[i].name, length) == 0)
			return begin_section(reading, i, rest);
	if (strcmp(name, "expect") == 0)
		return fail(reading, reading->lines.line,
			    "[expect] is not supported yet: there are " ALL_SECTIONS);
	return fail(reading, reading->lines.line,
		    "there is no section [%.40s]: there are " ALL_SECTIONS, name);
}

static bool look_for_section(struct reading *reading, const char *line)
{
	char name[INI_MAX_NAME + 1];
	struct errmsg why;
	const int found = ini_lines_section(line, name, &why);

	if (found < 0)
		return fail(reading, reading->lines.line, "%s", why.text);
	return !found || take_section(reading, name);
}

/* An ini_reader. */
static char *next_line(char *line, int room, void *context)
{
	struct reading *reading = context;

	if (reading->failed || !ini_lines_next(&reading->lines, line, room))
		return NULL;
	return look_for_section(reading, line) ? line : NULL;
}

static bool keep(struct reading *reading, const char *key, const char *value)
{
	const struct said *before = find_said(reading, key);
	struct said *said = &reading->said[reading->count];
	const int line = reading->lines.line;

	if (before)
		return fail(reading, line, "%s: line %d says it already", key, before->line);
	if (strlen(key) > INI_MAX_NAME || strlen(value) >= sizeof(said->value))
		return fail(reading, line, "a key has no more than %d characters, a value %zu",
			    INI_MAX_NAME, sizeof(said->value) - 1);
	if (reading->count == MAX_KEYS)
		return fail(reading, line, "no section has more than %d keys", MAX_KEYS);
	said->line = line;
	strcpy(said->key, key);
	strcpy(said->value, value);
	reading->count++;
	return true;
}

static bool take_key(struct reading *reading, const char *key, const char *value)
{
	char known[160] = "";
	size_t used = 0;

	for (const struct key *k = sections[reading->section].keys; k->name; k++) {
		if (strcmp(k->name, key) == 0)
			return !k->option ||
			       take(reading, reading->lines.line, key, k->option, value);
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
					 used ? ", " : "", k->name);
	}
	if (reading->section == WRITER)
		return true;
	return fail(reading, reading->lines.line, "[%s] has no key %s: there are %s",
		    sections[reading->section].name, value_quote(key).text, known);
}

/* An ini_handler: 1 goes on. */
static int take_line(void *context, const char *section, const char *key, const char *value)
{
	struct reading *reading = context;

	(void)section;
	if (reading->failed)
		return 0;
	if (reading->section == NONE)
		return fail(reading, reading->lines.line,
			    "%s belongs to no section: one of " ALL_SECTIONS " comes first",
			    value_quote(key).text);
	return keep(reading, key, value) && take_key(reading, key, value);
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
	else
		end_section(reading);
}

int scenario_read(const char *path, scenario_take_fn *take_option, void *context,
		  struct errmsg *err)
{
	struct reading reading = {
		.path = path,
		.lines = {.file = fopen(path, "re")},
		.take = take_option,
		.context = context,
		.err = err,
		.section = NONE,
	};

	if (!reading.lines.file)
		return errmsg_set(err, "the scenario %s cannot be read: %s", value_quote(path).text,
				  strerror(errno));
	read_all(&reading);
	fclose(reading.lines.file);
	return reading.failed ? -1 : 0;
}
