// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "cli/diff_options.h"
#include "cli/usage.h"
#include "sim/value.h"

#define PERCENT_MAX 1000

enum key {
	KEY_QUIET = 'q',
	KEY_HELP = 'h',
	KEY_FAIL_ABOVE = 256,
	KEY_FORCE,
	KEY_JSON,
};

static const struct argp_option options_table[] = {
	{"fail-above", KEY_FAIL_ABOVE, "P%", 0,
	 "Exit with 2 if a figure is worse by more than P percent beyond the 95 % interval of its "
	 "change, or a verdict is worse than it was: 0% to 1000%. Default: only faults and broken "
	 "verdicts fail",
	 0},
	{"force", KEY_FORCE, NULL, 0,
	 "Compare also what cannot be compared, and say what differs. Default: refuse, and say "
	 "what differs",
	 0},
	USAGE_JSON(KEY_JSON),
	USAGE_QUIET(KEY_QUIET),
	USAGE_HELP(KEY_HELP),
	{0},
};

struct parse {
	struct diff_options *options;
	struct errmsg *err;
};

static int parse_percent(const char *text, double *percent, struct errmsg *err)
{
	char *end;
	const double value = strtod(text, &end);

	if (end == text || strspn(text, "0123456789.") != (size_t)(end - text) ||
	    strcmp(end, *end == '%' ? "%" : "") != 0 || !(value >= 0 && value <= PERCENT_MAX))
		return errmsg_set(err, "%s is not a percentage from 0%% to %d%%, as in 5%%",
				  value_quote(text).text, PERCENT_MAX);
	*percent = value;
	return 0;
}

static int take(struct diff_options *options, int key, const char *value, struct errmsg *err)
{
	switch (key) {
	case KEY_FAIL_ABOVE:
		return parse_percent(value, &options->fail_above_percent, err);
	case KEY_FORCE:
		options->force = true;
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
		*(options->old_path ? &options->new_path : &options->old_path) = value;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct parse *parse = state->input;
	struct errmsg err;
	const int result = take(parse->options, key, value, &err);

	return result >= 0 ? result : usage_refuse(options_table, key, &err, parse->err);
}

static const struct argp argp = {
	.options = options_table,
	.parser = parse_option,
	.args_doc = "OLD.json NEW.json",
	.doc = "What changed from one result to another of the same kind, and how sure that is. "
	       "Results are what run, compare, sweep, observe, calibrate, inspect, prove, verify "
	       "and settle write with --json, in this version or an older one; - for standard "
	       "input.\v"
	       "A figure is better or worse if the 95 % interval of its change leaves 0 out and "
	       "one way is better; changed, if neither way is; within noise, if the interval "
	       "holds 0; n/a without an interval: a single maximum, for instance, has none. A run "
	       "with --interval knows better how sure its figures are. Two runs one after the "
	       "other are no comparison all the same: contend compare has readers take turns.\n\n"
	       "Refused, unless --force: another machine, compiler, payload, reader, writer, rate "
	       "or number of readers, a job more than twice as long, one that was interrupted, "
	       "another major version of contend (of 0.x, another minor one). Another kernel is "
	       "told, and no more; so are seeds.\n\n"
	       "Exit status: 0 all well, whatever changed; 1 usage, or the two cannot be compared; "
	       "2 more reads were torn or stale, or time ran backwards more often, than before, a "
	       "verdict or condition broke, something else correct was accused, a run stalled that "
	       "had not, or by --fail-above something got worse.",
};

static int count_words(const struct diff_options *options, struct errmsg *err)
{
	if (!options->new_path)
		return errmsg_set(err,
				  "two results are wanted, OLD.json and NEW.json, %s: see "
				  "contend diff --help",
				  options->old_path ? "and there is one" : "and there is none");
	if (strcmp(options->old_path, "-") == 0 && strcmp(options->new_path, "-") == 0)
		return errmsg_set(err, "only one of the results can be standard input");
	return 0;
}

int diff_options_parse(int argc, char **argv, struct diff_options *options, struct errmsg *err)
{
	struct parse parse = {options, err};

	*options = (struct diff_options){.fail_above_percent = -1};
	if (usage_check(options_table, 2, argc, argv, err) ||
	    argp_parse(&argp, argc, argv, USAGE_ARGP_FLAGS, NULL, &parse))
		return -1;
	return options->help ? 0 : count_words(options, err);
}

void diff_options_help(void)
{
	usage_help(&argp, "contend diff",
		   ARGP_HELP_SHORT_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_LONG | ARGP_HELP_POST_DOC);
}
