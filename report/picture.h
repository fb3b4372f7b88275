/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All pictures there are of results, each under its name, and how one comes about: what draws it
 * writes a script, gnuplot draws, and what it drew is made fit for where it goes.
 */
#ifndef REPORT_PICTURE_H
#define REPORT_PICTURE_H

#include <stdbool.h>
#include <stdio.h>

#include "report/sketch.h"
#include "report/result_file.h"

/* What a picture is drawn of. */
struct picture_subject {
	const struct result_file *const *files; /* all of the picture's kind */
	size_t count;				/* 1 unless the picture is of several */
	size_t part;				/* of its parts, from 0 */
};

struct picture {
	const char *name;    /* as --plot takes it */
	const char *summary; /* what it shows */
	enum result_kind kind;
	bool of_several; /* lays results over one another; else it is of one */
	/* How many of it a result has, and what each is called. NULL: one, without a name. */
	size_t (*parts)(const struct result_file *file);
	const char *(*part_name)(const struct result_file *file, size_t part);
	/* Writes all of the sketch, or sketch->none. */
	void (*draw)(struct sketch *sketch, const struct picture_subject *subject);
};

/* Of number 0, 1, ...; NULL: there are no more. In the order in which a report shows them. */
const struct picture *picture_number(size_t number);

enum picture_format {
	PICTURE_PART, /* SVG within a report */
	PICTURE_SVG,
	PICTURE_PNG,
};

/* A picture that is made. */
struct picture_made {
	struct sketch sketch; /* its words; `none` says why there is none */
	char *drawn;	      /* as gnuplot drew it; NULL: there is none */
	size_t length;
};

/*
 * Draws it. 0, also if there is nothing to draw, or GNUPLOT_FAILED or -1 with a sentence in *err:
 * as gnuplot_run. To be released in any case. Safe in any thread.
 */
int picture_make(const struct picture *picture, const struct picture_subject *subject,
		 enum picture_format format, struct picture_made *made, struct errmsg *err);

void picture_release(struct picture_made *made);

/* Writes what was made; `name` begins all ids in it. Whether it could be is for ferror to say. */
void picture_write(FILE *out, const struct picture_made *made, enum picture_format format,
		   const char *name);

#endif /* REPORT_PICTURE_H */
