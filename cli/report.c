// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/json_file.h"
#include "cli/report_options.h"
#include "cli/usage.h"
#include "report/html_report.h"
#include "report/status.h"
#include "sim/value.h"

struct job {
	struct report_options options;
	struct result_file file[REPORT_MAX_RESULTS];
	const struct result_file *files[REPORT_MAX_RESULTS];
	char *text; /* of what is to be written, whole before any of it is */
	size_t length;
};

static int list(void)
{
	for (size_t i = 0; picture_number(i); i++)
		printf("%-12s %-10s %s\n", picture_number(i)->name,
		       result_kind_name(picture_number(i)->kind), picture_number(i)->summary);
	return STATUS_WELL;
}

static int load(struct job *job, struct errmsg *err)
{
	for (size_t i = 0; i < job->options.results; i++) {
		if (result_file_load(&job->file[i], job->options.path[i], err))
			return -1;
		job->files[i] = &job->file[i];
	}
	return 0;
}

/* Nobody wants a result replaced by what is said of it. */
static int check_output(const struct report_options *options, struct errmsg *err)
{
	struct stat output, input;

	if (strcmp(options->output, "-") == 0 || stat(options->output, &output))
		return 0;
	for (size_t i = 0; i < options->results; i++)
		if (!stat(options->path[i], &input) && input.st_dev == output.st_dev &&
		    input.st_ino == output.st_ino)
			return errmsg_set(err,
					  "-o: '%.200s' is one of the results: name another "
					  "file",
					  options->output);
	return 0;
}

/* Which of the results it is of, in `of`; 0, or -1 with a sentence in *err. */
static int choose_files(const struct job *job, const struct result_file **of, size_t *count,
			struct errmsg *err)
{
	const struct picture *picture = job->options.picture;
	const char *kind = result_kind_name(picture->kind);

	*count = 0;
	for (size_t i = 0; i < job->options.results; i++)
		if (job->file[i].kind == picture->kind)
			of[(*count)++] = job->files[i];
	if (!*count)
		return errmsg_set(err, "--plot: %s is drawn of a result of %s, and there is none",
				  picture->name, kind);
	if (*count > 1 && !picture->of_several)
		return errmsg_set(err, "--plot: %s is drawn of one result of %s, and there are %zu",
				  picture->name, kind, *count);
	return 0;
}

static int which_part(const struct picture *picture, const struct result_file *file, size_t parts,
		      struct errmsg *err)
{
	char known[256] = "";
	size_t used = 0;

	for (size_t i = 0; i < parts && used < sizeof(known); i++)
		used += (size_t)snprintf(
			known + used, sizeof(known) - used, "%s%s:%s", i ? ", " : "", picture->name,
			picture->part_name(file, i) ? picture->part_name(file, i) : "n/a");
	return errmsg_set(err, "--plot: which one? %s", known);
}

static int choose_part(const struct report_options *options, struct picture_subject *subject,
		       struct errmsg *err)
{
	const struct picture *picture = options->picture;
	const struct result_file *file = subject->files[0];
	const size_t parts = picture->parts ? picture->parts(file) : 1;

	if (!options->part && parts == 1)
		return 0;
	for (size_t i = 0; i < parts && options->part; i++) {
		const char *name = picture->part_name(file, i);

		subject->part = i;
		if (name && strcmp(name, options->part) == 0)
			return 0;
	}
	return which_part(picture, file, parts, err);
}

static int make_picture(const struct job *job, FILE *out, struct errmsg *err)
{
	const struct report_options *options = &job->options;
	const struct result_file *of[REPORT_MAX_RESULTS];
	struct picture_subject subject = {.files = of};
	struct picture_made made;
	int failed;

	if (choose_files(job, of, &subject.count, err) || choose_part(options, &subject, err))
		return -1;
	failed = picture_make(options->picture, &subject, options->format, &made, err);
	if (!failed && !made.drawn)
		failed = errmsg_set(err, "--plot: there is no %s of these results: %.300s",
				    options->picture->name, made.sketch.none.text);
	if (!failed)
		picture_write(out, &made, options->format, options->picture->name);
	picture_release(&made);
	return failed;
}

static int make(struct job *job, struct errmsg *err)
{
	const struct html_report report = {job->files, job->options.results};
	FILE *out = open_memstream(&job->text, &job->length);
	int failed;

	if (!out)
		return errmsg_set(err, "no memory for the report");
	failed =
		job->options.picture ? make_picture(job, out, err) : html_report(out, &report, err);
	if (fclose(out) && !failed)
		failed = errmsg_set(err, "no memory for the report");
	return failed;
}

static int write_text(FILE *out, const void *argument, struct errmsg *err)
{
	const struct job *job = argument;

	fwrite(job->text, 1, job->length, out);
	return fflush(out) || ferror(out) ? errmsg_set(err, "%s", strerror(errno ? errno : EIO))
					  : 0;
}

static int execute(struct job *job, struct errmsg *err)
{
	struct json_file output;

	/* It is opened first, so that a mistyped name is told before the work, not after. */
	if (load(job, err) || check_output(&job->options, err) ||
	    json_file_open_for(&output, "-o", job->options.output, err))
		return -1;
	if (make(job, err)) {
		json_file_abandon(&output);
		return -1;
	}
	return json_file_report(&output, write_text, job, STATUS_WELL);
}

static int report(struct job *job, int argc, char **argv, struct errmsg *err)
{
	if (report_options_parse(argc, argv, &job->options, err))
		return -1;
	if (job->options.list)
		return list();
	if (!job->options.help)
		return execute(job, err);
	report_options_help();
	return STATUS_WELL;
}

int command_report(int argc, char **argv)
{
	struct job *job = calloc(1, sizeof(*job));
	struct errmsg err;
	int status;

	if (!job) {
		errmsg_set(&err, "no memory for the results");
		return usage_complain(&err);
	}
	status = report(job, argc, argv, &err);
	for (size_t i = 0; i < REPORT_MAX_RESULTS; i++)
		result_file_free(&job->file[i]);
	free(job->text);
	free(job);
	return status < 0 ? usage_complain(&err) : status;
}
