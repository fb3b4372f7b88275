/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A result that some contend wrote with --json, read again.
 *
 * What a kind cannot do without is held against the file here; all else may be absent, since
 * fields have been added over time, and whoever asks for them (report/json_path.h) is told so.
 */
#ifndef REPORT_RESULT_FILE_H
#define REPORT_RESULT_FILE_H

#include <jansson.h>

#include "report/json_path.h"
#include "sim/errmsg.h"

enum result_kind {
	RESULT_RUN,
	RESULT_COMPARE,
	RESULT_SWEEP,
	RESULT_OBSERVE,
	RESULT_CALIBRATE,
	RESULT_INSPECT,
	RESULT_PROVE,
	RESULT_VERIFY,
	RESULT_SETTLE,
	RESULT_KINDS, /* how many there are */
};

struct result_file {
	char *path; /* as it was given; "standard input" for "-" */
	enum result_kind kind;
	unsigned int version; /* of the schema, 1 for contend.run/1 */
	json_t *root;
};

/*
 * Reads the file, or standard input if `path` is "-". 0, or -1 with a sentence in *err that begins
 * with the path: it cannot be read, is no JSON (line and column), no result of contend, one of a
 * newer schema than is known here, or lacks what its kind must have. To be freed if it is 0. Not
 * for two threads with the same file, for standard input's sake; needs memory for all of it.
 */
int result_file_load(struct result_file *file, const char *path, struct errmsg *err);

/* Also of one that is all zeros, or was freed before. */
void result_file_free(struct result_file *file);

/* As it stands in the schema's name, and is the subcommand's: "run", "compare", ... */
const char *result_kind_name(enum result_kind kind);

#endif /* REPORT_RESULT_FILE_H */
