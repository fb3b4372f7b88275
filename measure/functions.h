/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of an ELF file, for this machine or another: how large each is, and what the
 * compiler has put into others instead.
 */
#ifndef MEASURE_FUNCTIONS_H
#define MEASURE_FUNCTIONS_H

#include "sim/errmsg.h"
#include "sim/types.h"

#define FUNCTIONS_MAX	      64
#define FUNCTIONS_MAX_INLINED 256
#define FUNCTIONS_MAX_OUTSIDE 16

struct function {
	char name[64]; /* as the symbol: clones have a suffix, as in do_hres.isra.0 */
	u64 address;
	u32 bytes;
};

/* How often one was put into another. */
struct inlining {
	char name[64];
	char into[64]; /* the function as its source calls it */
	u32 times;
};

struct functions {
	u16 machine; /* as ELF numbers it */
	bool is_big_endian;
	u32 text_bytes; /* of the section of instructions */
	u64 entry;	/* an address in it */
	size_t count;
	struct function function[FUNCTIONS_MAX]; /* by address */
	size_t outside;				 /* that are called, and not in the file */
	char outside_name[FUNCTIONS_MAX_OUTSIDE][64];
	struct errmsg no_inlinings; /* why none are known; empty: they are */
	size_t inlinings;
	struct inlining inlining[FUNCTIONS_MAX_INLINED];
};

/*
 * Reads the file of these bytes, which stay the caller's. Returns 0, or -1 with a sentence in *err:
 * it is no ELF file, or has no text; what is beyond the numbers above is left out.
 */
int functions_read(struct functions *functions, const void *elf, size_t elf_bytes,
		   struct errmsg *err);

/* The function that holds an address; NULL if none does. */
const struct function *functions_at(const struct functions *functions, u64 address);

/* How often a function was put into others; its name without the suffix of a clone counts. */
u32 functions_times_inlined(const struct functions *functions, const char *name);

#endif /* MEASURE_FUNCTIONS_H */
