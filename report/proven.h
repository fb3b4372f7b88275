/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was proven: all that a report of it is made of, and its words.
 */
#ifndef REPORT_PROVEN_H
#define REPORT_PROVEN_H

#include "measure/remarks.h"
#include "prove/study.h"
#include "report/status.h"

/* Where in the source a site is. */
struct proven_place {
	char file[128]; /* by its last name; "": not known */
	u32 line;
	char text[128]; /* of the line, without the blanks around it; "": not known */
};

/* All stay the caller's. */
struct proven {
	const char *reader; /* as it was asked for */
	const char *const *writer;
	const char *const *explored; /* whose publication was, in each one's place */
	size_t writers;
	u32 words;	  /* of a lock's payload; 0: it is a clock's page */
	u32 counter_bits; /* counters began so close to their end; 0: at 0 */
	const struct study_config *config;
	const struct study *study;
	void (*place)(void *context, const void *site, struct proven_place *place);
	void *context;
};

/*
 * The exit status: what is broken wins over an interruption, and that over what could not be
 * explored, or not to the end.
 */
enum status proven_status(const struct proven *proven);

const char *proven_model(enum model model);		/* sc, tso, weak */
const char *proven_verdict(enum proof_verdict verdict); /* holds, broken, incomplete */
const char *proven_kind(enum event_kind kind);		/* load, store, read-modify-write, fence */
const char *proven_order(u8 order);			/* relaxed to seq_cst */

/* What a weakening has shown: needed, not needed, unclear. It was asked under that model. */
const char *proven_need(const struct weakening *weakening, enum model model);

/* Why a proof is incomplete, and why a model that was asked for was not explored. "": it was. */
const char *proven_why_incomplete(const struct proof *proof);
const char *proven_why_unexplored(const struct proven *proven);

/* Adds what was not under control, or is not seen by itself. */
void proven_remarks(const struct proven *proven, struct remarks *remarks);

/* Text by value, for use within one call of printf. */
struct proven_cell {
	char text[512];
};

/* file:line */
struct proven_cell proven_at(const struct proven *proven, const void *site);

/* What is wrong, in a few words; "" if nothing. */
struct proven_cell proven_fault(enum proof_fault fault, const struct proof_bounds *bounds);

/* A sentence: which two accesses are not ordered, and what would order them. */
struct proven_cell proven_mending(const struct proven *proven, const struct mending *mending);

/* What a weakening does, as in "release fence left out". */
struct proven_cell proven_weakening(const struct weakening *weakening);

/* Why a load was free to take what it took, if there was a newer store above it; "" if not. */
struct proven_cell proven_why_older(const struct proven *proven, enum model model, int newer);

#endif /* REPORT_PROVEN_H */
