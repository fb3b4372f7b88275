/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `contend verify` runs: every mutant under a load under which it shows, and every correct
 * reader and writer under the loads that kill the mutants. A line each; whoever adds a mutant to
 * the tables of readers or writers adds one here, or a test fails. And under what a reader is
 * verified that is in no table: the user's own.
 */
#ifndef MEASURE_VERIFY_CATALOGUE_H
#define MEASURE_VERIFY_CATALOGUE_H

#include <stddef.h>

#include "writers/writer.h"

#define VERIFY_MAX_WRITERS 2

/* What is run at a time: one reader thread. */
struct verify_job {
	const char *reader;			/* a spec */
	const char *writer[VERIFY_MAX_WRITERS]; /* specs; the second may be NULL */
	enum payload payload;
	const char *clocksource; /* a spec; NULL: the best there is */
	u64 least_ns;		 /* what the job is about may take so long to come; 0: no time */
	bool own;		 /* the reader is one of the user's, and known by its whole spec */
};

enum verify_kind {
	VERIFY_READER,
	VERIFY_WRITER,
	VERIFY_PROTOCOL, /* what guards the payload is broken, not a path through it */
};

struct verify_mutant {
	/*
	 * Of a kind of the tables, which the job has in it; where that is broken in more than one
	 * way, each further one has a / and a word behind it. No two have the same.
	 */
	const char *name;
	enum verify_kind kind;
	struct verify_job job;
	/*
	 * Why a CPU that keeps loads and stores in order cannot show it; NULL: every CPU can. Where
	 * one shows it all the same, it is killed; where not, it is left to a proof.
	 */
	const char *hidden;
	bool needs_two_cpus; /* a reader must be there in the middle of an update */
	/* Readers or writer may get stuck of its fault; where any other does, it is the machine. */
	bool may_stall;
};

extern const struct verify_mutant verify_mutants[];
extern const size_t verify_mutant_count;

extern const struct verify_job verify_correct[];
extern const size_t verify_correct_count;

/* So many jobs there are at most for one reader of the user's. */
#define VERIFY_MAX_OWN_JOBS 24

/*
 * The jobs by which a reader of the user's is verified, into job[VERIFY_MAX_OWN_JOBS]; how many. As
 * what is correct of the catalogue is, and under the loads that show the mutants: the detectors and
 * payloads are the same. `spec` stays the caller's, and must outlive the jobs.
 */
size_t verify_own_jobs(const char *spec, bool is_lock, struct verify_job *job);

/* The kind's name of a spec: what stands before its keys. `bytes` of *name, cut if need be. */
void verify_kind_name(const char *spec, char *name, size_t bytes);

/* By which a job's reader is known: its kind's name; of one of the user's, its spec. The same. */
void verify_reader_name(const struct verify_job *job, char *name, size_t bytes);

/* The kind that a mutant is of, as above. */
void verify_mutant_kind(const struct verify_mutant *mutant, char *name, size_t bytes);

/* Whether a job has a reader of that name, or a writer of that kind. */
bool verify_job_reads(const struct verify_job *job, const char *kind);
bool verify_job_writes(const struct verify_job *job, const char *kind);

#endif /* MEASURE_VERIFY_CATALOGUE_H */
