/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the detectors of a run can be trusted on this machine: every mutant must be killed, and
 * nothing that is correct accused.
 */
#ifndef MEASURE_VERIFY_H
#define MEASURE_VERIFY_H

#include <signal.h>

#include "measure/machine.h"
#include "measure/progress.h"
#include "measure/remarks.h"
#include "measure/verify_catalogue.h"
#include "sim/errmsg.h"

/* What finds a fault. */
enum verify_detector {
	VERIFY_TORN,	  /* a read returned a mixture */
	VERIFY_STALE,	  /* a read returned what had been replaced before it began */
	VERIFY_BACKWARDS, /* time ran backwards */
	VERIFY_JUMP,	  /* a clock jumped that may not */
	VERIFY_STALL,	  /* readers or writer got nowhere, or the sequence was left odd */
	VERIFY_CRASH,
	VERIFY_DETECTORS
};

/*
 * How often a mutant is tried that does not show, and any run that was for nothing: others may have
 * kept the CPUs from it. So they may if what is correct gets stuck: that is tried once more.
 */
#define VERIFY_TRIES 3

/* The tables stay the caller's. */
struct verify_config {
	const struct verify_mutant *mutant;
	size_t mutants;
	const struct verify_job *correct;
	size_t corrects;
	u64 duration_ns; /* of each run of what is correct */
	u64 grace_ns;	 /* beyond its length, until a run is given up; 0: long */
};

enum verify_state {
	VERIFY_NOT_RUN,	  /* interrupted before, or within */
	VERIFY_NOT_HERE,  /* the machine lacks what the job is about: why says what */
	VERIFY_COULD_NOT, /* why says what went wrong, with the machine as far as is known */
	VERIFY_NO_READ,	  /* nothing was checked in it, or nothing was there to be met */
	VERIFY_NOT_MET,	  /* a correct reader met its writer in none of its runs, this the last */
	VERIFY_SEEN_NOTHING, /* no detector has found a fault */
	VERIFY_FOUND,	     /* `by` says which have */
};

/* What came of one job. */
struct verify_finding {
	enum verify_state state;
	struct errmsg why;
	bool by[VERIFY_DETECTORS];
	double seconds; /* from the start of the run to the fault; without one, its length */
	u32 tries;	/* the last of them is what is told */
	u64 checked;	/* reads */
	u64 unchecked;	/* reads whose update the oracle had forgotten */
	u64 torn;
	u64 stale;
	u64 backwards;
	u64 jumps;
	u64 retries;
	char retries_unavailable[96]; /* why neither they are told nor what they caught; "": they
					 are */
	bool met;		      /* a read saw the sequence odd, or changed */
	u64 caught;
	u64 updates;
	char stall[256];   /* who got stuck where, or how it crashed */
	char stalled[256]; /* the same of an earlier try of what is correct; "": nobody got stuck */
};

struct verify_result {
	struct machine machine;
	struct remarks remarks;
	const char *counter; /* the clock source of whatever names none */
	bool interrupted;
	double seconds;
	struct verify_finding *mutant;	/* as many as configured */
	struct verify_finding *correct; /* the same */
};

/* About how long it takes, in nanoseconds, if all goes well at the first try. */
u64 verify_about_ns(const struct verify_config *config);

/*
 * Runs the mutants, then what is correct, one after the other, each in a child process, until all
 * is done or *stop is not 0. The calling thread must be the process's only one. Returns 0 when
 * there is a result, to be released by verify_result_release; -1 with a sentence in *err when it
 * could not begin: on one CPU, if a mutant needs two. Progress says which mutant, or which correct
 * reader, is being run.
 */
int verify_execute(const struct verify_config *config, progress_fn *progress, void *context,
		   const volatile sig_atomic_t *stop, struct verify_result *result,
		   struct errmsg *err);
void verify_result_release(struct verify_result *result);

/* In words of the output: torn, stale, backwards, jump, stall, crash. */
const char *verify_detector_name(enum verify_detector detector);
const char *verify_kind_word(enum verify_kind kind);

/* What a mutant's finding is to its expectation. */
enum verify_verdict {
	VERIFY_KILLED,
	VERIFY_SURVIVED, /* its fault can show here, and did not: a failure */
	VERIFY_HIDDEN,	 /* this CPU cannot show it */
	VERIFY_ABSENT,	 /* this machine lacks what it is about */
	VERIFY_UNKNOWN,	 /* it was not run, or not properly */
};
enum verify_verdict verify_verdict(const struct verify_mutant *mutant,
				   const struct verify_finding *finding);

/* What all findings come to. */
struct verify_sum {
	size_t killed, survived, hidden, absent, unknown; /* mutants, by verdict */
	size_t killed_by[VERIFY_DETECTORS];
	double slowest_seconds; /* of the killed */
	const char *slowest;	/* NULL: none was */
	size_t runs, accused;	/* runs of what is correct that came to their end */
	size_t left_out;	/* the machine lacks what they are about */
	size_t failed;		/* could not be run, or showed nothing */
	u64 checked;		/* reads of what is correct */
	u64 retries;
	u64 caught;
};
struct verify_sum verify_add_up(const struct verify_config *config,
				const struct verify_result *result);

/* Why all of it has shown nothing, each job being about what the machine lacks; NULL: it has. */
const char *verify_shows_nothing(const struct verify_config *config, const struct verify_sum *sum);

#endif /* MEASURE_VERIFY_H */
