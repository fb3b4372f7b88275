// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/json_file.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/sweep_options.h"
#include "cli/usage.h"
#include "report/sweep_csv.h"
#include "report/sweep_json.h"
#include "report/sweep_resume.h"
#include "report/sweep_text.h"

struct job {
	struct sweep_options options;
	struct sweep_result result;
	struct law law;
	struct law_finding finding[SWEEP_MAX_POINTS];
	struct json_file json;
	struct json_file csv;
	struct progress progress;
	bool begun;
};

static struct swept fit(struct job *job)
{
	sweep_law(&job->result, &job->law, job->finding);
	return (struct swept){&job->options.config, &job->result, &job->law, job->finding};
}

static int write_json(FILE *out, const void *argument, struct errmsg *err)
{
	return report_sweep_json(out, argument, err);
}

static int write_csv(FILE *out, const void *argument, struct errmsg *err)
{
	return report_sweep_csv(out, argument, err);
}

/* What there is so far; that it cannot be written is told at the end, when it is tried again. */
static void keep(const struct sweep_result *result, void *context)
{
	struct job *job = context;
	const struct swept swept = fit(job);
	struct errmsg err;

	(void)result;
	json_file_keep(&job->json, write_json, &swept, &err);
}

static void draw(const struct sweep_progress *progress, void *context)
{
	struct job *job = context;
	char figures[96];

	signals_keep_result();
	if (!job->begun)
		keep(&job->result, job);
	job->begun = true;
	snprintf(figures, sizeof(figures), "point %zu of %zu, %llu Hz with %u reader%s",
		 progress->number, progress->points, (unsigned long long)progress->point->hz,
		 progress->point->readers, progress->point->readers == 1 ? "" : "s");
	progress_draw(progress->share_done, progress->seconds_left, figures, &job->progress);
}

static int execute(struct job *job, struct errmsg *err)
{
	const struct sweep_config *config = &job->options.config;
	const struct sweep_hooks hooks = {
		.progress = draw,
		.keep = keep,
		.context = job,
		.stop = &signals_asked_to_stop,
	};
	int failed;

	progress_start(&job->progress, config->max_time_ns * job->result.points,
		       job->options.quiet);
	failed = sweep_execute(config, &hooks, &job->result, err);
	progress_end(&job->progress);
	if (!failed && job->result.signalled)
		signals_stopped();
	return failed;
}

static bool has_text(const struct job *job)
{
	return !job->options.quiet && !json_file_is_stdout(&job->json) &&
	       !json_file_is_stdout(&job->csv);
}

/* What could not be measured; of what stalled, too, where there is no text to tell it. */
static void complain(const struct sweep_result *result, bool of_stalls)
{
	struct errmsg err;

	for (size_t i = 0; i < result->points; i++) {
		const struct sweep_point *point = &result->point[i];

		if (point->state != SWEEP_FAILED && (point->state != SWEEP_STALLED || !of_stalls))
			continue;
		errmsg_set(&err, "%llu Hz with %u reader%s: %s", (unsigned long long)point->hz,
			   point->readers, point->readers == 1 ? "" : "s", point->why);
		usage_complain(&err);
	}
}

/* The remarks go between the parts of the text, to another stream that may be the same terminal. */
static void print_result(const struct job *job, const struct swept *swept)
{
	if (has_text(job))
		report_sweep_head(stdout, swept);
	fflush(stdout);
	if (!job->options.quiet)
		report_sweep_remarks(stderr, &job->result);
	if (has_text(job))
		report_sweep_figures(stdout, swept);
	fflush(stdout);
	complain(&job->result, !has_text(job));
}

static int report(struct job *job)
{
	const struct swept swept = fit(job);
	const int status = (int)report_sweep_status(&job->result);

	print_result(job, &swept);
	return json_file_report(&job->csv, write_csv, &swept,
				json_file_report(&job->json, write_json, &swept, status));
}

/* What an interrupted sweep has left, before its file is opened for this one. */
static int resume(struct job *job, struct errmsg *err)
{
	struct errmsg why;

	if (!job->options.json ||
	    report_sweep_resume(job->options.json, &job->options.config, &job->result, &why) >= 0)
		return 0;
	return errmsg_set(err, "--json: %.500s", why.text);
}

/* Of JSON last: it is what a signal before the first point removes. */
static int open_files(struct job *job, struct errmsg *err)
{
	if (json_file_open_for(&job->csv, "--csv", job->options.csv, err))
		return -1;
	if (!json_file_open(&job->json, job->options.json, err))
		return 0;
	json_file_abandon(&job->csv);
	return -1;
}

static int sweep(struct job *job, struct errmsg *err)
{
	if (sweep_result_begin(&job->options.config, &job->result, err) || resume(job, err) ||
	    open_files(job, err))
		return -1;
	if (execute(job, err)) {
		json_file_abandon(&job->json);
		json_file_abandon(&job->csv);
		return -1;
	}
	return report(job);
}

int command_sweep(int argc, char **argv)
{
	struct job *job = calloc(1, sizeof(*job));
	struct errmsg err;
	int status = STATUS_WELL;

	signals_handle();
	if (!job) {
		errmsg_set(&err, "no memory for the result");
		return usage_complain(&err);
	}
	if (sweep_options_parse(argc, argv, &job->options, &err))
		status = -1;
	else if (job->options.help)
		sweep_options_help();
	else
		status = sweep(job, &err);
	sweep_result_release(&job->result);
	sweep_options_release(&job->options);
	free(job);
	return status < 0 ? usage_complain(&err) : status;
}
