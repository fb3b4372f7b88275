/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What gnuplot draws as SVG, made fit to stand in a report beside others or in a file of its own:
 * colours by classes of report/palette.h, with the light ones as what a viewer without styles
 * shows; names that are the picture's own; a title and what is to be seen in it for those who do
 * not see.
 */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/types.h"

struct svg {
	const char *drawn; /* by gnuplot's terminal svg */
	const char *name;  /* begins all ids; letters, digits and hyphens */
	const char *title;
	const char *description;
	u32 width, height; /* of its view box */
	bool alone;	   /* a file, not part of a report: brings its own style */
};

/* Whether it could all be written is for ferror to say. */
void svg_write(FILE *out, const struct svg *svg);

#endif /* REPORT_SVG_H */
