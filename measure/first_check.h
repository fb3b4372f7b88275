/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a reader returns what the page says, before anything is made of how long it takes.
 */
#ifndef MEASURE_FIRST_CHECK_H
#define MEASURE_FIRST_CHECK_H

#include "readers/readers.h"
#include "sim/clocksource.h"
#include "sim/errmsg.h"

/*
 * Has the reader, its code where it was put first, read a page that nobody updates, in a process of
 * its own, a few times. 0, or -1 with a sentence in *err, which names it. An image, and a counter
 * that has a record in memory, are not checked: 0. The calling thread must be the process's only
 * one.
 */
int first_check(const struct reader *reader, const struct clocksource *cs, struct errmsg *err);

#endif /* MEASURE_FIRST_CHECK_H */
