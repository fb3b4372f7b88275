/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a reader's source to its machine code, by the compiler that a recipe names.
 *
 * What was compiled is kept in a folder of the user's cache (XDG_CACHE_HOME or ~/.cache, contend),
 * and found there by the compiler, the flags, and all of the text that the compiler saw. Where that
 * may not be all that counts (readers/cacheable.h) it is compiled each time.
 */
#ifndef READERS_COMPILE_H
#define READERS_COMPILE_H

#include "readers/machine_code.h"
#include "readers/recipe.h"
#include "readers/target.h"

/* What a recipe that names no compiler means. */
extern const char compile_default_cc[];

#define COMPILE_LIMIT_S 60

struct compile_job {
	const char *source; /* a file of the user's, or one of readers/sources.h */
	bool built_in;	    /* which of them */
	bool counted;	    /* READER_COUNTED */
	const char *part;   /* READER_PART, one of readers/lock.h's; NULL: a clock */
	bool explored;	    /* each access a call of prove/runtime's, which is linked to it */
	int defines;
	const char
		*define[RECIPE_MAX_DEFINES]; /* before those of the recipe, which overrule them */
	const struct recipe *recipe;
	const struct target *target; /* for another machine; NULL: for this one */
	u32 limit_s;		     /* of one run of the compiler; 0: COMPILE_LIMIT_S */
};

/*
 * Compiles, or finds it compiled. What the compiler has to say goes to standard error as it is.
 * Returns 0; or -1 with a sentence in *err: no such file, no such compiler, it refused the source
 * or did not end, the code is none that can be copied (see machine_code_open). The file behind
 * *code is the caller's, to be given back by compiled_release. Several threads, or processes, may
 * compile at once. Signals that are to end us end the compiler, and come to us when it is tidied
 * up.
 */
int compile_reader(const struct compile_job *job, struct machine_code *code, struct errmsg *err);

/* The same, but for what is made of the file, which is malloc'ed and the caller's. */
int compile_elf(const struct compile_job *job, void **elf, size_t *elf_bytes, struct errmsg *err);

/*
 * What the compiler sees of a job's source: all files, macros expanded. malloc'ed, and the
 * caller's; or as above.
 */
int compile_seen(const struct compile_job *job, void **text, size_t *bytes, struct errmsg *err);

/* The compiler that a job for this target runs, cut to the size of `name`. */
void compile_name(const struct compile_job *job, const struct target *target, char *name,
		  size_t size);

void compiled_release(struct machine_code *code);

#endif /* READERS_COMPILE_H */
