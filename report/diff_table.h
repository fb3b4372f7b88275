/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What of a kind of result is a figure and what a condition: one table a kind, which contend diff
 * goes through.
 *
 * A condition is what two results must share for their figures to be compared; a figure is what
 * came of it. Paths are those of report/json_path.h. Nothing here is changed after it was written;
 * the functions are safe in any thread.
 */
#ifndef REPORT_DIFF_TABLE_H
#define REPORT_DIFF_TABLE_H

#include "report/json_path.h"
#include "report/result_file.h"

enum diff_weight {
	DIFF_REFUSES, /* where it differs there is nothing to compare */
	DIFF_TOLD,    /* worth knowing, and no more */
	DIFF_LENGTH,  /* a length of time: refuses where one is more than twice the other */
	DIFF_VERSION, /* of contend: refuses where the major number differs, of 0.x the minor */
};

/*
 * Whatever is below the path, but for what a row of its own names. What only one of the results
 * has is no difference: the other's version did not tell it yet.
 */
struct diff_condition {
	const char *path; /* ended by one that is NULL */
	enum diff_weight weight;
};

enum diff_worse {
	DIFF_NEITHER, /* neither way is better */
	DIFF_MORE_IS_WORSE,
	DIFF_LESS_IS_WORSE,
};

enum diff_scale {
	DIFF_SHARE,  /* the change is in percent of the old one */
	DIFF_POINTS, /* it is a percentage already, or may be 0: the difference, in its own unit */
	DIFF_FAULT,  /* any more of it is a failure */
	DIFF_WORD,   /* a verdict, or what something is called */
};

/* What a word means beside others: the higher the worse. One that is not listed has no rank. */
struct diff_rank {
	const char *word; /* of true and false, "true" and "false"; ended by one that is NULL */
	int rank;
	bool fails; /* to come to this from a better one is a failure, whatever was asked */
};

/* Where a figure is looked for. */
struct diff_source {
	const json_t *root;
	const json_t *part; /* of the root, which the figure's path begins at */
};

/* Of one result. */
struct diff_estimate {
	enum number_at at;
	double value;
	bool has_interval;
	double low; /* of 95 % */
	double high;
};

struct diff_figure {
	const char *name; /* ended by one that is NULL */
	const char *path;
	const char *unit; /* "": a number */
	enum diff_worse worse;
	enum diff_scale scale;
	/* Fills *estimate, which begins as zeros; of words, it is not asked. */
	void (*take)(const struct diff_source *source, const struct diff_figure *figure,
		     struct diff_estimate *estimate);
	/* Paths that `take` needs beside the figure's: see report/diff_estimate.h. */
	const char *beside[3];
	double quantile;
	const struct diff_rank *ranks;
};

#define DIFF_MAX_KEYS 4

/* What stands in a list, and is told apart there by some of its members. */
struct diff_key {
	const char *path;
	const char *after; /* what is written behind its value */
};

/* One with an object in the list's place has that for its only element. */
struct diff_part {
	const char *list; /* path of the list from what it is a part of; "": the whole of that */
	const char *noun;
	struct diff_key key[DIFF_MAX_KEYS];
	size_t least;	/* elements below which they tell nothing that the whole does not */
	bool new_fails; /* one that was not there before is a failure */
	const struct diff_condition *conditions; /* NULL: none */
	const struct diff_figure *figures;	 /* NULL: none */
	const struct diff_part *parts;		 /* of each; NULL: none; ended as below */
};

struct diff_kind {
	const struct diff_condition *conditions;
	const struct diff_part *parts; /* ended by one whose list is NULL */
	const char *remark;	       /* what must not be read into it; NULL: nothing */
};

extern const struct diff_kind diff_run, diff_compare, diff_sweep, diff_observe, diff_calibrate,
	diff_inspect, diff_prove, diff_verify, diff_settle;

/* What contend inspect says of a reader, and of one for another machine: settle has them, too. */
extern const struct diff_figure diff_inspect_reader[], diff_inspect_target[];

#endif /* REPORT_DIFF_TABLE_H */
