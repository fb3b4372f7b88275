/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a command's result goes as JSON, or as what else an option asks for: nowhere, to standard
 * output, or into a file, which is opened before the work begins, so that none is lost to a
 * mistyped path. One thread only.
 */
#ifndef CLI_JSON_FILE_H
#define CLI_JSON_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/errmsg.h"

struct json_file {
	const char *option; /* that asked for it */
	const char *path;   /* as the user gave it; NULL: nowhere, "-": standard output */
	FILE *file;	    /* NULL unless it is a file */
	bool created;	    /* there was none before */
	bool kept;	    /* there is a part of the result in it */
};

/* A report's function: writes `result` and flushes `out`; 0, or -1 with a sentence in *err. */
typedef int json_file_fn(FILE *out, const void *result, struct errmsg *err);

/*
 * 0, or -1 with a sentence in *err that begins with --json. `path` stays the caller's. From now on,
 * until the result is written, a signal that ends the process removes a file that was not there.
 */
int json_file_open(struct json_file *json, const char *path, struct errmsg *err);

/* The same for another option, "--csv" for instance; both strings stay the caller's. */
int json_file_open_for(struct json_file *json, const char *option, const char *path,
		       struct errmsg *err);

/* Empties the file, so that nobody takes what an earlier run left there for this one's result. */
void json_file_empty(const struct json_file *json);

/* Whether JSON takes standard output's place, so that no text may go there. */
bool json_file_is_stdout(const struct json_file *json);

/*
 * Writes the result and closes the file. 0, or -1 with a sentence in *err: then what was kept last
 * is still in the file; where nothing was, no part of the result stays in a file, and none of what
 * was not there before. What is wrong with standard output is left to main, which complains of it
 * once for all.
 */
int json_file_write(struct json_file *json, json_file_fn *report, const void *result,
		    struct errmsg *err);

/*
 * Writes what there is of the result so far over what is in the file, which stays open, and is no
 * longer removed when a signal ends the process. Nothing is done unless it goes to a file of its
 * own; one that takes no second writing, a pipe, gets the result once, at the end. 0, or -1 with a
 * sentence in *err: if there was no room, what is in the file stays as it was.
 */
int json_file_keep(struct json_file *json, json_file_fn *report, const void *result,
		   struct errmsg *err);

/*
 * As json_file_write, but complains on standard error. Returns the exit status: `status`, which if
 * it says more than "all well" outweighs that the result could not be written.
 */
int json_file_report(struct json_file *json, json_file_fn *report, const void *result, int status);

/* There is no result: closes the file, and removes it if it was not there before. */
void json_file_abandon(struct json_file *json);

#endif /* CLI_JSON_FILE_H */
