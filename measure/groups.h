/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the groups of a run read and are held against: one data page for each way to lay it out, and
 * one oracle for each clock of a page.
 *
 * An update is published to one page after the other, so only reads of one page tell which of two
 * updates came first: a clock that is read on two pages has two oracles.
 */
#ifndef MEASURE_GROUPS_H
#define MEASURE_GROUPS_H

#include "measure/exchange.h"
#include "measure/shared.h"

struct groups {
	size_t regions;
	struct page_region region[RUN_MAX_GROUPS];
	const struct reader *reader[RUN_MAX_GROUPS]; /* of each region: the first that reads it */
	struct exchange exchange[RUN_MAX_GROUPS];    /* of each region */
	const struct page_region *other[RUN_MAX_GROUPS]; /* all regions but the first */
	size_t oracles;
	struct oracle *oracle[RUN_MAX_GROUPS];
};

/*
 * Maps the pages, attaches images to them, and enters in *shared what each group reads. 0, or -1
 * with a sentence in *err; in either case to be released. *groups is all zero before.
 */
int groups_map(struct groups *groups, struct run_shared *shared, struct errmsg *err);

/*
 * Makes the oracles, which together remember so many updates for each if there is room for them,
 * and enters them in *shared. 0, or -1 with a sentence in *err.
 */
int groups_watch(struct groups *groups, struct run_shared *shared, u64 updates, struct errmsg *err);

/* The first reader through whose lock is being published; NULL: through none. */
const struct reader *groups_publishing(const struct groups *groups);

/*
 * Opens the pages that a writer which has gone left odd, so that readers come out of their wait;
 * *released is raised before that. The number of the update within which it left; 0: it did not.
 */
u32 groups_open_pages(const struct groups *groups, bool *released);

void groups_release(struct groups *groups);

#endif /* MEASURE_GROUPS_H */
