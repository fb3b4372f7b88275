// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/compare_options.h"
#include "cli/settle_options.h"
#include "cli/usage.h"

enum key {
	KEY_DURATION = 'd',
	KEY_QUIET = 'q',
	KEY_HELP = 'h',
	KEY_ONLY = 256,
	KEY_JSON,
};

static const struct argp_option options_table[] = {
	{NULL, 0, NULL, 0, "The job:", 1},
	{"only", KEY_ONLY, "NAME", 0,
	 "The section of that name, and no other; may be given for several. Default all", 0},
	{"duration", KEY_DURATION, "T", 0,
	 "How long to compare, in each comparison: 10ms to 24h. Default what the file says", 0},

	{NULL, 0, NULL, 0, "Output:", 2},
	USAGE_JSON(KEY_JSON),
	USAGE_QUIET(KEY_QUIET),
	USAGE_HELP(KEY_HELP),
	{0},
};

struct parse {
	struct settle_options *options;
	struct errmsg *err;
};

static int take(struct settle_options *options, int key, const char *value, struct errmsg *err)
{
	switch (key) {
	case KEY_DURATION:
		options->duration = value;
		return compare_options_try(compare_options_find("duration"), value, err);
	case KEY_ONLY:
		if (options->only_count == ARGUMENT_MAX_SECTIONS)
			return errmsg_set(err, "given more than %d times", ARGUMENT_MAX_SECTIONS);
		options->only[options->only_count++] = value;
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
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct parse *parse = state->input;
	struct errmsg err;
	int result;

	if (key == ARGP_KEY_ARG) {
		parse->options->file = value;
		return 0;
	}
	result = take(parse->options, key, value, &err);
	return result >= 0 ? result : usage_refuse(options_table, key, &err, parse->err);
}

static const struct argp argp = {
	.options = options_table,
	.parser = parse_option,
	.args_doc = "FILE.ini",
	.doc = "What was claimed of read paths, next to what is measured here. The file tells the "
	       "claims, and what to compare for each.\v"
	       "contend FILE.ini does the same if the file has a section [argument], with title, "
	       "claim and by. [compare NAME] has baseline, reader, claim, claimed_percent (a "
	       "number or LOW to HIGH, negative if it is faster), and the long options of contend "
	       "compare. [inspect NAME] has reader, target and claim.\n\n"
	       "The verdict. not seen: same code. not seen: no difference larger than X, the "
	       "farther end of the 95 % interval, which is within the resolution, or holds 0 and "
	       "nothing as large as was claimed. seen and as large: interval and claimed range "
	       "meet. seen, but smaller, or larger. the other way round. cannot tell: the interval "
	       "holds 0, and what was claimed too.\n\n"
	       "Code is RUN with all your rights: name no file that you would not run.\n\n"
	       "Exit status: 0 all well, whatever the verdicts; 1 usage, or something could not be "
	       "done here, though the rest was; 3 a reader's code crashed or did not return; 130 "
	       "interrupted, after printing what there is.",
};

int settle_options_parse(int argc, char **argv, struct settle_options *options, struct errmsg *err)
{
	struct parse parse = {options, err};

	*options = (struct settle_options){.file = NULL};
	if (usage_check(options_table, 1, argc, argv, err) ||
	    argp_parse(&argp, argc, argv, USAGE_ARGP_FLAGS, NULL, &parse))
		return -1;
	if (options->help || options->file)
		return 0;
	return errmsg_set(err, "a file is wanted that tells what was claimed: contend settle "
			       "scenarios/unlikely-read-begin.ini, for instance");
}

void settle_options_help(void)
{
	usage_help(&argp, "contend settle",
		   ARGP_HELP_SHORT_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_LONG | ARGP_HELP_POST_DOC);
}
