// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/scenario_list.h"
#include "cli/usage.h"
#include "readers/compile.h"
#include "readers/readers.h"
#include "report/expect.h"
#include "report/status.h"
#include "sim/clocksource.h"
#include "writers/writer.h"

static const struct argp_option options[] = {
	{"all", 'a', NULL, 0,
	 "Also list what is broken on purpose, to prove that detectors work, and clock sources "
	 "that only tests can use",
	 0},
	USAGE_HELP('h'),
	{0},
};

#define MOST_FILES 256

struct list {
	const char *what;
	int files;
	char *file[MOST_FILES];
	bool all;
	bool help;
};

/* A kind of reader or writer; `fault` says what is broken about a mutant. */
static void print_kind(const char *name, const char *summary, const struct spec_key *keys,
		       const char *fault)
{
	printf("\n  %s\n    %s\n", name, summary);
	if (fault)
		printf("    mutant: %s\n", fault);
	for (; keys->name; keys++) {
		printf("    %-9s %s; default %s\n", keys->name, keys->summary, keys->default_value);
		if (keys->choices)
			printf("    %-9s %s\n", "", keys->choices);
	}
}

/* What may stand behind any of them but an image. */
static void print_recipe(void)
{
	printf("\nBehind an @, as in hres@cc=clang,cflags=-O3 "
	       "-march=native,define=HINT_BEGIN=likely: how\n"
	       "the reader's source is compiled, now. Code that was compiled is RUN with all your "
	       "rights.\n"
	       "    %-9s a compiler's name or path; default %s, which built contend\n"
	       "    %-9s flags for it, with blanks between them; default none beside contend's "
	       "own\n"
	       "    %-9s NAME, NAME=VALUE or NAME(A,B)=VALUE; it may stand there up to %d times\n",
	       "cc", compile_default_cc, "cflags", "define", RECIPE_MAX_DEFINES);
}

static void list_readers(bool all)
{
	printf("Readers, named by name[:key=value,...][@key=value,...]:\n");
	for (const struct reader_kind *const *kind = reader_kinds; *kind; kind++)
		if (all || !(*kind)->fault)
			print_kind((*kind)->name, (*kind)->summary, (*kind)->keys, (*kind)->fault);
	print_recipe();
}

static void list_writers(bool all)
{
	printf("Writers, named by name[:key=value,...]:\n");
	for (const struct writer_kind *const *kind = writer_kinds; *kind; kind++)
		if (all || !(*kind)->fault)
			print_kind((*kind)->name, (*kind)->summary, (*kind)->keys, (*kind)->fault);
}

static void list_figures(bool all)
{
	(void)all;
	printf("Figures, named by conditions of a scenario's [expect], as in torn = 0:\n\n");
	for (const struct expect_figure *figure = expect_figures; figure->name; figure++)
		printf("  %-20s %s%s\n", figure->name, figure->summary,
		       figure->of_groups ? "" : "; of the run alone");
	printf("\nOf one group of readers it is GROUP.FIGURE, unless it is of the run alone.\n");
}

static void list_clocksources(bool all)
{
	const struct clocksource *best = clocksource_default();

	printf("Clock sources, named by name[:key=value,...], best first:\n\n");
	for (const struct clocksource *cs = clocksources; cs->name; cs++) {
		const char *why = "";

		if (!cs->selectable && !all)
			continue;
		printf("  %-16s %s\n", cs->name, cs->summary);
		for (const struct spec_key *key = cs->keys; key && key->name; key++)
			printf("  %-16s %s= %s; default %s\n", "", key->name, key->summary,
			       key->default_value);
		if (!cs->selectable)
			printf("  %-16s for tests only\n", "");
		else if (!cs->usable(&why))
			printf("  %-16s not usable here: %s\n", "", why);
		else if (cs == best)
			printf("  %-16s the default here\n", "");
	}
}

static const struct {
	const char *name;
	void (*print)(bool all);
} lists[] = {
	{"readers", list_readers},
	{"writers", list_writers},
	{"clocksources", list_clocksources},
	{"figures", list_figures},
};

#define WHAT "readers, writers, clocksources, figures or scenarios"

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct list *list = state->input;

	switch (key) {
	case 'a':
		list->all = true;
		return 0;
	case 'h':
		list->help = true;
		return 0;
	case ARGP_KEY_ARG:
		if (!list->what)
			list->what = arg;
		else
			list->file[list->files++] = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "readers|writers|clocksources|figures|scenarios [FILE.ini...]",
	.doc = "List what can be named in a run, and the scenarios that are there, or in the "
	       "files, and what they run. None of it is run.",
};

static int print_list(const struct list *list, struct errmsg *err)
{
	if (!list->what)
		return errmsg_set(err, "list: which? " WHAT);
	if (strcmp(list->what, "scenarios") == 0)
		return scenario_list(list->file, list->files, err);
	if (list->files)
		return errmsg_set(err, "'%.60s': no such argument is wanted, see --help",
				  list->file[0]);
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		if (strcmp(list->what, lists[i].name) == 0) {
			lists[i].print(list->all);
			return 0;
		}
	}
	return errmsg_set(err, "list: '%.60s' is not one of " WHAT, list->what);
}

int command_list(int argc, char **argv)
{
	struct list list = {.what = NULL};
	struct errmsg err;

	if (usage_check(options, 1 + MOST_FILES, argc, argv, &err))
		return usage_complain(&err);
	argp_parse(&argp, argc, argv, USAGE_ARGP_FLAGS, NULL, &list);
	if (list.help)
		usage_help(&argp, "contend list",
			   ARGP_HELP_SHORT_USAGE | ARGP_HELP_DOC | ARGP_HELP_LONG);
	else if (print_list(&list, &err))
		return usage_complain(&err);
	return STATUS_WELL;
}
