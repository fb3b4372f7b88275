/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Other machines, for which a reader can be compiled, and looked at, but not run.
 */
#ifndef READERS_TARGET_H
#define READERS_TARGET_H

#include "sim/errmsg.h"
#include "sim/types.h"

struct target {
	const char *name;    /* as compilers are called; i386 */
	const char *package; /* Debian's, that has the compiler */
	const char *headers; /* and the C library's headers */
	const char *gcc;     /* what compiles for it if no recipe says so */
	const char *flags;   /* what gcc needs to be told; NULL: nothing */
	bool has_32_bits;
	u16 machine; /* as ELF numbers it */
};

/* Ended by one without a name. */
extern const struct target targets[];

/* By name; NULL with a sentence in *err. */
const struct target *target_find(const char *name, struct errmsg *err);

/* A reader's bare path, linked by itself as readers/path/code.lds says. */
struct target_code {
	const struct target *target;
	char path[128];	     /* the reader, as in struct reader */
	char variation[192]; /* the spec's keys and recipe as they were given */
	char compiler[96];   /* what made it, by name */
	void *elf;	     /* the file, malloc'ed */
	size_t elf_bytes;
};

/*
 * Compiles the reader that `spec` names: a kind of ours, or a file; not an image. What the compiler
 * says goes to standard error. Returns 0, and the caller owns *code until target_release; or -1
 * with a sentence in *err, which names the package if the compiler is not here.
 */
int target_compile(const struct target *target, const char *spec, struct target_code *code,
		   struct errmsg *err);
void target_release(struct target_code *code);

#endif /* READERS_TARGET_H */
