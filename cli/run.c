// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "cli/command.h"
#include "cli/drawing.h"
#include "cli/json_file.h"
#include "cli/run_options.h"
#include "cli/signals.h"
#include "cli/usage.h"
#include "report/json.h"
#include "report/run_ktap.h"
#include "report/status.h"
#include "report/text.h"

struct whole_result {
	const struct run_config *config;
	const struct expect *expect;
	const struct run_result *result;
};

static int write_json(FILE *out, const void *argument, struct errmsg *err)
{
	const struct whole_result *whole = argument;

	return report_run_json(out, whole->config, whole->result, whole->expect, err);
}

/* The remarks go between the parts of the text, to another stream that may be the same terminal. */
static void print_result(const struct run_options *options, const struct json_file *json,
			 const struct run_result *result)
{
	const struct run_config *config = &options->config;
	const bool ktap = options->format == OUTPUT_KTAP;
	const bool text = !ktap && !json_file_is_stdout(json);

	if (options->quiet)
		return;
	if (text)
		report_text_head(stdout, config, result);
	fflush(stdout);
	report_remarks(stderr, result);
	if (text) {
		report_text_figures(stdout, config, result);
		report_text_expect(stdout, &options->expect, config, result);
	}
	if (ktap)
		report_run_ktap(stdout, config, &options->expect, result);
	fflush(stdout);
}

static int execute(const struct run_options *options, const struct json_file *json,
		   struct run_result *result, struct errmsg *err)
{
	const struct run_config *config = &options->config;
	struct drawing drawing;
	int failed;

	drawing_start(&drawing, json, config->warmup_ns + config->duration_ns, options->quiet);
	failed = run_execute(config, drawing_draw, &drawing, result, err);
	drawing_end(&drawing);
	if (!failed && result->outcome == RUN_INTERRUPTED)
		signals_stopped();
	return failed;
}

static void complain_of_no_read(const struct run_result *result)
{
	static const char says_nothing[] = "no read was measured, so the run says nothing";
	struct errmsg err;

	if (result->all.total.fallbacks)
		errmsg_set(&err, "%s: the reader always calls the system instead", says_nothing);
	else if (result->all.kept)
		errmsg_set(&err, "%s: %u of %u readers waited for the writer all that time",
			   says_nothing, result->all.kept, result->all.readers);
	else if (result->all.starved)
		errmsg_set(&err,
			   "%s: %u of %u readers were given no CPU in the measured time; give it "
			   "more time or more CPUs, fewer readers, or a machine less busy",
			   says_nothing, result->all.starved, result->all.readers);
	else
		errmsg_set(&err, "%s: give it more time, or fewer readers", says_nothing);
	usage_complain(&err);
}

static int report(const struct run_options *options, struct json_file *json,
		  const struct run_result *result)
{
	const struct whole_result whole = {&options->config, &options->expect, result};
	const int status = (int)expect_status(&options->expect, &options->config, result);

	print_result(options, json, result);
	if (status == STATUS_USAGE)
		complain_of_no_read(result);
	return json_file_report(json, write_json, &whole, status);
}

static int run(const struct run_options *options, struct errmsg *err)
{
	struct run_result result;
	struct json_file json;
	int status;

	signals_handle();
	if (json_file_open(&json, options->json, err))
		return -1;
	if (execute(options, &json, &result, err)) {
		json_file_abandon(&json);
		return -1;
	}
	status = report(options, &json, &result);
	run_result_release(&result);
	return status;
}

int command_run(int argc, char **argv)
{
	struct run_options options;
	struct errmsg err;
	int status = STATUS_WELL;

	if (run_options_parse(argc, argv, &options, &err))
		status = -1;
	else if (options.help)
		run_options_help();
	else
		status = run(&options, &err);
	run_options_release(&options);
	return status < 0 ? usage_complain(&err) : status;
}
