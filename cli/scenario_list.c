// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/argument.h"
#include "cli/ini_lines.h"
#include "cli/scenario.h"
#include "cli/scenario_list.h"
#include "cli/usage.h"
#include "sim/spec.h"
#include "sim/value.h"

#define MAX_TITLE 160

/* What a job says, as it says it. Each text is the sink's own. */
struct job_texts {
	FILE *run;
	FILE *readers;
	FILE *expect;
	FILE *writers;
	bool said_run;
	bool said_writer;
};

static void say_of_group(struct job_texts *texts, const char *option, const char *value)
{
	if (strcmp(option, "readers") == 0)
		fprintf(texts->readers, ", %s of them", value);
	else if (strcmp(option, "cpus") == 0)
		fprintf(texts->readers, ", on CPUs %s", value);
	else if (strcmp(option, "work") == 0)
		fprintf(texts->readers, ", work %s", value);
	else
		fprintf(texts->readers, ", %s", value);
}

static bool is_of_group(const char *option)
{
	static const char *const of_group[] = {"readers", "reader", "work", "cpus"};

	for (size_t i = 0; i < ARRAY_SIZE(of_group); i++)
		if (strcmp(option, of_group[i]) == 0)
			return true;
	return false;
}

/* These are of a struct scenario_taker. */
static int say_option(const char *option, const char *value, void *context, struct errmsg *err)
{
	struct job_texts *texts = context;

	(void)err;
	if (is_of_group(option)) {
		say_of_group(texts, option, value);
	} else {
		fprintf(texts->run, "%s%s %s", texts->said_run ? ", " : "", option, value);
		texts->said_run = true;
	}
	return 0;
}

static int say_writer(const char *spec, void *context, struct errmsg *err)
{
	struct job_texts *texts = context;

	(void)err;
	fprintf(texts->writers, "%s%s", texts->said_writer ? ", " : "", spec);
	texts->said_writer = true;
	return 0;
}

static int say_group(const char *name, void *context, struct errmsg *err)
{
	struct job_texts *texts = context;

	(void)err;
	fprintf(texts->readers, "\n    readers   %s", name);
	return 0;
}

static int say_condition(const char *text, void *context, struct errmsg *err)
{
	struct job_texts *texts = context;

	(void)err;
	fprintf(texts->expect, "\n    expect    %s", text);
	return 0;
}

static void print_heading(const char *path, const char *title)
{
	const char *slash = strrchr(path, '/');

	printf("\n  %s\n", slash ? slash + 1 : path);
	if (*title)
		printf("    %s\n", title);
}

/* The first line of a comment that says something; "": there is none before the first section. */
static void find_title(const char *path, char title[MAX_TITLE])
{
	FILE *file = fopen(path, "re");
	char line[512];

	*title = '\0';
	while (file && !*title && fgets(line, sizeof(line), file)) {
		const char *text = line + strspn(line, "; \t#");

		if (*line != ';' && *line != '#' && *ini_lines_trim(line))
			break;
		if (strstr(text, "SPDX-License-Identifier"))
			continue;
		snprintf(title, MAX_TITLE, "%.*s", (int)strcspn(text, "\r\n"), text);
	}
	if (file)
		fclose(file);
}

static void print_job(const char *path, const struct job_texts *texts, const char *run,
		      const char *writers, const char *readers, const char *expect)
{
	char title[MAX_TITLE];

	find_title(path, title);
	print_heading(path, title);
	if (texts->said_run)
		printf("    run       %s\n", run);
	printf("    writer    %s%s%s\n", texts->said_writer ? writers : "tick", readers, expect);
}

static int list_job(const char *path, struct errmsg *err)
{
	static const struct scenario_taker taker = {say_option, say_group, say_writer,
						    say_condition};
	char *run = NULL, *readers = NULL, *expect = NULL, *writers = NULL;
	size_t size[4];
	struct job_texts texts = {
		.run = open_memstream(&run, &size[0]),
		.readers = open_memstream(&readers, &size[1]),
		.expect = open_memstream(&expect, &size[2]),
		.writers = open_memstream(&writers, &size[3]),
	};
	int failed = !texts.run || !texts.readers || !texts.expect || !texts.writers;

	if (failed)
		errmsg_set(err, "no memory for the list");
	else
		failed = scenario_read(path, &taker, &texts, err);
	if (texts.run)
		fclose(texts.run);
	if (texts.readers)
		fclose(texts.readers);
	if (texts.expect)
		fclose(texts.expect);
	if (texts.writers)
		fclose(texts.writers);
	if (!failed)
		print_job(path, &texts, run, writers, readers, expect);
	free(run);
	free(readers);
	free(expect);
	free(writers);
	return failed ? -1 : 0;
}

static int list_argument(const char *path, struct errmsg *err)
{
	struct argument *argument = calloc(1, sizeof(*argument));
	size_t inspections = 0;
	int failed;

	if (!argument)
		return errmsg_set(err, "no memory for the list");
	failed = argument_read(path, argument, err);
	if (!failed) {
		for (size_t i = 0; i < argument->sections; i++)
			inspections += argument->section[i].is_inspection;
		print_heading(path, argument->title);
		printf("    argument  %zu comparisons, %zu inspections\n",
		       argument->sections - inspections, inspections);
		for (size_t i = 0; i < argument->claim.lines; i++)
			printf("    claim     %s\n", argument->claim.line[i]);
	}
	argument_release(argument);
	free(argument);
	return failed;
}

static int list_file(const char *path, struct errmsg *err)
{
	return argument_is_one(path) ? list_argument(path, err) : list_job(path, err);
}

/* Whether *failed is the first; the one before has been told by then. */
static void list_next(const char *path, bool *failed, struct errmsg *err)
{
	struct errmsg why;

	if (!list_file(path, &why))
		return;
	fflush(stdout);
	if (*failed)
		usage_complain(err);
	*err = why;
	*failed = true;
}

bool scenario_is_name(const char *name)
{
	const size_t length = strlen(name);

	return length > 4 && strcmp(name + length - 4, ".ini") == 0;
}

static int is_scenario(const struct dirent *entry)
{
	return scenario_is_name(entry->d_name);
}

static int list_folder(const char *folder, struct dirent **entry, int entries, struct errmsg *err)
{
	bool failed = false;
	char path[PATH_MAX + NAME_MAX + 2];

	printf("Scenarios, run by contend FILE.ini, in %s:\n", folder);
	for (int i = 0; i < entries; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry[i]->d_name);
		list_next(path, &failed, err);
		free(entry[i]);
	}
	free(entry);
	return failed ? -1 : 0;
}

/* What is there in a folder that the program's place tells; false: nothing is. */
static bool find_from_program(const char *way, char folder[PATH_MAX])
{
	char program[PATH_MAX], named[2 * PATH_MAX];
	const ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	struct dirent **entry;
	int entries;

	if (length < 0)
		return false;
	program[length] = '\0';
	*strrchr(program, '/') = '\0';
	snprintf(named, sizeof(named), "%s/%s", program, way);
	entries = realpath(named, folder) ? scandir(folder, &entry, is_scenario, NULL) : -1;
	for (int i = 0; i < entries; i++)
		free(entry[i]);
	if (entries >= 0)
		free(entry);
	return entries > 0;
}

int scenario_folder(char folder[PATH_MAX])
{
	return find_from_program(SCENARIOS_FROM_BIN, folder) ||
			       find_from_program(SCENARIOS_FROM_BUILD, folder)
		       ? 0
		       : -1;
}

static int list_found(struct errmsg *err)
{
	struct dirent **entry;
	char folder[PATH_MAX];
	int entries;

	if (scenario_folder(folder))
		return errmsg_set(err, "list: no scenarios are found beside the program or in the "
				       "tree that it was built from: name files");
	entries = scandir(folder, &entry, is_scenario, alphasort);
	if (entries < 0)
		return errmsg_set(err, "list: %s cannot be read: %s", folder, strerror(errno));
	return list_folder(folder, entry, entries, err);
}

int scenario_list(char *const *file, int files, struct errmsg *err)
{
	bool failed = false;

	if (!files)
		return list_found(err);
	printf("Scenarios, run by contend FILE.ini:\n");
	for (int i = 0; i < files; i++)
		list_next(file[i], &failed, err);
	return failed ? -1 : 0;
}
