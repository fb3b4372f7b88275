/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How kernels have laid out the data of their page, in one table; each is described in
 * sim/layouts.h.
 */
#ifndef SIM_LAYOUT_H
#define SIM_LAYOUT_H

#include <time.h>

#include "sim/layouts.h"
#include "sim/types.h"

/* Those that kernels have or had, newest first, ended by NULL. */
extern const struct page_layout *const page_layouts[];

/* That of struct vdso_time_data, which our own readers read. */
extern const struct page_layout page_layout_current;

/*
 * By name: one of the table's; "current", which our own readers read; or one that no kernel has
 * had, "raw-separate". NULL when there is none of that name.
 */
const struct page_layout *page_layout_find(const char *name);

/* Where a clock structure begins. Only CS_RAW where the layout has no second one is out of range.
 */
static inline void *layout_clock(const struct page_layout *layout, void *page,
				 enum vdso_clock_index index)
{
	return (char *)page + (index == CS_RAW ? layout->clock_bytes : 0);
}

/* The structure that holds a clock's base, wherever RAW's is. */
static inline void *layout_clock_of(const struct page_layout *layout, void *page, clockid_t clock)
{
	bool second = clock == CLOCK_MONOTONIC_RAW && layout->clock_bytes != LAYOUT_ABSENT;

	return layout_clock(layout, page, second ? CS_RAW : CS_HRES_COARSE);
}

static inline u32 *layout_u32(void *structure, u16 offset)
{
	return (u32 *)(void *)((char *)structure + offset);
}

static inline u64 *layout_u64(void *structure, u16 offset)
{
	return (u64 *)(void *)((char *)structure + offset);
}

/* The seconds of a clock's base; the nanoseconds follow. */
static inline u64 *layout_base(const struct page_layout *layout, void *page, clockid_t clock)
{
	return layout_u64(layout_clock_of(layout, page, clock),
			  (u16)(layout->basetime + clock * layout->base_bytes));
}

#endif /* SIM_LAYOUT_H */
