// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "cli/command.h"
#include "cli/drawing.h"
#include "cli/json_file.h"
#include "cli/signals.h"
#include "cli/usage.h"
#include "cli/verify_options.h"
#include "report/verify_json.h"
#include "report/verify_ktap.h"
#include "report/verify_text.h"

static int write_json(FILE *out, const void *argument, struct errmsg *err)
{
	return report_verify_json(out, argument, err);
}

/* The remarks go between the parts of the text, to another stream that may be the same terminal. */
static void print_result(const struct verify_options *options, const struct json_file *json,
			 const struct verification *verification)
{
	const bool ktap = options->format == OUTPUT_KTAP;
	const bool text = !ktap && !json_file_is_stdout(json);

	if (options->quiet)
		return;
	if (text)
		report_verify_head(stdout, verification);
	fflush(stdout);
	report_verify_remarks(stderr, verification);
	if (text)
		report_verify_figures(stdout, verification);
	if (ktap)
		report_verify_ktap(stdout, verification);
	fflush(stdout);
}

static int verify(const struct verify_options *options, struct errmsg *err)
{
	struct verify_result result;
	const struct verification verification = {&options->config, &result};
	struct drawing drawing;
	struct json_file json;
	int failed, status;

	signals_handle();
	if (json_file_open(&json, options->json, err))
		return -1;
	drawing_start(&drawing, &json, verify_about_ns(&options->config), options->quiet);
	failed = verify_execute(&options->config, drawing_draw, &drawing, &signals_asked_to_stop,
				&result, err);
	drawing_end(&drawing);
	if (failed) {
		json_file_abandon(&json);
		return -1;
	}
	print_result(options, &json, &verification);
	status = json_file_report(&json, write_json, &verification,
				  (int)report_verify_status(&verification));
	verify_result_release(&result);
	return status;
}

int command_verify(int argc, char **argv)
{
	struct verify_options options;
	struct errmsg err;
	int status = STATUS_WELL;

	if (verify_options_parse(argc, argv, &options, &err))
		status = -1;
	else if (options.help)
		verify_options_help();
	else
		status = verify(&options, &err);
	verify_options_release(&options);
	return status < 0 ? usage_complain(&err) : status;
}
