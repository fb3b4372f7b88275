/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sweep: runs over a grid of rates of updates and numbers of readers, each long enough to know
 * how many reads retry.
 */
#ifndef MEASURE_SWEEP_H
#define MEASURE_SWEEP_H

#include <sched.h>
#include <signal.h>

#include "measure/law.h"
#include "measure/run.h"

#define SWEEP_MAX_AXIS	 64
#define SWEEP_MAX_POINTS (SWEEP_MAX_AXIS * SWEEP_MAX_AXIS)

/* Ascending or as the user gave them; no value twice. */
struct sweep_axis {
	size_t count;
	u64 value[SWEEP_MAX_AXIS];
};

/*
 * Values from `first` to `last` (1 or more, first <= last), of which each is the same number of
 * times the one before: `points` of them, 1 to SWEEP_MAX_AXIS, or fewer where there are not so many
 * whole numbers. 1: `first` alone.
 */
void sweep_axis_span(struct sweep_axis *axis, u64 first, u64 last, size_t points);

/* Times are in nanoseconds. Tables pointed to stay the caller's. */
struct sweep_config {
	struct sweep_axis hz;	     /* each as run_config has it */
	struct sweep_axis readers;   /* likewise */
	struct reader reader;	     /* one that tells its retries */
	struct writer_choice writer; /* one that has a rate, which each point gives it */
	const struct clocksource *clocksource;
	u64 record_hz;
	struct work_spec work;
	bool cpus_given;
	cpu_set_t cpus;
	int writer_cpu;
	int priority;
	u64 seed;
	u64 retries;	 /* reads that retried, that a point is to count; 1 or more */
	u64 max_time_ns; /* to measure of one point, warm-ups left out */
};

/* The run of one point. */
void sweep_configure(const struct sweep_config *config, u64 hz, u32 readers, u64 duration_ns,
		     struct run_config *run);

enum sweep_state {
	SWEEP_OPEN,    /* not measured, or not to the end */
	SWEEP_DONE,    /* it has its retries, or its time, or was found wrong */
	SWEEP_STALLED, /* `why` tells who is stuck where; the figures are of the time before that */
	SWEEP_FAILED,  /* it cannot be measured here; `why` tells why */
};

/* What the runs of one point have counted together. */
struct sweep_point {
	u64 hz; /* as asked for */
	u32 readers;
	enum sweep_state state;
	char why[256];
	u32 runs;
	u64 asked_ns;	/* that its runs were to measure; not known of a point that was kept */
	double seconds; /* measured */
	u64 updates;
	double rate_hz; /* of updates, as measured */
	u64 reads;
	u64 retried; /* reads that retried while running; off-CPU retries are left out */
	u64 waited;  /* of them, those that did nothing worse than wait */
	u64 off_cpu; /* attempts */
	u64 torn;
	u64 stale;
	u64 backwards;
	u64 read_samples;
	double read_ns; /* mean length of a read, as timed */
	u64 hold_samples;
	double hold_ns; /* median of the hold, as the writer timed it; the mean of the runs' */
};

/* Whether a read of it was found wrong. */
static inline bool sweep_is_wrong(const struct sweep_point *point)
{
	return point->torn || point->stale || point->backwards;
}

struct sweep_result {
	struct machine machine;
	size_t points;
	struct sweep_point *point; /* all of one rate follow each other; given back by release */
	size_t kept;		   /* points that it was given done, and did not measure */
	bool interrupted;
	bool signalled; /* by a signal that one of its runs took, so that nobody else heard of it */
	double seconds; /* from begin to end, without those of points kept */
	/* Why off-CPU retries are not told apart; NULL: they are. */
	const char *off_cpu_unavailable;
	/* Of remarks that differ in figures alone the first is kept. */
	struct remarks remarks;
};

struct sweep_progress {
	const struct sweep_point *point; /* at hand */
	size_t number;			 /* of it, from 1 */
	size_t points;
	double share_done; /* of the time that all of it will take, as far as that can be told */
	double seconds_left;
};

/* Both from the thread that called sweep_execute. */
struct sweep_hooks {
	/* When a progress_fn is. */
	void (*progress)(const struct sweep_progress *progress, void *context);
	/* A point is no longer open, or the sweep has begun. */
	void (*keep)(const struct sweep_result *result, void *context);
	void *context;
	const volatile sig_atomic_t *stop; /* raised: no further run is begun */
};

/*
 * All points, open. 0, or -1 with a sentence in *err: no memory. To be given back by
 * sweep_result_release.
 */
int sweep_result_begin(const struct sweep_config *config, struct sweep_result *result,
		       struct errmsg *err);
void sweep_result_release(struct sweep_result *result);

/*
 * Measures all points that are open. Blocks; signals are those of each run, and the first ends the
 * sweep, with the point at hand open and empty. Returns 0, or -1 with a sentence in *err if not one
 * point could be measured. One at a time in a process.
 */
int sweep_execute(const struct sweep_config *config, const struct sweep_hooks *hooks,
		  struct sweep_result *result, struct errmsg *err);

/*
 * How long the next run of a point is to measure, in nanoseconds, after what it has counted; 0: it
 * has its retries, or its time. A short run comes first; the following ones are as long as the
 * retries that are wanting have taken so far, and a little longer, and no more than eight times all
 * before.
 */
u64 sweep_next_ns(const struct sweep_config *config, const struct sweep_point *point);

/* Whether it has fewer retries than asked for, so that it bounds their share and no more. */
bool sweep_is_bound(const struct sweep_config *config, const struct sweep_point *point);

/*
 * The law, of the points that were done and not found wrong; `finding` has room for all.
 */
void sweep_law(const struct sweep_result *result, struct law *law, struct law_finding *finding);

#endif /* MEASURE_SWEEP_H */
