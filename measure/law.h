/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The simple law of retries, fitted to what was counted at many points:
 *
 *	share of reads that retry = rate of updates * (hold visible to readers + length of the read)
 *
 * A read meets an update if it begins while the sequence is odd, or if the sequence goes odd before
 * it ends. Varying the rate alone would tell only the sum of the two constants. But a reader knows
 * which of the two has happened to it, and they are kept apart here, so that each constant has
 * counts of its own:
 *
 *	share of reads that threw an attempt away      = rate * length of the read
 *	share of reads that did nothing worse than wait = rate * hold visible to readers
 *
 * An odd wait that follows an attempt thrown away belongs to the first kind: the same update is met
 * again. The hold is the one that is *visible*: in which a read can begin. Of readers that read
 * without a pause none begins in most of it, since all that began before it are still under way
 * when it begins, and are of the first kind; where they do something else between two reads for
 * longer than the hold, all of it is visible. Both kinds leave out off-CPU retries, which hang on
 * how CPUs are shared and on no length that is in the law.
 *
 * The fit is weighted least squares through zero. A share's variance is that of a Poisson count of
 * its expectation, and what the machine changes from one point to the next, which no count shows:
 * LAW_SCATTER of the share of both kinds together. So the points of high rates, where there are a
 * million counts, do not decide alone. It is fitted again with the weights that it gives until they
 * stay the same.
 *
 * Where the law breaks down: a point's share lies farther from it than the point's interval, that
 * of its count (measure/poisson.h) and 1.96 * LAW_SCATTER together. Such a point does not decide
 * about the constants: they start from a median of all points, and are those of the points at
 * which the law with these constants holds. The intervals are of constants that are the same at
 * those points, and know nothing of the others. Counts are taken for independent, which those of
 * readers on several CPUs that meet the same update are not; nor are those of a writer that is put
 * aside most of the time and makes its updates in bursts: of few bursts a point tells little,
 * however much it has counted.
 */
#ifndef MEASURE_LAW_H
#define MEASURE_LAW_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/types.h"

#define LAW_MAX_POINTS 4096

/* About what 100 retries are known to. */
#define LAW_SCATTER 0.1

/* What was counted at one point. */
struct law_point {
	double rate_hz; /* of updates, as measured; a point without any takes no part */
	u64 reads;	/* nor does one without reads */
	u64 changed;	/* of them, those that threw an attempt away while running */
	u64 waited; /* of them, those that did nothing worse than wait while the sequence was odd */
};

struct law_constant {
	double ns;
	double low_ns; /* of 95 % */
	double high_ns;
};

struct law {
	bool known;    /* false: no point has reads and updates, and nothing below means anything */
	size_t points; /* that have */
	size_t held;   /* of those, at which it holds; the constants are of these */
	struct law_constant hold;
	struct law_constant read;
	double residual; /* root mean square of what points differ from it by, at which it holds */
};

/* One point beside the law. */
struct law_finding {
	bool known;   /* it takes part, and the law is known */
	double share; /* of reads that retried; low and high are of the count alone, 95 % */
	double low;
	double high;
	double expected;  /* by the law */
	double residual;  /* share / expected - 1; NAN where nothing is expected */
	bool breaks_down; /* the residual lies beyond the point's interval */
};

/*
 * Fits the law to n points, LAW_MAX_POINTS at most, and tells how each lies to it, in finding[0] to
 * finding[n - 1]. Safe in any thread.
 */
void law_fit(const struct law_point *points, size_t n, struct law *law,
	     struct law_finding *finding);

#endif /* MEASURE_LAW_H */
