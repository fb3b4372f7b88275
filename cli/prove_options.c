// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cli/parse.h"
#include "cli/prove_options.h"
#include "cli/usage.h"

#define DEFAULT_LIMIT_NS  (60ull * NSEC_PER_SEC)
#define LIMIT_MIN_NS	  1000000
#define LIMIT_MAX_NS	  (24ull * 3600 * NSEC_PER_SEC)
#define MOST_UPDATES	  8
#define MOST_ATTEMPTS	  8
#define MOST_COUNTER_BITS 31
#define FEWEST_WORDS	  2

enum key {
	KEY_QUIET = 'q',
	KEY_HELP = 'h',
	KEY_WRITER = 256,
	KEY_MODEL,
	KEY_UPDATES,
	KEY_READERS,
	KEY_READS,
	KEY_ATTEMPTS,
	KEY_WORDS,
	KEY_COUNTER_BITS,
	KEY_LIMIT,
	KEY_STRICT,
	KEY_WEAKEN,
	KEY_FORMAT,
	KEY_JSON,
};

static const struct argp_option options_table[] = {
	{NULL, 0, NULL, 0, "What is explored:", 1},
	{"writer", KEY_WRITER, "SPEC", 0,
	 "Who updates: tick, or a mutant of it, as in contend list writers --all; of a lock, tick "
	 "calls what it publishes by. Up to 4 of them, which take turns as they would in contend "
	 "run; no-lock does not. Default tick",
	 0},
	{"model", KEY_MODEL, "sc|tso|weak|all", 0, "The memory model, or all three. Default all",
	 0},
	{"updates", KEY_UPDATES, "N", 0, "Updates of each writer at most, 1 to 8; default 2", 0},
	{"readers", KEY_READERS, "N", 0, "Readers at most, 1 to 4; default 1", 0},
	{"reads", KEY_READS, "N", 0, "Reads of each reader at most, 1 to 8; default 1", 0},
	{"attempts", KEY_ATTEMPTS, "N", 0,
	 "How often a read may load one place from one line of its code, 1 to 8: a loop that goes "
	 "on is cut. Default 2",
	 0},
	{"words", KEY_WORDS, "N", 0,
	 "Words that a lock is given to guard, 2 to 16; default 2. A clock's page is what it is",
	 0},
	{"counter-bits", KEY_COUNTER_BITS, "N", 0,
	 "Sequence counters begin 2 to the power of N before their end, 1 to 31: the page's, and "
	 "those of locks that begin with COUNTER_FIRST, or are to have COUNTER_BITS bits. Default: "
	 "they begin with 0",
	 0},
	{"limit", KEY_LIMIT, "T", 0,
	 "Give up a model after so long, 1ms to 24h, as in 10s, and say so; default 60s", 0},
	{"strict", KEY_STRICT, NULL, 0,
	 "A race of plain accesses is a failure by itself, as C11 has it; else it is told, and "
	 "explored as if they were relaxed atomics, which the kernel counts on",
	 0},
	{"weaken", KEY_WEAKEN, NULL, 0,
	 "If nothing is broken: weaken each barrier and each ordering in turn, and tell which are "
	 "needed",
	 0},

	{NULL, 0, NULL, 0, "Output:", 2},
	OUTPUT_FORMAT_OPTION(KEY_FORMAT),
	USAGE_JSON(KEY_JSON),
	USAGE_QUIET(KEY_QUIET),
	USAGE_HELP(KEY_HELP),
	{0},
};

struct parse {
	struct prove_options *options;
	struct errmsg *err;
};

static int take_model(struct study_config *study, const char *value, struct errmsg *err)
{
	static const char *const names[] = {
		[MODEL_SC] = "sc",
		[MODEL_TSO] = "tso",
		[MODEL_WEAK] = "weak",
	};
	const bool all = strcmp(value, "all") == 0;
	bool any = all;

	for (enum model model = 0; model < MODELS; model++) {
		study->model[model] = all || strcmp(value, names[model]) == 0;
		any |= study->model[model];
	}
	return any ? 0 : errmsg_set(err, "'%.40s' is none of sc, tso, weak, all", value);
}

static int take_count(const char *value, u32 least, u32 most, u32 *count, struct errmsg *err)
{
	u64 number;

	if (parse_count(value, least, most, &number, err))
		return -1;
	*count = (u32)number;
	return 0;
}

static int take_writer(struct prove_options *options, const char *value, struct errmsg *err)
{
	if (options->writers == PROVE_MAX_WRITERS)
		return errmsg_set(err, "given more than %d times", PROVE_MAX_WRITERS);
	options->writer[options->writers++] = value;
	return 0;
}

static int take_limit(struct study_config *study, const char *value, struct errmsg *err)
{
	u64 limit_ns;

	if (parse_duration(value, LIMIT_MIN_NS, LIMIT_MAX_NS, &limit_ns, err))
		return -1;
	study->most_seconds = (double)limit_ns / NSEC_PER_SEC;
	return 0;
}

static int take_bound(struct prove_options *options, int key, const char *value, struct errmsg *err)
{
	struct proof_bounds *most = &options->study.most;

	switch (key) {
	case KEY_UPDATES:
		return take_count(value, 1, MOST_UPDATES, &most->updates, err);
	case KEY_READERS:
		return take_count(value, 1, PROVE_MAX_READERS, &most->readers, err);
	case KEY_READS:
		return take_count(value, 1, GRAPH_MAX_TOLD, &most->reads, err);
	case KEY_ATTEMPTS:
		return take_count(value, 1, MOST_ATTEMPTS, &most->attempts, err);
	case KEY_COUNTER_BITS:
		return take_count(value, 1, MOST_COUNTER_BITS, &options->counter_bits, err);
	case KEY_WORDS:
		return take_count(value, FEWEST_WORDS, LOCK_MAX_WORDS, &options->words, err);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* 0, -1 with a sentence in *err, or ARGP_ERR_UNKNOWN. */
static int take(struct prove_options *options, int key, const char *value, struct errmsg *err)
{
	switch (key) {
	case KEY_WRITER:
		return take_writer(options, value, err);
	case KEY_MODEL:
		return take_model(&options->study, value, err);
	case KEY_LIMIT:
		return take_limit(&options->study, value, err);
	case KEY_STRICT:
		options->study.strict = true;
		return 0;
	case KEY_WEAKEN:
		options->study.weaken = true;
		return 0;
	case KEY_FORMAT:
		return output_format_parse(value, &options->format, err);
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
		options->reader = value;
		return 0;
	default:
		return take_bound(options, key, value, err);
	}
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct parse *parse = state->input;
	struct errmsg err;
	int result = take(parse->options, key, value, &err);

	return result >= 0 ? result : usage_refuse(options_table, key, &err, parse->err);
}

static const struct argp argp = {
	.options = options_table,
	.parser = parse_option,
	.args_doc = "READER",
	.doc = "Can this reader ever return a mixture, on any machine? Explores every execution "
	       "of a few updates and reads that a memory model allows, with the very source that "
	       "run and compare take.\v"
	       "READER is what contend run takes for --reader, but no image: hres, seqcount, "
	       "./lock.c, latch@cc=clang. Code is RUN with all your rights: name no file that you "
	       "would not run.\n\n"
	       "Models: sc, in which threads only take turns; tso, x86's store buffers; weak, what "
	       "C11's atomics and fences leave free (RC11). weak covers arm64, power and riscv but "
	       "for load buffering: a load that takes its value from a store which comes later in "
	       "another thread's program and hangs on nothing. An address that was loaded orders "
	       "nothing either, as in C11: what counts on such a dependency is accused. What the "
	       "compiler may do is what "
	       "this one did: it has compiled the source before it is explored.\n\n"
	       "liburcu's and the C library's own code is not explored: in its place stands code "
	       "that promises the same, a lock or a grace period.\n\n"
	       "Exit status: 0 all holds within these bounds; 1 usage, or what could not be "
	       "explored, or not to the end; 2 something is broken; 130 interrupted, after "
	       "printing what there is.",
};

int prove_options_parse(int argc, char **argv, struct prove_options *options, struct errmsg *err)
{
	struct parse parse = {options, err};

	*options = (struct prove_options){
		.study =
			{
				.model = {true, true, true},
				.most = {.updates = 2, .readers = 1, .reads = 1, .attempts = 2},
				.most_seconds = (double)DEFAULT_LIMIT_NS / NSEC_PER_SEC,
			},
	};
	if (usage_check(options_table, 1, argc, argv, err) ||
	    argp_parse(&argp, argc, argv, USAGE_ARGP_FLAGS, NULL, &parse))
		return -1;
	if (options->help)
		return 0;
	if (!options->reader)
		return errmsg_set(err, "a reader is wanted: contend prove seqcount, for instance");
	if (!options->writers)
		options->writer[options->writers++] = "tick";
	return output_format_check(options->format, options->quiet, "--json", options->json, err);
}

void prove_options_help(void)
{
	usage_help(&argp, "contend prove",
		   ARGP_HELP_SHORT_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_LONG | ARGP_HELP_POST_DOC);
}
