// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/man.h"
#include "cli/run_options.h"
#include "cli/usage.h"
#include "report/status.h"

static const struct argp_option options[] = {
	{"man", 'm', NULL, 0,
	 "Print it as the source of a manual page, which man -l reads. Default text", 0},
	USAGE_HELP('h'),
	{0},
};

struct help {
	const char *command;
	bool man;
	bool help;
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct help *help = state->input;

	switch (key) {
	case 'm':
		help->man = true;
		return 0;
	case 'h':
		help->help = true;
		return 0;
	case ARGP_KEY_ARG:
		help->command = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "[COMMAND]",
	.doc = "Tell of a command what its --help does; without one, of contend.\v"
	       "Exit status: 0 all well; 1 usage.",
};

int help_print(void)
{
	printf("Usage: contend [COMMAND] [OPTION...]\n"
	       "A laboratory for read paths that are guarded by a sequence counter.\n\n"
	       "Commands; an option or a scenario, FILE.ini, first, or nothing at all, means run,\n"
	       "or settle if the scenario has a section [argument]:\n\n");
	for (size_t i = 0; i < command_count; i++)
		printf("  %-10s %s\n", commands[i].name, commands[i].summary);
	printf("\n  contend COMMAND --help tells more of a command;"
	       " contend --version what this was built from\n  and what of it can be had here."
	       "\n\nOptions of run:\n\n");
	run_options_list();
	return STATUS_WELL;
}

static int tell_of(const struct command *command, bool man)
{
	char name[32], option[] = "--help";
	char *argv[] = {name, option, NULL};

	snprintf(name, sizeof(name), "%s", command->name);
	if (man) {
		man_begin(command);
		usage_tell_by(man_tell);
	}
	return command->run(2, argv);
}

int command_help(int argc, char **argv)
{
	struct help help = {.command = NULL};
	struct errmsg err;

	if (usage_check(options, 1, argc, argv, &err))
		return usage_complain(&err);
	argp_parse(&argp, argc, argv, USAGE_ARGP_FLAGS, NULL, &help);
	if (help.help) {
		usage_help(&argp, "contend help",
			   ARGP_HELP_SHORT_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_LONG |
				   ARGP_HELP_POST_DOC);
		return STATUS_WELL;
	}
	if (!help.command)
		return help.man ? man_print_whole() : help_print();
	for (size_t i = 0; i < command_count; i++)
		if (strcmp(help.command, commands[i].name) == 0)
			return tell_of(&commands[i], help.man);
	errmsg_set(&err, "help: '%.60s' is no command; contend --help lists them", help.command);
	return usage_complain(&err);
}
