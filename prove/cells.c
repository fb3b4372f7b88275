// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "prove/cells.h"

#define SLOT 8

int cells_begin(struct cells *cells, void *memory, size_t bytes, bool keep_stores)
{
	*cells = (struct cells){
		.memory = memory,
		.bytes = bytes,
		.keep_stores = keep_stores,
		.initial = malloc(bytes + SLOT),
		.unit = calloc(bytes / SLOT + 1, sizeof(*cells->unit)),
		.at = calloc(bytes + 1, sizeof(*cells->at)),
	};
	if (!cells->initial || !cells->unit || !cells->at) {
		cells_end(cells);
		return -1;
	}
	memcpy(cells->initial, memory, bytes);
	return 0;
}

void cells_restore(struct cells *cells, const struct memory_cell *cell, u32 count, bool strong)
{
	cells->strong = strong;
	cells->count = count;
	memcpy(cells->cell, cell, count * sizeof(*cell));
	for (u32 i = 0; i < count; i++) {
		cells->at[cell[i].offset] = (u16)(i + 1);
		cells->unit[cell[i].offset / SLOT] = (u8)cell[i].bytes;
	}
}

void cells_end(struct cells *cells)
{
	free(cells->initial);
	free(cells->unit);
	free(cells->at);
	*cells = (struct cells){.memory = NULL};
}

void cells_reset(struct cells *cells)
{
	memcpy(cells->memory, cells->initial, cells->bytes);
}

/* The largest part that such an access can be cut into: what divides both. */
static u8 unit_of(u32 offset, u32 bytes)
{
	const u32 common = offset | bytes | SLOT;

	return (u8)(common & -common);
}

u64 cells_value(const u8 *memory, const struct memory_cell *cell)
{
	u64 value = 0;

	memcpy(&value, memory + cell->offset, cell->bytes);
	return value;
}

void cells_put(struct cells *cells, u32 cell, u64 value)
{
	memcpy(cells->memory + cells->cell[cell].offset, &value, cells->cell[cell].bytes);
}

static u32 make_cell(struct cells *cells, u32 offset, u32 bytes)
{
	struct memory_cell *cell;

	if (cells->count == GRAPH_MAX_CELLS) {
		cells->full = true;
		return 0;
	}
	cell = &cells->cell[cells->count];
	*cell = (struct memory_cell){.offset = offset, .bytes = bytes};
	cell->initial = cells_value(cells->initial, cell);
	cells->at[offset] = (u16)(cells->count + 1);
	return cells->count++;
}

/* Cells that were larger are none any more. */
static void forget_all(struct cells *cells)
{
	memset(cells->at, 0, cells->bytes * sizeof(*cells->at));
	cells->count = 0;
	cells->learnt = true;
}

u32 cells_find(struct cells *cells, u32 offset, u32 bytes)
{
	const u8 unit = unit_of(offset, bytes);
	u8 *known = &cells->unit[offset / SLOT];

	if (!*known || *known > unit) {
		if (*known)
			forget_all(cells);
		*known = unit;
	}
	offset &= ~(*known - 1u);
	return cells->at[offset] ? cells->at[offset] - 1u : make_cell(cells, offset, *known);
}

void cells_note(struct cells *cells, u32 cell, u32 thread, bool loads, bool stores)
{
	struct memory_cell *noted = &cells->cell[cell];
	const u8 bit = (u8)(1u << thread);

	if ((loads && !(noted->loaded_by & bit)) || (stores && !(noted->stored_by & bit)))
		cells->learnt = true;
	noted->loaded_by |= loads ? bit : 0;
	noted->stored_by |= stores ? bit : 0;
}

void cells_note_strong(struct cells *cells)
{
	cells->learnt |= !cells->strong;
	cells->strong = true;
}

bool cells_matter(const struct cells *cells, u32 cell)
{
	const struct memory_cell *known = &cells->cell[cell];
	const bool several = known->stored_by & (known->stored_by - 1);

	return cells->strong ||
	       (known->stored_by && (known->loaded_by || several || cells->keep_stores));
}
