/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all writers of a run share: the timekeeper, the pages that it is published to, the oracles
 * that are told, and the lock that lets one of them in at a time, as the kernel's timekeeper lock
 * does.
 */
#ifndef WRITERS_TK_CORE_H
#define WRITERS_TK_CORE_H

#include <pthread.h>

#include "sim/clocksource.h"
#include "sim/errmsg.h"
#include "sim/lock_page.h"
#include "sim/oracle.h"
#include "sim/page.h"
#include "sim/timekeeper.h"

enum payload {
	PAYLOAD_TIME,  /* the timekeeper's clocks, fed by the real counter */
	PAYLOAD_STAMP, /* every field follows from the number of the update */
};

/* Pages that are published to, laid out differently. */
#define TK_CORE_MAX_PAGES 2048
/* Clocks that are watched. */
#define TK_CORE_MAX_ORACLES 16

struct tk_page {
	struct vdso_time_data *page; /* writable; laid out as follows */
	const struct page_layout *layout;
	const struct lock_operations *lock; /* that each update goes through instead; or NULL */
	clockid_t clock;		    /* that it is told */
};

/* What readers are given, by which page. */
enum tk_view {
	TK_VIEW_HOST,
	TK_VIEW_NAMESPACE,
	TK_VIEW_OTHER_NAMESPACE,
	TK_VIEWS
};

struct tk_core {
	enum payload payload;
	const struct clocksource *clocksource; /* that it began with */
	u64 frequency_hz;		       /* of that */
	struct timekeeper tk;
	s32 counter_mode; /* the counter that the timekeeper is fed from; tk.clock_mode may be NONE
			   */
	const struct vdso_time_data *readers_page; /* where it is read */
	u64 stamp_ahead;			   /* 0, or STAMP_AHEAD */
	u64 number;				   /* of the last update */
	size_t oracles;
	struct oracle *oracle[TK_CORE_MAX_ORACLES];
	bool locked; /* there is more than one writer */
	pthread_mutex_t lock;
	size_t pages;
	struct tk_page page[TK_CORE_MAX_PAGES];
	/* Readers look at it between two reads. On a line of its own. */
	enum tk_view view __attribute__((aligned(CACHE_LINE)));
} __attribute__((aligned(CACHE_LINE)));

struct tk_core_setup {
	enum payload payload;
	const struct clocksource *clocksource;
	u64 frequency_hz; /* of it */
	u64 update_hz;	  /* the most updates a second that are meant to be made, 1 or more */
	s64 ahead_sec;	  /* how far ahead of the host's clocks it starts; 0 or more */
	bool still;	  /* stamps are such that no time passes between two updates */
	bool locked;	  /* there is going to be more than one writer */
	const struct page_region *region;
	size_t others; /* further regions that are told the same; fewer than TK_CORE_MAX_PAGES */
	const struct page_region *const *other;
	size_t oracles; /* 1 to TK_CORE_MAX_ORACLES */
	struct oracle *const *oracle;
};

/*
 * Starts the clocks from the host's and publishes the first update. Oracles and regions stay the
 * caller's and must outlive the core. Returns 0, or -1 with a sentence in *err: a counter that is
 * too slow for so many updates, or whose frequency the timekeeper refuses. Released by tk_core_end.
 */
int tk_core_start(struct tk_core *core, const struct tk_core_setup *setup, struct errmsg *err);
void tk_core_end(struct tk_core *core);

/* What the timekeeper's counter says now. Any thread. */
static inline u64 tk_core_counter(const struct tk_core *core)
{
	return clocksource_read(core->counter_mode, core->readers_page);
}

/*
 * One writer at a time from here to there, in whatever threads; nothing if there is but one. A
 * writer in real time that waits for another lends it its priority.
 */
void tk_core_lock(struct tk_core *core);
void tk_core_unlock(struct tk_core *core);

/* Moves the timekeeper on, to this value of its counter, or to the next stamp. Under the lock. */
void tk_core_advance(struct tk_core *core, u64 cycles);

/* Publishes the update that follows as the kernel does, or through the page's lock. Under the lock.
 */
static inline void tk_core_publish(const struct tk_core *core, const struct tk_page *page)
{
	if (page->lock)
		lock_page_publish(page->page, page->lock, page->clock, &core->tk, core->number + 1);
	else
		update_vsyscall(page->page, page->layout, &core->tk);
}

/*
 * What the locks' libraries want of a thread that is going to publish, before it does so, and after
 * it has done so last. Once for each library.
 */
void tk_core_enlist(const struct tk_core *core);
void tk_core_leave(const struct tk_core *core);

/* Tells the oracles what is going to be published. Under the lock, before any of it is. */
void tk_core_tell(struct tk_core *core);

/* Counts the update, and tells the oracles that it is published. Under the lock, after all of it
 * is. */
void tk_core_finish(struct tk_core *core);

#endif /* WRITERS_TK_CORE_H */
