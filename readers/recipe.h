/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a reader's source is built: what stands behind the @ of a spec, as in
 * hres@cc=clang,cflags=-O3 -march=native,define=HINT_BEGIN=likely
 */
#ifndef READERS_RECIPE_H
#define READERS_RECIPE_H

#include <stdbool.h>

#include "sim/errmsg.h"

#define RECIPE_MAX_TEXT	   512
#define RECIPE_MAX_DEFINES 16

/* The strings point into `store`. */
struct recipe {
	bool given;	    /* false: as contend itself was built */
	const char *cc;	    /* a compiler's name or path; NULL: the one that built contend */
	const char *cflags; /* with blanks between them; NULL: none beside ours */
	int defines;
	const char *define[RECIPE_MAX_DEFINES]; /* NAME, NAME=VALUE, NAME(A,B)=VALUE */
	char store[RECIPE_MAX_TEXT];
};

/* Whether there is one. */
bool recipe_stands_in(const char *spec);

/*
 * Cuts the recipe off `spec`, and takes it apart. A comma followed by anything but word= belongs to
 * the cflags before it, one between parentheses to any value. Returns 0, or -1 with a sentence in
 * *err: no such key, an empty value, a key given twice that may stand once only.
 */
int recipe_cut(char *spec, struct recipe *recipe, struct errmsg *err);

#endif /* READERS_RECIPE_H */
