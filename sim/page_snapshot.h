/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a page says at one moment, whatever the page's layout: taken under the sequence protocol,
 * as every reader takes what it reads, and published under it into a page of any layout.
 */
#ifndef SIM_PAGE_SNAPSHOT_H
#define SIM_PAGE_SNAPSHOT_H

#include "sim/errmsg.h"
#include "sim/layout.h"
#include "sim/page.h"

/* How a counter becomes time. */
struct page_rate {
	u64 cycle_last;
	u64 max_cycles;
	u64 mask;
	u32 mult;
	u32 shift;
};

struct page_snapshot {
	u32 seq; /* of the page that it was taken from; even */
	s32 clock_mode;
	bool has_raw;			 /* false: nothing is known of MONOTONIC_RAW */
	struct page_rate rate[CS_BASES]; /* CS_RAW: that of MONOTONIC_RAW */
	/* By clock id, MONOTONIC_RAW's too. */
	struct vdso_timestamp base[VDSO_BASES];
	s32 tz_minuteswest;
	s32 tz_dsttime;
	u32 hrtimer_res; /* ns; 1 if the layout has no place for it */
};

/*
 * Takes a snapshot of the data of a page, which is laid out as `layout` says; never of a time
 * namespace's. Where the layout has no max_cycles it becomes the largest that leaves room for a
 * base of less than a second. Returns 0, or -1 with a sentence in *err if not even the last of many
 * attempts, some milliseconds of them, met a page that nobody was updating; *snapshot is then
 * undefined. Any number of threads may take snapshots of one page.
 */
int page_snapshot_take(const struct page_layout *layout, const void *page,
		       struct page_snapshot *snapshot, struct errmsg *err);

/*
 * Makes one update of the page of it; what its layout has no place for is left out. The page's own
 * sequence goes on. If nothing is known of MONOTONIC_RAW, the mode of its clock structure becomes
 * NONE, so that its readers call the system. One thread at a time may publish to a page.
 */
void page_snapshot_publish(const struct page_snapshot *snapshot, const struct page_layout *layout,
			   void *page);

/*
 * Whether a reader of a page that is laid out so, and that this was published to, can tell this
 * clock right, be it by calling the system. Not MONOTONIC_RAW, if nothing is known of it and it
 * shares the other clocks' structure, and so their mode.
 */
bool page_snapshot_tells(const struct page_snapshot *snapshot, const struct page_layout *layout,
			 clockid_t clock);

/*
 * What a time namespace's page adds to the clocks, by clock id. Nobody changes it while processes
 * have the page. Only of a layout that knows namespaces.
 */
void page_snapshot_namespace(const struct page_layout *layout, const void *page,
			     struct timens_offset offset[VDSO_BASES]);

#endif /* SIM_PAGE_SNAPSHOT_H */
