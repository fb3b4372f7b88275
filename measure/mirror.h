/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages of ours that tell the time of the kernel's page: what that says is copied whenever its
 * sequence has moved, and so is the hypervisor's record behind it, if the kernel's counter is that.
 * That ends for good when the kernel goes over to another counter. One thread owns a mirror.
 */
#ifndef MEASURE_MIRROR_H
#define MEASURE_MIRROR_H

#include "sim/host_page.h"
#include "sim/page_snapshot.h"
#include "sim/pvclock.h"

#define MIRROR_MAX_PAGES 8

struct mirror {
	struct host_page host;
	struct timens_offset offset[VDSO_BASES]; /* of the namespace; 0 outside of one */
	struct errmsg stopped; /* why nothing is copied any more; empty: it still is */
	/* What was copied last; the hypervisor's record only if that is the page's counter. */
	struct page_snapshot snapshot;
	struct pvclock_vcpu_time_info record;
	size_t count;
	struct page_region region[MIRROR_MAX_PAGES];
};

/*
 * Begins a mirror of this page without pages of its own. Returns 0, or -1 with a sentence in *err
 * when readers of a copy cannot read its counter, or it cannot be read. Ended by mirror_close, in
 * either case.
 */
int mirror_open(struct mirror *mirror, const struct host_page *host, struct errmsg *err);
void mirror_close(struct mirror *mirror);

/*
 * Adds a region that is laid out in this way; if the host's page is seen through a time
 * namespace's, so is the region's. Returns it, the mirror's own, or NULL with a sentence in *err.
 */
const struct page_region *mirror_add(struct mirror *mirror, const struct page_layout *layout,
				     u32 data_offset, struct errmsg *err);

/* Whether readers are given the page of a time namespace. */
bool mirror_in_namespace(const struct mirror *mirror);

/* The page of a region that a reader is to be given. */
const struct vdso_time_data *mirror_page(const struct mirror *mirror,
					 const struct page_region *region);

/*
 * Copies the kernel's page if it was updated since the last time. Returns 0, or -1 with a sentence
 * in *err if it was being updated all the time, or has another clock mode than at mirror_open, now
 * or at an earlier call; the copies are then as they were.
 */
int mirror_refresh(struct mirror *mirror, struct errmsg *err);

/* Whether the kernel's page, and the record, are still what was copied; never once it stopped. */
bool mirror_is_fresh(const struct mirror *mirror);

/*
 * Whether everybody who reads this clock will carry nanoseconds into as many new seconds for
 * another MIRROR_QUIET_NS, by what was copied last: none, or always one in a time namespace that
 * adds half a second or more to them. Readers of our pages do so for as long after mirror_be_quiet,
 * which publishes a time of whole seconds, until mirror_refresh is called again.
 */
#define MIRROR_QUIET_NS 100000000
bool mirror_is_quiet(const struct mirror *mirror, clockid_t clock);
void mirror_be_quiet(struct mirror *mirror);

/*
 * Publishes a time that lies MIRROR_STRANGE_SEC ahead of the kernel's, until mirror_refresh is
 * called again, so that one can see who follows our pages and who does not.
 */
#define MIRROR_STRANGE_SEC 315360000
void mirror_be_strange(struct mirror *mirror);

#endif /* MEASURE_MIRROR_H */
