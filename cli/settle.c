// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/argument.h"
#include "cli/command.h"
#include "cli/compare_options.h"
#include "cli/drawing.h"
#include "cli/json_file.h"
#include "cli/settle_inspect.h"
#include "cli/settle_options.h"
#include "cli/signals.h"
#include "cli/usage.h"
#include "report/settle_json.h"
#include "report/settle_text.h"
#include "sim/monotonic.h"
#include "sim/types.h"

/* The command's name, each option, the duration, --, and the readers. */
#define MAX_ARGUMENTS (ARGUMENT_MAX_OPTIONS + ARGUMENT_MAX_READERS + 3)

/* What is done for one section; all of them live until the report is written. */
struct part {
	const struct argument_section *section;
	char *argument[MAX_ARGUMENTS]; /* as those of contend compare */
	int arguments;
	bool ready; /* its readers have been made */
	struct compare_options options;
	struct compare_result result;
	struct comparison comparison;
};

struct job {
	struct settle_options options;
	struct argument argument;
	struct part *part[ARGUMENT_MAX_SECTIONS];
	struct settled settled[ARGUMENT_MAX_SECTIONS];
	struct settlement settlement;
	struct json_file json;
	struct drawing drawing;
	/* Of comparisons. */
	u64 whole_ns;
	u64 done_ns;
	u64 current_ns;
	const char *current; /* its name */
};

static bool has_text(const struct job *job)
{
	return !job->options.quiet && !json_file_is_stdout(&job->json);
}

/* What keeps a section from its result. */
static void refuse(struct job *job, struct settled *settled, const char *why)
{
	struct errmsg line;

	errmsg_set(&settled->why, "%s", why);
	errmsg_set(&line, "%.100s:%d: [%s %s]: %s", job->options.file, settled->line,
		   settled->is_inspection ? "inspect" : "compare", settled->name, why);
	usage_complain(&line);
}

static int add_argument(struct part *part, const char *name, const char *value, struct errmsg *err)
{
	char **place = &part->argument[part->arguments];

	if (asprintf(place, "%s%s%s", name, value && *name ? "=" : "", value ? value : "") < 0) {
		*place = NULL;
		return errmsg_set(err, "no memory for what is to be compared");
	}
	part->arguments++;
	return 0;
}

/* How long to compare is for --duration alone to say, if it is given. */
static bool is_overridden(const struct job *job, const char *option)
{
	return job->options.duration &&
	       (strcmp(option, "duration") == 0 || strcmp(option, "precision") == 0 ||
		strcmp(option, "max-time") == 0);
}

static int add_arguments(const struct job *job, struct part *part, struct errmsg *err)
{
	const struct argument_section *section = part->section;
	char name[INI_MAX_NAME + 3];

	if (add_argument(part, "compare", NULL, err))
		return -1;
	for (size_t i = 0; i < section->options; i++) {
		const struct argument_option *option = &section->option[i];

		snprintf(name, sizeof(name), "--%s", option->option->name);
		if (!is_overridden(job, option->option->name) &&
		    add_argument(part, name, option->value, err))
			return -1;
	}
	if (job->options.duration && add_argument(part, "--duration", job->options.duration, err))
		return -1;
	if (add_argument(part, "--", NULL, err))
		return -1;
	for (size_t i = 0; i < section->readers; i++)
		if (add_argument(part, "", section->reader[i], err))
			return -1;
	return 0;
}

/* Makes the readers. Those that cannot be made here do not keep the rest from being compared. */
static void prepare(struct job *job, size_t which)
{
	struct part *part = job->part[which];
	struct settled *settled = &job->settled[which];
	struct errmsg why;

	if (part->section->is_inspection)
		return;
	if (add_arguments(job, part, &why) ||
	    compare_options_parse(part->arguments, part->argument, &part->options, &why)) {
		/* What was interrupted could have been done. */
		if (!signals_asked_to_stop)
			refuse(job, settled, why.text);
		return;
	}
	part->ready = true;
	job->whole_ns += part->options.config.duration_ns;
}

/* A progress_fn: of all comparisons. The last visit of one may take it beyond its time. */
static void draw(double share_done, double seconds_left, const char *figures, void *context)
{
	struct job *job = context;
	char text[128];
	const double done_ns = (double)job->done_ns + fmin(share_done, 1) * (double)job->current_ns;
	const u64 later_ns = job->whole_ns - job->done_ns - job->current_ns;

	snprintf(text, sizeof(text), "%.40s%s%.80s", job->current, *figures ? ", " : "", figures);
	drawing_draw(done_ns / (double)job->whole_ns,
		     fmax(seconds_left, 0) + (double)later_ns / NSEC_PER_SEC, text, &job->drawing);
}

static void compare(struct job *job, struct part *part, struct settled *settled)
{
	struct compare_options *options = &part->options;
	struct errmsg why;

	job->current_ns = options->config.duration_ns;
	job->current = settled->name;
	drawing_start(&job->drawing, &job->json, job->whole_ns, job->options.quiet);
	options->config.figures = job->drawing.progress.shown;
	if (compare_execute(&options->config, draw, job, &signals_asked_to_stop, &part->result,
			    &why)) {
		drawing_end(&job->drawing);
		refuse(job, settled, why.text);
	} else {
		drawing_end(&job->drawing);
		part->comparison = (struct comparison){
			.config = &options->config,
			.result = &part->result,
			.spec = options->spec,
		};
		settled->comparison = &part->comparison;
	}
	job->done_ns += job->current_ns;
}

/* What keeps the status from being 0, where a quiet command would say nothing of it. */
static void complain(const struct job *job, const struct settled *settled)
{
	const struct compare_result *result = settled->comparison->result;
	struct errmsg err;

	if (result->outcome == COMPARE_BROKEN)
		errmsg_set(&err, "%.100s:%d: [compare %s]: %s", job->options.file, settled->line,
			   settled->name, result->broken);
	else if (result->outcome == COMPARE_COMPLETE && !result->visits)
		errmsg_set(&err,
			   "%.100s:%d: [compare %s]: nothing was compared to the end: give it more "
			   "time",
			   job->options.file, settled->line, settled->name);
	else
		return;
	usage_complain(&err);
}

static void inspect(struct job *job, struct part *part, struct settled *settled)
{
	struct errmsg why;

	if (settle_inspect(part->section, has_text(job) ? stdout : NULL, &settled->inspection,
			   &why) ||
	    why.text[0])
		refuse(job, settled, why.text);
}

/*
 * False if it was interrupted. The remarks go between the parts of the text, to another stream that
 * may be the same terminal.
 */
static bool do_part(struct job *job, size_t which)
{
	struct part *part = job->part[which];
	struct settled *settled = &job->settled[which];

	if (has_text(job))
		report_settle_section(stdout, settled);
	fflush(stdout);
	if (part->section->is_inspection)
		inspect(job, part, settled);
	else if (part->ready)
		compare(job, part, settled);
	if (settled->comparison)
		complain(job, settled);
	if (!job->options.quiet)
		report_settle_remarks(stderr, &job->settlement, which);
	if (has_text(job))
		report_settle_finding(stdout, settled);
	fflush(stdout);
	return !settled->comparison || part->result.outcome != COMPARE_INTERRUPTED;
}

static int write_json(FILE *out, const void *argument, struct errmsg *err)
{
	return report_settle_json(out, argument, err);
}

/* Whether anybody will learn of what is measured. */
static bool is_wanted(const struct job *job)
{
	return !ferror(stdout) || job->json.file;
}

static int settle(struct job *job)
{
	struct settlement *settlement = &job->settlement;
	const u64 begin_ns = monotonic_ns();

	signals_keep_result();
	for (size_t i = 0; i < settlement->sections && !signals_asked_to_stop; i++)
		prepare(job, i);
	if (has_text(job))
		report_settle_head(stdout, settlement);
	for (size_t i = 0; i < settlement->sections && !settlement->interrupted && is_wanted(job);
	     i++)
		settlement->interrupted = signals_asked_to_stop || !do_part(job, i);
	settlement->seconds = (double)(monotonic_ns() - begin_ns) / NSEC_PER_SEC;
	if (has_text(job))
		report_settle_table(stdout, settlement);
	fflush(stdout);
	return json_file_report(&job->json, write_json, settlement,
				(int)report_settle_status(settlement));
}

/* Every name of --only must be one. */
static int check_only(const struct job *job, struct errmsg *err)
{
	const struct argument *argument = &job->argument;
	char known[256] = "";
	size_t used = 0;

	for (size_t i = 0; i < argument->sections && used < sizeof(known); i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
					 used ? ", " : "", argument->section[i].name);
	for (size_t i = 0; i < job->options.only_count; i++) {
		size_t at = 0;

		while (at < argument->sections &&
		       strcmp(argument->section[at].name, job->options.only[i]) != 0)
			at++;
		if (at == argument->sections)
			return errmsg_set(err, "--only: there is no section '%.60s': there are %s",
					  job->options.only[i], known);
	}
	return 0;
}

static bool is_chosen(const struct settle_options *options, const char *name)
{
	for (size_t i = 0; i < options->only_count; i++)
		if (strcmp(options->only[i], name) == 0)
			return true;
	return !options->only_count;
}

static int choose(struct job *job, struct errmsg *err)
{
	struct settlement *settlement = &job->settlement;

	for (size_t i = 0; i < job->argument.sections; i++) {
		const struct argument_section *section = &job->argument.section[i];
		const size_t place = settlement->sections;

		if (!is_chosen(&job->options, section->name))
			continue;
		job->part[place] = calloc(1, sizeof(*job->part[place]));
		if (!job->part[place])
			return errmsg_set(err, "no memory for the result");
		job->part[place]->section = section;
		job->settled[place] = (struct settled){
			.name = section->name,
			.line = section->line,
			.claim = &section->claim,
			.is_inspection = section->is_inspection,
			.reader = section->reader,
			.readers = section->readers,
			.target = section->target,
			.targets = section->targets,
		};
		settlement->sections++;
	}
	return 0;
}

/* How long to compare is nothing to those that only look at code. */
static int check_duration(const struct job *job, struct errmsg *err)
{
	for (size_t i = 0; i < job->settlement.sections; i++)
		if (!job->settled[i].is_inspection)
			return 0;
	if (!job->options.duration)
		return 0;
	return errmsg_set(err, "--duration: nothing is compared here: all of it is [inspect NAME]");
}

/* All that there is to know before anything is measured. */
static int open_job(struct job *job, struct errmsg *err)
{
	if (argument_read(job->options.file, &job->argument, err) || check_only(job, err))
		return -1;
	job->settlement = (struct settlement){
		.file = job->options.file,
		.title = job->argument.title,
		.claim = &job->argument.claim,
		.by = &job->argument.by,
		.section = job->settled,
	};
	return choose(job, err) || check_duration(job, err) ||
			       json_file_open(&job->json, job->options.json, err)
		       ? -1
		       : 0;
}

static void release(struct job *job)
{
	for (size_t i = 0; i < job->settlement.sections; i++) {
		struct part *part = job->part[i];

		compare_options_release(&part->options);
		json_decref(job->settled[i].inspection);
		for (int argument = 0; argument < part->arguments; argument++)
			free(part->argument[argument]);
		free(part);
	}
	argument_release(&job->argument);
	free(job);
}

int command_settle(int argc, char **argv)
{
	struct job *job = calloc(1, sizeof(*job));
	struct errmsg err;
	int status = STATUS_WELL;

	signals_handle();
	if (!job) {
		errmsg_set(&err, "no memory for the result");
		return usage_complain(&err);
	}
	if (settle_options_parse(argc, argv, &job->options, &err))
		status = -1;
	else if (job->options.help)
		settle_options_help();
	else if (open_job(job, &err))
		status = -1;
	else
		status = settle(job);
	release(job);
	return status < 0 ? usage_complain(&err) : status;
}
