/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions in the form in which one code is held against another: what depends on where code
 * lies is made a number of an instruction, or of a page's byte. x86 only.
 */
#ifndef MEASURE_LISTING_H
#define MEASURE_LISTING_H

#include "measure/walk.h"

/* Not in the listing. */
#define LISTING_NOWHERE SIZE_MAX

struct listing_line {
	cs_insn found;
	cs_detail detail; /* found.detail points here */
	size_t target;	  /* the line that a jump, branch or call leads to */
	u64 far;	  /* what an operand relative to the instruction means */
	bool taken;	  /* of a walk's branch */
};

struct listing {
	size_t count;
	struct listing_line *line; /* the listing's own */
	bool is_walk;		   /* lines follow each other as they were executed */
};

/*
 * A walk; or all of a code, without what is only there to align the rest. Both return 0, and the
 * caller owns *listing until listing_release; or -1 with a sentence in *err: no memory, an
 * instruction that capstone does not know, no x86.
 */
int listing_of_walk(struct listing *listing, const struct walk *walk, struct errmsg *err);
int listing_of_code(struct listing *listing, const struct machine_code *code, struct errmsg *err);
void listing_release(struct listing *listing);

/* A line as Intel writes it, but without where it leads to. */
struct listing_words {
	char text[200];
};
struct listing_words listing_words(const struct listing *listing, size_t line);

#endif /* MEASURE_LISTING_H */
