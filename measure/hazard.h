/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many reads of MONOTONIC would meet an update of the kernel's page, by a simple law and by a
 * simulated run.
 *
 * The law: a read meets an update if the sequence is odd when it begins or goes odd before it ends.
 * For a read that begins at any moment, whatever the updates do, that happens with a probability of
 * rate * (length of the read + hold). A read on the CPU that makes the updates can only be
 * interrupted by one: rate * length of the read.
 */
#ifndef MEASURE_HAZARD_H
#define MEASURE_HAZARD_H

#include "measure/poisson.h"
#include "measure/run.h"

/* Where the hold of a hazard comes from. */
enum hold_source {
	HOLD_SEEN,   /* updates were seen in progress: the median of how long */
	HOLD_PASSED, /* none was: the median gap in which updates passed, which is no less */
	HOLD_UNSEEN, /* no update of another CPU was seen at all: taken for 0 */
};

struct hazard {
	double rate_hz;
	double read_ns; /* of the host's vDSO; the call is part of it */
	double hold_ns;
	enum hold_source hold_source;
	double least_hold_ns; /* on average, if those not seen in progress held for no time */
	double per_million;   /* reads on another CPU */
	double least;	      /* the same with least_hold_ns */
	double tick_cpu;      /* reads on the CPU that makes the updates */
};

/* What a watcher knows of holds; lengths in nanoseconds, 0 where there is none to tell. */
struct hold_seen {
	u64 measured; /* updates seen in progress, their length known */
	double p50_ns;
	u64 passed; /* updates that passed unseen between two close looks */
	double passed_p50_ns;
};

struct hazard hazard_of(double rate_hz, double read_ns, const struct hold_seen *hold);

/*
 * Nanoseconds per call of the host's clock_gettime(MONOTONIC), the median of many short blocks, by
 * this clock source of that frequency; 0 if its vDSO has none. Takes some milliseconds.
 */
double hazard_read_ns(const struct clocksource *clocksource, u64 frequency_hz);

/* A simulated run of the same rate and hold. */
struct hazard_run {
	char why[256]; /* why there is none; "": there is */
	bool interrupted;
	u64 hz;
	u64 hold_ns; /* least, as asked of the writer */
	u64 reads;
	u64 met; /* reads that met an update */
	double per_million;
	struct poisson_limits per_million_95;
	double law_per_million; /* of what was measured in the run itself */
	double read_ns;
	double hold_p50_ns;
	double work_ns; /* between two reads, so that they begin at any moment */
};

/*
 * The clock source with which a run is like a kernel whose page has this clock mode; if there is
 * none that can be used here, the default. A record in memory, if it has one, is written once: a
 * hypervisor leaves it alone for as long as the host's own counter can be relied on.
 */
const struct clocksource *hazard_clocksource(s32 clock_mode);

/* What is to be simulated. */
struct hazard_plan {
	double rate_hz; /* rounded to a whole number, 1 at least */
	double hold_ns;
	u64 duration_ns;
	s32 clock_mode; /* of the kernel's page */
	bool in_namespace;
};

/*
 * Carries it out, by run_execute and under its rules for signals. What cannot be done is said in
 * run->why. Remarks of the run are added to those of the caller, if they are new.
 */
void hazard_simulate(const struct hazard_plan *plan, progress_fn *progress, void *context,
		     struct hazard_run *run, struct remarks *remarks);

/* hz and hold as a run can have them, from what was seen. */
u64 hazard_hz(double rate_hz);
u64 hazard_hold_ns(double hold_ns);

#endif /* MEASURE_HAZARD_H */
