// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/agreement.h"
#include "sim/barrier.h"

/* 0, which no clock says, for what is no time. */
static u64 read_ns(const struct contestant *contestant, clockid_t clock)
{
	struct timespec ts = {0, -1};

	if (contestant_read(contestant, clock, &ts) || ts.tv_nsec < 0 ||
	    ts.tv_nsec >= (long)NSEC_PER_SEC)
		return 0;
	return (u64)ts.tv_sec * NSEC_PER_SEC + (u64)ts.tv_nsec;
}

enum agreement agreement_try(const struct mirror *mirror, const struct contestant *host,
			     const struct contestant *other, clockid_t clock,
			     struct agreement_values *values)
{
	values->low = read_ns(host, clock);
	values->value = read_ns(other, clock);
	values->high = read_ns(host, clock);
	smp_rmb();
	/* Sequences and versions only grow: what is fresh now was so all the time. */
	if (!mirror_is_fresh(mirror))
		return AGREEMENT_VOID;
	if (!values->low || !values->high)
		return AGREEMENT_NONE;
	return values->low <= values->value && values->value <= values->high ? AGREEMENT_YES
									     : AGREEMENT_NO;
}
