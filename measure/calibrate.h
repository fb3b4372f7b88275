/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the ways to the time compare: our reader and vDSO images on pages of ours, which tell the
 * time of the kernel's page, beside the host's vDSO, the C library and the system call.
 *
 * In one thread on one CPU. Every round takes each clock in turn, and in a turn every contestant
 * reads one block, in an order that is new each time; the ratio is that of a contestant's block to
 * the host's of the same turn. Between the turns, outside of what is timed, our pages are renewed
 * and values are compared.
 */
#ifndef MEASURE_CALIBRATE_H
#define MEASURE_CALIBRATE_H

#include <signal.h>

#include "measure/agreement.h"
#include "measure/code.h"
#include "measure/field.h"
#include "measure/interval.h"
#include "measure/machine.h"
#include "measure/progress.h"
#include "measure/remarks.h"
#include "sim/clocksource.h"

#define CALIBRATE_CLOCKS 7

/* Where a ratio is remarked on, of any contestant but the system call. */
#define CALIBRATE_LOW  0.97
#define CALIBRATE_HIGH 1.03

struct calibrate_config {
	u64 duration_ns;
	int cpu; /* -1: left to us */
	size_t clocks;
	clockid_t clock[CALIBRATE_CLOCKS]; /* none twice */
	size_t images;
	struct vdso_image *image[FIELD_MAX_IMAGES]; /* opened, and not attached yet */
};

/* One contestant on one clock. */
struct calibrate_cell {
	struct errmsg unavailable; /* why it was not timed; empty: it was */
	bool calls_system;	   /* that is why: it does not answer by itself */
	/* Why it is not known whether it calls the system; empty: it is. */
	struct errmsg system_unknown;
	double read_ns; /* the median */
	/* Why there is no ratio to the host's; empty: there is one. That of the host is 1. */
	struct errmsg no_ratio;
	struct interval ratio;
	struct code code;	 /* compared with the host's, if that is known */
	struct errmsg no_values; /* why none of its values was compared; empty: some were */
	u64 tries;		 /* of its value; those that came to nothing are not among them */
	u64 tries_void;		 /* the page was updated meanwhile */
	u64 tries_untold;	 /* the host told no time */
	u64 disagreements;
	struct agreement_values example; /* of a disagreement */
};

/* A given image against the first that was given. */
struct calibrate_pair {
	struct errmsg unavailable;
	struct interval ratio;
	struct code code; /* compared with the first's; unavailable if either is */
};

struct calibrate_contestant {
	enum contestant_kind kind;
	char name[64];
	struct errmsg unavailable; /* why it did not take part; empty: it did */
	uintptr_t code;		   /* where its function was; 0: it has none, or none is known */
};

struct calibrate_result {
	struct machine machine;
	struct remarks remarks;
	const struct clocksource *counter; /* that blocks are timed by */
	u64 counter_hz;
	int cpu;
	bool interrupted;
	double seconds;
	size_t rounds;
	const struct page_layout *layout; /* of the kernel's page; NULL: not known */
	s32 clock_mode;			  /* of it, at the beginning */
	bool in_namespace;
	struct errmsg no_values; /* why no values were compared; empty: some were */
	size_t contestants;
	struct calibrate_contestant contestant[FIELD_MAX]; /* by enum field_column */
	/* By the config's clocks. */
	struct calibrate_cell cell[CALIBRATE_CLOCKS][FIELD_MAX];
	struct calibrate_pair pair[CALIBRATE_CLOCKS][FIELD_MAX_IMAGES]; /* the first is empty */
};

/*
 * Runs until the duration has passed, or *stop is not 0: at least one round. The calling thread
 * must be the only one; it is on its old CPUs again afterwards. The images stay the caller's and
 * are placed. Progress is told at the beginning, then some times a second. Returns 0, or -1 with a
 * sentence in *err when it could not begin.
 */
int calibrate_execute(const struct calibrate_config *config, progress_fn *progress, void *context,
		      const volatile sig_atomic_t *stop, struct calibrate_result *result,
		      struct errmsg *err);

#endif /* MEASURE_CALIBRATE_H */
