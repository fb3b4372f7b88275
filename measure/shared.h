/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the threads of one run share: constants, and the flags that end it. Nothing in it is
 * written while readers run, but for the flags, which are each written once, and the end.
 */
#ifndef MEASURE_SHARED_H
#define MEASURE_SHARED_H

#include "measure/gate.h"
#include "measure/run.h"
#include "sim/oracle.h"
#include "sim/wide.h"

/* What readers are given at a time. */
struct group_view {
	const struct vdso_time_data *page;
	struct timespec offset; /* of the clock that is read; 0 outside a namespace */
};

/* What the readers of one group have in common. */
struct group_shared {
	u32 number; /* of the group */
	const struct run_group *config;
	struct oracle *oracle;		   /* of the clock that they read, on their page */
	const struct vdso_time_data *page; /* their data page as they see it */
	struct group_view view[TK_VIEWS];  /* the first, unless somebody exchanges them */
};

struct run_shared {
	const struct run_config *config;
	struct group_shared group[RUN_MAX_GROUPS];
	const struct vdso_time_data *page; /* the first group's data page; by it the counter is read
					    */
	const enum tk_view *view;	   /* which of a group's; NULL: it never changes */
	bool counter_changes;		   /* time is made of another counter now and then */
	bool stands_still;		   /* no time passes between two stamps */
	u64 counter_hz;
	double counter_cost; /* cycles */
	struct gate gate;

	/* Counter values, set before the gate opens. */
	u64 called;	/* when the run was asked for */
	u64 start;	/* of the warm-up */
	u64 warm_until; /* end of the warm-up */
	u64 end;	/* may be put off: READ_ONCE */

	/* Written once each, on a line of their own. */
	bool stop __attribute__((aligned(CACHE_LINE))); /* everybody is to stop */
	bool escaped;					/* a reader's image has crashed */
	bool released; /* the page was opened by force: what readers return means nothing now */
};

static inline u64 shared_counter(const struct run_shared *shared)
{
	return clocksource_read(shared->config->clocksource->clock_mode, shared->page);
}

/* Of the first group's page, as it is now; odd: a writer is in the middle of an update. */
static inline u32 shared_sequence(const struct run_shared *shared)
{
	return READ_ONCE(shared->page->clock_data[CS_HRES_COARSE].seq);
}

static inline u64 shared_cycles(const struct run_shared *shared, u64 ns)
{
	return wide_mul_div(ns, shared->counter_hz, NSEC_PER_SEC);
}

static inline double shared_nanoseconds(const struct run_shared *shared, double cycles)
{
	return cycles * NSEC_PER_SEC / (double)shared->counter_hz;
}

#endif /* MEASURE_SHARED_H */
