/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In what two results, or parts of them, differ that should be the same.
 */
#ifndef REPORT_DIFF_CONDITIONS_H
#define REPORT_DIFF_CONDITIONS_H

#include <stddef.h>

#include "report/diff_table.h"

struct diff_difference {
	char *path;		 /* from the root of the new result */
	const json_t *old_value; /* NULL: nothing is there; the result's own */
	const json_t *new_value;
	bool refuses;
};

struct diff_differences {
	size_t count;
	struct diff_difference *list;
};

/*
 * Adds what differs between two values that stand at `path`, by a table of conditions. 0, or -1:
 * there was not the memory for all. Not for two threads with the same differences.
 */
int diff_conditions_check(const struct diff_condition *conditions, const char *path,
			  const json_t *old_value, const json_t *new_value,
			  struct diff_differences *differences);

/* Adds one that is known by other means; the same. */
int diff_conditions_add(struct diff_differences *differences, const char *path,
			const json_t *old_value, const json_t *new_value, bool refuses);

void diff_conditions_release(struct diff_differences *differences);

#endif /* REPORT_DIFF_CONDITIONS_H */
