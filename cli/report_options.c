// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "cli/report_options.h"
#include "cli/usage.h"
#include "sim/value.h"

enum key {
	KEY_OUTPUT = 'o',
	KEY_HELP = 'h',
	KEY_PLOT = 256,
};

static const struct argp_option options_table[] = {
	{"output", KEY_OUTPUT, "FILE", 0,
	 "Where the report goes, or the picture, which is PNG if FILE ends in .png, and else SVG; "
	 "- for standard output. There is no default",
	 0},
	{"plot", KEY_PLOT, "NAME", 0,
	 "One picture instead of the report. Its names: --plot list. Where a result has several of "
	 "it, NAME:PART says which, as in layout:v6.15",
	 0},
	USAGE_HELP(KEY_HELP),
	{0},
};

struct parse {
	struct report_options *options;
	struct errmsg *err;
};

static int unknown_picture(const char *name, struct errmsg *err)
{
	char known[256] = "";
	size_t used = 0;

	for (size_t i = 0; picture_number(i); i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "",
					 picture_number(i)->name);
	return errmsg_set(err, "%s is none of the pictures: %s", value_quote(name).text, known);
}

static int parse_plot(const char *name, struct report_options *options, struct errmsg *err)
{
	const char *colon = strchr(name, ':');
	const size_t length = colon ? (size_t)(colon - name) : strlen(name);

	options->list = strcmp(name, "list") == 0;
	options->picture = NULL;
	if (options->list)
		return 0;
	for (size_t i = 0; picture_number(i); i++)
		if (strlen(picture_number(i)->name) == length &&
		    strncmp(picture_number(i)->name, name, length) == 0)
			options->picture = picture_number(i);
	if (!options->picture)
		return unknown_picture(name, err);
	options->part = colon ? colon + 1 : NULL;
	if (options->part && !options->picture->parts)
		return errmsg_set(err, "there is one %s of a result: without '%.60s'",
				  options->picture->name, colon);
	return 0;
}

static int take_result(const char *path, struct report_options *options, struct errmsg *err)
{
	if (options->results == REPORT_MAX_RESULTS)
		return errmsg_set(err, "no more than %d results are reported at once",
				  REPORT_MAX_RESULTS);
	options->path[options->results++] = path;
	return 0;
}

static int take(struct report_options *options, int key, const char *value, struct errmsg *err)
{
	switch (key) {
	case KEY_OUTPUT:
		options->output = value;
		return *value ? 0 : errmsg_set(err, "a file's name is wanted, or -");
	case KEY_PLOT:
		return parse_plot(value, options, err);
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

	/* It is no option whose name usage_refuse could tell. */
	if (key == ARGP_KEY_ARG)
		return take_result(value, parse->options, parse->err) ? EINVAL : 0;
	result = take(parse->options, key, value, &err);
	return result >= 0 ? result : usage_refuse(options_table, key, &err, parse->err);
}

static const struct argp argp = {
	.options = options_table,
	.parser = parse_option,
	.args_doc = "RESULT.json...",
	.doc = "One HTML page of what was measured, with pictures, for people to look at. Results "
	       "are what run, compare, sweep, observe, calibrate, inspect, prove, verify and "
	       "settle write with --json, in this version or an older one, any of them together, "
	       "up to 64; - for standard input.\v"
	       "The page stands alone: it loads nothing from anywhere and runs nothing. It has the "
	       "results in the order in which they are given; runs stand together where the first "
	       "of them is, and are drawn over one another. Give files names that tell results "
	       "apart: pictures call them so.\n\n"
	       "gnuplot draws the pictures, and must be installed.\n\n"
	       "An option given twice: the last one counts. Exit status: 0 all well, whatever the "
	       "results say; 1 usage, or a result or gnuplot cannot be used; 130 interrupted.",
};

static bool ends_in(const char *path, const char *suffix)
{
	const size_t length = strlen(path), wanted = strlen(suffix);

	return length > wanted && strcmp(path + length - wanted, suffix) == 0;
}

static int check_inputs(const struct report_options *options, struct errmsg *err)
{
	size_t inputs = 0;

	if (!options->results)
		return errmsg_set(err, "no result is named: contend report RESULT.json... -o "
				       "report.html");
	for (size_t i = 0; i < options->results; i++)
		inputs += strcmp(options->path[i], "-") == 0;
	return inputs > 1 ? errmsg_set(err, "only one of the results can be standard input") : 0;
}

static int check_output(struct report_options *options, struct errmsg *err)
{
	if (!options->output)
		return errmsg_set(err, "where to? -o FILE%s, or -o - for standard output",
				  options->picture ? ".svg or .png" : ".html");
	if (!options->picture)
		return 0;
	options->format = ends_in(options->output, ".png") ? PICTURE_PNG : PICTURE_SVG;
	if (options->format == PICTURE_PNG || ends_in(options->output, ".svg") ||
	    strcmp(options->output, "-") == 0)
		return 0;
	return errmsg_set(err, "-o: a picture's file ends in .svg or .png, unlike %s",
			  value_quote(options->output).text);
}

int report_options_parse(int argc, char **argv, struct report_options *options, struct errmsg *err)
{
	struct parse parse = {options, err};

	*options = (struct report_options){.results = 0};
	if (usage_check(options_table, argc, argc, argv, err) ||
	    argp_parse(&argp, argc, argv, USAGE_ARGP_FLAGS, NULL, &parse))
		return -1;
	if (options->help || options->list)
		return 0;
	return check_inputs(options, err) || check_output(options, err) ? -1 : 0;
}

void report_options_help(void)
{
	usage_help(&argp, "contend report",
		   ARGP_HELP_SHORT_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_LONG | ARGP_HELP_POST_DOC);
}
