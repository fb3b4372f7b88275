/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What readers are given while somebody moves them into time namespaces and out again: the host's
 * page, a namespace's, or another one's, with other offsets. Behind each namespace's page lie the
 * same data.
 */
#ifndef MEASURE_EXCHANGE_H
#define MEASURE_EXCHANGE_H

#include "measure/shared.h"

struct exchange {
	void *other; /* the other namespace's pages as readers see them; NULL: there are none */
};

/* Whether a writer of the job does that. */
bool exchange_is_wanted(const struct run_config *config);

/*
 * Fills a group's views for its clock: the host's and the namespace's, and with an *exchange, all
 * zero, the other one's too. Returns 0, or -1 with a sentence in *err. The region outlives it.
 */
int exchange_views(struct exchange *exchange, const struct page_region *region,
		   struct group_shared *group, struct errmsg *err);

void exchange_release(struct exchange *exchange);

#endif /* MEASURE_EXCHANGE_H */
