/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A figure of a result, found by its path, as people read it: "n/a" where there is none.
 */
#ifndef REPORT_FIGURE_H
#define REPORT_FIGURE_H

#include <jansson.h>

#include "report/cell.h"

enum figure_unit {
	FIGURE_COUNT,	    /* 10 000 */
	FIGURE_NS,	    /* a length in ns, in the unit that suits it */
	FIGURE_EXACT_NS,    /* in ns, to five digits */
	FIGURE_SECONDS,	    /* a length in s, in the unit that suits it */
	FIGURE_RATE,	    /* per second */
	FIGURE_HZ,	    /* per second, to six digits */
	FIGURE_PER_MILLION, /* to three digits */
	FIGURE_EFFECT,	    /* in percent, with its sign */
	FIGURE_PERCENT,
	FIGURE_RATIO, /* to four places */
	FIGURE_PLAIN, /* to six digits, without a unit */
};

/* Safe in any thread. */
struct cell figure_of(double value, enum figure_unit unit);
struct cell figure_at(const json_t *root, const char *path, enum figure_unit unit);

/* "low to high" of a pair of numbers. */
struct cell figure_pair_at(const json_t *root, const char *path, enum figure_unit unit);

/* A string, or "n/a"; in a list, by its place in it. It stays the root's. */
const char *words_at(const json_t *root, const char *path);
const char *words_in(const json_t *list, size_t place);

/* "yes" or "no" of a boolean, or "n/a". */
const char *yes_no_at(const json_t *root, const char *path);

/* "" if the number is there and 1, else "s". */
const char *plural(const json_t *root, const char *path);

/* All strings of a list, with commas between them, cut if they are long; "none" if there is none.
 */
struct words {
	char text[400];
};

struct words words_of(const json_t *list);

#endif /* REPORT_FIGURE_H */
