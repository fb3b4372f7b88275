// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "cli/inspect_options.h"
#include "cli/usage.h"

enum key {
	KEY_QUIET = 'q',
	KEY_HELP = 'h',
	KEY_DISASM = 256,
	KEY_DIFF,
	KEY_TARGET,
	KEY_PAGE,
	KEY_JSON,
};

static const struct argp_option options_table[] = {
	{"disasm", KEY_DISASM, NULL, 0,
	 "Print the instructions of the fast path as they were executed, with their source", 0},
	{"diff", KEY_DIFF, NULL, 0,
	 "Hold the code of two readers against each other, and print both fast paths side by side",
	 0},
	{"target", KEY_TARGET, "NAMES", 0,
	 "Compile the readers for other machines and look at the code without running it: "
	 "powerpc-linux-gnu, arm-linux-gnueabihf, aarch64-linux-gnu, riscv64-linux-gnu, "
	 "s390x-linux-gnu, i386, with commas between them or given several times. The compilers "
	 "are Debian's gcc-NAME, "
	 "or @cc= names one",
	 0},
	{"page", KEY_PAGE, NULL, 0,
	 "Draw the page of the readers, or, without any, of every known layout, with the cache "
	 "lines that a read of each clock touches",
	 0},
	USAGE_JSON(KEY_JSON),
	{"quiet", KEY_QUIET, NULL, 0,
	 "No text: only errors, the exit status, and JSON if asked for", 0},
	USAGE_HELP(KEY_HELP),
	{0},
};

struct parse {
	struct inspect_options *options;
	struct errmsg *err;
};

static int add_target(struct inspect_options *options, const char *name, struct errmsg *err)
{
	const struct target *target = target_find(name, err);

	if (!target)
		return -1;
	for (size_t i = 0; i < options->targets; i++)
		if (options->target[i] == target)
			return errmsg_set(err, "%s is given twice", name);
	options->target[options->targets++] = target;
	return 0;
}

static int parse_targets(const char *text, struct inspect_options *options, struct errmsg *err)
{
	for (;;) {
		const size_t length = strcspn(text, ",");
		char name[64];

		snprintf(name, sizeof(name), "%.*s", length < sizeof(name) ? (int)length : 63,
			 text);
		if (add_target(options, name, err))
			return -1;
		if (!text[length])
			return 0;
		text += length + 1;
	}
}

/* 0, -1 with a sentence in *err, or ARGP_ERR_UNKNOWN. */
static int take_option(struct inspect_options *options, int key, const char *value,
		       struct errmsg *err)
{
	switch (key) {
	case KEY_DISASM:
		options->disassembly = true;
		return 0;
	case KEY_DIFF:
		options->difference = true;
		return 0;
	case KEY_TARGET:
		return parse_targets(value, options, err);
	case KEY_PAGE:
		options->page = true;
		return 0;
	case KEY_JSON:
		options->json = value;
		return 0;
	case KEY_QUIET:
		options->quiet = true;
		return 0;
	case KEY_HELP:
		options->help = true;
		return 0;
	case ARGP_KEY_ARG:
		options->spec[options->specs++] = value;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct parse *parse = state->input;
	struct errmsg err;
	int result = take_option(parse->options, key, value, &err);

	return result >= 0 ? result : usage_refuse(options_table, key, &err, parse->err);
}

static const struct argp argp = {
	.options = options_table,
	.parser = parse_option,
	.args_doc = "READER...",
	.doc = "What is a read made of? Each reader's code is stepped through one call on a quiet "
	       "page, through one retry and one odd wait, and counted; nothing is timed.\v"
	       "READER, up to 8 of them, is what contend run takes for --reader: hres:hint=none, "
	       "hres@cc=clang,cflags=-O3, ./my.c, image:host, image:FILE. Code is RUN with all "
	       "your rights, but for --target: name no file that you would not run.\n\n"
	       "Exit status: 0 all well, also where something is n/a; 1 usage, or the environment "
	       "cannot do what was asked.",
};

static int check(const struct inspect_options *options, struct errmsg *err)
{
	if (!options->specs && !options->page)
		return errmsg_set(err, "a reader is wanted, or --page: contend inspect hres, for "
				       "instance");
	if (options->difference && options->specs != 2)
		return errmsg_set(err, "--diff: two readers are wanted, not %zu", options->specs);
	if (options->targets && !options->specs)
		return errmsg_set(err, "--target: a reader is wanted that is to be compiled");
	if (options->targets && (options->difference || options->disassembly || options->page))
		return errmsg_set(err,
				  "--target: code of other machines is not run, so there is "
				  "no --%s",
				  options->difference	 ? "diff"
				  : options->disassembly ? "disasm"
							 : "page");
	if (options->disassembly && !options->specs)
		return errmsg_set(err, "--disasm: a reader is wanted");
	return 0;
}

int inspect_options_parse(int argc, char **argv, struct inspect_options *options,
			  struct errmsg *err)
{
	struct parse parse = {.options = options, .err = err};

	*options = (struct inspect_options){.help = false};
	if (usage_check(options_table, INSPECT_MAX_READERS, argc, argv, err) ||
	    argp_parse(&argp, argc, argv, USAGE_ARGP_FLAGS, NULL, &parse))
		return -1;
	return options->help ? 0 : check(options, err);
}

void inspect_options_help(void)
{
	usage_help(&argp, "contend inspect",
		   ARGP_HELP_SHORT_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_LONG | ARGP_HELP_POST_DOC);
}
