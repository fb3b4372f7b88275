// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/progress.h"
#include "cli/run_options.h"
#include "cli/usage.h"
#include "report/json.h"
#include "report/status.h"
#include "report/text.h"

static int cannot_write(const char *path, const char *why, struct errmsg *err)
{
	return errmsg_set(err, "--json: cannot write '%.200s': %s", path, why);
}

/*
 * Opens the file before the run, so that no run is lost to a mistyped path. It is emptied when the
 * run begins. *file is NULL when no file is wanted; *created tells whether there was none before.
 */
static int open_json(const char *path, FILE **file, bool *created, struct errmsg *err)
{
	const int flags = O_WRONLY | O_CREAT | O_CLOEXEC;
	int descriptor;

	*file = NULL;
	*created = false;
	if (!path || strcmp(path, "-") == 0)
		return 0;
	descriptor = open(path, flags | O_EXCL, 0666);
	*created = descriptor >= 0;
	if (descriptor < 0)
		descriptor = open(path, flags, 0666);
	if (descriptor < 0)
		return cannot_write(path, strerror(errno), err);
	*file = fdopen(descriptor, "w");
	if (*file)
		return 0;
	close(descriptor);
	return cannot_write(path, strerror(errno), err);
}

static int write_to(FILE *file, const struct run_options *options, const struct run_result *result,
		    struct errmsg *err)
{
	struct errmsg why;

	if (report_run_json(file, &options->config, result, &why))
		return cannot_write(options->json, why.text, err);
	return 0;
}

/* Writes and closes the file, if there is one, or writes to standard output, if that is wanted. */
static int write_json(FILE *file, const struct run_options *options,
		      const struct run_result *result, struct errmsg *err)
{
	int failed;

	if (!options->json)
		return 0;
	if (!file) {
		failed = report_run_json(stdout, &options->config, result, err);
		/* main complains of standard output, once for all. */
		return ferror(stdout) ? 0 : failed;
	}
	failed = write_to(file, options, result, err);
	/* Some file systems say only now that there was no room. */
	if (fclose(file) && !failed)
		failed = cannot_write(options->json, strerror(errno), err);
	return failed;
}

/* The remarks go between the parts of the text, to another stream that may be the same terminal. */
static void print_result(const struct run_options *options, const struct run_result *result)
{
	const struct run_config *config = &options->config;
	const bool text = !options->json || strcmp(options->json, "-") != 0;

	if (options->quiet)
		return;
	if (text)
		report_text_head(stdout, config, result);
	fflush(stdout);
	report_remarks(stderr, result);
	if (text)
		report_text_figures(stdout, config, result);
	fflush(stdout);
}

/* Whether there is a result to lose; and till then, what a signal has to tidy up. */
static volatile sig_atomic_t running;
static const char *volatile new_file;
static int json_descriptor = -1;

/*
 * Before the run a signal ends the process at once, as it would by itself. In the run the signals
 * are the run's. The first that comes later finds the result about to be printed, and waits for
 * that; the next one ends the process.
 */
static void on_signal(int signal)
{
	(void)signal;
	if (running)
		return;
	if (new_file)
		unlink(new_file);
	_exit(STATUS_INTERRUPTED);
}

/* A signal that whoever started this process chose to ignore stays ignored. */
static void handle(int signal)
{
	struct sigaction old;
	struct sigaction once = {.sa_handler = on_signal,
				 .sa_flags = (int)SA_RESETHAND | SA_RESTART};

	if (sigaction(signal, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(signal, &once, NULL);
}

static void draw(double share_done, double seconds_left, void *context)
{
	/* From now on nobody shall take what an earlier run left there for this one's result. */
	if (!running && json_descriptor >= 0)
		(void)!ftruncate(json_descriptor, 0);
	running = 1;
	progress_draw(share_done, seconds_left, context);
}

static int execute(const struct run_options *options, struct run_result *result, struct errmsg *err)
{
	const struct run_config *config = &options->config;
	struct progress progress;
	int failed;

	progress_start(&progress, config->warmup_ns + config->duration_ns, options->quiet);
	failed = run_execute(config, draw, &progress, result, err);
	progress_end(&progress);
	return failed;
}

/* A result that says more than "all well" outweighs that it could not be written. */
static int report(const struct run_options *options, FILE *json, const struct run_result *result)
{
	const int status = (int)report_status(result);
	struct errmsg err;

	print_result(options, result);
	if (status == STATUS_USAGE) {
		errmsg_set(&err, "no read was measured, so the run says nothing: %s",
			   result->total.fallbacks ? "the reader always calls the system instead"
						   : "give it more time, or fewer readers");
		usage_complain(&err);
	}
	if (!write_json(json, options, result, &err))
		return status;
	usage_complain(&err);
	return status ? status : (int)STATUS_USAGE;
}

static int run(const struct run_options *options, struct errmsg *err)
{
	struct run_result result;
	bool created;
	FILE *json;
	int status;

	handle(SIGINT);
	handle(SIGTERM);
	handle(SIGHUP);
	if (open_json(options->json, &json, &created, err))
		return -1;
	new_file = created ? options->json : NULL;
	json_descriptor = json ? fileno(json) : -1;
	if (execute(options, &result, err)) {
		if (json)
			fclose(json);
		if (created)
			unlink(options->json);
		return -1;
	}
	status = report(options, json, &result);
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
	reader_release(&options.config.reader);
	return status < 0 ? usage_complain(&err) : status;
}
