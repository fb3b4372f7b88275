// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "cli/compare_options.h"
#include "cli/cpus.h"
#include "cli/job.h"
#include "cli/parse.h"
#include "cli/usage.h"
#include "measure/first_check.h"
#include "writers/kinds.h"

#define DEFAULT_HZ	    1000
#define DEFAULT_DURATION_NS (10ull * NSEC_PER_SEC)
#define DURATION_MIN_NS	    10000000
#define DURATION_MAX_NS	    (24ull * 3600 * NSEC_PER_SEC)
/* Differences that do not matter, unless told otherwise, in percent. */
#define DEFAULT_RESOLUTION 0.5
/* What is asked for in percent cannot be narrower: no machine that was seen can do it. */
#define PERCENT_MIN 0.001
#define PERCENT_MAX 50

enum key {
	KEY_READERS = 'r',
	KEY_DURATION = 'd',
	KEY_QUIET = 'q',
	KEY_HELP = 'h',
	KEY_HZ = 256,
	KEY_WRITER,
	KEY_CPUS,
	KEY_WRITER_CPU,
	KEY_PRIORITY,
	KEY_WORK,
	KEY_SEED,
	KEY_CLOCKSOURCE,
	KEY_PRECISION,
	KEY_MAX_TIME,
	KEY_RESOLUTION,
	KEY_STILL,
	KEY_NULL,
	KEY_FORMAT,
	KEY_JSON,
};

static const struct argp_option options_table[] = {
	{NULL, 0, NULL, 0, "The job:", 1},
	{"readers", KEY_READERS, "N", 0, "Threads that read at once: 1 to 64; default 1", 0},
	{"hz", KEY_HZ, "H", 0,
	 "Updates of the page per second: 1 to 10000000, or 0 for no writer; default 1000", 0},
	{"writer", KEY_WRITER, "SPEC", 0,
	 "Who updates the page, name[:key=value,...], see contend list writers; default tick", 0},
	{"work", KEY_WORK, "KIND", 0,
	 "What is done between two reads, as for contend run. Its cost, timed in blocks of its "
	 "own, "
	 "is taken out of the reads'. Default none",
	 0},
	{"clocksource", KEY_CLOCKSOURCE, "SPEC", 0,
	 "Counter that time is made of, see contend list clocksources; default the best there is",
	 0},
	{"still", KEY_STILL, NULL, 0,
	 "Leave the code of each reader where it was put first. What is found is then of that "
	 "place, "
	 "and may be luck of placement. Default: move it to a new place again and again, and "
	 "measure "
	 "at each place twice",
	 0},
	{"null", KEY_NULL, NULL, 0,
	 "Compare one reader with itself, and tell whether this machine is fit to measure on", 0},
	{"seed", KEY_SEED, "N", 0, "Of all that is random: 0 to 4294967295; default 1", 0},

	{NULL, 0, NULL, 0, "Time and place:", 2},
	{"duration", KEY_DURATION, "T", 0, "How long to compare: 10ms to 24h; default 10s", 0},
	{"precision", KEY_PRECISION, "P%", 0,
	 "Compare until all 95 % intervals are that narrow, +- 0.1% for instance, or --max-time is "
	 "over",
	 0},
	{"max-time", KEY_MAX_TIME, "T", 0, "The end of --precision; default 5m", 0},
	{"resolution", KEY_RESOLUTION, "P%", 0,
	 "Differences up to this do not matter: if the interval holds 0 and nothing larger than "
	 "this, the verdict is \"no difference larger than X\"; one that lies on one side of 0 is "
	 "faster or slower, however small. Default 0.5%, or the precision",
	 0},
	{"cpus", KEY_CPUS, "LIST", 0, "CPUs of the readers, as for contend run", 0},
	{"writer-cpu", KEY_WRITER_CPU, "N", 0, "CPU of the writer, as for contend run", 0},
	{"priority", KEY_PRIORITY, "P", 0,
	 "Real-time priority of the writer, 1 to 99, or none, as for contend run", 0},

	{NULL, 0, NULL, 0, "Output:", 3},
	{"format", KEY_FORMAT, "text|commit", 0,
	 "Text, or the table that kernel commit messages use; default text", 0},
	USAGE_JSON(KEY_JSON),
	USAGE_QUIET(KEY_QUIET),
	USAGE_HELP(KEY_HELP),
	{0},
};

/* Beside what is to be filled, what can be understood only when all arguments are known. */
struct parse {
	struct compare_options *options;
	struct errmsg *err;
	const char *writer; /* NULL: not given */
	u64 hz;
	bool hz_given;
	u64 duration_ns; /* 0: not given */
	u64 max_time_ns; /* 0: not given */
	size_t specs;
};

/* 0.1% or 0.1. */
static int parse_percent(const char *text, double *percent, struct errmsg *err)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || (*end == '%' ? end[1] : end[0]) ||
	    !(value >= PERCENT_MIN && value <= PERCENT_MAX))
		return errmsg_set(err, "%s is not a percentage from %g%% to %d%%",
				  value_quote(text).text, PERCENT_MIN, PERCENT_MAX);
	*percent = value;
	return 0;
}

static int parse_format(const char *text, enum compare_format *format, struct errmsg *err)
{
	if (strcmp(text, "text") == 0)
		*format = COMPARE_TEXT;
	else if (strcmp(text, "commit") == 0)
		*format = COMPARE_COMMIT;
	else
		return errmsg_set(err, "%s is neither text nor commit", value_quote(text).text);
	return 0;
}

static int parse_threads(const char *text, u32 *threads, struct errmsg *err)
{
	u64 value;

	if (parse_count(text, 1, COMPARE_MAX_THREADS, &value, err))
		return -1;
	*threads = (u32)value;
	return 0;
}

static int parse_hz(const char *text, struct parse *parse, struct errmsg *err)
{
	if (parse_count(text, 0, WRITER_MAX_HZ, &parse->hz, err))
		return -1;
	parse->hz_given = true;
	return 0;
}

/* How it is measured. 0, -1 with a sentence in *err, or ARGP_ERR_UNKNOWN. */
static int take_measure(struct parse *parse, int key, const char *value, struct errmsg *err)
{
	struct compare_config *config = &parse->options->config;

	switch (key) {
	case KEY_DURATION:
		return parse_duration(value, DURATION_MIN_NS, DURATION_MAX_NS, &parse->duration_ns,
				      err);
	case KEY_MAX_TIME:
		return parse_duration(value, DURATION_MIN_NS, DURATION_MAX_NS, &parse->max_time_ns,
				      err);
	case KEY_PRECISION:
		return parse_percent(value, &config->precision_percent, err);
	case KEY_RESOLUTION:
		return parse_percent(value, &config->resolution_percent, err);
	case KEY_STILL:
		config->placement_still = true;
		return 0;
	case KEY_NULL:
		parse->options->null = true;
		return 0;
	case KEY_FORMAT:
		return parse_format(value, &parse->options->format, err);
	case KEY_JSON:
		parse->options->json = value;
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

/* What is measured. The same. */
static int take_job(struct parse *parse, int key, const char *value, struct errmsg *err)
{
	struct run_config *run = &parse->options->config.run;

	switch (key) {
	case KEY_READERS:
		return parse_threads(value, &run->group[0].readers, err);
	case KEY_HZ:
		return parse_hz(value, parse, err);
	case KEY_WRITER:
		if (parse->writer)
			return errmsg_set(err, "a second one: a comparison has one writer");
		parse->writer = value;
		return 0;
	case KEY_WORK:
		return parse_work(value, &run->group[0].work, err);
	case KEY_CLOCKSOURCE:
		return job_parse_clocksource(value, run, err);
	case KEY_SEED:
		return parse_count(value, 0, JOB_SEED_MAX, &run->seed, err);
	case KEY_CPUS:
		return job_parse_cpus(value, &run->group[0], err);
	case KEY_WRITER_CPU:
		return cpus_parse_one(value, &run->writer_cpu, err);
	case KEY_PRIORITY:
		return job_parse_priority(value, &run->priority, err);
	default:
		return take_measure(parse, key, value, err);
	}
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct parse *parse = state->input;
	struct errmsg err;
	int result;

	if (key == ARGP_KEY_ARG) {
		parse->options->spec[parse->specs++] = value;
		return 0;
	}
	result = take_job(parse, key, value, &err);
	return result >= 0 ? result : usage_refuse(options_table, key, &err, parse->err);
}

static const struct argp argp = {
	.options = options_table,
	.parser = parse_option,
	.args_doc = "BASELINE READER...",
	.doc = "Is this reader faster than that one? Blocks of reads of all of them, next to each "
	       "other and in random order, in the same thread and under the same writer, at one "
	       "placement of their code after the other.\v"
	       "BASELINE and each READER, up to 7 of them, are what contend run takes for "
	       "--reader: "
	       "hres:hint=none, hres@cc=clang,cflags=-O3, ./my.c, image:FILE. Sources are "
	       "compiled, "
	       "and code is RUN with all your rights: name no file that you would not run.\n\n"
	       "Times are of the usual block of reads; retries are counted apart, in blocks that "
	       "are "
	       "not timed. Before it is timed, and at each new place, a reader must return what "
	       "the page says, to the nanosecond, on a page that nobody updates; whether it can "
	       "return a mixture of two updates is not looked for: contend run does that.\n\n"
	       "Exit status: 0 all well, whatever the verdict, --null's too; 1 usage, or a reader "
	       "or the environment cannot do what was asked, though the other readers are compared "
	       "all the same; 3 a reader's code crashed, did not return, or returned a wrong value "
	       "after the comparison had begun, or the writer left the sequence odd; 130 "
	       "interrupted, after printing what there is.",
};

static int refuse_writer_options(const struct parse *parse)
{
	const struct run_config *run = &parse->options->config.run;
	const char *option = parse->writer		      ? "--writer"
			     : run->writer_cpu >= 0	      ? "--writer-cpu"
			     : run->priority != PRIORITY_AUTO ? "--priority"
							      : NULL;

	if (!option)
		return 0;
	return errmsg_set(parse->err, "%s: it is of a writer, and with --hz 0 there is none",
			  option);
}

static int resolve_writer(struct parse *parse)
{
	struct compare_config *config = &parse->options->config;
	struct writer_choice choice;
	struct errmsg err;

	if (writer_resolve(parse->writer ? parse->writer : "tick", &choice, &err))
		return errmsg_set(parse->err, "--writer: %s", err.text);
	if (choice.hz && parse->hz_given)
		return errmsg_set(parse->err, "--hz: given twice, here and as hz= of --writer");
	if ((!writer_has_rate(choice.kind) || writer_is_endless(&choice)) && parse->hz_given &&
	    parse->hz)
		return errmsg_set(parse->err,
				  "--hz: writer '%s' has no rate: %s says how often it acts",
				  choice.kind->name,
				  writer_is_endless(&choice) ? "burst= and hz=" : "every=");
	if (choice.kind->interrupts || choice.kind->exchanges)
		return errmsg_set(parse->err,
				  "--writer: '%s' acts upon the readers of contend run, which "
				  "compare has not",
				  choice.kind->name);
	config->has_writer = !parse->hz_given || parse->hz;
	if (!choice.hz)
		choice.hz = !parse->hz_given ? DEFAULT_HZ : parse->hz ? parse->hz : WRITER_MIN_HZ;
	config->run.writers = 1;
	config->run.writer[0] = choice;
	return config->has_writer ? 0 : refuse_writer_options(parse);
}

/* Where no text is printed it has no format. */
static int check_format(const struct compare_options *options, struct errmsg *err)
{
	const bool is_json = options->json && strcmp(options->json, "-") == 0;

	if (options->format != COMPARE_COMMIT || !(options->quiet || is_json))
		return 0;
	return errmsg_set(err, "--format: commit is a format of the text, and %s leaves that out",
			  options->quiet ? "--quiet" : "--json -");
}

/* One that cannot take part does not keep the others from it, but for the first. */
static int resolve_reader(struct compare_options *options, size_t spec, struct errmsg *err)
{
	struct compare_config *config = &options->config;
	struct reader *reader = &options->reader[config->readers];
	struct errmsg why;

	if (!reader_resolve(options->spec[spec], reader, &why) &&
	    !job_check_counter(reader, config->run.clocksource, &why) &&
	    !first_check(reader, config->run.clocksource, &why)) {
		options->spec[config->readers] = options->spec[spec];
		config->reader[config->readers++] = reader;
		return 0;
	}
	reader_release(reader);
	if (spec == 0)
		return errmsg_set(err,
				  "the baseline cannot take part, so nothing is compared: %.400s",
				  why.text);
	options->refused_spec[options->refused] = options->spec[spec];
	options->refusal[options->refused++] = why;
	return 0;
}

static int resolve_readers(struct compare_options *options, size_t specs, struct errmsg *err)
{
	if (options->null && specs != 1)
		return errmsg_set(err,
				  "--null: one reader is wanted, to be compared with itself, "
				  "not %zu",
				  specs);
	if (options->null)
		options->spec[specs++] = options->spec[0];
	if (specs < 2)
		return errmsg_set(err, "two readers are wanted at least, a baseline and another: "
				       "contend compare hres:hint=none hres, for instance");
	for (size_t i = 0; i < specs; i++)
		if (resolve_reader(options, i, err))
			return -1;
	if (options->config.readers < 2) {
		for (size_t i = 0; i + 1 < options->refused; i++)
			usage_complain(&options->refusal[i]);
		return errmsg_set(err, "%s", options->refusal[options->refused - 1].text);
	}
	options->config.run.group[0].reader = options->reader[0];
	return 0;
}

static int settle_times(struct parse *parse)
{
	struct compare_config *config = &parse->options->config;
	const bool precise = config->precision_percent > 0;

	if (precise && parse->duration_ns)
		return errmsg_set(parse->err,
				  "--duration: --precision decides how long to compare, "
				  "--max-time at the latest");
	if (!precise && parse->max_time_ns)
		return errmsg_set(parse->err, "--max-time: only --precision has one; --duration "
					      "tells how long to compare");
	if (config->resolution_percent <= 0)
		config->resolution_percent =
			precise ? config->precision_percent : DEFAULT_RESOLUTION;
	config->duration_ns = precise ? 30 * DEFAULT_DURATION_NS : DEFAULT_DURATION_NS;
	if (parse->duration_ns || parse->max_time_ns)
		config->duration_ns = precise ? parse->max_time_ns : parse->duration_ns;
	return 0;
}

int compare_options_parse(int argc, char **argv, struct compare_options *options,
			  struct errmsg *err)
{
	struct parse parse = {.options = options, .err = err};

	*options = (struct compare_options){
		.config.run =
			{
				.groups = 1,
				.group = {{.name = "readers", .readers = 1}},
				.clocksource = clocksource_default(),
				.writer_cpu = -1,
				.priority = PRIORITY_AUTO,
				.payload = PAYLOAD_TIME,
				.seed = 1,
			},
	};
	if (usage_check(options_table, COMPARE_MAX_READERS, argc, argv, err) ||
	    argp_parse(&argp, argc, argv, USAGE_ARGP_FLAGS, NULL, &parse))
		return -1;
	if (options->help)
		return 0;
	if (resolve_writer(&parse) || settle_times(&parse) || check_format(options, err) ||
	    job_check_memory(&options->config.run, err))
		return -1;
	return resolve_readers(options, parse.specs, err);
}

const struct argp_option *compare_options_find(const char *name)
{
	const struct argp_option *option = options_table;

	for (; option->name || option->doc; option++) {
		if (!option->name || strcmp(option->name, name) != 0)
			continue;
		switch (option->key) {
		case KEY_NULL:
		case KEY_FORMAT:
		case KEY_JSON:
		case KEY_QUIET:
		case KEY_HELP:
			return NULL;
		default:
			return option;
		}
	}
	return NULL;
}

int compare_options_try(const struct argp_option *option, const char *value, struct errmsg *err)
{
	struct compare_options options = {.config.run = {.groups = 1, .group = {{.readers = 1}}}};
	struct parse parse = {.options = &options, .err = err};
	struct writer_choice choice;

	switch (option->key) {
	case KEY_WORK:
	case KEY_CLOCKSOURCE:
	case KEY_CPUS:
	case KEY_WRITER_CPU:
		return 0;
	default:
		break;
	}
	if (take_job(&parse, option->key, value, err))
		return -1;
	return parse.writer ? writer_resolve(parse.writer, &choice, err) : 0;
}

void compare_options_release(struct compare_options *options)
{
	for (size_t i = 0; i < options->config.readers; i++)
		reader_release(&options->reader[i]);
	options->config.readers = 0;
}

void compare_options_help(void)
{
	usage_help(&argp, "contend compare",
		   ARGP_HELP_SHORT_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_LONG | ARGP_HELP_POST_DOC);
}
