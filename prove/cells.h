/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The shared memory as cells that are loaded and stored whole, and who is known to do so. A cell is
 * as large as the smallest access to it. What is learnt stays from round to round.
 */
#ifndef PROVE_CELLS_H
#define PROVE_CELLS_H

#include <stddef.h>

#include "prove/graph.h"

#define CELLS_MAX_BYTES 65536

struct memory_cell {
	u32 offset; /* in the memory */
	u32 bytes;
	u64 initial;
	u8 loaded_by; /* a bit for each thread */
	u8 stored_by;
};

struct cells {
	u8 *memory; /* the caller's */
	size_t bytes;
	u8 *initial; /* a copy of it */
	u32 count;
	struct memory_cell cell[GRAPH_MAX_CELLS];
	bool keep_stores; /* though nobody is known to load them */
	bool strong;	  /* some access is seq_cst: all have their place */
	bool learnt;	  /* something new in this round: it counts for nothing */
	bool full;	  /* there are more cells than there is room for */
	u8 *unit;	  /* of each 8 bytes: how large its cells are; 0: not known yet */
	u16 *at;	  /* the cell that begins at each byte, plus 1; 0: none */
};

/* 0, or -1: no memory. cells_end gives back what it took. */
int cells_begin(struct cells *cells, void *memory, size_t bytes, bool keep_stores);
void cells_end(struct cells *cells);

/* After cells_begin: those of an exploration that has ended. */
void cells_restore(struct cells *cells, const struct memory_cell *cell, u32 count, bool strong);

/* The memory, as it was at first. */
void cells_reset(struct cells *cells);

static inline bool cells_have(const struct cells *cells, const void *address)
{
	return (size_t)((const u8 *)address - cells->memory) < cells->bytes;
}

/*
 * The cell that holds the first bytes of an access of `bytes` bytes there, which may go on in the
 * next one. There are no more than those of cells->bytes; the rest of an access beyond is nobody's.
 */
u32 cells_find(struct cells *cells, u32 offset, u32 bytes);

/* A thread loads, or stores, the cell. */
void cells_note(struct cells *cells, u32 cell, u32 thread, bool loads, bool stores);

/* Some access is seq_cst. */
void cells_note_strong(struct cells *cells);

/* Whether what is done to the cell has a place in the graph. */
bool cells_matter(const struct cells *cells, u32 cell);

u64 cells_value(const u8 *memory, const struct memory_cell *cell);
void cells_put(struct cells *cells, u32 cell, u64 value);

#endif /* PROVE_CELLS_H */
