/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How kernels have laid out the data of their page, in one table.
 *
 * Source: the table of layouts in the project's design, on x86-64. In every one of them a clock
 * structure begins with its sequence, and the clock mode follows.
 */
#ifndef SIM_LAYOUT_H
#define SIM_LAYOUT_H

#include <time.h>

#include "sim/page.h"
#include "sim/types.h"

/* The offset of a field that a layout has not. */
#define LAYOUT_ABSENT UINT16_MAX

/* All offsets are in bytes; those of a clock's fields from the start of the clock structure. */
struct page_layout {
	const char *name;
	const char *kernels; /* that use it, in words */
	u16 cycle_last;
	u16 max_cycles; /* may be absent */
	u16 mask;
	u16 mult;  /* absent: each base has its own */
	u16 shift; /* the same */
	u16 basetime;
	u16 base_bytes; /* from one base to the next; sec is at 0, nsec at 8 */
	u16 base_mult;	/* within a base; absent: the clock structure has one for all */
	u16 base_shift;
	u16 clock_bytes; /* to the second clock structure, which is RAW's; absent: there is none */
	bool has_raw;	 /* RAW can be read from the page */
	u16 tz;		 /* minutes west, DST, from the start of the data */
	u16 hrtimer_res; /* may be absent */
	u16 data_offset; /* where in its page the data begins in those kernels */
	/* Whether a time namespace's page can stand in for it. */
	bool has_namespace;
};

/* The table, newest first, ended by NULL. */
extern const struct page_layout *const page_layouts[];

/* That of struct vdso_time_data, which our own readers read. */
extern const struct page_layout page_layout_current;

/* By name; NULL when there is none of that name. */
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
