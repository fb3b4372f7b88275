/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The shared data page, laid out as kernels from 6.15 on lay it out on 64-bit machines, and the
 * memory it lives in.
 *
 * Source of the layout: the offsets in the project's design table; tests/unit/test_page.c
 * checks each of them.
 */
#ifndef SIM_PAGE_H
#define SIM_PAGE_H

#include <limits.h>
#include <time.h>

#include "sim/errmsg.h"
#include "sim/types.h"

#define VDSO_BASES 12

struct lock_operations;
struct page_layout;

/* Index of the two clock structures of the page. */
enum vdso_clock_index {
	CS_HRES_COARSE,
	CS_RAW,
	CS_BASES
};

/* What clock_mode says: which counter the reader is to use. 0 to 3 are the kernel's on x86. */
enum vdso_clock_mode {
	VDSO_CLOCKMODE_NONE = 0,     /* not readable from user space: call the system */
	VDSO_CLOCKMODE_TSC = 1,	     /* x86: rdtscp; elsewhere: the architecture's own counter */
	VDSO_CLOCKMODE_PVCLOCK = 2,  /* a record in the counter page, see sim/pvclock.h */
	VDSO_CLOCKMODE_HVCLOCK = 3,  /* taken; has no reader yet */
	SIM_CLOCKMODE_TSC_LFENCE,    /* x86 without rdtscp: lfence, rdtsc */
	SIM_CLOCKMODE_MONOTONIC_RAW, /* a system call gives the counter */
	SIM_CLOCKMODE_VIRTUAL,	     /* a word in the counter page, moved by hand */
	VDSO_CLOCKMODE_TIMENS = INT_MAX
};

struct vdso_timestamp {
	u64 sec;
	u64 nsec; /* high-resolution clocks: nanoseconds << shift; coarse clocks: nanoseconds */
};

/* In a time-namespace page the bases hold the offsets of the namespace instead. */
struct timens_offset {
	s64 sec;
	u64 nsec;
};

struct vdso_clock {
	u32 seq;
	s32 clock_mode;
	u64 cycle_last;
	u64 max_cycles; /* largest cycle delta whose product with mult fits in 64 bits */
	u64 mask;
	u32 mult;
	u32 shift;
	union {
		struct vdso_timestamp basetime[VDSO_BASES];
		struct timens_offset offset[VDSO_BASES];
	};
};

struct vdso_time_data {
	struct vdso_clock clock_data[CS_BASES];
	s32 tz_minuteswest;
	s32 tz_dsttime;
	u32 hrtimer_res;
	u32 unused;
};

/* The pages of a region lie in this order, each SIM_PAGE_BYTES long. */
enum page_slot {
	PAGE_TIMENS,  /* what a reader in a time namespace is given */
	PAGE_DATA,    /* what every other reader is given */
	PAGE_COUNTER, /* where the kernel has its paravirtual clock page: a record, or a word */
	PAGE_OTHER_TIMENS, /* another namespace's; to be shown before the data somewhere else */
	PAGE_SLOTS
};

#define SIM_PAGE_BYTES 4096u

/*
 * A region of pages in memory of its own, mapped twice: writable for the writer and read-only for
 * readers. Under ThreadSanitizer both pointers are equal: it tells memory by address, and would
 * take two mappings for two memories.
 */
struct page_region {
	void *writable;
	const void *readonly;
	const struct page_layout *layout;   /* of the data in its pages; see sim/layout.h */
	u32 data_offset;		    /* where in a page its data begins */
	int fd;				    /* of the memory, for page_region_show */
	const struct lock_operations *lock; /* in place of the data, see sim/lock_page.h; or NULL */
	clockid_t lock_clock;		    /* that it is told */
};

/*
 * Makes a zeroed region whose pages are to be laid out in this way, the data beginning at
 * data_offset (in bytes, a multiple of 8). Returns 0, or -1 with a sentence in *err. Released by
 * page_region_unmap. All these calls are for one thread at a time.
 */
int page_region_map(struct page_region *region, const struct page_layout *layout, u32 data_offset,
		    struct errmsg *err);
void page_region_unmap(struct page_region *region);

/*
 * Shows one page of the region at `address` too, read-only and in place of what is mapped there.
 * Returns 0, or -1 with a sentence in *err. It stays the caller's to unmap.
 */
int page_region_show(const struct page_region *region, enum page_slot slot, void *address,
		     struct errmsg *err);

/*
 * The data of a region's pages as the writer, and as readers, see them; a struct vdso_time_data if
 * the layout is page_layout_current. Valid until the unmap.
 */
struct vdso_time_data *page_for_writer(const struct page_region *region);
const struct vdso_time_data *page_for_readers(const struct page_region *region);
const struct vdso_time_data *page_for_namespace(const struct page_region *region);

/*
 * Writes the time-namespace page: sequence 1 and mode TIMENS for ever, and these offsets. Nothing
 * where the layout knows no time namespaces.
 */
void page_set_namespace(const struct page_region *region,
			const struct timens_offset offset[VDSO_BASES]);

/* The same for the page of another namespace. */
void page_set_other_namespace(const struct page_region *region,
			      const struct timens_offset offset[VDSO_BASES]);

/* Sets the word that SIM_CLOCKMODE_VIRTUAL reads. Any thread may call it at any time. */
void page_set_virtual_counter(const struct page_region *region, u64 cycles);

/* What a reader that holds `page` finds behind it. No checks: these are part of the read path. */
static inline const struct vdso_time_data *page_behind_namespace(const struct vdso_time_data *page)
{
	return (const struct vdso_time_data *)((const char *)page +
					       (PAGE_DATA - PAGE_TIMENS) * SIM_PAGE_BYTES);
}

/* Wherever in its page the data begins, the counter page begins with the counter. */
static inline const u64 *page_virtual_counter(const struct vdso_time_data *page)
{
	uintptr_t start = (uintptr_t)page & ~((uintptr_t)SIM_PAGE_BYTES - 1);

	return (const u64 *)(start + (PAGE_COUNTER - PAGE_DATA) * SIM_PAGE_BYTES);
}

#endif /* SIM_PAGE_H */
