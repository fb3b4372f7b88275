/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The read paths by name: a table of kinds, and the reader that a spec picks from it.
 */
#ifndef READERS_READERS_H
#define READERS_READERS_H

#include <time.h>

#include "readers/reader.h"
#include "sim/errmsg.h"
#include "sim/layout.h"
#include "sim/spec.h"
#include "sim/vdso_image.h"

/* A kind of reader: one row of the table. */
struct reader_kind {
	const char *name;
	const char *summary;
	const struct spec_key *keys;
	bool in_namespace; /* given the time-namespace page */
	const char *fault; /* mutants: what is broken; NULL for a correct reader */
	/* The path, if it is one of its own; NULL: a variation of path/vdso.c, see variation.h. */
	reader_fn *counted;
	reader_fn *bare;
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
	struct vdso_image *image;	  /* NULL: a source; else the reader's own */
	enum vdso_call call;		  /* what is called in the image */
	char path[128];			  /* as in "hres/monotonic" */
	char variation[64];		  /* as in "unlikely, inlined" */
};

/* The table, ended by NULL; correct readers first. */
extern const struct reader_kind *const reader_kinds[];

/*
 * Finds the reader that `text` names. Returns 0, or -1 with a sentence in *err: no such reader
 * (near names are suggested by listing the table), no such key, no such value.
 */
int reader_resolve(const char *text, struct reader *reader, struct errmsg *err);

/* Gives back what a reader owns. All zero, too, is a reader. */
void reader_release(struct reader *reader);

/* A clock's name in lower case, as specs and output use it; NULL for an id without one. */
const char *clock_name(clockid_t clock);

/* The clock of that name, -1 if there is none. */
clockid_t clock_by_name(const char *name);

/* Whether the clock is read without a counter. */
bool clock_is_coarse(clockid_t clock);

#endif /* READERS_READERS_H */
