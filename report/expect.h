/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conditions on the result of a run, and whether they held.
 *
 * A condition is FIGURE RELATION NUMBER, as in `torn = 0`; of one group of readers it is
 * GROUP.FIGURE, as in `web.retries_per_million < 50`. Relations are = < <= > >=, the number is a
 * decimal of 0 or more. A condition on a figure that could not be measured did not hold.
 */
#ifndef REPORT_EXPECT_H
#define REPORT_EXPECT_H

#include "measure/run.h"
#include "report/cell.h"
#include "report/part.h"
#include "report/status.h"
#include "sim/errmsg.h"

#define EXPECT_MAX	64
#define EXPECT_MAX_TEXT 96 /* of a condition, with its end */

/* What can be asked: one row of the table. */
struct expect_figure {
	const char *name; /* with its unit */
	const char *summary;
	bool of_groups; /* it can be asked of one group, too */
	/* Puts it into *value and returns NULL, or returns why there is none. */
	const char *(*find)(const struct report_part *part, size_t offset, double *value);
	size_t offset; /* for `find` */
};

/* The table, ended by an entry without a name. */
extern const struct expect_figure expect_figures[];

enum expect_relation {
	EXPECT_EQUAL,
	EXPECT_LESS,
	EXPECT_LESS_OR_EQUAL,
	EXPECT_MORE,
	EXPECT_MORE_OR_EQUAL,
};

struct expect_condition {
	char group[RUN_MAX_GROUP_NAME + 1]; /* "": all readers, or the run */
	const struct expect_figure *figure;
	enum expect_relation relation;
	double value;
};

struct expect {
	size_t count;
	struct expect_condition condition[EXPECT_MAX];
};

/*
 * Adds the condition that `text` is to those of a run that is configured so far as to have its
 * groups. 0, or -1 with a sentence in *err: no condition, no such figure, no such group, no room.
 */
int expect_add(struct expect *expect, const char *text, const struct run_config *config,
	       struct errmsg *err);

/* What came of a condition. */
struct expect_finding {
	bool held;
	double found;
	const char *unavailable; /* why nothing was found; NULL: it was */
};

struct expect_finding expect_find(const struct expect_condition *condition,
				  const struct run_config *config, const struct run_result *result);

/* As in "web.retries_per_million < 50". */
struct expect_text {
	char text[EXPECT_MAX_TEXT];
};
struct expect_text expect_text(const struct expect_condition *condition);
const char *expect_relation_name(enum expect_relation relation);

/*
 * The exit status of a run of which this was expected: what the result's own is, but STATUS_WRONG
 * if all was well and a condition did not hold. What a run that was cut short has not come to says
 * nothing of what it would have.
 */
enum status expect_status(const struct expect *expect, const struct run_config *config,
			  const struct run_result *result);

#endif /* REPORT_EXPECT_H */
