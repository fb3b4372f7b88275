/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that is proven of one reader and writer, in a process of its own: their code may crash, or
 * never come back.
 */
#ifndef PROVE_STUDY_H
#define PROVE_STUDY_H

#include <signal.h>

#include "prove/weaken.h"

struct study_config {
	bool model[MODELS]; /* those that are asked for */
	struct proof_bounds most;
	bool strict;
	bool weaken;	     /* also of each ordering, what it is for */
	double most_seconds; /* for each model; 0: no limit */
};

struct study_model {
	bool done;
	struct proof proof;
	char returned[256]; /* broken: what came back, in words */
	u32 mendings;
	struct mending mending[MENDING_MAX];
};

enum study_end {
	STUDY_COMPLETE,
	STUDY_INTERRUPTED,
	STUDY_FAILED, /* `why` says it */
};

struct study {
	enum study_end end;
	struct errmsg why;
	struct explore_progress progress;
	enum model now; /* under way */
	struct study_model model[MODELS];
	u32 weakenings; /* in the list; none if anything is broken already */
	u32 weakened;	/* of them that are proven */
	struct weakening weakening[WEAKEN_MAX];
	struct proof scratch; /* where weakenings are proven */
};

/* How it goes: called a few times a second. */
typedef void study_progress_fn(const struct study *study, double seconds, void *context);

/*
 * Studies the subject, whose code is RUN. *study is to be given back by study_release. `stop`, once
 * it is raised, ends it. Returns 0; or -1 with a sentence in *err, and no study: no memory, no
 * process. One at a time.
 */
int study_make(const struct proof_subject *subject, const struct study_config *config,
	       study_progress_fn *progress, void *context, const volatile sig_atomic_t *stop,
	       struct study **study, struct errmsg *err);
void study_release(struct study *study);

/* Whether a fault was found, under whichever model. */
bool study_is_broken(const struct study *study);

#endif /* PROVE_STUDY_H */
