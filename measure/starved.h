/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a thread that is ready to run gets no CPU: threads of its priority or a higher one have
 * it, or a hypervisor does.
 */
#ifndef MEASURE_STARVED_H
#define MEASURE_STARVED_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "sim/types.h"

/*
 * A look at a thread of this process that has not been joined; `tid` is its gettid(), 0 if it has
 * not told yet. True if it is ready to run and has not run since the last look. *ran_ns keeps its
 * CPU time from look to look; 0 before the first, which never finds anything. False, too, where
 * /proc cannot be read. One thread may look at one *ran_ns at a time.
 */
bool starved_look(pthread_t thread, pid_t tid, u64 *ran_ns);

#endif /* MEASURE_STARVED_H */
