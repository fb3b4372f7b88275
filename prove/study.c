// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "prove/study.h"

#define LOOK_NS	   20000000
#define PATIENCE_S 10

static struct proof_config proof_config_of(const struct study_config *config, enum model model,
					   struct study *study)
{
	return (struct proof_config){
		.model = model,
		.most = config->most,
		.strict = config->strict,
		.most_seconds = config->most_seconds,
		.progress = &study->progress,
	};
}

/* The read that went wrong is done once more, and what it returned is looked at. */
static int describe(const struct proof_subject *subject, const struct proof_config *config,
		    struct study_model *model, struct errmsg *err)
{
	struct proof *proof = &model->proof;
	const struct explore_config explored = {
		.model = config->model,
		.turns = proof->bounds.attempts,
	};
	const struct explore_threads *threads =
		subject->threads(subject->context, &proof->bounds, err);

	if (proof->fault == PROOF_CRASHED)
		snprintf(model->returned, sizeof(model->returned), "%s",
			 strsignal(proof->explored.crashed));
	if (proof->fault == PROOF_RACED || proof->fault == PROOF_CRASHED)
		return 0;
	if (!threads || explore_rerun(threads, &explored, &proof->explored, proof->reader, err))
		return -1;
	subject->describe(subject->context, proof->reader, proof->read, model->returned,
			  sizeof(model->returned));
	return 0;
}

static int mend(const struct proof_subject *subject, const struct proof_config *config,
		struct study *study, struct study_model *model, struct errmsg *err)
{
	int mendings;

	if (model->proof.fault == PROOF_RACED)
		return 0;
	mendings =
		weaken_mend(subject, config, &model->proof, model->mending, &study->scratch, err);
	model->mendings = mendings < 0 ? 0 : (u32)mendings;
	return mendings < 0 ? -1 : 0;
}

static int prove(const struct proof_subject *subject, const struct study_config *config,
		 struct study *study, struct errmsg *err)
{
	for (enum model model = 0; model < MODELS; model++) {
		const struct proof_config asked = proof_config_of(config, model, study);
		struct study_model *studied = &study->model[model];

		if (!config->model[model])
			continue;
		study->now = model;
		if (proof_find(subject, &asked, &studied->proof, err))
			return -1;
		if (studied->proof.verdict == PROOF_BROKEN &&
		    (describe(subject, &asked, studied, err) ||
		     mend(subject, &asked, study, studied, err)))
			return -1;
		studied->done = true;
	}
	return 0;
}

/* Sites that every model came to are those that the strictest did; weak comes to all. */
static const struct explore_result *widest(const struct study *study)
{
	for (int model = MODELS - 1; model >= 0; model--)
		if (study->model[model].done)
			return &study->model[model].proof.explored;
	return NULL;
}

static int weaken(const struct proof_subject *subject, const struct study_config *config,
		  struct study *study, struct errmsg *err)
{
	const struct explore_result *explored = widest(study);

	study->weakenings = weaken_list(subject, explored, study->weakening, WEAKEN_MAX);
	for (u32 i = 0; i < study->weakenings; i++) {
		for (enum model model = 0; model < MODELS; model++) {
			const struct proof_config asked = proof_config_of(config, model, study);

			study->now = model;
			if (config->model[model] &&
			    weaken_prove(subject, &asked, explored, &study->weakening[i],
					 &study->scratch, err))
				return -1;
		}
		study->weakened++;
	}
	return 0;
}

/*
 * A terminal's Ctrl-C comes to the child, too; it is the parent's to say what is told of it. So the
 * child ignores it, and nothing is delivered to it before it does.
 */
static pid_t fork_child(void)
{
	sigset_t all, before;
	pid_t child;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	child = fork();
	if (child == 0) {
		signal(SIGINT, SIG_IGN);
		signal(SIGTERM, SIG_IGN);
		signal(SIGHUP, SIG_IGN);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return child;
}

_Noreturn static void be_child(const struct proof_subject *subject,
			       const struct study_config *config, struct study *study)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (prove(subject, config, study, &study->why) ||
	    (config->weaken && !study_is_broken(study) &&
	     weaken(subject, config, study, &study->why)))
		_exit(1);
	study->end = STUDY_COMPLETE;
	_exit(0);
}

static double seconds_since(const struct timespec *begin)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - begin->tv_sec) +
	       (double)(now.tv_nsec - begin->tv_nsec) / NSEC_PER_SEC;
}

static int end_child(pid_t child)
{
	int status = 0;

	kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static void say_end(struct study *study, int status)
{
	if (WIFSIGNALED(status))
		errmsg_set(&study->why, "the code crashes while it is explored: %s",
			   strsignal(WTERMSIG(status)));
	else if (study->end != STUDY_COMPLETE && !study->why.text[0])
		errmsg_set(&study->why, "the code ended the process that explored it");
}

/* Until the child ends, is not to go on, or does not come back from the code. */
static void watch(pid_t child, struct study *study, study_progress_fn *progress, void *context,
		  const volatile sig_atomic_t *stop)
{
	const struct timespec nap = {0, LOOK_NS};
	struct timespec begin;
	u64 runs = 0;
	double moved = 0, now;
	int status;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (;;) {
		if (waitpid(child, &status, WNOHANG) == child) {
			say_end(study, status);
			return;
		}
		now = seconds_since(&begin);
		if (*stop) {
			end_child(child);
			study->end = STUDY_INTERRUPTED;
			return;
		}
		if (__atomic_load_n(&study->progress.runs, __ATOMIC_RELAXED) != runs) {
			runs = __atomic_load_n(&study->progress.runs, __ATOMIC_RELAXED);
			moved = now;
		} else if (now - moved > PATIENCE_S) {
			end_child(child);
			errmsg_set(&study->why,
				   "the code does not come back: for %d s it touched nothing that "
				   "is shared, or never ended",
				   PATIENCE_S);
			return;
		}
		if (progress)
			progress(study, now, context);
		nanosleep(&nap, NULL);
	}
}

int study_make(const struct proof_subject *subject, const struct study_config *config,
	       study_progress_fn *progress, void *context, const volatile sig_atomic_t *stop,
	       struct study **result, struct errmsg *err)
{
	struct study *study = mmap(NULL, sizeof(*study), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child;

	if (study == MAP_FAILED)
		return errmsg_set(err, "no memory for what is proven: %s", strerror(errno));
	study->end = STUDY_FAILED;
	child = fork_child();
	if (child == 0)
		be_child(subject, config, study);
	if (child < 0) {
		study_release(study);
		return errmsg_set(err, "no process to explore in: %s", strerror(errno));
	}
	watch(child, study, progress, context, stop);
	*result = study;
	return 0;
}

void study_release(struct study *study)
{
	munmap(study, sizeof(*study));
}

bool study_is_broken(const struct study *study)
{
	for (enum model model = 0; model < MODELS; model++)
		if (study->model[model].done && study->model[model].proof.verdict == PROOF_BROKEN)
			return true;
	return false;
}
