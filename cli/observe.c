// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "cli/command.h"
#include "cli/drawing.h"
#include "cli/json_file.h"
#include "cli/observe_options.h"
#include "cli/scenario_save.h"
#include "cli/signals.h"
#include "cli/usage.h"
#include "report/observe_json.h"
#include "report/observe_text.h"
#include "report/status.h"

struct whole_result {
	const struct observe_config *config;
	const struct observe_result *result;
	int status;
};

static int write_json(FILE *out, const void *argument, struct errmsg *err)
{
	const struct whole_result *whole = argument;

	return report_observe_json(out, whole->config, whole->result, whole->status, err);
}

/* The remarks go between the parts of the text, to another stream that may be the same terminal. */
static void print_result(const struct observe_options *options, bool text,
			 const struct observe_result *result)
{
	if (options->quiet)
		return;
	if (text)
		report_observe_head(stdout, &options->config, result);
	fflush(stdout);
	report_observe_remarks(stderr, result);
	if (text)
		report_observe_figures(stdout, result);
	fflush(stdout);
}

static int execute(const struct observe_options *options, const struct json_file *json,
		   struct observe_result *result, struct errmsg *err)
{
	const struct observe_config *config = &options->config;
	struct drawing drawing;
	int failed;

	drawing_start(&drawing, json, config->duration_ns + config->simulate_ns, options->quiet);
	failed = observe_execute(config, drawing_draw, &drawing, result, err);
	drawing_end(&drawing);
	if (!failed && result->run.interrupted)
		signals_stopped();
	return failed;
}

static int report(const struct observe_options *options, struct json_file *json,
		  const struct observe_result *result)
{
	struct whole_result whole = {&options->config, result, STATUS_WELL};
	int status = result->outcome == RUN_INTERRUPTED ? STATUS_INTERRUPTED : STATUS_WELL;
	struct errmsg err;

	print_result(options, !json_file_is_stdout(json), result);
	if (options->save && scenario_save(options->save, &options->config, result, &err)) {
		usage_complain(&err);
		/* An observation that was interrupted says so, whatever else went wrong. */
		status = status ? status : STATUS_USAGE;
	}
	whole.status = status;
	return json_file_report(json, write_json, &whole, status);
}

static int observe(struct observe_options *options, struct errmsg *err)
{
	struct observe_result result;
	struct json_file json;
	int status;

	signals_handle();
	options->config.stop = &signals_asked_to_stop;
	if ((options->save && scenario_save_check(options->save, err)) ||
	    json_file_open(&json, options->json, err))
		return -1;
	if (execute(options, &json, &result, err)) {
		json_file_abandon(&json);
		return -1;
	}
	status = report(options, &json, &result);
	observe_result_release(&result);
	return status;
}

int command_observe(int argc, char **argv)
{
	struct observe_options options;
	struct errmsg err;
	int status = STATUS_WELL;

	if (observe_options_parse(argc, argv, &options, &err))
		return usage_complain(&err);
	if (options.help)
		observe_options_help();
	else
		status = observe(&options, &err);
	return status < 0 ? usage_complain(&err) : status;
}
