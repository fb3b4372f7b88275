/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who keeps the paravirtual clock's record: a hypervisor in miniature, which moves it on to the
 * present at a rate of its own. It knows nothing of the writer of the page, and the other way
 * round.
 */
#ifndef WRITERS_HYPERVISOR_H
#define WRITERS_HYPERVISOR_H

#include "sim/page.h"
#include "sim/pvclock.h"
#include "writers/pace.h"

struct hypervisor {
	struct pvclock_host host;
	struct pace pace; /* by the TSC, which is not the counter that the record makes */
};

/*
 * Writes the first record, after which the counter can be read: nanoseconds of the host's
 * CLOCK_MONOTONIC_RAW. Updates are to follow at `hz` a second, 0 for none; waits for them end when
 * *stop is raised, and with may_spin the last PACE_WAKE_EARLY_NS of each are spent spinning: only
 * for a thread without real-time priority, or others would never get its CPU at rates at which that
 * is all of the time. Takes up to 0.1 s. The machine's TSC
 * must be usable. The region stays the caller's, and it and *stop must outlive the hypervisor.
 */
void hypervisor_start(struct hypervisor *hypervisor, const struct page_region *region, u64 hz,
		      bool may_spin, const bool *stop);

/* Sets the pace anew from this moment; for the thread that is going to call hypervisor_step. */
void hypervisor_begin(struct hypervisor *hypervisor);

/*
 * Waits for the next deadline and updates the record. Deadlines that passed meanwhile are not made
 * up for. Returns what the counter then said, or 0, without an update, when the stop flag was
 * raised; it looks at the flag at least every 20 ms. hz must not be 0. One thread only. Whoever
 * meets the record half written waits for that thread: nobody who reads the counter on its CPU may
 * have a higher priority.
 */
u64 hypervisor_step(struct hypervisor *hypervisor);

#endif /* WRITERS_HYPERVISOR_H */
