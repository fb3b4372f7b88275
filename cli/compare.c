// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "cli/command.h"
#include "cli/compare_options.h"
#include "cli/drawing.h"
#include "cli/json_file.h"
#include "cli/signals.h"
#include "cli/usage.h"
#include "report/compare_commit.h"
#include "report/compare_json.h"
#include "report/compare_text.h"
#include "report/status.h"

/* All that is too large for the stack. */
struct job {
	struct compare_options options;
	struct compare_result result;
};

static struct comparison comparison_of(const struct job *job)
{
	return (struct comparison){
		.config = &job->options.config,
		.result = &job->result,
		.spec = job->options.spec,
		.refused = job->options.refused,
		.refused_spec = job->options.refused_spec,
		.refusal = job->options.refusal,
		.null = job->options.null,
	};
}

static int write_json(FILE *out, const void *argument, struct errmsg *err)
{
	return report_compare_json(out, argument, err);
}

/* The remarks go between the parts of the text, to another stream that may be the same terminal. */
static void print_result(const struct compare_options *options, const struct json_file *json,
			 const struct comparison *comparison)
{
	const bool text = !json_file_is_stdout(json);
	const bool commit = options->format == COMPARE_COMMIT;

	if (options->quiet)
		return;
	if (text && !commit)
		report_compare_head(stdout, comparison);
	fflush(stdout);
	report_compare_remarks(stderr, comparison);
	if (text && commit)
		report_compare_commit(stdout, comparison);
	else if (text)
		report_compare_figures(stdout, comparison);
	fflush(stdout);
}

/* What keeps the status from being 0, where a quiet command would say nothing of it. */
static void complain(const struct comparison *comparison)
{
	const struct compare_result *result = comparison->result;
	struct errmsg err;

	if (result->outcome == COMPARE_BROKEN) {
		errmsg_set(&err, "%s", result->broken);
		usage_complain(&err);
	} else if (result->outcome == COMPARE_COMPLETE && !result->visits) {
		errmsg_set(
			&err,
			"nothing was compared to the end: give it more time, or fewer --readers");
		usage_complain(&err);
	}
}

/* A result that says more than "all well" outweighs that it could not be written. */
static int report(const struct job *job, struct json_file *json)
{
	const struct comparison comparison = comparison_of(job);
	const int status = (int)report_compare_status(&comparison);
	struct errmsg err;

	print_result(&job->options, json, &comparison);
	complain(&comparison);
	if (!json_file_write(json, write_json, &comparison, &err))
		return status;
	usage_complain(&err);
	return status ? status : (int)STATUS_USAGE;
}

static int execute(struct job *job, const struct json_file *json, struct errmsg *err)
{
	struct compare_config *config = &job->options.config;
	struct drawing drawing;
	int failed;

	for (size_t i = 0; i < job->options.refused; i++)
		usage_complain(&job->options.refusal[i]);
	drawing_start(&drawing, json, config->duration_ns, job->options.quiet);
	config->figures = drawing.progress.shown;
	failed = compare_execute(config, drawing_draw, &drawing, &signals_asked_to_stop,
				 &job->result, err);
	drawing_end(&drawing);
	return failed;
}

static int compare(struct job *job, struct errmsg *err)
{
	struct json_file json;

	if (json_file_open(&json, job->options.json, err))
		return -1;
	if (!execute(job, &json, err))
		return report(job, &json);
	json_file_abandon(&json);
	return -1;
}

int command_compare(int argc, char **argv)
{
	struct job *job = calloc(1, sizeof(*job));
	struct errmsg err;
	int status = STATUS_WELL;

	signals_handle();
	if (!job)
		status = errmsg_set(&err, "no memory for the result");
	else if (compare_options_parse(argc, argv, &job->options, &err))
		status = -1;
	else if (job->options.help)
		compare_options_help();
	else
		status = compare(job, &err);
	if (job)
		compare_options_release(&job->options);
	free(job);
	return status < 0 ? usage_complain(&err) : status;
}
