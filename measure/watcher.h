/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread that looks at a page, as fast as it can, and writes nothing but its own memory.
 */
#ifndef MEASURE_WATCHER_H
#define MEASURE_WATCHER_H

#include <signal.h>

#include "measure/observer.h"
#include "measure/watched_page.h"
#include "sim/clocksource.h"

struct watcher {
	struct watched_page page;
	struct observer observer;
	s32 clock_mode; /* of the counter that tells the time of a look */
	u64 frequency_hz;
	const volatile sig_atomic_t *stop;
	u64 *off_cpu; /* see measure/offcpu.h; NULL: there is no such evidence */
	u64 off_cpu_mark;
	const char *off_cpu_unavailable; /* if there is none */
};

/*
 * A watcher of the page whose data, laid out as `layout`, begins at `data`. A raised *stop ends all
 * that it does. For the calling thread, which is the watcher; nothing is allocated. Takes about a
 * millisecond.
 */
void watcher_init(struct watcher *watcher, const void *data, const struct page_layout *layout,
		  const struct clocksource *clocksource, u64 frequency_hz,
		  const volatile sig_atomic_t *stop);

/* What the counter says, and a length in its cycles. */
u64 watcher_now(const struct watcher *watcher);
u64 watcher_cycles(const struct watcher *watcher, u64 ns);

/* The thread has begun to run on the CPU of `cpu`, which stays the caller's. First of all. */
void watcher_move(struct watcher *watcher, struct observer_cpu *cpu);

/* Looks until the counter says `until`. */
void watcher_watch(struct watcher *watcher, u64 until);

/* Sleeps until then, and looks once. */
void watcher_sleep(struct watcher *watcher, u64 until);

#endif /* MEASURE_WATCHER_H */
