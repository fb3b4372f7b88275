/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that a run's result goes into, each as json_file has it.
 */
#ifndef CLI_RUN_FILES_H
#define CLI_RUN_FILES_H

#include "cli/json_file.h"
#include "cli/run_options.h"

struct run_files {
	struct json_file json;
	struct json_file csv;	    /* the intervals */
	struct json_file histogram; /* of reads */
	struct json_file hgrm;	    /* the same */
};

/* Refuses two that are one: 0, or -1 with a sentence in *err. */
int run_files_check(const struct run_options *options, struct errmsg *err);

/* All that the options name. 0, or -1 with a sentence in *err, and none is open then. */
int run_files_open(struct run_files *files, const struct run_options *options, struct errmsg *err);

/* Empties all but that of JSON, which cli/drawing.h empties. */
void run_files_empty(const struct run_files *files);

/* Whether one of them is standard output, so that no text may go there. */
bool run_files_take_stdout(const struct run_files *files);

/* Writes and closes all, and complains of what could not be. As json_file_report. */
int run_files_report(struct run_files *files, const struct run_options *options,
		     const struct run_result *result, int status);

/* There is no result. */
void run_files_abandon(struct run_files *files);

#endif /* CLI_RUN_FILES_H */
