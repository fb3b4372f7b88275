// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "cli/argument.h"
#include "cli/candidates.h"
#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/scenario_candidates.h"
#include "cli/spec_candidates.h"
#include "cli/usage.h"
#include "report/status.h"

struct line {
	struct typed typed;
	const struct argp *argp; /* of its command */
	struct candidates candidates;
};

static const struct argp *told;

static void keep(const struct argp *argp, const char *name)
{
	(void)name;
	told = argp;
}

static const struct argp *argp_of(const struct command *command)
{
	char name[32], option[] = "--help";
	char *argv[] = {name, option, NULL};

	snprintf(name, sizeof(name), "%s", command->name);
	usage_tell_by(keep);
	command->run(2, argv);
	return told;
}

static void offer_options(struct line *line)
{
	for (const struct argp_option *option = line->argp->options; option->name || option->doc;
	     option++)
		if (option->name)
			candidates_offer(&line->candidates, "--%s%s", option->name,
					 option->arg ? "=" : "");
}

/* The option that a word is, which may go on with a value behind an =. */
static const struct argp_option *find_option(const struct line *line, const char *word)
{
	const struct argp_option *option = line->argp->options;
	const bool is_long = strncmp(word, "--", 2) == 0;
	const size_t length = strcspn(word, "=");

	if (word[0] != '-' || !word[1])
		return NULL;
	for (; option->name || option->doc; option++) {
		if (!option->name)
			continue;
		if (is_long ? strlen(option->name) == length - 2 &&
				      strncmp(option->name, word + 2, length - 2) == 0
			    : option->key == word[1])
			return option;
	}
	return NULL;
}

/* Whether the word behind it is its value. */
static bool takes_next(const struct line *line, const char *word)
{
	const struct argp_option *option = find_option(line, word);

	return option && option->arg && !strchr(word, '=') &&
	       (strncmp(word, "--", 2) == 0 || !word[2]);
}

/* How many words before the last are neither options nor their values. */
static int count_arguments(const struct line *line, int first)
{
	int arguments = 0;

	for (int i = first; i < line->typed.words - 1; i++) {
		if (takes_next(line, line->typed.word[i]))
			i++;
		else if (line->typed.word[i][0] != '-' || !line->typed.word[i][1])
			arguments++;
	}
	return arguments;
}

/* Which word of "READER [FILE.ini...]" an argument stands for: itself, or the last if it goes on.
 */
static bool find_argument(const char *docs, int number, char *name, size_t room)
{
	*name = '\0';
	while (docs && *docs) {
		const size_t length = strcspn(docs, " ");

		snprintf(name, room, "%.*s", (int)length, docs);
		if (number-- == 0)
			return true;
		docs += length + strspn(docs + length, " ");
	}
	return strstr(name, "...") != NULL;
}

static void offer_argument(struct line *line, int number)
{
	char name[128];

	if (!find_argument(line->argp->args_doc, number, name, sizeof(name)))
		return;
	if (strstr(name, "READER") || strstr(name, "BASELINE")) {
		spec_candidates_reader(&line->candidates);
	} else if (strstr(name, ".ini")) {
		/* There may be many, and nothing has been said. */
		scenario_candidates(&line->candidates, line->typed.words > 1);
		line->candidates.files = true;
	} else if (strstr(name, "COMMAND")) {
		for (size_t i = 0; i < command_count; i++)
			candidates_offer(&line->candidates, "%s", commands[i].name);
	} else if (strchr(name, '|')) {
		candidates_offer_choices(&line->candidates, name);
	} else {
		line->candidates.files = true;
	}
}

static void offer_of_command(struct line *line, int first)
{
	const char *last = line->typed.word[line->typed.words - 1];
	const char *before =
		line->typed.words > first + 1 ? line->typed.word[line->typed.words - 2] : "";
	const char *equals = strchr(last, '=');

	if (takes_next(line, before)) {
		option_values_offer(find_option(line, before), &line->typed, &line->candidates);
	} else if (equals && find_option(line, last)) {
		candidates_go_on(&line->candidates, equals + 1);
		if (find_option(line, last)->arg)
			option_values_offer(find_option(line, last), &line->typed,
					    &line->candidates);
	} else if (last[0] == '-') {
		offer_options(line);
	} else {
		offer_argument(line, count_arguments(line, first));
	}
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < command_count; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

/* Without a command it is the first one's. */
static void offer_all(struct line *line)
{
	const struct command *command =
		line->typed.words > 1 ? find_command(line->typed.word[0]) : NULL;
	const int first = command ? 1 : 0;

	if (!command) {
		command = commands;
		if (line->typed.words > 1 && argument_is_one(line->typed.word[0]))
			command = find_command("settle");
	}
	line->typed.command = command->name;
	line->argp = argp_of(command);
	offer_of_command(line, first);
	if (line->typed.words > 1)
		return;
	candidates_offer(&line->candidates, "--version");
	for (size_t i = 0; i < command_count; i++)
		candidates_offer(&line->candidates, "%s", commands[i].name);
}

static const struct argp_option options[] = {
	USAGE_HELP('h'),
	{0},
};

static const struct argp argp = {
	.options = options,
	.args_doc = "-- [WORD...]",
	.doc = "Tell a shell what the last word of a command line may become, a line each.\v"
	       "The words are those behind contend, quotes and escapes taken off; the last one may "
	       "be empty. What ends with =, a colon or a comma goes on. A line that is nothing but "
	       "a colon says that the name of any file would do, too. Without words it is "
	       "what may come first.\n\n"
	       "Exit status: 0 all well, also where nothing is known; 1 usage.",
};

static int complete(int words, char **word)
{
	char nothing[] = "", *only_word[] = {nothing};
	struct line line = {.typed = {.words = words, .word = word}};

	if (words < 1)
		line.typed = (struct typed){.words = 1, .word = only_word};
	line.candidates.head = line.typed.word[line.typed.words - 1];
	line.candidates.begun = line.candidates.head;
	offer_all(&line);
	if (line.candidates.files)
		puts(":");
	return STATUS_WELL;
}

int command_complete(int argc, char **argv)
{
	struct errmsg err;

	if (argc > 1 && strcmp(argv[1], "--") == 0)
		return complete(argc - 2, argv + 2);
	if (usage_check(options, 0, argc, argv, &err))
		return usage_complain(&err);
	/* There is no other option. */
	if (argc > 1) {
		usage_help(&argp, "contend complete",
			   ARGP_HELP_SHORT_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_LONG |
				   ARGP_HELP_POST_DOC);
		return STATUS_WELL;
	}
	errmsg_set(&err, "complete: words are wanted, behind --: contend complete -- run --reader "
			 "hr, for instance");
	return usage_complain(&err);
}
