/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a contestant tells the time that the host's vDSO tells.
 *
 * The host is asked, then the contestant, then the host again, all on one CPU. If the kernel's page
 * was not updated meanwhile, nor a record behind it, and our pages are copies of it, then all three
 * computed with the same numbers, and the contestant's value must lie between the host's two; of a
 * coarse clock these are the same value.
 */
#ifndef MEASURE_AGREEMENT_H
#define MEASURE_AGREEMENT_H

#include "measure/contestant.h"
#include "measure/mirror.h"

enum agreement {
	AGREEMENT_YES,
	AGREEMENT_NO,
	AGREEMENT_VOID, /* the page was updated meanwhile: nothing is known */
	AGREEMENT_NONE, /* the host told no time: there is nothing to agree with */
};

/* In nanoseconds. */
struct agreement_values {
	u64 low;   /* the host's, before; each is 0 if no time was told */
	u64 value; /* the contestant's */
	u64 high;  /* the host's, after */
};

/* One try. *values is filled in whatever the answer is. */
enum agreement agreement_try(const struct mirror *mirror, const struct contestant *host,
			     const struct contestant *other, clockid_t clock,
			     struct agreement_values *values);

#endif /* MEASURE_AGREEMENT_H */
