/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a real program does between two reads.
 */
#ifndef MEASURE_WORK_H
#define MEASURE_WORK_H

#include "sim/errmsg.h"
#include "sim/types.h"

enum work_kind {
	WORK_NONE,
	WORK_ALU,   /* `amount` operations, each of which needs the one before */
	WORK_CACHE, /* touches `amount` bytes of the reader's own memory, a line at a time */
	WORK_COLD,  /* puts the lines of the page out of all caches; x86 and arm64 only */
};

struct work_spec {
	enum work_kind kind;
	u64 amount; /* alu: 1 to 1 000 000; cache: 64 bytes to 1 GiB */
};

/* One reader's work: its memory and where it stands. Owned by one thread. */
struct work {
	struct work_spec spec;
	u64 value;
	u64 lines;
	u8 *memory;	    /* NULL unless cache */
	const void *page;   /* whose lines are put out, set by whoever reads it; NULL: none yet */
	const void *behind; /* the data behind a namespace's page; NULL: none */
};

/* Bytes from the beginning of the page's data that cold work puts out: both clock structures. */
#define WORK_COLD_BYTES 512

/* Whether this machine lets programs put lines out of its caches. */
bool work_can_be_cold(void);

/* Allocates and fills the memory. 0, or -1 with a sentence in *err. work_end releases it. */
int work_begin(struct work *work, const struct work_spec *spec, u64 seed, struct errmsg *err);
void work_end(struct work *work);

/* Does the work once. */
void work_once(struct work *work);

#endif /* MEASURE_WORK_H */
