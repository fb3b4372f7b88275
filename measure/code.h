/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one quiet read executes, held against what another does.
 */
#ifndef MEASURE_CODE_H
#define MEASURE_CODE_H

#include "measure/contestant.h"
#include "measure/disassembly.h"

/* A few instructions of two codes, from the first on in which they differ. */
#define CODE_LINES 6
/* Kinds of instruction of which one code has more. */
#define CODE_SURPLUSES 6

struct code_line {
	char text[96]; /* empty behind the end of the code */
};

struct code_surplus {
	char mnemonic[16];
	int more; /* than in the other's; negative: fewer */
};

struct code {
	struct errmsg unavailable; /* why it is not known; empty: it is */
	bool call_fails;	   /* that is why: a call must not be made, in a child it failed */
	size_t instructions;
	/* The rest is known if it was compared with another's. */
	bool same;		 /* as the other's, as far as disassembly.h tells */
	size_t first_difference; /* as many instructions are the same before it */
	struct code_line line[CODE_LINES];
	struct code_line other_line[CODE_LINES];
	size_t surpluses; /* the largest first; what does not fit is left out */
	struct code_surplus surplus[CODE_SURPLUSES];
};

/*
 * Traces and decodes a read. 0, or -1 with the reason in code->unavailable and *result empty. The
 * system call has no code.
 */
int code_read(const struct contestant *contestant, clockid_t clock, struct disassembly *result,
	      struct code *code);

/* Fills in how the one compares with the other. */
void code_compare(const struct disassembly *mine, const struct disassembly *other,
		  struct code *code);

#endif /* MEASURE_CODE_H */
