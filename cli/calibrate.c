// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>

#include "cli/calibrate_options.h"
#include "cli/command.h"
#include "cli/drawing.h"
#include "cli/json_file.h"
#include "cli/signals.h"
#include "cli/usage.h"
#include "report/calibrate_json.h"
#include "report/calibrate_text.h"
#include "report/status.h"

struct whole_result {
	const struct calibrate_config *config;
	const struct calibrate_result *result;
};

static int write_json(FILE *out, const void *argument, struct errmsg *err)
{
	const struct whole_result *whole = argument;

	return report_calibrate_json(out, whole->config, whole->result, err);
}

static int execute(const struct calibrate_options *options, const struct json_file *json,
		   struct calibrate_result *result, struct errmsg *err)
{
	struct drawing drawing;
	int failed;

	drawing_start(&drawing, json, options->config.duration_ns, options->quiet);
	failed = calibrate_execute(&options->config, drawing_draw, &drawing, &signals_asked_to_stop,
				   result, err);
	drawing_end(&drawing);
	return failed;
}

/* The remarks go between the parts of the text, to another stream that may be the same terminal. */
static void print_result(const struct calibrate_options *options, const struct json_file *json,
			 const struct calibrate_result *result)
{
	const bool text = !json_file_is_stdout(json);

	if (options->quiet)
		return;
	if (text)
		report_calibrate_head(stdout, &options->config, result);
	fflush(stdout);
	report_calibrate_remarks(stderr, result);
	if (text)
		report_calibrate_figures(stdout, &options->config, result);
	fflush(stdout);
}

static int report(const struct calibrate_options *options, struct json_file *json,
		  const struct calibrate_result *result)
{
	const struct whole_result whole = {&options->config, result};
	const int status = (int)report_calibrate_status(&options->config, result);

	print_result(options, json, result);
	return json_file_report(json, write_json, &whole, status);
}

static int calibrate(const struct calibrate_options *options, struct errmsg *err)
{
	struct calibrate_result *result = malloc(sizeof(*result));
	struct json_file json;
	int status = -1;

	if (!result)
		return errmsg_set(err, "no memory for the result");
	if (!json_file_open(&json, options->json, err)) {
		if (execute(options, &json, result, err))
			json_file_abandon(&json);
		else
			status = report(options, &json, result);
	}
	free(result);
	return status;
}

int command_calibrate(int argc, char **argv)
{
	struct calibrate_options options;
	struct errmsg err;
	int status = STATUS_WELL;

	signals_handle();
	if (calibrate_options_parse(argc, argv, &options, &err))
		return usage_complain(&err);
	if (options.help)
		calibrate_options_help();
	else
		status = calibrate(&options, &err);
	calibrate_options_release(&options);
	return status < 0 ? usage_complain(&err) : status;
}
