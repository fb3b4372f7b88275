// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "cli/parse.h"
#include "cli/usage.h"
#include "cli/verify_options.h"
#include "readers/readers.h"

#define DEFAULT_DURATION_NS 200000000
#define DURATION_MIN_NS	    10000000
#define DURATION_MAX_NS	    (24ull * 3600 * NSEC_PER_SEC)

enum key {
	KEY_DURATION = 'd',
	KEY_QUIET = 'q',
	KEY_HELP = 'h',
	KEY_ONLY = 256,
	KEY_READER,
	KEY_FORMAT,
	KEY_JSON,
};

static const struct argp_option options_table[] = {
	{NULL, 0, NULL, 0, "The job:", 1},
	{"reader", KEY_READER, "SPEC", 0,
	 "Also verify this reader or lock, as contend run takes it, ./mine.c for instance: under "
	 "all loads, payloads and detectors, none of which may accuse it. Up to 16 of them. Code "
	 "is RUN with all your rights: name no file that you would not run",
	 0},
	{"only", KEY_ONLY, "NAME", 0,
	 "The mutant of that name, or what is correct of that reader or writer, and no other; may "
	 "be given for several. Default all. What --reader names is verified in any case: its SPEC "
	 "here leaves out all else",
	 0},
	{"duration", KEY_DURATION, "T", 0,
	 "How long to run each thing that is correct: 10ms to 24h, as in 1s; default 200ms. A run "
	 "that needs a second's end takes 1.2s at least",
	 0},

	{NULL, 0, NULL, 0, "Output:", 2},
	OUTPUT_FORMAT_OPTION(KEY_FORMAT),
	USAGE_JSON(KEY_JSON),
	USAGE_QUIET(KEY_QUIET),
	USAGE_HELP(KEY_HELP),
	{0},
};

struct parse {
	struct verify_options *options;
	struct errmsg *err;
};

static bool has_kind(const struct verify_job *job, const char *kind)
{
	return verify_job_reads(job, kind) || verify_job_writes(job, kind);
}

static bool is_known(const struct verify_options *options, const char *name)
{
	for (size_t i = 0; i < options->readers; i++)
		if (strcmp(options->reader[i], name) == 0)
			return true;
	for (size_t i = 0; i < verify_mutant_count; i++)
		if (strcmp(verify_mutants[i].name, name) == 0)
			return true;
	for (size_t i = 0; i < verify_correct_count; i++)
		if (has_kind(&verify_correct[i], name))
			return true;
	return false;
}

static int take_only(struct verify_options *options, const char *value, struct errmsg *err)
{
	if (options->only_count == VERIFY_MAX_ONLY)
		return errmsg_set(err, "given more than %d times", VERIFY_MAX_ONLY);
	options->only[options->only_count++] = value;
	return 0;
}

static int take_reader(struct verify_options *options, const char *value, struct errmsg *err)
{
	if (options->readers == VERIFY_MAX_READERS)
		return errmsg_set(err, "given more than %d times", VERIFY_MAX_READERS);
	options->reader[options->readers++] = value;
	return 0;
}

static int take(struct verify_options *options, int key, const char *value, struct errmsg *err)
{
	switch (key) {
	case KEY_DURATION:
		return parse_duration(value, DURATION_MIN_NS, DURATION_MAX_NS,
				      &options->duration_ns, err);
	case KEY_ONLY:
		return take_only(options, value, err);
	case KEY_READER:
		return take_reader(options, value, err);
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
	default:
		return ARGP_ERR_UNKNOWN;
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
	.doc = "Can what a run says be trusted on this machine? Runs every mutant, which a "
	       "detector must kill, and every correct reader and writer, which none may accuse; "
	       "and a reader or lock of your own like them.\v"
	       "Detectors: torn (a read returned a mixture of two updates), stale (a read returned "
	       "one that had been replaced before it began), backwards (time ran backwards), jump "
	       "(a clock jumped that may not), stall (readers or writer got nowhere, or the "
	       "sequence "
	       "was left odd), crash. A mutant that does not show within 2 s is tried three times "
	       "in "
	       "all, what is correct and gets stuck once more. What a CPU shows only if it "
	       "reorders loads or "
	       "stores need not show here.\n\n"
	       "Exit status: 0 all mutants that can show here were killed, and nothing correct "
	       "was accused; 1 usage, or something could not be run here, or showed nothing; 2 a "
	       "mutant survived, or something correct was accused; 130 interrupted, after printing "
	       "what there is.",
};

static bool is_chosen(const struct verify_options *options, const struct verify_mutant *mutant)
{
	for (size_t i = 0; i < options->only_count; i++)
		if (strcmp(options->only[i], mutant->name) == 0)
			return true;
	return !options->only_count;
}

static bool is_chosen_job(const struct verify_options *options, const struct verify_job *job)
{
	for (size_t i = 0; i < options->only_count; i++)
		if (has_kind(job, options->only[i]))
			return true;
	return !options->only_count;
}

/* What is in no table may be named after --only. */
static int check_only(const struct verify_options *options, struct errmsg *err)
{
	for (size_t i = 0; i < options->only_count; i++)
		if (!is_known(options, options->only[i]))
			return errmsg_set(err,
					  "--only: '%.60s' is neither a mutant nor a reader or "
					  "writer that is verified; see contend list readers --all "
					  "and list writers --all",
					  options->only[i]);
	return 0;
}

/* Whether it is a lock shows in its code. */
static int choose_own(struct verify_options *options, struct errmsg *err)
{
	struct verify_config *config = &options->config;
	struct reader reader;
	struct errmsg why;

	for (size_t i = 0; i < options->readers; i++) {
		struct verify_job *job = &options->correct[config->corrects];

		if (reader_resolve(options->reader[i], &reader, &why))
			return errmsg_set(err, "--reader: %.500s", why.text);
		config->corrects +=
			verify_own_jobs(options->reader[i], reader_is_lock(&reader), job);
		reader_release(&reader);
	}
	return 0;
}

static int choose(struct verify_options *options, struct errmsg *err)
{
	struct verify_config *config = &options->config;
	const size_t corrects = verify_correct_count + options->readers * VERIFY_MAX_OWN_JOBS;

	options->mutant = calloc(verify_mutant_count, sizeof(*options->mutant));
	options->correct = calloc(corrects, sizeof(*options->correct));
	if (!options->mutant || !options->correct)
		return errmsg_set(err, "no memory for what is to be verified");
	*config = (struct verify_config){
		.mutant = options->mutant,
		.correct = options->correct,
		.reader = options->reader,
		.readers = options->readers,
		.duration_ns = options->duration_ns,
	};
	for (size_t i = 0; i < verify_mutant_count; i++)
		if (is_chosen(options, &verify_mutants[i]))
			options->mutant[config->mutants++] = verify_mutants[i];
	for (size_t i = 0; i < verify_correct_count; i++)
		if (is_chosen_job(options, &verify_correct[i]))
			options->correct[config->corrects++] = verify_correct[i];
	return choose_own(options, err);
}

int verify_options_parse(int argc, char **argv, struct verify_options *options, struct errmsg *err)
{
	struct parse parse = {options, err};

	*options = (struct verify_options){.duration_ns = DEFAULT_DURATION_NS};
	if (usage_check(options_table, 0, argc, argv, err) ||
	    argp_parse(&argp, argc, argv, USAGE_ARGP_FLAGS, NULL, &parse))
		return -1;
	if (options->help)
		return 0;
	if (output_format_check(options->format, options->quiet, "--json", options->json, err) ||
	    check_only(options, err))
		return -1;
	return choose(options, err);
}

void verify_options_release(struct verify_options *options)
{
	free(options->mutant);
	free(options->correct);
}

void verify_options_help(void)
{
	usage_help(&argp, "contend verify",
		   ARGP_HELP_SHORT_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_LONG | ARGP_HELP_POST_DOC);
}
