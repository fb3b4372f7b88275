/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one description of each layout: PAGE_LAYOUT_NAME(field) says field(name, value) for each
 * member of struct page_layout but the names. The writer finds it in the table of sim/layout.h; a
 * read path is compiled with it, READER_LAYOUT=PAGE_LAYOUT_V5_3 for instance.
 *
 * Source: the table of layouts in the project's design, on x86-64. In every one of them a clock
 * structure begins with its sequence, and the clock mode follows.
 */
#ifndef SIM_LAYOUTS_H
#define SIM_LAYOUTS_H

#include "sim/page.h"

/* The offset of a field that a layout has not. */
#define LAYOUT_ABSENT 0xffff

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

/* What follows the clocks in kernels that have eight auxiliary clocks. */
#define LAYOUT_AUX_CLOCKS 8

/* clang-format off */

/* One mult and one shift for all bases of a clock structure, which have 16 bytes each. */
#define LAYOUT_PLAIN_BASES(field)                                                                  \
	field(base_bytes, 16) field(base_mult, LAYOUT_ABSENT) field(base_shift, LAYOUT_ABSENT)

/* With max_cycles, from 6.10 on. */
#define LAYOUT_CLOCK_WITH_MAX_CYCLES(field)                                                        \
	field(cycle_last, 8) field(max_cycles, 16) field(mask, 24) field(mult, 32)                 \
	field(shift, 36) field(basetime, 40) LAYOUT_PLAIN_BASES(field)                             \
	field(has_raw, true) field(has_namespace, true)

/* Before it came. */
#define LAYOUT_CLOCK_WITHOUT_MAX_CYCLES(field)                                                     \
	field(cycle_last, 8) field(max_cycles, LAYOUT_ABSENT) field(mask, 16) field(mult, 24)      \
	field(shift, 28) field(basetime, 32) LAYOUT_PLAIN_BASES(field)                             \
	field(tz, 224) field(data_offset, 128)

#define PAGE_LAYOUT_V6_17(field)                                                                   \
	LAYOUT_CLOCK_WITH_MAX_CYCLES(field) field(clock_bytes, 232)                                \
	field(tz, (CS_BASES + LAYOUT_AUX_CLOCKS) * 232)                                            \
	field(hrtimer_res, (CS_BASES + LAYOUT_AUX_CLOCKS) * 232 + 8) field(data_offset, 0)

#define PAGE_LAYOUT_V6_15(field)                                                                   \
	LAYOUT_CLOCK_WITH_MAX_CYCLES(field) field(clock_bytes, 232)                                \
	field(tz, CS_BASES * 232) field(hrtimer_res, CS_BASES * 232 + 8) field(data_offset, 0)

#define PAGE_LAYOUT_V6_10(field)                                                                   \
	LAYOUT_CLOCK_WITH_MAX_CYCLES(field) field(clock_bytes, 248)                                \
	field(tz, 232) field(hrtimer_res, 240) field(data_offset, 128)

#define PAGE_LAYOUT_V5_3(field)                                                                    \
	LAYOUT_CLOCK_WITHOUT_MAX_CYCLES(field) field(clock_bytes, 240) field(has_raw, true)        \
	field(hrtimer_res, 232) field(has_namespace, true)

/* The current one, but for the second clock structure, which begins a cache line of its own. */
#define PAGE_LAYOUT_RAW_SEPARATE(field)                                                            \
	LAYOUT_CLOCK_WITH_MAX_CYCLES(field) field(clock_bytes, 256)                                \
	field(tz, CS_BASES * 256) field(hrtimer_res, CS_BASES * 256 + 8) field(data_offset, 0)

/* mult and shift stand in each base, whose 24 bytes may lie across two cache lines. */
#define PAGE_LAYOUT_GTOD_BASEMULT(field)                                                           \
	field(cycle_last, 8) field(max_cycles, LAYOUT_ABSENT) field(mask, 16)                      \
	field(mult, LAYOUT_ABSENT) field(shift, LAYOUT_ABSENT) field(basetime, 24)                 \
	field(base_bytes, 24) field(base_mult, 16) field(base_shift, 20)                           \
	field(clock_bytes, LAYOUT_ABSENT) field(has_raw, true) field(tz, 312)                      \
	field(hrtimer_res, LAYOUT_ABSENT) field(data_offset, 128) field(has_namespace, false)

#define PAGE_LAYOUT_GTOD(field)                                                                    \
	LAYOUT_CLOCK_WITHOUT_MAX_CYCLES(field) field(clock_bytes, LAYOUT_ABSENT)                   \
	field(has_raw, false) field(hrtimer_res, LAYOUT_ABSENT) field(has_namespace, false)

/* clang-format on */

#endif /* SIM_LAYOUTS_H */
