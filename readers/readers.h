/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The read paths by name: a table of kinds, and the reader that a spec picks from it.
 */
#ifndef READERS_READERS_H
#define READERS_READERS_H

#include <time.h>

#include "readers/clock.h"
#include "readers/machine_code.h"
#include "readers/placement.h"
#include "readers/reader.h"
#include "sim/errmsg.h"
#include "sim/layout.h"
#include "sim/lock_page.h"
#include "sim/spec.h"
#include "sim/vdso_image.h"

/* A lock as the build has made it. */
struct lock_source {
	const char *value; /* of the kind's key that chooses it; NULL: there is no such key */
	const char
		*source; /* see sources.h; NULL: it calls a library, and is what the build made */
	reader_fn *counted;
	reader_fn *bare;
	const char *library; /* the source, if it calls a library */
	const u8 *elf;	     /* the bare one by itself, if it calls no library */
	const u8 *elf_end;
	struct lock_operations operations;
	const char *no_retries; /* why its readers have none; NULL: they tell them */
};

/* A kind of reader: one row of the table. */
struct reader_kind {
	const char *name;
	const char *summary;
	const struct spec_key *keys;
	bool in_namespace; /* given the time-namespace page */
	const char *fault; /* mutants: what is broken; NULL for a correct reader */
	/* The path, if it is one of its own; NULL: a variation of path/vdso.c, see variation.h. */
	const char *source; /* of the path, see sources.h */
	reader_fn *counted;
	reader_fn *bare;
	const u8 *elf; /* the bare one by itself */
	const u8 *elf_end;
	/* Or it is a lock: one of these, ended by one without readers, as the value of lock_key
	 * says.
	 */
	const struct lock_source *locks;
	const char *lock_key; /* NULL: there is but one */
};

/*
 * A reader ready to be called. Constant after reader_resolve; shared by all threads.
 *
 * One that is an image's code has no reader_fn: it is called as what it is, once its image has been
 * attached to a region, and tells nothing but what it returns.
 */
struct reader {
	const struct reader_kind *kind;
	clockid_t clock;
	bool uses_counter;		  /* false: coarse time, read without a counter */
	bool in_namespace;		  /* given the time-namespace page */
	const struct page_layout *layout; /* of the page that it reads */
	u32 data_offset;		  /* where in its page the data begins */
	reader_fn *counted;		  /* tells what it went through */
	reader_fn *bare;		  /* the path that would ship */
	bool tells;		  /* the counted path tells what it used, and went through */
	struct vdso_image *image; /* NULL: a source; else the reader's own */
	enum vdso_call call;	  /* what is called in the image */
	char *file;		  /* of a source of the user's, as it was named; else NULL */
	char path[128];		  /* as in "hres/monotonic" */
	char variation[192];	  /* as in "unlikely, inlined" */

	struct lock_operations lock; /* of a lock; else without publish */
	const char *no_retries;	     /* why there can be none; NULL: there can */

	/* The bare path by itself, to make copies of; no bytes: see reader_no_code. */
	struct machine_code code;
	/* Of what was compiled on demand, and is the reader's own; else all zero. */
	struct machine_code counted_code;
	struct machine_code publish_code;
	struct placement bare_placement;
	struct placement counted_placement;
	struct placement publish_placement;
};

/* The table, ended by NULL; correct readers first. */
extern const struct reader_kind *const reader_kinds[];

/* A kind by name; NULL with a sentence in *err, which lists those that there are. */
const struct reader_kind *reader_kind_find(const char *name, struct errmsg *err);

/* Of a kind that is a lock, the one that a checked spec asks for. */
const struct lock_source *lock_source_find(const struct spec *spec, const struct reader_kind *kind);

/*
 * Finds the reader that `text` names: a kind of the table, a file's path, or image:NAME; with keys,
 * and with a recipe behind an @. What the build has not made of it is compiled, and a file's code
 * is then RUN, in a child process first; what the compiler says goes to standard error. Returns 0,
 * or -1 with a sentence in *err: no such reader (near names are suggested by listing the table), no
 * such key, no such value, no such compiler, a source that it refuses, code that crashes or hangs.
 */
int reader_resolve(const char *text, struct reader *reader, struct errmsg *err);

/* Gives back what a reader owns. All zero, too, is a reader. */
void reader_release(struct reader *reader);

/*
 * Where the code lies that is called and that contend was not built with, an image's or what was
 * compiled on demand, and how many bytes it has; NULL if there is none. It may crash or hang.
 */
const void *reader_foreign_code(const struct reader *reader, u64 *bytes);

/* The same of a lock's publisher. */
const void *reader_foreign_publisher(const struct reader *reader, u64 *bytes);

/* Why there is no code of the reader's by itself; NULL: there is. */
const char *reader_no_code(const struct reader *reader);

static inline bool reader_is_lock(const struct reader *reader)
{
	return reader->lock.publish != NULL;
}

/* Whether both can be given one page, and are told what they want to know. */
bool readers_share_page(const struct reader *a, const struct reader *b);

/*
 * Makes a region that the reader can be given, and that the reader must outlive. 0, or -1 with a
 * sentence in *err.
 */
int reader_map_page(const struct reader *reader, struct page_region *region, struct errmsg *err);

/* What the reader is given of it. */
const struct vdso_time_data *reader_page(const struct reader *reader,
					 const struct page_region *region);

#endif /* READERS_READERS_H */
