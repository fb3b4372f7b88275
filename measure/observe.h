/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Watching the page of the running kernel, as one thread that writes nothing but its own memory.
 *
 * It looks at the sequence as fast as it can, from one CPU after the other; for part of the time it
 * sleeps, since a kernel whose CPUs are idle updates its page less often than one that is watched.
 */
#ifndef MEASURE_OBSERVE_H
#define MEASURE_OBSERVE_H

#include <sched.h>
#include <signal.h>

#include "measure/hazard.h"
#include "measure/machine.h"
#include "measure/observer.h"
#include "measure/remarks.h"
#include "measure/run.h"
#include "measure/tick_cpu.h"
#include "sim/errmsg.h"
#include "sim/layout.h"

struct observe_config {
	u64 duration_ns;		   /* of the watching */
	cpu_set_t cpus;			   /* from which to watch: allowed to this process */
	u64 simulate_ns;		   /* length of the simulated run; 0: none */
	const volatile sig_atomic_t *stop; /* raised by a signal: ends the watching */
};

/* In nanoseconds. Without samples all are 0 and mean nothing. */
struct observe_lengths {
	u64 samples;
	double mean_ns;
	double min_ns;
	double p50_ns;
	double p99_ns;
	double max_ns;
};

/* Where the kernel has its page. */
struct observe_page {
	const struct page_layout *layout;
	s32 page; /* in which the data is, counted from where the vDSO begins */
	u32 data_offset;
	bool in_namespace; /* this process is in a time namespace: the data is behind that one's */
};

struct observe_cpu {
	int cpu;
	double watched_seconds; /* while the watcher ran undisturbed */
	u64 seen;
	u64 elsewhere;
	u64 odd;
};

struct observe_result {
	enum run_outcome outcome; /* RUN_STALLED never */
	struct machine machine;
	struct observe_page page;
	const struct clocksource *clocksource; /* by which the watcher told time */
	u64 counter_hz;

	/* Awake. */
	double seconds;
	u64 updates;
	u64 seen; /* see struct observer_cpu */
	u64 elsewhere;
	double rate_hz;			 /* 0 if no time has passed */
	struct observe_lengths interval; /* between updates that were both seen */
	double period_ns;		 /* the median of it; 0 if there is none */
	u64 gaps;			 /* intervals of 1.5 periods or more */
	double longest_gap_ns;

	struct {
		double seconds;
		u64 updates;
		double rate_hz;
		u64 ticks_without_update; /* periods that passed, less updates */
		double longest_ns;	  /* for at least so long no update came */
	} asleep;

	u64 odd;
	u64 odd_unmeasured;
	struct observe_lengths hold;   /* of those seen odd */
	struct observe_lengths passed; /* the gap between looks in which others passed */

	struct {
		bool known;
		bool against_raw; /* or against the first mult seen */
		u64 changes;
		double least_ppm;
		double most_ppm;
	} steering;
	bool mode_known;
	s32 clock_mode; /* at the end */
	u64 mode_changes;
	u64 second_looks; /* 0: this layout has no second clock structure */
	u64 second_apart;

	double look_ns;	      /* mean distance of close looks */
	double watched_share; /* of the time awake, in close looks; 0 to 1 */
	u64 interruptions;
	u64 off_cpu;
	const char *off_cpu_unavailable; /* NULL: known */
	double longest_interruption_ns;

	int cpu_count;
	struct observe_cpu *cpus; /* cpu_count of them; freed by observe_result_release */
	struct tick_cpu tick;

	const char *hazard_unavailable; /* NULL: there is one */
	struct hazard hazard;
	bool simulated; /* it was asked for, and there was a hazard to simulate */
	struct hazard_run run;

	struct remarks remarks;
};

/*
 * Watches, then simulates. Blocks for the whole length. Progress is told as run_execute tells it,
 * over both. Returns 0 with a result for observe_result_release; -1 with a sentence in *err when
 * the page cannot be found (no vDSO, no known layout, not x86) or no CPU be used. The calling
 * thread is the watcher; its CPUs are put back. One thread in the process, which should not have
 * more.
 */
int observe_execute(const struct observe_config *config, progress_fn *progress, void *context,
		    struct observe_result *result, struct errmsg *err);
void observe_result_release(struct observe_result *result);

#endif /* MEASURE_OBSERVE_H */
