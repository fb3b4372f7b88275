// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "cli/cpus.h"
#include "cli/job.h"
#include "cli/parse.h"
#include "cli/run_options.h"
#include "cli/scenario.h"
#include "cli/usage.h"
#include "writers/kinds.h"

#define DEFAULT_HZ	    1000
#define DEFAULT_DURATION_NS (10ull * NSEC_PER_SEC)
#define DEFAULT_WARMUP_NS   200000000
#define DURATION_MIN_NS	    1000000
#define INTERVAL_MIN_NS	    10000000
#define INTERVALS_MAX	    100000
#define DURATION_MAX_NS	    (1000ull * 3600 * NSEC_PER_SEC)

enum key {
	KEY_READERS = 'r',
	KEY_DURATION = 'd',
	KEY_QUIET = 'q',
	KEY_HELP = 'h',
	KEY_HZ = 256,
	KEY_READER,
	KEY_WRITER,
	KEY_WARMUP,
	KEY_CPUS,
	KEY_WRITER_CPU,
	KEY_PRIORITY,
	KEY_PAYLOAD,
	KEY_WORK,
	KEY_SEED,
	KEY_CLOCKSOURCE,
	KEY_BASELINE,
	KEY_FORMAT,
	KEY_JSON,
	KEY_INTERVAL,
	KEY_CSV,
	KEY_HISTOGRAM,
	KEY_HGRM,
};

static const struct argp_option options_table[] = {
	{NULL, 0, NULL, 0, "The job:", 1},
	{"readers", KEY_READERS, "N", 0, "Readers, one thread each: 1 to 4096; default 1", 0},
	{"hz", KEY_HZ, "H", 0,
	 "Updates of the page per second: 1 to 10000000; default 1000. For each writer that has a "
	 "rate, and whose key hz= does not say it",
	 0},
	{"reader", KEY_READER, "SPEC", 0,
	 "Read path, name[:key=value,...][@key=value,...], see contend list readers; default hres. "
	 "./FILE.c is a source of your own, which is compiled; @cc=, cflags= and define= say how, "
	 "for built-in readers, too. image:host and image:FILE are the code of a kernel's vDSO. "
	 "Both are RUN with all your rights: name no file that you would not run",
	 0},
	{"writer", KEY_WRITER, "SPEC", 0,
	 "Who updates the page, name[:key=value,...], see contend list writers; given more than "
	 "once, up to 8 times: all of them, one at a time as by the kernel's lock. Default tick",
	 0},
	{"payload", KEY_PAYLOAD, "KIND", 0,
	 "What the page holds: time, which is fed by the counter, or stamp, in which every field "
	 "follows from the number of the update; default time",
	 0},
	{"work", KEY_WORK, "KIND", 0,
	 "What a reader does between two reads: none; alu:N, that is N dependent operations, 1 to "
	 "1000000; cache:SIZE, that is touching SIZE bytes of its own memory, 64 to 1G, a multiple "
	 "of 64, K, M and G being powers of 1024, or so many times the first level of the cache, "
	 "as "
	 "in 0.5L1; cold, that is putting the page's lines out of all caches. Its cost is taken "
	 "out "
	 "of the read's. Default none",
	 0},
	{"clocksource", KEY_CLOCKSOURCE, "SPEC", 0,
	 "Counter that time is made of, name[:key=value,...], see contend list clocksources; "
	 "default the best there is",
	 0},
	{"seed", KEY_SEED, "N", 0, "Of all that is random: 0 to 4294967295; default 1", 0},

	{NULL, 0, NULL, 0, "Time and place:", 2},
	{"duration", KEY_DURATION, "T", 0,
	 "How long to measure: 1ms to 1000h, as in 10s, 1.5s, 500ms, 250us, 2m; default 10s", 0},
	{"warmup", KEY_WARMUP, "T", 0,
	 "How long to run before that: 0 to 1000h, written likewise; default 200ms", 0},
	{"cpus", KEY_CPUS, "LIST", 0,
	 "CPUs of the readers, as taskset -c takes them: 0,2-3; they must be online and allowed. "
	 "Default all that are allowed but the writer's",
	 0},
	{"writer-cpu", KEY_WRITER_CPU, "N", 0,
	 "CPU of the writer; it must be online and allowed. Default one of its own, if there are "
	 "two or more",
	 0},
	{"priority", KEY_PRIORITY, "P", 0,
	 "Real-time priority (SCHED_FIFO) of the writer, 1 to 99, or none. Default real-time, if "
	 "it "
	 "is allowed and leaves a CPU free of it",
	 0},

	{NULL, 0, NULL, 0, "Output:", 3},
	{"baseline", KEY_BASELINE, NULL, 0,
	 "Also time the host's own vDSO and the bare read path, in blocks that take turns; default "
	 "not",
	 0},
	{"interval", KEY_INTERVAL, "T", 0,
	 "Print a line for each interval of the measured time while it goes on, as vmstat does, "
	 "and "
	 "keep it for --json and --csv: 10ms to 1000h, 100000 of them at most; a last one may be "
	 "shorter. Lines go to standard output, before the result; to standard error if standard "
	 "output is for a file's content, or for ktap; nowhere with --quiet. Default none",
	 0},
	OUTPUT_FORMAT_OPTION(KEY_FORMAT),
	USAGE_JSON(KEY_JSON),
	{"csv", KEY_CSV, "FILE", 0,
	 "Write the intervals of --interval to FILE as comma-separated values, too; - for standard "
	 "output, and no text there. Default no values",
	 0},
	{"histogram", KEY_HISTOGRAM, "FILE", 0,
	 "Write the distribution of time per read to FILE as comma-separated values, too, a line "
	 "for each bucket; - likewise. Default no values",
	 0},
	{"hgrm", KEY_HGRM, "FILE", 0,
	 "Write it to FILE as HdrHistogram prints percentiles, too, which its plotter takes, in "
	 "nanoseconds; - likewise. Default no percentiles",
	 0},
	USAGE_QUIET(KEY_QUIET),
	USAGE_HELP(KEY_HELP),
	{0},
};

/* Beside what is to be filled, what can be understood only when all arguments are known. */
struct parse {
	struct run_options *options;
	struct errmsg *err;
	const char *writer[WRITER_MAX];
	u32 writers;
	u64 hz;		      /* 0: not given */
	const char *scenario; /* file; NULL: none */
	bool in_scenario;     /* it is being read */
	u32 groups_begun;     /* by it */
	char scenario_writer[WRITER_MAX][SPEC_MAX_TEXT];
	u32 scenario_writers; /* that a --writer takes the place of */
	u64 scenario_hz;      /* what its only one says of hz; 0: nothing, or it has several */
};

static int parse_payload(const char *text, enum payload *payload, struct errmsg *err)
{
	if (strcmp(text, "time") == 0)
		*payload = PAYLOAD_TIME;
	else if (strcmp(text, "stamp") == 0)
		*payload = PAYLOAD_STAMP;
	else
		return errmsg_set(err, "'%.60s' is neither time nor stamp", text);
	return 0;
}

static int check_readers(const struct run_config *config, struct errmsg *err)
{
	const u32 readers = run_readers(config);

	if (readers <= RUN_MAX_READERS)
		return 0;
	return errmsg_set(err,
			  "with this group there are %u readers: all groups together have no "
			  "more than %d",
			  readers, RUN_MAX_READERS);
}

static int parse_readers(const char *text, struct run_group *group, struct errmsg *err)
{
	u64 value;

	if (parse_count(text, 1, RUN_MAX_READERS, &value, err))
		return -1;
	group->readers = (u32)value;
	return 0;
}

/* Beside a scenario that has several groups no option says which of them it means. */
static int check_only_group(const struct parse *parse, struct errmsg *err)
{
	const struct run_config *config = &parse->options->config;

	if (parse->in_scenario || config->groups == 1)
		return 0;
	return errmsg_set(err,
			  "the scenario has %u groups of readers, %.40s and others, and this "
			  "does not say which it is of: say it in the file",
			  config->groups, config->group[0].name);
}

/* Of a group of readers: the only one, or of a scenario the last begun. As take_option. */
static int take_group_option(struct parse *parse, int key, const char *value, struct errmsg *err)
{
	struct run_config *config = &parse->options->config;
	struct run_group *group = &config->group[config->groups - 1];

	if (check_only_group(parse, err))
		return -1;
	switch (key) {
	case KEY_READERS:
		return parse_readers(value, group, err) || check_readers(config, err) ? -1 : 0;
	case KEY_READER:
		reader_release(&group->reader);
		return reader_resolve(value, &group->reader, err);
	case KEY_WORK:
		return parse_work(value, &group->work, err);
	default:
		return job_parse_cpus(value, group, err);
	}
}

static void take_file(struct run_options *options, int key, const char *path)
{
	switch (key) {
	case KEY_CSV:
		options->csv = path;
		break;
	case KEY_HISTOGRAM:
		options->histogram = path;
		break;
	case KEY_HGRM:
		options->hgrm = path;
		break;
	default:
		options->json = path;
	}
}

/* 0, -1 with a sentence in *err, or ARGP_ERR_UNKNOWN. */
static int take_option(struct parse *parse, int key, const char *value, struct errmsg *err)
{
	struct run_config *config = &parse->options->config;

	switch (key) {
	case KEY_READERS:
	case KEY_READER:
	case KEY_WORK:
	case KEY_CPUS:
		return take_group_option(parse, key, value, err);
	case KEY_HZ:
		return parse_count(value, WRITER_MIN_HZ, WRITER_MAX_HZ, &parse->hz, err);
	case KEY_WRITER:
		if (parse->scenario_writers)
			parse->writers = parse->scenario_writers = 0;
		if (parse->writers == WRITER_MAX)
			return errmsg_set(err, "there can be no more than %d writers", WRITER_MAX);
		parse->writer[parse->writers++] = value;
		return 0;
	case KEY_PAYLOAD:
		return parse_payload(value, &config->payload, err);
	case KEY_CLOCKSOURCE:
		return job_parse_clocksource(value, config, err);
	case KEY_SEED:
		return parse_count(value, 0, JOB_SEED_MAX, &config->seed, err);
	case KEY_DURATION:
		return parse_duration(value, DURATION_MIN_NS, DURATION_MAX_NS, &config->duration_ns,
				      err);
	case KEY_WARMUP:
		return parse_duration(value, 0, DURATION_MAX_NS, &config->warmup_ns, err);
	case KEY_WRITER_CPU:
		return cpus_parse_one(value, &config->writer_cpu, err);
	case KEY_PRIORITY:
		return job_parse_priority(value, &config->priority, err);
	case KEY_BASELINE:
		config->baseline = true;
		return 0;
	case KEY_FORMAT:
		return output_format_parse(value, &parse->options->format, err);
	case KEY_INTERVAL:
		return parse_duration(value, INTERVAL_MIN_NS, DURATION_MAX_NS, &config->interval_ns,
				      err);
	case KEY_JSON:
	case KEY_CSV:
	case KEY_HISTOGRAM:
	case KEY_HGRM:
		take_file(parse->options, key, value);
		return 0;
	case KEY_QUIET:
		parse->options->quiet = true;
		return 0;
	case KEY_HELP:
		parse->options->help = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct parse *parse = state->input;
	struct errmsg err;
	/* The argument that is no option has been read by then. */
	int result = key == ARGP_KEY_ARG ? 0 : take_option(parse, key, value, &err);

	return result >= 0 ? result : usage_refuse(options_table, key, &err, parse->err);
}

static const struct argp argp = {
	.options = options_table,
	.parser = parse_option,
	.args_doc = "[FILE.ini]",
	.doc = "Run readers against a writer and measure what they go through.\v"
	       "FILE.ini is a scenario: what it says, options given beside it override. Its "
	       "sections "
	       "are [run], with the keys duration, warmup, payload, clocksource, seed, priority, "
	       "writer-cpu and interval; [writer], with kind, hz and the keys of that kind; "
	       "[readers NAME], "
	       "with count, reader, work and cpus, one for each group of readers, up to 16 (beside "
	       "several, --readers, --reader, --work and --cpus are refused); and [expect], whose "
	       "lines are conditions on the result, as in torn = 0 or "
	       "NAME.retries_per_million < 50 (= < <= > >=; see contend list figures). contend "
	       "list scenarios shows those that there are, contend observe --save writes "
	       "one.\n\n"
	       "An option given twice: the last one counts. Exit status: 0 all well; 1 usage, or "
	       "the "
	       "environment cannot do what was asked; 2 a read was torn or stale, or time ran "
	       "backwards, "
	       "however the run ended, or all else was well and a condition of the scenario did "
	       "not hold; 3 readers or writer stalled; 130 interrupted.",
};

static bool takes_rate(const struct writer_choice *choice)
{
	return writer_has_rate(choice->kind) && !writer_is_endless(choice);
}

static u32 count_rates(const struct run_config *config)
{
	u32 rates = 0;

	for (u32 i = 0; i < config->writers; i++)
		rates += takes_rate(&config->writer[i]);
	return rates;
}

/*
 * One that has a rate and does not say it gets it from --hz, and so does a scenario's only one,
 * which options override. True: --hz was of use.
 */
static bool set_rate(const struct parse *parse, struct writer_choice *choice)
{
	const bool overrides =
		parse->scenario_writers && parse->hz && count_rates(&parse->options->config) == 1;

	if (!takes_rate(choice) || (choice->hz && !overrides))
		return false;
	choice->hz = parse->hz ? parse->hz : parse->scenario_hz ? parse->scenario_hz : DEFAULT_HZ;
	return true;
}

static int refuse_rate(const struct parse *parse)
{
	const struct run_config *config = &parse->options->config;

	if (count_rates(config) > 1 && parse->scenario_writers)
		return errmsg_set(parse->err,
				  "--hz: the scenario has %u writers with a rate, and each "
				  "says its own: --writer takes the place of all",
				  count_rates(config));
	if (count_rates(config))
		return errmsg_set(parse->err, "--hz: given twice, here and as hz= of --writer");
	return errmsg_set(parse->err,
			  "--hz: writer '%s' has no rate: %s says how often it acts; --writer tick "
			  "is who has one",
			  config->writer[0].kind->name,
			  writer_is_endless(&config->writer[0]) ? "burst= and hz=" : "every=");
}

static int resolve_writers(struct parse *parse)
{
	struct run_config *config = &parse->options->config;
	struct errmsg err;
	bool used = false;

	if (!parse->writers)
		parse->writer[parse->writers++] = "tick";
	config->writers = parse->writers;
	for (u32 i = 0; i < config->writers; i++)
		if (writer_resolve(parse->writer[i], &config->writer[i], &err))
			return errmsg_set(parse->err, "--writer: %s", err.text);
	for (u32 i = 0; i < config->writers; i++)
		used |= set_rate(parse, &config->writer[i]);
	return parse->hz && !used ? refuse_rate(parse) : 0;
}

/* For a struct scenario_taker, as what follows. */
static int take_of_scenario(const char *option, const char *value, void *context,
			    struct errmsg *err)
{
	const struct argp_option *found = options_table;

	while (!found->name || strcmp(found->name, option) != 0)
		found++;
	return take_option(context, found->key, value, err);
}

/* A rate of its own is the section's, and --hz may override it. */
static int take_writer(const char *spec, void *context, struct errmsg *err)
{
	struct parse *parse = context;
	struct writer_choice choice;

	if (writer_resolve(spec, &choice, err))
		return -1;
	/* No longer than a spec, or it would not have been one. */
	strcpy(parse->scenario_writer[parse->writers], spec);
	parse->writer[parse->writers] = parse->scenario_writer[parse->writers];
	parse->writers++;
	parse->scenario_hz = parse->writers == 1 ? choice.hz : 0;
	return 0;
}

static int set_group(struct run_group *group, const char *name, struct errmsg *err)
{
	*group = (struct run_group){.readers = 1};
	snprintf(group->name, sizeof(group->name), "%s", name);
	return reader_resolve("hres", &group->reader, err);
}

/* The first takes the place of the only one that there is without any. */
static int begin_group(const char *name, void *context, struct errmsg *err)
{
	struct parse *parse = context;
	struct run_config *config = &parse->options->config;

	if (parse->groups_begun++ == 0)
		reader_release(&config->group[0].reader);
	else
		config->groups++;
	if (set_group(&config->group[config->groups - 1], name, err))
		return -1;
	return check_readers(config, err);
}

static int take_condition(const char *text, void *context, struct errmsg *err)
{
	struct parse *parse = context;

	return expect_add(&parse->options->expect, text, &parse->options->config, err);
}

static error_t find_scenario(int key, char *value, struct argp_state *state)
{
	struct parse *parse = state->input;

	if (key == ARGP_KEY_ARG)
		parse->scenario = value;
	return 0;
}

/* Before the options, which override it, wherever among them it stands. */
static int read_scenario(int argc, char **argv, struct parse *parse)
{
	static const struct argp finder = {.options = options_table, .parser = find_scenario};
	static const struct scenario_taker taker = {
		.option = take_of_scenario,
		.writer = take_writer,
		.group = begin_group,
		.condition = take_condition,
	};

	argp_parse(&finder, argc, argv, USAGE_ARGP_FLAGS, NULL, parse);
	if (!parse->scenario)
		return 0;
	parse->in_scenario = true;
	if (scenario_read(parse->scenario, &taker, parse, parse->err))
		return -1;
	parse->in_scenario = false;
	/* Those of the command line take the place of the file's. */
	parse->scenario_writers = parse->writers;
	return 0;
}

static void set_defaults(struct run_options *options)
{
	struct errmsg err;

	*options = (struct run_options){
		.config =
			{
				.groups = 1,
				.clocksource = clocksource_default(),
				.duration_ns = DEFAULT_DURATION_NS,
				.warmup_ns = DEFAULT_WARMUP_NS,
				.writer_cpu = -1,
				.priority = PRIORITY_AUTO,
				.payload = PAYLOAD_TIME,
				.seed = 1,
			},
	};
	set_group(&options->config.group[0], "readers", &err);
}

static int check_groups(const struct run_config *config, struct errmsg *err)
{
	for (u32 i = 0; i < config->groups; i++)
		if (job_check_counter(&config->group[i].reader, config->clocksource, err))
			return -1;
	return job_check_memory(config, err);
}

static int check_intervals(const struct run_options *options, struct errmsg *err)
{
	const struct run_config *config = &options->config;

	if (options->csv && !config->interval_ns)
		return errmsg_set(err, "--csv: there are no intervals to write without --interval; "
				       "--interval 1s makes some");
	if (config->interval_ns && config->duration_ns / config->interval_ns > INTERVALS_MAX)
		return errmsg_set(
			err,
			"--interval: there would be %llu of them in that duration, and there can "
			"be no more than %d: make each longer",
			(unsigned long long)(config->duration_ns / config->interval_ns),
			INTERVALS_MAX);
	return 0;
}

static int check_format(const struct run_options *options, struct errmsg *err)
{
	return output_format_check(options->format, options->quiet, "--json", options->json, err) ||
			       output_format_check(options->format, false, "--csv", options->csv,
						   err) ||
			       output_format_check(options->format, false, "--histogram",
						   options->histogram, err) ||
			       output_format_check(options->format, false, "--hgrm", options->hgrm,
						   err)
		       ? -1
		       : 0;
}

int run_options_parse(int argc, char **argv, struct run_options *options, struct errmsg *err)
{
	struct parse parse = {.options = options, .err = err};

	set_defaults(options);
	if (usage_check(options_table, 1, argc, argv, err) || read_scenario(argc, argv, &parse))
		return -1;
	if (argp_parse(&argp, argc, argv, USAGE_ARGP_FLAGS, NULL, &parse))
		return -1;
	if (options->help)
		return 0;
	return check_format(options, err) || resolve_writers(&parse) ||
			       check_groups(&options->config, err) || check_intervals(options, err)
		       ? -1
		       : 0;
}

void run_options_release(struct run_options *options)
{
	for (u32 i = 0; i < options->config.groups; i++)
		reader_release(&options->config.group[i].reader);
}

void run_options_help(void)
{
	usage_help(&argp, "contend run",
		   ARGP_HELP_SHORT_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_LONG | ARGP_HELP_POST_DOC);
}

void run_options_list(void)
{
	usage_help(&argp, "contend", ARGP_HELP_LONG | ARGP_HELP_POST_DOC);
}
