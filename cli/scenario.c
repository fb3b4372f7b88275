// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "cli/ini_lines.h"
#include "cli/scenario.h"
#include "measure/run.h"
#include "report/expect.h"
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
	{"duration", "duration"},	{"warmup", "warmup"},	  {"payload", "payload"},
	{"clocksource", "clocksource"}, {"seed", "seed"},	  {"priority", "priority"},
	{"writer-cpu", "writer-cpu"},	{"interval", "interval"}, {NULL, NULL},
};

/* The others are asked of the kind. */
static const struct key writer_keys[] = {{"kind", NULL}, {NULL, NULL}};

static const struct key readers_keys[] = {
	{"count", "readers"}, {"reader", "reader"}, {"work", "work"},
	{"cpus", "cpus"},     {NULL, NULL},
};

enum which {
	RUN,
	WRITER,
	READERS,
	EXPECT,
	SECTIONS,
	NONE = SECTIONS
};

static const struct section {
	const char *name;
	const struct key *keys; /* NULL: its lines are conditions */
	bool named;		/* [section NAME] */
	int most;		/* that there may be of it */
} sections[SECTIONS] = {
	[RUN] = {"run", run_keys, false, 1},
	[WRITER] = {"writer", writer_keys, false, WRITER_MAX},
	[READERS] = {"readers", readers_keys, true, RUN_MAX_GROUPS},
	[EXPECT] = {"expect", NULL, false, 1},
};

#define ALL_SECTIONS "[run], [writer], [readers NAME] and [expect]"

struct said {
	char key[INI_MAX_NAME + 1];
	char value[SPEC_MAX_TEXT];
	int line;
};

/* The name of a section, or a condition, and where it stands. */
struct place {
	int line;
	char text[INI_MAX_NAME + 1];
};

/* Of one name: groups of readers, or writers. */
#define MOST_SECTIONS (RUN_MAX_GROUPS > WRITER_MAX ? RUN_MAX_GROUPS : WRITER_MAX)

struct condition {
	int line;
	char text[EXPECT_MAX_TEXT];
};

struct reading {
	const char *path;
	struct ini_lines lines;
	const struct scenario_taker *taker;
	void *context;
	bool failed;
	struct errmsg *err;
	enum which section;  /* the one that is being read */
	int begun_at;	     /* its line */
	int begun[SECTIONS]; /* how many of each have */
	struct place place[SECTIONS][MOST_SECTIONS];
	int count;
	struct said said[MAX_KEYS]; /* in this section */
	int conditions;
	struct condition condition[EXPECT_MAX];
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

	if (!reading->taker->option(option, value, reading->context, &why))
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

/* Whether this part of a spec is what is wrong with the whole. */
static bool is_culprit(const char *part, const struct errmsg *wrong)
{
	struct writer_choice choice;
	struct errmsg why;

	return writer_resolve(part, &choice, &why) && strcmp(why.text, wrong->text) == 0;
}

/* Of the kind and the first `count` keys. False if the section says what no spec can. */
static bool write_spec(struct reading *reading, const struct said *kind, int count, char *spec,
		       size_t room)
{
	snprintf(spec, room, "%s", kind ? kind->value : "tick");
	for (int i = 0; i < count; i++) {
		const struct said *said = &reading->said[i];
		const size_t used = strlen(spec);

		if (said == kind)
			continue;
		if (strpbrk(said->value, ",=:"))
			return fail(reading, said->line, "%s: %s is no single value", said->key,
				    value_quote(said->value).text);
		snprintf(spec + used, room - used, "%c%s=%s", strchr(spec, ':') ? ',' : ':',
			 said->key, said->value);
	}
	return true;
}

/*
 * What is wrong with a spec is said of the line of the kind, or of the first key that makes it
 * wrong: by itself, or by what stands before it.
 */
static bool blame_writer_key(struct reading *reading, const struct said *kind, int line,
			     const struct errmsg *wrong)
{
	char part[2 * SPEC_MAX_TEXT];

	for (int i = 0; i <= reading->count; i++) {
		const struct said *said = i ? &reading->said[i - 1] : kind;

		write_spec(reading, kind, i, part, sizeof(part));
		if (!is_culprit(part, wrong))
			continue;
		if (said && said != kind)
			return fail(reading, said->line, "%s: %s", said->key, wrong->text);
		break;
	}
	return fail(reading, line, "kind: %s", wrong->text);
}

static bool take_writer(struct reading *reading)
{
	const struct said *kind = find_said(reading, "kind");
	const char *name = kind ? kind->value : "tick";
	const int line = kind ? kind->line : reading->begun_at;
	char spec[2 * SPEC_MAX_TEXT];
	struct errmsg why;

	if (strpbrk(name, ",=:"))
		return fail(reading, line, "kind: %s is no single name", value_quote(name).text);
	if (!write_spec(reading, kind, reading->count, spec, sizeof(spec)))
		return false;
	return !reading->taker->writer(spec, reading->context, &why) ||
	       blame_writer_key(reading, kind, line, &why);
}

/* A writer's spec is known only when all of its section is. */
static bool end_section(struct reading *reading)
{
	return reading->section != WRITER || take_writer(reading);
}

/* Whether there may be another of that name. */
static bool check_number(struct reading *reading, enum which which, const char *name)
{
	const struct section *section = &sections[which];
	const struct place *before = reading->place[which];

	for (int i = 0; section->named && i < reading->begun[which]; i++)
		if (strcmp(before[i].text, name) == 0)
			return fail(reading, reading->lines.line,
				    "a second [%s %s]: line %d has one; each group has a name of "
				    "its own",
				    section->name, name, before[i].line);
	if (reading->begun[which] < section->most)
		return true;
	if (section->most > 1)
		return fail(reading, reading->lines.line,
			    "there can be no more than %d sections [%s%s]", section->most,
			    section->name, section->named ? " NAME" : "");
	return fail(reading, reading->lines.line, "a second [%s]: line %d has one", section->name,
		    before[0].line);
}

static bool check_name(struct reading *reading, enum which which, const char *name)
{
	const char *section = sections[which].name;

	if (sections[which].named && !*name)
		return fail(reading, reading->lines.line, "[%s] has no name: it is [%s NAME]",
			    section, section);
	if (!sections[which].named && *name)
		return fail(reading, reading->lines.line, "[%s %.40s]: [%s] has no name", section,
			    name, section);
	if (strlen(name) > RUN_MAX_GROUP_NAME)
		return fail(reading, reading->lines.line,
			    "[%s %s]: a name has no more than %d characters", section, name,
			    RUN_MAX_GROUP_NAME);
	return check_number(reading, which, name);
}

static bool begin_section(struct reading *reading, enum which which, const char *name)
{
	struct place *place = &reading->place[which][reading->begun[which]];
	struct errmsg why;

	if (!check_name(reading, which, name) || !end_section(reading))
		return false;
	*place = (struct place){.line = reading->lines.line};
	snprintf(place->text, sizeof(place->text), "%s", name);
	reading->begun[which]++;
	reading->section = which;
	reading->begun_at = reading->lines.line;
	reading->count = 0;
	if (which == READERS && reading->taker->group(name, reading->context, &why))
		return fail(reading, reading->begun_at, "[readers %s]: %s", name, why.text);
	return true;
}

/* `name` is what stands in the brackets. */
static bool take_section(struct reading *reading, char *name)
{
	const char *rest = ini_lines_cut_word(name);

	for (enum which i = 0; i < SECTIONS; i++)
		if (strcmp(sections[i].name, name) == 0)
			return begin_section(reading, i, rest);
	return fail(reading, reading->lines.line,
		    "there is no section [%.40s]: there are " ALL_SECTIONS, name);
}

/* What a section of conditions says is kept until the groups are known that it may be about. */
static bool keep_condition(struct reading *reading, const char *text)
{
	struct condition *condition = &reading->condition[reading->conditions];

	if (!*text)
		return true;
	if (reading->conditions == EXPECT_MAX)
		return fail(reading, reading->lines.line, "there can be no more than %d conditions",
			    EXPECT_MAX);
	if (strlen(text) >= sizeof(condition->text))
		return fail(reading, reading->lines.line,
			    "a condition has no more than %zu characters",
			    sizeof(condition->text) - 1);
	condition->line = reading->lines.line;
	strcpy(condition->text, text);
	reading->conditions++;
	return true;
}

static bool take_conditions(struct reading *reading)
{
	struct errmsg why;

	for (int i = 0; i < reading->conditions; i++)
		if (reading->taker->condition(reading->condition[i].text, reading->context, &why))
			return fail(reading, reading->condition[i].line, "%s", why.text);
	return true;
}

static bool look_for_section(struct reading *reading, const char *line, bool *found)
{
	char name[INI_MAX_NAME + 1];
	struct errmsg why;
	const int length = ini_lines_section(line, name, &why);

	*found = length > 0;
	if (length < 0)
		return fail(reading, reading->lines.line, "%s", why.text);
	return !*found || take_section(reading, name);
}

/* An ini_reader. A condition need be no "key = value", so inih gets to see none of them. */
static char *next_line(char *line, int room, void *context)
{
	struct reading *reading = context;
	bool begins_section;

	if (reading->failed || !ini_lines_next(&reading->lines, line, room) ||
	    !look_for_section(reading, line, &begins_section))
		return NULL;
	if (begins_section || reading->section != EXPECT)
		return line;
	if (!keep_condition(reading, ini_lines_trim(line)))
		return NULL;
	strcpy(line, "\n");
	return line;
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
	else if (end_section(reading))
		take_conditions(reading);
}

int scenario_read(const char *path, const struct scenario_taker *taker, void *context,
		  struct errmsg *err)
{
	struct reading reading = {
		.path = path,
		.lines = {.file = fopen(path, "re")},
		.taker = taker,
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
