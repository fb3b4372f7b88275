// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cli/run_files.h"
#include "report/intervals_csv.h"
#include "report/json.h"
#include "report/lengths_csv.h"
#include "report/lengths_hgrm.h"
#include "sim/value.h"

struct whole_result {
	const struct run_options *options;
	const struct run_result *result;
};

static int write_json(FILE *out, const void *argument, struct errmsg *err)
{
	const struct whole_result *whole = argument;

	return report_run_json(out, &whole->options->config, whole->result, &whole->options->expect,
			       err);
}

static int write_csv(FILE *out, const void *argument, struct errmsg *err)
{
	const struct whole_result *whole = argument;

	return report_intervals_csv(out, whole->result, err);
}

static int write_histogram(FILE *out, const void *argument, struct errmsg *err)
{
	const struct whole_result *whole = argument;

	return report_lengths_csv(out, &whole->result->all.lengths, err);
}

static int write_hgrm(FILE *out, const void *argument, struct errmsg *err)
{
	const struct whole_result *whole = argument;

	return report_lengths_hgrm(out, &whole->result->all.lengths, err);
}

int run_files_check(const struct run_options *options, struct errmsg *err)
{
	const struct {
		const char *option;
		const char *path;
	} named[] = {
		{"--json", options->json},
		{"--csv", options->csv},
		{"--histogram", options->histogram},
		{"--hgrm", options->hgrm},
	};

	for (size_t i = 1; i < ARRAY_SIZE(named); i++)
		for (size_t other = 0; other < i; other++) {
			if (!named[i].path || !named[other].path ||
			    strcmp(named[i].path, named[other].path) != 0)
				continue;
			if (strcmp(named[i].path, "-") == 0)
				return errmsg_set(err,
						  "%s: standard output is for %s here; name a file "
						  "for one of the two",
						  named[i].option, named[other].option);
			return errmsg_set(err, "%s: %s is the file of %s; name another",
					  named[i].option, value_quote(named[i].path).text,
					  named[other].option);
		}
	return 0;
}

int run_files_open(struct run_files *files, const struct run_options *options, struct errmsg *err)
{
	*files = (struct run_files){.json = {.path = NULL}};
	if (!json_file_open(&files->json, options->json, err) &&
	    !json_file_open_for(&files->csv, "--csv", options->csv, err) &&
	    !json_file_open_for(&files->histogram, "--histogram", options->histogram, err) &&
	    !json_file_open_for(&files->hgrm, "--hgrm", options->hgrm, err))
		return 0;
	run_files_abandon(files);
	return -1;
}

void run_files_empty(const struct run_files *files)
{
	json_file_empty(&files->csv);
	json_file_empty(&files->histogram);
	json_file_empty(&files->hgrm);
}

bool run_files_take_stdout(const struct run_files *files)
{
	return json_file_is_stdout(&files->json) || json_file_is_stdout(&files->csv) ||
	       json_file_is_stdout(&files->histogram) || json_file_is_stdout(&files->hgrm);
}

int run_files_report(struct run_files *files, const struct run_options *options,
		     const struct run_result *result, int status)
{
	const struct whole_result whole = {options, result};

	status = json_file_report(&files->json, write_json, &whole, status);
	status = json_file_report(&files->csv, write_csv, &whole, status);
	status = json_file_report(&files->histogram, write_histogram, &whole, status);
	return json_file_report(&files->hgrm, write_hgrm, &whole, status);
}

void run_files_abandon(struct run_files *files)
{
	json_file_abandon(&files->json);
	json_file_abandon(&files->csv);
	json_file_abandon(&files->histogram);
	json_file_abandon(&files->hgrm);
}
