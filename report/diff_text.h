/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A difference between two results as text for people. The functions write to `out` and return 0,
 * or -1 if it has had an error.
 */
#ifndef REPORT_DIFF_TEXT_H
#define REPORT_DIFF_TEXT_H

#include <stdio.h>

#include "report/diff.h"

/* Of what. */
int report_diff_head(FILE *out, const struct diff *diff);

/* What must not be read into it, and what differs that should be the same; for standard error. */
int report_diff_remarks(FILE *out, const struct diff *diff);

/* A table of what is not the same, and what all of it comes to. */
int report_diff_figures(FILE *out, const struct diff *diff);

/* One difference in words: what it is in OLD and what in NEW. */
struct diff_sentence {
	char text[480];
};
struct diff_sentence report_diff_sentence(const struct diff_difference *difference);

#endif /* REPORT_DIFF_TEXT_H */
