// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cli/cpus.h"
#include "cli/job.h"
#include "cli/parse.h"
#include "cli/sweep_axis.h"
#include "cli/sweep_options.h"
#include "cli/usage.h"
#include "writers/kinds.h"

#define DEFAULT_HZ_POINTS     5
#define DEFAULT_READER_POINTS 4
#define DEFAULT_RETRIES	      100
#define MAX_RETRIES	      1000000000
#define DEFAULT_MAX_TIME_NS   (8ull * NSEC_PER_SEC)
#define MAX_TIME_MIN_NS	      50000000
#define MAX_TIME_MAX_NS	      (24ull * 3600 * NSEC_PER_SEC)

enum key {
	KEY_QUIET = 'q',
	KEY_HELP = 'h',
	KEY_HZ = 256,
	KEY_READERS,
	KEY_RETRIES,
	KEY_MAX_TIME,
	KEY_READER,
	KEY_WRITER,
	KEY_WORK,
	KEY_CLOCKSOURCE,
	KEY_SEED,
	KEY_CPUS,
	KEY_WRITER_CPU,
	KEY_PRIORITY,
	KEY_CSV,
	KEY_JSON,
};

static const struct argp_option options_table[] = {
	{NULL, 0, NULL, 0, "The grid:", 1},
	{"hz", KEY_HZ, "RANGE", 0,
	 "Updates of the page per second, 1 to 10000000: A..B, or A..B/N for N values spread "
	 "evenly by their logarithms; or a list, 100,1000,5000. Without /N there are 5 values. "
	 "Default 100..1000000",
	 0},
	{"readers", KEY_READERS, "RANGE", 0,
	 "Numbers of readers, 1 to 4096, written likewise. Without /N there are 4 values. Default "
	 "1..64",
	 0},
	{"retries", KEY_RETRIES, "N", 0,
	 "Reads that retry, to count at each point, 1 to 1000000000; default 100", 0},
	{"max-time", KEY_MAX_TIME, "T", 0,
	 "How long to measure at a point that has not so many: 50ms to 24h; default 8s", 0},

	{NULL, 0, NULL, 0, "The job, as in contend run:", 2},
	{"reader", KEY_READER, "SPEC", 0,
	 "Read path, see contend list readers; default hres. Code of a file is RUN with all your "
	 "rights. An image's does not tell its retries, and is refused",
	 0},
	{"writer", KEY_WRITER, "SPEC", 0,
	 "Who updates the page, see contend list writers; without hz=. Default tick", 0},
	{"work", KEY_WORK, "KIND", 0,
	 "What a reader does between two reads: none, alu:N, cache:SIZE or cold. It decides how "
	 "much of a hold is visible to readers. Default none",
	 0},
	{"clocksource", KEY_CLOCKSOURCE, "SPEC", 0,
	 "Counter that time is made of, see contend list clocksources; default the best there is",
	 0},
	{"seed", KEY_SEED, "N", 0, "Of all that is random: 0 to 4294967295; default 1", 0},
	{"cpus", KEY_CPUS, "LIST", 0,
	 "CPUs of the readers: 0,2-3; they must be online and allowed. Default all that are "
	 "allowed but the writer's",
	 0},
	{"writer-cpu", KEY_WRITER_CPU, "N", 0,
	 "CPU of the writer; it must be online and allowed. Default one of its own, if there are "
	 "two or more",
	 0},
	{"priority", KEY_PRIORITY, "P", 0,
	 "Real-time priority (SCHED_FIFO) of the writer, 1 to 99, or none. Default real-time, if "
	 "it is allowed and leaves a CPU free of it",
	 0},

	{NULL, 0, NULL, 0, "Output:", 3},
	{"csv", KEY_CSV, "FILE", 0,
	 "Write the points to FILE as comma-separated values, too; - for standard output, and no "
	 "text there. Default no such values",
	 0},
	{"json", KEY_JSON, "FILE", 0,
	 "Write the result to FILE as one JSON object, too, after each point; - for standard "
	 "output, and no text there. A sweep that was interrupted goes on from its FILE, which is "
	 "refused if it is of another sweep or machine. Default no JSON",
	 0},
	USAGE_QUIET(KEY_QUIET),
	USAGE_HELP(KEY_HELP),
	{0},
};

struct parse {
	struct sweep_options *options;
	struct errmsg *err;
};

static int parse_reader(const char *text, struct sweep_config *config, struct errmsg *err)
{
	reader_release(&config->reader);
	if (reader_resolve(text, &config->reader, err))
		return -1;
	if (config->reader.image)
		return errmsg_set(err, "an image's code does not tell its retries, so there is "
				       "nothing to sweep; contend run holds it against a writer");
	if (config->reader.no_retries)
		return errmsg_set(err, "'%.100s' has no retries to sweep for: %s",
				  config->reader.path, config->reader.no_retries);
	if (!config->reader.tells)
		return errmsg_set(err,
				  "'%.100s' does not tell what it used: NOTE_USED_SEQ and "
				  "NOTE_USED_CYCLES of readers/reader.h are how",
				  config->reader.path);
	return 0;
}

static int parse_writer(const char *text, struct sweep_config *config, struct errmsg *err)
{
	struct writer_choice choice;

	if (writer_resolve(text, &choice, err))
		return -1;
	if (choice.hz)
		return errmsg_set(err, "hz= is for --hz to say: it is what the sweep goes through");
	if (!writer_has_rate(choice.kind) || writer_is_endless(&choice))
		return errmsg_set(err, "'%s' has no rate for a sweep to go through",
				  choice.kind->name);
	config->writer = choice;
	return 0;
}

static int parse_clocksource(const char *text, struct sweep_config *config, struct errmsg *err)
{
	struct run_config run = {.groups = 0};

	if (job_parse_clocksource(text, &run, err))
		return -1;
	config->clocksource = run.clocksource;
	config->record_hz = run.record_hz;
	return 0;
}

static int parse_cpus(const char *text, struct sweep_config *config, struct errmsg *err)
{
	if (parse_cpu_list(text, &config->cpus, err))
		return -1;
	config->cpus_given = true;
	return cpus_usable(&config->cpus, err);
}

/* 0, -1 with a sentence in *err, or ARGP_ERR_UNKNOWN. */
static int take_job(struct sweep_config *config, int key, const char *value, struct errmsg *err)
{
	switch (key) {
	case KEY_HZ:
		return sweep_axis_parse(value, WRITER_MIN_HZ, WRITER_MAX_HZ, DEFAULT_HZ_POINTS,
					&config->hz, err);
	case KEY_READERS:
		return sweep_axis_parse(value, 1, RUN_MAX_READERS, DEFAULT_READER_POINTS,
					&config->readers, err);
	case KEY_RETRIES:
		return parse_count(value, 1, MAX_RETRIES, &config->retries, err);
	case KEY_MAX_TIME:
		return parse_duration(value, MAX_TIME_MIN_NS, MAX_TIME_MAX_NS, &config->max_time_ns,
				      err);
	case KEY_READER:
		return parse_reader(value, config, err);
	case KEY_WRITER:
		return parse_writer(value, config, err);
	case KEY_WORK:
		return parse_work(value, &config->work, err);
	case KEY_CLOCKSOURCE:
		return parse_clocksource(value, config, err);
	case KEY_SEED:
		return parse_count(value, 0, JOB_SEED_MAX, &config->seed, err);
	case KEY_CPUS:
		return parse_cpus(value, config, err);
	case KEY_WRITER_CPU:
		return cpus_parse_one(value, &config->writer_cpu, err);
	case KEY_PRIORITY:
		return job_parse_priority(value, &config->priority, err);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int take_option(struct sweep_options *options, int key, const char *value,
		       struct errmsg *err)
{
	switch (key) {
	case KEY_CSV:
		options->csv = value;
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
		return take_job(&options->config, key, value, err);
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
	.doc = "What share of reads retry, over a grid of rates of updates and numbers of readers, "
	       "and how well a simple law tells it.\v"
	       "The law: share of reads that retry = rate x (hold visible to readers + length of "
	       "the read). Reads that only waited tell the hold, those that threw an attempt away "
	       "the length of the read. Retries while a reader was off its CPU are counted apart, "
	       "and are not in the law. It breaks down where a point differs from it by more than "
	       "its 95 % interval; no interval is taken to be narrower than +-20 %.\n\n"
	       "A point with too few retries tells no more than the upper end of its interval.\n\n"
	       "An option given twice: the last one counts. Exit status, after all points: 0 all "
	       "well; 1 usage, or a point could not be measured here; 2 a read was torn or stale, "
	       "or time "
	       "ran backwards; 3 a point stalled; 130 interrupted.",
};

static void set_defaults(struct sweep_options *options)
{
	struct sweep_config *config = &options->config;
	struct errmsg err;

	*options = (struct sweep_options){
		.config =
			{
				.clocksource = clocksource_default(),
				.writer_cpu = -1,
				.priority = PRIORITY_AUTO,
				.seed = 1,
				.retries = DEFAULT_RETRIES,
				.max_time_ns = DEFAULT_MAX_TIME_NS,
			},
	};
	sweep_axis_span(&config->hz, 100, 1000000, DEFAULT_HZ_POINTS);
	sweep_axis_span(&config->readers, 1, 64, DEFAULT_READER_POINTS);
	reader_resolve("hres", &config->reader, &err);
	writer_resolve("tick", &config->writer, &err);
}

/* Work that needs more memory than there is, for the most readers. */
static int check_memory(const struct sweep_config *config, struct errmsg *err)
{
	struct run_config run;
	u64 most = 0;

	for (size_t i = 0; i < config->readers.count; i++)
		if (config->readers.value[i] > most)
			most = config->readers.value[i];
	sweep_configure(config, config->hz.value[0], (u32)most, config->max_time_ns, &run);
	return job_check_memory(&run, err);
}

static bool is_stdout(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

int sweep_options_parse(int argc, char **argv, struct sweep_options *options, struct errmsg *err)
{
	struct parse parse = {options, err};

	set_defaults(options);
	if (usage_check(options_table, 0, argc, argv, err) ||
	    argp_parse(&argp, argc, argv, USAGE_ARGP_FLAGS, NULL, &parse))
		return -1;
	if (options->help)
		return 0;
	if (is_stdout(options->csv) && is_stdout(options->json))
		return errmsg_set(err, "--csv: standard output is for --json here; name a file for "
				       "one of the two");
	if (options->csv && options->json && strcmp(options->csv, options->json) == 0)
		return errmsg_set(err, "--csv: %s is the file of --json; name another",
				  value_quote(options->csv).text);
	return check_memory(&options->config, err);
}

void sweep_options_release(struct sweep_options *options)
{
	reader_release(&options->config.reader);
}

void sweep_options_help(void)
{
	usage_help(&argp, "contend sweep",
		   ARGP_HELP_SHORT_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_LONG | ARGP_HELP_POST_DOC);
}
