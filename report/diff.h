/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two results of the same kind, and what changed from the one to the other.
 */
#ifndef REPORT_DIFF_H
#define REPORT_DIFF_H

#include "report/diff_change.h"
#include "report/diff_conditions.h"
#include "report/diff_table.h"
#include "report/result_file.h"
#include "report/status.h"
#include "sim/errmsg.h"

enum diff_judgement {
	DIFF_SAME,
	DIFF_BETTER,
	DIFF_WORSE,
	DIFF_CHANGED, /* surely, and neither way is better */
	DIFF_NOISE,   /* the interval of the change holds 0 */
	DIFF_UNKNOWN, /* `why` says why */
};

/* A figure that at least one of the results has. */
struct diff_finding {
	char *of;   /* what it is a figure of; "": the whole */
	char *path; /* from the root of the new result, or of the old one if only that has it */
	const struct diff_figure *figure;
	const json_t *old_value; /* NULL: nothing is there; the result's own */
	const json_t *new_value;
	struct diff_estimate old_one; /* not of words */
	struct diff_estimate new_one;
	struct diff_change change; /* the same */
	enum diff_judgement judgement;
	const char *why; /* of DIFF_UNKNOWN */
	bool fails;
};

/* What only one of the results has. */
struct diff_lone {
	char *what;
	bool is_new;
	bool fails;
};

struct diff {
	const struct result_file *old_file; /* the caller's */
	const struct result_file *new_file;
	double fail_above_percent; /* below 0: not asked for */
	bool forced;
	const char *remark; /* what must not be read into it; NULL: nothing */
	struct diff_differences differences;
	size_t findings;
	struct diff_finding *finding;
	size_t lones;
	struct diff_lone *lone;
};

/*
 * Compares two results, which must outlive *diff. 0, or -1 with a sentence in *err: they are of
 * different kinds, or there is no memory. To be released in either case. One thread only.
 */
int diff_make(const struct result_file *old_file, const struct result_file *new_file,
	      double fail_above_percent, struct diff *diff, struct errmsg *err);
void diff_release(struct diff *diff);

/* How many of the differences refuse the comparison. */
size_t diff_refusals(const struct diff *diff);

/* STATUS_WRONG if a figure fails, or something that only the new one has; else STATUS_WELL. */
enum status diff_status(const struct diff *diff);

/* better, worse, within noise, ... */
const char *diff_judgement_name(enum diff_judgement judgement);

#endif /* REPORT_DIFF_H */
