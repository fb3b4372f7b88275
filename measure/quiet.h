/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page that nobody updates while it is read, to see that a copy of a reader computes what it
 * should.
 */
#ifndef MEASURE_QUIET_H
#define MEASURE_QUIET_H

#include "readers/readers.h"
#include "sim/clocksource.h"
#include "sim/oracle.h"
#include "sim/timekeeper.h"

struct quiet {
	struct page_region region;
	s32 clock_mode;
	struct timekeeper tk;
	struct oracle *oracle; /* of the reader's clock */
	u64 number;	       /* of the last update */
};

/*
 * Makes a page for a reader, as the clock source's counter (of frequency_hz, without a record in
 * memory) moves it. 0, or -1 with a sentence in *err. One thread owns it.
 */
int quiet_open(struct quiet *quiet, const struct reader *reader, const struct clocksource *cs,
	       u64 frequency_hz, struct errmsg *err);
void quiet_close(struct quiet *quiet);

/*
 * Updates it, and has `read`, a copy of the reader, read it: once as time passes, when any value of
 * the call's span is right, and once as it stands still, when only one is. 0, or -1 with a sentence
 * in *err that says what is wrong.
 */
int quiet_check(struct quiet *quiet, const struct reader *reader, reader_fn *read,
		struct errmsg *err);

#endif /* MEASURE_QUIET_H */
