// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "cli/command.h"
#include "cli/drawing.h"
#include "cli/interval_lines.h"
#include "cli/run_files.h"
#include "cli/run_options.h"
#include "cli/signals.h"
#include "cli/usage.h"
#include "report/run_ktap.h"
#include "report/status.h"
#include "report/text.h"

/* What there is to draw and to write while it runs. */
struct watched {
	struct drawing drawing;
	const struct run_files *files;
	struct interval_lines lines;
};

/* The remarks go between the parts of the text, to another stream that may be the same terminal. */
static void print_result(const struct run_options *options, const struct run_files *files,
			 const struct run_result *result)
{
	const struct run_config *config = &options->config;
	const bool ktap = options->format == OUTPUT_KTAP;
	const bool text = !ktap && !run_files_take_stdout(files);

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

/* A progress_fn. */
static void draw(double share_done, double seconds_left, const char *figures, void *context)
{
	struct watched *watched = context;

	if (!watched->drawing.drawn)
		run_files_empty(watched->files);
	drawing_draw(share_done, seconds_left, figures, &watched->drawing);
}

static void take_interval(const struct run_interval *interval, void *context)
{
	struct watched *watched = context;

	interval_lines_print(&watched->lines, interval);
}

/* Where lines come anyway, another that is drawn over and over would be in their way. */
static void start(struct watched *watched, const struct run_options *options,
		  const struct run_files *files)
{
	const struct run_config *config = &options->config;
	const bool is_taken = run_files_take_stdout(files) || options->format == OUTPUT_KTAP;
	FILE *text = is_taken ? stderr : stdout;

	watched->files = files;
	interval_lines_start(&watched->lines, options->quiet ? NULL : text);
	drawing_start(&watched->drawing, &files->json, config->warmup_ns + config->duration_ns,
		      options->quiet || (config->interval_ns && watched->lines.on_terminal));
}

static int execute(const struct run_options *options, const struct run_files *files,
		   struct run_result *result, struct errmsg *err)
{
	struct run_config config = options->config;
	struct watched watched;
	const struct run_hooks hooks = {draw, take_interval, &watched};
	int failed;

	start(&watched, options, files);
	config.publish = config.interval_ns || watched.drawing.progress.shown;
	failed = run_execute(&config, &hooks, result, err);
	drawing_end(&watched.drawing);
	interval_lines_end(&watched.lines);
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

static int report(const struct run_options *options, struct run_files *files,
		  const struct run_result *result)
{
	const int status = (int)expect_status(&options->expect, &options->config, result);

	print_result(options, files, result);
	if (status == STATUS_USAGE)
		complain_of_no_read(result);
	return run_files_report(files, options, result, status);
}

static int run(const struct run_options *options, struct errmsg *err)
{
	struct run_result result;
	struct run_files files;
	int status;

	signals_handle();
	if (run_files_check(options, err) || run_files_open(&files, options, err))
		return -1;
	if (execute(options, &files, &result, err)) {
		run_files_abandon(&files);
		return -1;
	}
	status = report(options, &files, &result);
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
