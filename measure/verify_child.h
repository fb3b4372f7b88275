/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that does one run of a verification, since a mutant may crash or hang.
 */
#ifndef MEASURE_VERIFY_CHILD_H
#define MEASURE_VERIFY_CHILD_H

#include "measure/run.h"
#include "measure/verify_catalogue.h"
#include "sim/errmsg.h"

enum verify_ending {
	VERIFY_UNFINISHED, /* it crashed, or was ended */
	VERIFY_LEFT_OUT,   /* this machine has not what the job is about: err says what */
	VERIFY_FAILED,	   /* err says why nothing was run */
	VERIFY_RAN,
};

/* What the two processes share. All zero before. */
struct verify_area {
	enum verify_ending ending; /* written last */
	struct errmsg err;
	enum run_outcome outcome;
	char stall[256];
	u64 forbidden_jumps;
	u64 updates;
	struct reader_counts counts; /* of the reader */
	char retries_unavailable[96];
	double seconds;		 /* that it took */
	double together_seconds; /* of that, about, reader and writer both had a CPU */
	double fault_seconds;	 /* from the start to the first fault; -1: there was none */
};

/*
 * Does the job for so long, or until its first fault, and ends the process. What it finds is in
 * *area.
 */
_Noreturn void verify_child(const struct verify_job *job, u64 length_ns, struct verify_area *area);

#endif /* MEASURE_VERIFY_CHILD_H */
