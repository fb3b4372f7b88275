/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much the code of one reader is that of another. x86 only.
 */
#ifndef MEASURE_LIKENESS_H
#define MEASURE_LIKENESS_H

#include "measure/listing.h"

enum likeness_kind {
	LIKENESS_SAME,	    /* the same bytes */
	LIKENESS_PLACE,	    /* the same instructions, but for where it lies and how it is aligned */
	LIKENESS_REGISTERS, /* the same but for registers, by a renaming: see measure/renaming.h */
	LIKENESS_DIFFERENT
};

struct likeness {
	struct errmsg unavailable; /* why it is not known; empty: it is */
	enum likeness_kind kind;
	bool same_shape; /* different, but in nothing but registers: no renaming explains them */
	size_t count[2]; /* instructions of each */
	/* Of those that differ: as many instructions are alike before the first, and what it is. */
	size_t first;
	struct listing_words words[2]; /* empty behind the end */
};

/* The one way through both. */
void likeness_of_walks(struct likeness *likeness, const struct walk *a, const struct walk *b);

/* All of both, executed or not. */
void likeness_of_codes(struct likeness *likeness, const struct machine_code *a,
		       const struct machine_code *b);

#endif /* MEASURE_LIKENESS_H */
