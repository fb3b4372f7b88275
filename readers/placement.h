/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies of a reader's machine code, each at a place of one's choice relative to the lines of the
 * cache and to pages.
 */
#ifndef READERS_PLACEMENT_H
#define READERS_PLACEMENT_H

#include "readers/machine_code.h"
#include "readers/reader.h"

/* One copy, in pages of its own, which are never writable and executable at once. */
struct placement {
	void *pages; /* NULL: none */
	size_t bytes;
	reader_fn *entry;
};

/*
 * Copies the code so that the reader's first instruction lies `offset` bytes into a page, or as
 * near below it as the code's step allows. Returns 0, or -1 with a sentence in *err. Safe in any
 * thread. What is copied may be given back before the copy is.
 */
int placement_make(struct placement *placement, const struct machine_code *code, u32 offset,
		   struct errmsg *err);
void placement_release(struct placement *placement);

#endif /* READERS_PLACEMENT_H */
