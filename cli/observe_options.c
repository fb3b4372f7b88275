// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "cli/cpus.h"
#include "cli/observe_options.h"
#include "cli/parse.h"
#include "cli/usage.h"

#define DEFAULT_DURATION_NS (10ull * NSEC_PER_SEC)
#define DEFAULT_SIMULATE_NS (3ull * NSEC_PER_SEC)
#define DURATION_MIN_NS	    1000000
#define DURATION_MAX_NS	    (1000ull * 3600 * NSEC_PER_SEC)

enum key {
	KEY_DURATION = 'd',
	KEY_QUIET = 'q',
	KEY_HELP = 'h',
	KEY_CPUS = 256,
	KEY_SIMULATE,
	KEY_SAVE,
	KEY_JSON,
};

static const struct argp_option options_table[] = {
	{NULL, 0, NULL, 0, "Time and place:", 1},
	{"duration", KEY_DURATION, "T", 0,
	 "How long to watch: 1ms to 1000h, as in 10s, 1.5s, 500ms, 250us, 2m; default 10s", 0},
	{"cpus", KEY_CPUS, "LIST", 0,
	 "CPUs to watch from, one after the other, as taskset -c takes them: 0,2-3; they must be "
	 "online and allowed. Default all that are allowed",
	 0},
	{"simulate", KEY_SIMULATE, "T", 0,
	 "How long to run a reader on a simulated page of the same rate and hold afterwards: 1ms "
	 "to 1000h, or 0: not at all; default 3s",
	 0},

	{NULL, 0, NULL, 0, "Output:", 2},
	{"save", KEY_SAVE, "FILE", 0,
	 "Write a scenario to FILE that makes a run like this kernel's page: contend FILE.ini runs "
	 "it. Default none",
	 0},
	USAGE_JSON(KEY_JSON),
	{"quiet", KEY_QUIET, NULL, 0,
	 "No text, no remarks, no progress: only errors, the exit status, and files if asked for",
	 0},
	USAGE_HELP(KEY_HELP),
	{0},
};

struct parse {
	struct observe_options *options;
	struct errmsg *err;
};

static int parse_cpus(const char *text, cpu_set_t *cpus, struct errmsg *err)
{
	return parse_cpu_list(text, cpus, err) ? -1 : cpus_usable(cpus, err);
}

/* 0, or as long as it makes sense. */
static int parse_simulate(const char *text, u64 *ns, struct errmsg *err)
{
	if (strcmp(text, "0") == 0) {
		*ns = 0;
		return 0;
	}
	return parse_duration(text, DURATION_MIN_NS, DURATION_MAX_NS, ns, err);
}

/* 0, -1 with a sentence in *err, or ARGP_ERR_UNKNOWN. */
static int take_option(struct observe_options *options, int key, char *value, struct errmsg *err)
{
	struct observe_config *config = &options->config;

	switch (key) {
	case KEY_DURATION:
		return parse_duration(value, DURATION_MIN_NS, DURATION_MAX_NS, &config->duration_ns,
				      err);
	case KEY_CPUS:
		return parse_cpus(value, &config->cpus, err);
	case KEY_SIMULATE:
		return parse_simulate(value, &config->simulate_ns, err);
	case KEY_SAVE:
		options->save = value;
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
	int result = take_option(parse->options, key, value, &err);

	return result >= 0 ? result : usage_refuse(options_table, key, &err, parse->err);
}

static const struct argp argp = {
	.options = options_table,
	.parser = parse_option,
	.doc = "Watch the page of the running kernel, without touching anything: how often it is "
	       "updated, from which CPU, how long an update takes; and what share of clock reads "
	       "would meet one.\v"
	       "An option given twice: the last one counts. The watcher keeps one CPU busy, from "
	       "one thread, and sleeps for part of the time. Exit status: 0 all well; 1 usage, or "
	       "the page cannot be found; 130 interrupted.",
};

int observe_options_parse(int argc, char **argv, struct observe_options *options,
			  struct errmsg *err)
{
	struct parse parse = {options, err};

	*options = (struct observe_options){
		.config = {.duration_ns = DEFAULT_DURATION_NS, .simulate_ns = DEFAULT_SIMULATE_NS},
	};
	if (sched_getaffinity(0, sizeof(options->config.cpus), &options->config.cpus))
		return errmsg_set(err, "cannot tell which CPUs are allowed: %s", strerror(errno));
	if (usage_check(options_table, 0, argc, argv, err))
		return -1;
	return argp_parse(&argp, argc, argv, USAGE_ARGP_FLAGS, NULL, &parse) ? -1 : 0;
}

void observe_options_help(void)
{
	usage_help(&argp, "contend observe",
		   ARGP_HELP_SHORT_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_LONG | ARGP_HELP_POST_DOC);
}
