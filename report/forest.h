/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A forest plot: one row for each thing, with what was found of it and how sure that is, and a line
 * for "no difference".
 */
#ifndef REPORT_FOREST_H
#define REPORT_FOREST_H

#include <jansson.h>

#include "report/sketch.h"

#define FOREST_MAX_ROWS 40

/* In units of the axis. NAN in the first of a pair: there is none. */
struct forest_row {
	char label[96];
	double estimate; /* NAN: none, only the label is shown */
	double ci95[2];
	double ci99[2];
	double claimed[2];  /* what was claimed of it */
	const json_t *dots; /* numbers, of single placements; NULL: none */
};

struct forest {
	struct forest_row row[FOREST_MAX_ROWS];
	size_t rows, left_out;
	double same;	     /* where no difference is */
	double band;	     /* differences up to this do not matter; 0: not said */
	const char *x_label; /* with its unit */
};

/* An empty row to fill in; NULL: there are enough, and it is counted as left out. */
struct forest_row *forest_add(struct forest *forest);

/* Writes the script, and sets the sketch's height. There must be a row with an estimate. */
void forest_draw(struct sketch *sketch, const struct forest *forest);

#endif /* REPORT_FOREST_H */
