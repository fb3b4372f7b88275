// SPDX-License-Identifier: GPL-2.0-or-later
#include <time.h>

#include "measure/offcpu.h"
#include "measure/watcher.h"
#include "sim/wide.h"

/*
 * Looks no further apart than this are close: longer than a cache line takes from another CPU,
 * shorter than an interrupt in which a kernel updates its page. Two looks come on top, since on
 * some machines a single one takes that long.
 */
#define CLOSE_NS 500
/* An interrupt takes no longer than this, as a rule, and no page is updated so often. */
#define NEAR_NS 100000

u64 watcher_now(const struct watcher *watcher)
{
	return clocksource_read(watcher->clock_mode, NULL);
}

u64 watcher_cycles(const struct watcher *watcher, u64 ns)
{
	return wide_mul_div(ns, watcher->frequency_hz, NSEC_PER_SEC);
}

void watcher_init(struct watcher *watcher, const void *data, const struct page_layout *layout,
		  const struct clocksource *clocksource, u64 frequency_hz,
		  const volatile sig_atomic_t *stop)
{
	u64 look = (u64)clocksource_cost(clocksource->clock_mode, NULL);

	watcher->clock_mode = clocksource->clock_mode;
	watcher->frequency_hz = frequency_hz;
	watcher->stop = stop;
	watcher->off_cpu_unavailable = NULL;
	watcher->off_cpu = offcpu_flag(&watcher->off_cpu_mark, &watcher->off_cpu_unavailable);
	watched_page_init(&watcher->page, data, layout);
	observer_init(&watcher->observer, watcher_cycles(watcher, CLOSE_NS) + 2 * look,
		      watcher_cycles(watcher, NEAR_NS));
}

static bool was_off_cpu(struct watcher *watcher)
{
	if (!watcher->off_cpu || READ_ONCE(*watcher->off_cpu))
		return false;
	WRITE_ONCE(*watcher->off_cpu, watcher->off_cpu_mark);
	return true;
}

/* What there is to see beside the sequence. */
static struct observer_look examine(struct watcher *watcher, u32 seq, u64 cycles,
				    struct observer_fields *fields)
{
	const struct observer *observer = &watcher->observer;
	struct observer_look look = {
		.seq = seq,
		.cycles = cycles,
		.off_cpu = was_off_cpu(watcher),
	};
	bool news = seq != observer->seq || !observer->has_fields;

	if (news && !(seq & 1) &&
	    watched_page_fields(&watcher->page, seq, observer->second_distance, fields))
		look.fields = fields;
	return look;
}

static struct observer_look look_closely(struct watcher *watcher, struct observer_fields *fields)
{
	u32 seq = READ_ONCE(*watcher->page.seq);

	return examine(watcher, seq, watcher_now(watcher), fields);
}

void watcher_move(struct watcher *watcher, struct observer_cpu *cpu)
{
	struct observer_fields fields;
	struct observer_look look = look_closely(watcher, &fields);

	observer_move(&watcher->observer, cpu, &look);
}

static __attribute__((noinline, cold)) void take_news(struct watcher *watcher, u32 seq, u64 cycles)
{
	struct observer_fields fields;
	struct observer_look look = examine(watcher, seq, cycles, &fields);

	observer_look(&watcher->observer, &look);
}

void watcher_watch(struct watcher *watcher, u64 until)
{
	struct observer *observer = &watcher->observer;
	const u32 *const seq_at = watcher->page.seq;
	const s32 clock_mode = watcher->clock_mode;
	u64 cycles;

	do {
		u32 seq = READ_ONCE(*seq_at);

		/* The counter is read after what was loaded before, so the look is over by then. */
		cycles = clocksource_read(clock_mode, NULL);
		if (unlikely(!observer_glance(observer, seq, cycles)))
			take_news(watcher, seq, cycles);
	} while (likely((s64)(until - cycles) > 0 && !*watcher->stop));
}

static void nap_until(const struct watcher *watcher, u64 until)
{
	s64 left = (s64)(until - watcher_now(watcher));
	u64 ns = left > 0 ? wide_mul_div((u64)left, NSEC_PER_SEC, watcher->frequency_hz) : 0;
	const struct timespec nap = {
		.tv_sec = (time_t)(ns / NSEC_PER_SEC),
		.tv_nsec = (long)(ns % NSEC_PER_SEC),
	};

	/* A signal ends it, and that is what signals are for here. */
	nanosleep(&nap, NULL);
}

void watcher_sleep(struct watcher *watcher, u64 until)
{
	struct observer_fields fields;
	struct observer_look look;

	nap_until(watcher, until);
	look = look_closely(watcher, &fields);
	observer_wake(&watcher->observer, &look);
}
