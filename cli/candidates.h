/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a word that was begun may become: a list on standard output, a line each, for a shell's
 * completion (see cli/complete.c).
 */
#ifndef CLI_CANDIDATES_H
#define CLI_CANDIDATES_H

#include <stdbool.h>
#include <stddef.h>

struct candidates {
	const char *head; /* what stands before the part that is offered, and is printed with it */
	size_t head_length; /* of which so much */
	const char *begun;  /* what has been typed of the part */
	bool files;	    /* the name of any file would do, too: for the caller to tell */
};

/* Offers a part: it is printed if it begins as what has been typed. */
void candidates_offer(const struct candidates *candidates, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Offers each of "one|two|three". */
void candidates_offer_choices(const struct candidates *candidates, const char *choices);

/* What ends before `begun` has been typed for good, and what is offered is what follows. */
void candidates_go_on(struct candidates *candidates, const char *begun);

#endif /* CLI_CANDIDATES_H */
