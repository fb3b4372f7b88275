/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that is looked at and not run: what each function is made of, and who calls it.
 */
#ifndef MEASURE_STATIC_CODE_H
#define MEASURE_STATIC_CODE_H

#include "measure/functions.h"
#include "measure/isa.h"

struct static_counts {
	u32 instructions;
	u32 branches; /* conditional */
	u32 jumps;    /* unconditional, without returns */
	u32 calls;
	u32 unknown; /* instructions of whatever kind that the decoder does not know */
};

struct static_code {
	struct functions functions;
	struct errmsg unavailable; /* why there are no counts; empty: there are */
	struct static_counts of[FUNCTIONS_MAX];
	struct static_counts total;
	/* A bit for each function that calls this one, or jumps to it; that of itself left out. */
	u64 callers[FUNCTIONS_MAX];
};

/* Reads an ELF file, which stays the caller's. 0, or -1 with a sentence in *err. */
int static_code_read(struct static_code *code, const void *elf, size_t elf_bytes,
		     struct errmsg *err);

#endif /* MEASURE_STATIC_CODE_H */
