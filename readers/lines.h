/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which line of which source an instruction comes from, as the compiler tells debuggers, and what
 * stands there. One thread owns a struct lines.
 */
#ifndef READERS_LINES_H
#define READERS_LINES_H

#include "readers/machine_code.h"

struct lines; /* malloc'ed */

struct lines_place {
	char file[256]; /* of ours from the top of the tree, of others as the compiler was given it
			 */
	int line;	/* 0: nobody says */
};

/* Opens what a reader's code tells, which must outlive it. 0, or -1 with a sentence in *err. */
int lines_open(struct lines **lines, const struct machine_code *code, struct errmsg *err);
void lines_close(struct lines *lines);

/* Of the instruction at this offset in the image; line 0 if it is not told. */
struct lines_place lines_find(const struct lines *lines, u32 offset);

/*
 * The same, of the innermost place that is wanted: outwards from there, through the calls of what
 * was inlined. If none is, of that instruction itself.
 */
struct lines_place lines_find_wanted(const struct lines *lines, u32 offset,
				     bool (*is_wanted)(const struct lines_place *place));

/*
 * What stands there, without blanks around it, cut to the size of `text`; empty if it cannot be
 * read. Sources of ours are as they were built in; others are read from where the compiler, called
 * in this same folder, has just found them.
 */
void lines_text(const struct lines_place *place, char *text, size_t size);

#endif /* READERS_LINES_H */
