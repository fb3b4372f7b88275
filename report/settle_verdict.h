/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a measurement makes of a claim, by one rule.
 */
#ifndef REPORT_SETTLE_VERDICT_H
#define REPORT_SETTLE_VERDICT_H

#include <stdbool.h>

#include "report/cell.h"
#include "report/claim.h"
#include "report/comparison.h"

enum settle_verdict {
	SETTLE_SAME_CODE,   /* not seen: the machine code is the same */
	SETTLE_NOT_SEEN,    /* there is no difference larger than X */
	SETTLE_AS_LARGE,    /* seen, and as large as was claimed */
	SETTLE_SMALLER,	    /* seen, but smaller */
	SETTLE_LARGER,	    /* seen, and larger */
	SETTLE_OTHER_WAY,   /* faster was claimed and slower was seen, or slower and faster */
	SETTLE_SEEN,	    /* a difference, of which nothing was claimed in percent */
	SETTLE_CANNOT_TELL, /* the interval holds both no difference and what was claimed */
};

/* What was measured of two readers, in percent. */
struct settle_measured {
	bool same_code;
	bool known;	   /* there is a 95 % interval, of a comparison that came to its end */
	double low, high;  /* of it */
	double resolution; /* differences up to this do not matter; more than 0 */
};

/*
 * X is the farther end of the interval. The claimed range is a definite one if it does not hold 0.
 * The first of these that is so:
 *
 *  - the same code: SAME_CODE; no interval: CANNOT_TELL;
 *  - X is no larger than the resolution, and no definite claim is as small: NOT_SEEN;
 *  - the interval holds 0: NOT_SEEN if a definite claim is larger than X, else CANNOT_TELL;
 *  - nothing was claimed in percent: SEEN;
 *  - interval and claimed range meet: AS_LARGE;
 *  - they lie on either side of 0: OTHER_WAY (a definite claim alone has a side);
 *  - the interval is nearer to 0, or farther from it: SMALLER, LARGER.
 *
 * Swapping the signs of all that is given changes nothing. Safe in any thread.
 */
enum settle_verdict settle_verdict(const struct claim *claim,
				   const struct settle_measured *measured);

/* What a comparison of two has measured. */
struct settle_measured settle_measured_of(const struct comparison *comparison);

/* As programs read it: as_large. */
const char *settle_verdict_name(enum settle_verdict verdict);

/* As people read it. */
struct cell settle_verdict_cell(const struct claim *claim, const struct comparison *comparison);

#endif /* REPORT_SETTLE_VERDICT_H */
