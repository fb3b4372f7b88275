/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A picture while it is made: the script that gnuplot will be given, and what the picture is called
 * and shows, in words. Whoever draws writes into the three, or says why there is nothing to draw.
 */
#ifndef REPORT_SKETCH_H
#define REPORT_SKETCH_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/errmsg.h"
#include "sim/types.h"

#define SKETCH_WIDTH 560

struct sketch {
	FILE *script;
	FILE *title;
	FILE *description;  /* sentences */
	u32 height;	    /* of SKETCH_WIDTH; what draws may set it */
	struct errmsg none; /* a sentence: why there is no picture; empty: there is one */
	char *script_text;  /* these three hold after sketch_end */
	char *title_text;
	char *description_text;
	size_t size[3];
};

/* 0, or -1 with a sentence in *err: no memory. To be released in either case. */
int sketch_begin(struct sketch *sketch, struct errmsg *err);

/* Ends what is written. 0, or -1 with a sentence in *err. */
int sketch_end(struct sketch *sketch, struct errmsg *err);

void sketch_release(struct sketch *sketch);

/* The axes' labels, with units, and how all pictures look. */
void sketch_frame(struct sketch *sketch, const char *x_label, const char *y_label);

/*
 * Write " lc rgb ... dt ... pt ..." of the curve with that number, or of its points " lc rgb ... pt
 * ...": no two among 8 have the same colour, dash or point.
 */
void sketch_series(struct sketch *sketch, size_t number);
void sketch_points(struct sketch *sketch, size_t number);

/* A script's "set label" with its text as it is; `place` is the rest of the command. */
void sketch_label(struct sketch *sketch, const char *text, const char *place, ...)
	__attribute__((format(printf, 3, 4)));

/* A rectangle from corner to corner, in units of the axes, filled with a colour of the palette. */
void sketch_box(struct sketch *sketch, double left, double bottom, double right, double top,
		const char *colour, bool outlined);

/*
 * Tics of an axis ("x", "y") that has a logarithmic scale, at powers of ten from `least` to `most`
 * with 1, 10, 1 k, 1 M as their texts; at 2 and 5 times those, too, where there are few.
 */
void sketch_log_tics(struct sketch *sketch, const char *axis, double least, double most);

#endif /* REPORT_SKETCH_H */
