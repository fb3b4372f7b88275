// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/diff_options.h"
#include "cli/json_file.h"
#include "cli/usage.h"
#include "report/diff_json.h"
#include "report/diff_text.h"

static int write_json(FILE *out, const void *argument, struct errmsg *err)
{
	return report_diff_json(out, argument, err);
}

/* Whatever differs, one line each. */
static int refuse(const struct diff *diff, size_t refusals)
{
	struct errmsg err;

	errmsg_set(&err,
		   "%.160s and %.160s cannot be compared: %zu thing%s differ%s; --force does "
		   "it all the same",
		   diff->old_file->path, diff->new_file->path, refusals, refusals == 1 ? "" : "s",
		   refusals == 1 ? "s" : "");
	usage_complain(&err);
	for (size_t i = 0; i < diff->differences.count; i++) {
		const struct diff_difference *difference = &diff->differences.list[i];

		errmsg_set(&err, "%s", report_diff_sentence(difference).text);
		if (difference->refuses)
			usage_complain(&err);
	}
	return STATUS_USAGE;
}

/* The remarks go between the parts of the text, to another stream that may be the same terminal. */
static void print_result(const struct diff_options *options, const struct json_file *json,
			 const struct diff *diff)
{
	const bool text = !json_file_is_stdout(json);

	if (options->quiet)
		return;
	if (text)
		report_diff_head(stdout, diff);
	fflush(stdout);
	report_diff_remarks(stderr, diff);
	if (text)
		report_diff_figures(stdout, diff);
	fflush(stdout);
}

static bool is_same_file(const char *one, const char *other)
{
	struct stat one_file, other_file;

	return !stat(one, &one_file) && !stat(other, &other_file) &&
	       one_file.st_dev == other_file.st_dev && one_file.st_ino == other_file.st_ino;
}

/* Nobody wants a result replaced by what is said of it. */
static int open_json(const struct diff_options *options, struct json_file *json, struct errmsg *err)
{
	if (options->json && (is_same_file(options->json, options->old_path) ||
			      is_same_file(options->json, options->new_path)))
		return errmsg_set(err, "--json: '%.200s' is one of the results: name another file",
				  options->json);
	return json_file_open(json, options->json, err);
}

static int report(const struct diff_options *options, struct diff *diff, struct errmsg *err)
{
	const size_t refusals = diff_refusals(diff);
	struct json_file json;

	if (refusals && !options->force)
		return refuse(diff, refusals);
	diff->forced = refusals;
	if (open_json(options, &json, err))
		return -1;
	print_result(options, &json, diff);
	return json_file_report(&json, write_json, diff, (int)diff_status(diff));
}

static int compare_files(const struct diff_options *options, struct result_file *old_file,
			 struct result_file *new_file, struct errmsg *err)
{
	struct diff diff;
	int status;

	if (result_file_load(old_file, options->old_path, err) ||
	    result_file_load(new_file, options->new_path, err))
		return -1;
	status = diff_make(old_file, new_file, options->fail_above_percent, &diff, err);
	if (!status)
		status = report(options, &diff, err);
	diff_release(&diff);
	return status;
}

int command_diff(int argc, char **argv)
{
	struct result_file old_file = {.path = NULL}, new_file = {.path = NULL};
	struct diff_options options;
	struct errmsg err;
	int status = STATUS_WELL;

	if (diff_options_parse(argc, argv, &options, &err))
		status = -1;
	else if (options.help)
		diff_options_help();
	else
		status = compare_files(&options, &old_file, &new_file, &err);
	result_file_free(&old_file);
	result_file_free(&new_file);
	return status < 0 ? usage_complain(&err) : status;
}
