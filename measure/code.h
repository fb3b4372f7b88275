/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one quiet read executes, held against what the host's vDSO does.
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
	int more; /* than in the host's; negative: fewer */
};

struct code {
	struct errmsg unavailable; /* why it is not known; empty: it is */
	size_t instructions;
	/* The rest is known if the host's code is; see the host's own `unavailable`. */
	bool same;		 /* as the host's, but for where it lies */
	size_t first_difference; /* as many instructions are the same before it */
	struct code_line line[CODE_LINES];
	struct code_line host_line[CODE_LINES];
	size_t surpluses; /* the largest first; what does not fit is left out */
	struct code_surplus surplus[CODE_SURPLUSES];
};

/* Traces and decodes a read. 0, or -1 with a sentence in *err. The system call has no code. */
int code_read(const struct contestant *contestant, clockid_t clock, struct disassembly *result,
	      struct errmsg *err);

/* Fills in how the one compares with the other. */
void code_compare(const struct disassembly *mine, const struct disassembly *host,
		  struct code *code);

#endif /* MEASURE_CODE_H */
