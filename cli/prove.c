// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/drawing.h"
#include "cli/json_file.h"
#include "cli/prove_options.h"
#include "cli/signals.h"
#include "cli/usage.h"
#include "prove/program.h"
#include "report/prove_json.h"
#include "report/prove_ktap.h"
#include "report/prove_text.h"

static int write_json(FILE *out, const void *argument, struct errmsg *err)
{
	return report_prove_json(out, argument, err);
}

static void find_place(void *context, const void *site, struct proven_place *place)
{
	const struct lines_place found = program_place(context, site);
	const char *slash = strrchr(found.file, '/');

	*place = (struct proven_place){.line = (u32)(found.line > 0 ? found.line : 0)};
	snprintf(place->file, sizeof(place->file), "%.127s", slash ? slash + 1 : found.file);
	lines_text(&found, place->text, sizeof(place->text));
}

struct watched {
	struct drawing drawing;
	double limit_s;
};

/* A study_progress_fn. How long it will take nobody knows, but it is no longer than that. */
static void draw(const struct study *study, double seconds, void *context)
{
	struct watched *watched = context;
	const u64 executions = __atomic_load_n(&study->progress.executions, __ATOMIC_RELAXED);
	char figures[96];

	snprintf(figures, sizeof(figures), "%s, %.3g M executions/s", proven_model(study->now),
		 seconds > 0 ? (double)executions / seconds / 1e6 : 0);
	drawing_draw(seconds / watched->limit_s, watched->limit_s - seconds, figures,
		     &watched->drawing);
}

static u32 models_asked(const struct study_config *config)
{
	u32 models = 0;

	for (enum model model = 0; model < MODELS; model++)
		models += config->model[model];
	return models;
}

static void print_result(const struct prove_options *options, const struct json_file *json,
			 const struct proven *proven)
{
	if (options->quiet)
		return;
	report_prove_remarks(stderr, proven);
	if (options->format == OUTPUT_KTAP)
		report_prove_ktap(stdout, proven);
	else if (!json_file_is_stdout(json))
		report_prove(stdout, proven);
	fflush(stdout);
}

static u32 words_of(const struct prove_options *options)
{
	return options->words ? options->words : PROVE_WORDS;
}

static int report(const struct prove_options *options, struct json_file *json,
		  struct program *program, const struct study *study)
{
	const struct proven proven = {
		.reader = options->reader,
		.writer = options->writer,
		.writers = options->writers,
		.words = program_is_lock(program) ? words_of(options) : 0,
		.counter_bits = options->counter_bits,
		.config = &options->study,
		.study = study,
		.place = find_place,
		.context = program,
	};

	print_result(options, json, &proven);
	if (study->end == STUDY_FAILED)
		usage_complain(&study->why);
	return json_file_report(json, write_json, &proven, (int)proven_status(&proven));
}

/* The study of a program, and what is said of it. */
static int study_and_report(const struct prove_options *options, struct json_file *json,
			    struct program *program, struct errmsg *err)
{
	const struct proof_subject subject = program_subject(program);
	struct watched watched = {.limit_s = models_asked(&options->study) *
					     options->study.most_seconds};
	struct study *study;
	int failed, status;

	drawing_start(&watched.drawing, json, (u64)(watched.limit_s * NSEC_PER_SEC),
		      options->quiet);
	failed = study_make(&subject, &options->study, draw, &watched, &signals_asked_to_stop,
			    &study, err);
	drawing_end(&watched.drawing);
	if (failed)
		return -1;
	status = report(options, json, program, study);
	study_release(study);
	return status;
}

/* Of a file it shows only when it is compiled whether it is a lock. */
static int make_program(const struct prove_options *options, struct program **program,
			struct errmsg *err)
{
	const struct program_setup setup = {
		.reader = options->reader,
		.writer = options->writer,
		.writers = (u32)options->writers,
		.words = words_of(options),
		.counter_bits = options->counter_bits,
	};

	if (program_make(&setup, program, err))
		return -1;
	if (!options->words || program_is_lock(*program))
		return 0;
	program_release(*program);
	return errmsg_set(err,
			  "--words: reader '%.100s' is no lock: it reads a page whose fields are "
			  "what they are",
			  options->reader);
}

static int prove(const struct prove_options *options, struct errmsg *err)
{
	struct program *program;
	struct json_file json;
	int status;

	signals_handle();
	if (json_file_open(&json, options->json, err))
		return -1;
	if (make_program(options, &program, err)) {
		json_file_abandon(&json);
		return -1;
	}
	status = study_and_report(options, &json, program, err);
	if (status < 0)
		json_file_abandon(&json);
	program_release(program);
	return status;
}

int command_prove(int argc, char **argv)
{
	struct prove_options options;
	struct errmsg err;
	int status = STATUS_WELL;

	if (prove_options_parse(argc, argv, &options, &err))
		status = -1;
	else if (options.help)
		prove_options_help();
	else
		status = prove(&options, &err);
	return status < 0 ? usage_complain(&err) : status;
}
