/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a watcher's counts, in cycles, to an observation's result, in nanoseconds.
 */
#ifndef MEASURE_OBSERVE_COLLECT_H
#define MEASURE_OBSERVE_COLLECT_H

#include "measure/observe.h"
#include "measure/watcher.h"

/*
 * Fills in all of *result that follows from what was seen; read_ns is how long a read of MONOTONIC
 * takes, 0 if the host has none. counter_hz must be there already. 0, or -1 with a sentence in
 * *err: no memory.
 */
int observe_collect(const struct watcher *watcher, const struct observer_cpu *cpus, int count,
		    double read_ns, struct observe_result *result, struct errmsg *err);

#endif /* MEASURE_OBSERVE_COLLECT_H */
