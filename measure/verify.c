// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/verify.h"
#include "measure/verify_child.h"
#include "sim/barrier.h"
#include "sim/clocksource.h"
#include "sim/monotonic.h"

/* A mutant is mostly killed at once. */
#define MUTANT_NS 2000000000ull
/* One that the CPU cannot show is run all the same: another CPU of that kind might. */
#define HIDDEN_NS 500000000ull
/* Beyond its length, until a run has come back or never will; it may have to wait for a CPU. */
#define GRACE_NS (CONTEND_TSAN ? 60000000000ull : 15000000000ull)
#define NAP_NS	 2000000
#define DRAW_NS	 100000000ull
/* What a run takes beside its length, and a mutant that shows, for the time that is left. */
#define ABOUT_START_NS	40000000ull
#define ABOUT_MUTANT_NS 100000000ull

struct verify {
	const struct verify_config *config;
	progress_fn *progress;
	void *context;
	const volatile sig_atomic_t *stop;
	struct verify_area *area;
	struct verify_result *result;
	u64 whole_ns; /* about, of all jobs */
	u64 done_ns;  /* of those that are done */
	u64 drawn_ns;
};

/* One run of a job. */
struct trial {
	const char *name;
	const char *what; /* it is one of */
	size_t number;	  /* of it among them, from 1 */
	size_t all;
	const struct verify_job *job;
	u64 length_ns;
	u64 about_ns;
	u64 begun_ns;
	bool may_stall;	  /* a stall tells of the job, not of the machine alone */
	bool is_correct;  /* a stall must come twice */
	bool has_to_meet; /* without that its reader has met no writer at all */
};

const char *verify_detector_name(enum verify_detector detector)
{
	static const char *const names[VERIFY_DETECTORS] = {
		[VERIFY_TORN] = "torn", [VERIFY_STALE] = "stale", [VERIFY_BACKWARDS] = "backwards",
		[VERIFY_JUMP] = "jump", [VERIFY_STALL] = "stall", [VERIFY_CRASH] = "crash",
	};

	return names[detector];
}

const char *verify_kind_word(enum verify_kind kind)
{
	static const char *const words[] = {
		[VERIFY_READER] = "reader",
		[VERIFY_WRITER] = "writer",
		[VERIFY_PROTOCOL] = "protocol",
	};

	return words[kind];
}

static u64 mutant_length(const struct verify_mutant *mutant)
{
	if (mutant->job.least_ns)
		return mutant->job.least_ns;
	return mutant->hidden ? HIDDEN_NS : MUTANT_NS;
}

static u64 correct_length(const struct verify_config *config, const struct verify_job *job)
{
	return job->least_ns > config->duration_ns ? job->least_ns : config->duration_ns;
}

static u64 about_mutant(const struct verify_mutant *mutant)
{
	return ABOUT_START_NS +
	       (mutant->hidden || mutant->job.least_ns ? mutant_length(mutant) : ABOUT_MUTANT_NS);
}

u64 verify_about_ns(const struct verify_config *config)
{
	u64 ns = 0;

	for (size_t i = 0; i < config->mutants; i++)
		ns += about_mutant(&config->mutant[i]);
	for (size_t i = 0; i < config->corrects; i++)
		ns += correct_length(config, &config->correct[i]) + ABOUT_START_NS;
	return ns;
}

static void draw(struct verify *verify, const struct trial *trial)
{
	const u64 now = monotonic_ns();
	u64 done = now - trial->begun_ns;
	char figures[128];

	if (!verify->progress || now - verify->drawn_ns < DRAW_NS)
		return;
	verify->drawn_ns = now;
	done = verify->done_ns + (done < trial->about_ns ? done : trial->about_ns);
	snprintf(figures, sizeof(figures), "%s %zu of %zu, %.60s", trial->what, trial->number,
		 trial->all, trial->name);
	verify->progress((double)done / (double)verify->whole_ns,
			 (double)(verify->whole_ns - done) / NSEC_PER_SEC, figures,
			 verify->context);
}

static pid_t start(struct verify *verify, const struct trial *trial)
{
	sigset_t signals, before;
	pid_t child;

	memset(verify->area, 0, sizeof(*verify->area));
	/* They are the parent's: the child ends when it says so. */
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, &before);
	child = fork();
	if (child == 0)
		verify_child(trial->job, trial->length_ns, verify->area);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return child;
}

static void end_child(pid_t child)
{
	kill(child, SIGKILL);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

static u64 grace_ns(const struct verify *verify)
{
	return verify->config->grace_ns ? verify->config->grace_ns : GRACE_NS;
}

/* Its status; -1: it was ended, for it did not come back or the user wants no more. */
static int await(struct verify *verify, const struct trial *trial, pid_t child)
{
	const struct timespec nap = {0, NAP_NS};
	const u64 most_ns = trial->length_ns + grace_ns(verify);
	int status;

	while (waitpid(child, &status, WNOHANG) != child) {
		if (*verify->stop || monotonic_ns() - trial->begun_ns > most_ns) {
			end_child(child);
			return -1;
		}
		draw(verify, trial);
		nanosleep(&nap, NULL);
	}
	return status;
}

static void take_counts(const struct verify_area *area, struct verify_finding *finding)
{
	const struct reader_counts *counts = &area->counts;

	finding->checked = counts->checked;
	finding->unchecked = counts->unchecked;
	finding->torn = counts->torn;
	finding->stale = counts->stale;
	finding->backwards = counts->backwards;
	finding->jumps = area->forbidden_jumps;
	finding->retries = reader_retries(counts);
	memcpy(finding->retries_unavailable, area->retries_unavailable,
	       sizeof(finding->retries_unavailable));
	finding->met = finding->retries || counts->began_odd || counts->sequence_changed;
	finding->caught = counts->caught;
	finding->updates = area->updates;
	memcpy(finding->stall, area->stall, sizeof(finding->stall));
	finding->together_seconds += area->together_seconds;
	finding->seconds = area->fault_seconds >= 0 ? area->fault_seconds : area->seconds;
}

/* Nobody is to be killed by a machine that has no time for it, or was asked to end it. */
static void blame_machine(struct verify_finding *finding, const char *what)
{
	finding->state = VERIFY_COULD_NOT;
	errmsg_set(&finding->why, "%s", what);
}

/* Of an image's code it is seen from outside. */
static bool tells_whether_it_met(const struct verify_job *job, const struct verify_finding *finding)
{
	return !finding->retries_unavailable[0] || verify_job_reads(job, "image");
}

/* A reader that met no update has shown nothing. */
static void judge(const struct trial *trial, struct verify_finding *finding,
		  enum run_outcome outcome)
{
	const bool stalled = outcome == RUN_STALLED;

	finding->by[VERIFY_TORN] = finding->torn;
	finding->by[VERIFY_STALE] = finding->stale;
	finding->by[VERIFY_BACKWARDS] = finding->backwards;
	finding->by[VERIFY_JUMP] = finding->jumps;
	finding->by[VERIFY_STALL] = stalled && trial->may_stall;
	finding->state =
		finding->checked && finding->updates ? VERIFY_SEEN_NOTHING : VERIFY_NO_READ;
	if (finding->state == VERIFY_SEEN_NOTHING && trial->has_to_meet && !finding->met &&
	    tells_whether_it_met(trial->job, finding))
		finding->state = VERIFY_NOT_MET;
	if (stalled)
		blame_machine(finding, finding->stall);
	for (size_t i = 0; i < VERIFY_DETECTORS; i++)
		if (finding->by[i])
			finding->state = VERIFY_FOUND;
}

static void tell_crash(struct verify_finding *finding, int status)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
		blame_machine(finding, "its process was killed from outside, for want of memory "
				       "perhaps");
		return;
	}
	finding->state = VERIFY_FOUND;
	finding->by[VERIFY_CRASH] = true;
	if (WIFSIGNALED(status))
		snprintf(finding->stall, sizeof(finding->stall), "the run crashed: %s",
			 strsignal(WTERMSIG(status)));
	else
		snprintf(finding->stall, sizeof(finding->stall),
			 "the run ended by itself, with status %d", WEXITSTATUS(status));
}

static void tell_hang(const struct verify *verify, const struct trial *trial,
		      struct verify_finding *finding)
{
	finding->state = VERIFY_FOUND;
	finding->by[VERIFY_STALL] = trial->may_stall;
	snprintf(finding->stall, sizeof(finding->stall),
		 "the run did not come back within %.1f s of its time",
		 (double)grace_ns(verify) / NSEC_PER_SEC);
	if (!trial->may_stall)
		blame_machine(finding, finding->stall);
}

static void conclude(struct verify *verify, const struct trial *trial, int status,
		     struct verify_finding *finding)
{
	const struct verify_area *area = verify->area;

	finding->seconds = (double)(monotonic_ns() - trial->begun_ns) / NSEC_PER_SEC;
	switch (smp_load_acquire(&area->ending)) {
	case VERIFY_UNFINISHED:
		if (status == -1)
			tell_hang(verify, trial, finding);
		else
			tell_crash(finding, status);
		return;
	case VERIFY_LEFT_OUT:
		finding->state = VERIFY_NOT_HERE;
		finding->why = area->err;
		return;
	case VERIFY_FAILED:
		finding->state = VERIFY_COULD_NOT;
		finding->why = area->err;
		return;
	case VERIFY_RAN:
		break;
	}
	/* The terminal's Ctrl-C reaches the child, too. */
	if (area->outcome == RUN_INTERRUPTED) {
		verify->result->interrupted = true;
		return;
	}
	take_counts(area, finding);
	judge(trial, finding, area->outcome);
}

static void try_once(struct verify *verify, struct trial *trial, struct verify_finding *finding)
{
	const struct verify_finding before = *finding;
	int status;
	pid_t child;

	*finding = (struct verify_finding){
		.state = VERIFY_NOT_RUN,
		.tries = before.tries + 1,
		.together_seconds = before.together_seconds,
	};
	memcpy(finding->stalled, before.stalled, sizeof(finding->stalled));
	if (before.by[VERIFY_STALL])
		memcpy(finding->stalled, before.stall, sizeof(finding->stalled));
	trial->begun_ns = monotonic_ns();
	child = start(verify, trial);
	if (child < 0) {
		finding->state = VERIFY_COULD_NOT;
		errmsg_set(&finding->why, "no process to run it in: %s", strerror(errno));
		return;
	}
	status = await(verify, trial, child);
	if (*verify->stop)
		verify->result->interrupted = true;
	else
		conclude(verify, trial, status, finding);
}

static bool has_only_stalled(const struct verify_finding *finding)
{
	for (size_t i = 0; i < VERIFY_DETECTORS; i++)
		if (finding->by[i] != (i == VERIFY_STALL))
			return false;
	return true;
}

/* For less than one try should have: others had the CPUs. */
static bool had_too_little(const struct trial *trial, const struct verify_finding *finding)
{
	return finding->together_seconds < (double)trial->length_ns / NSEC_PER_SEC;
}

/* That it has not shown is the machine's doing. */
static void tell_too_little(struct verify_finding *finding)
{
	finding->state = VERIFY_COULD_NOT;
	errmsg_set(
		&finding->why,
		"reader and writer had a CPU at the same time for %.2g s in all: others had them",
		finding->together_seconds);
}

static bool is_worth_a_try(const struct trial *trial, enum verify_state again,
			   const struct verify_finding *finding)
{
	switch (finding->state) {
	case VERIFY_FOUND:
		return trial->is_correct && has_only_stalled(finding) && !finding->stalled[0];
	case VERIFY_NO_READ:
	case VERIFY_NOT_MET:
	case VERIFY_COULD_NOT:
		return finding->tries < VERIFY_TRIES;
	case VERIFY_SEEN_NOTHING:
		return again == VERIFY_SEEN_NOTHING &&
		       finding->tries <
			       (had_too_little(trial, finding) ? VERIFY_MOST_TRIES : VERIFY_TRIES);
	case VERIFY_NOT_RUN:
	case VERIFY_NOT_HERE:
		break;
	}
	return false;
}

/*
 * `again`: it is not done until this state is left, or the tries are over. What went wrong is tried
 * again, too: the machine may have more time for it then.
 */
static void try_until_seen(struct verify *verify, struct trial *trial, enum verify_state again,
			   struct verify_finding *finding)
{
	do
		try_once(verify, trial, finding);
	while (!verify->result->interrupted && is_worth_a_try(trial, again, finding));
	if (finding->state == VERIFY_SEEN_NOTHING && again == VERIFY_SEEN_NOTHING &&
	    had_too_little(trial, finding))
		tell_too_little(finding);
	verify->done_ns += trial->about_ns;
}

static void run_mutants(struct verify *verify)
{
	const struct verify_config *config = verify->config;

	for (size_t i = 0; i < config->mutants && !verify->result->interrupted; i++) {
		const struct verify_mutant *mutant = &config->mutant[i];
		struct trial trial = {
			.name = mutant->name,
			.what = "mutant",
			.number = i + 1,
			.all = config->mutants,
			.job = &mutant->job,
			.length_ns = mutant_length(mutant),
			.about_ns = about_mutant(mutant),
			.may_stall = mutant->may_stall,
		};

		try_until_seen(verify, &trial,
			       mutant->hidden ? VERIFY_NO_READ : VERIFY_SEEN_NOTHING,
			       &verify->result->mutant[i]);
	}
}

static struct trial trial_of_correct(const struct verify_config *config, size_t which)
{
	const struct verify_job *job = &config->correct[which];

	return (struct trial){
		.name = job->reader,
		.what = "correct run",
		.number = which + 1,
		.all = config->corrects,
		.job = job,
		.length_ns = correct_length(config, job),
		.about_ns = correct_length(config, job) + ABOUT_START_NS,
		.may_stall = true,
		.is_correct = true,
	};
}

static void run_correct(struct verify *verify)
{
	const struct verify_config *config = verify->config;

	for (size_t i = 0; i < config->corrects && !verify->result->interrupted; i++) {
		struct trial trial = trial_of_correct(config, i);

		try_until_seen(verify, &trial, VERIFY_NO_READ, &verify->result->correct[i]);
	}
}

/* Whether a run is the last that went well of a reader that has met the writer in none. */
static bool is_last_unmet(const struct verify *verify, size_t which)
{
	const struct verify_job *job = verify->config->correct;
	const struct verify_finding *finding = verify->result->correct;

	/* A lock of one's own may have nothing to try again for. */
	if (finding[which].state != VERIFY_SEEN_NOTHING || job[which].own ||
	    !tells_whether_it_met(&job[which], &finding[which]))
		return false;
	for (size_t i = 0; i < verify->config->corrects; i++)
		if (strcmp(job[i].reader, job[which].reader) == 0 &&
		    (finding[i].met || (i > which && finding[i].state == VERIFY_SEEN_NOTHING)))
			return false;
	return true;
}

static void have_them_meet(struct verify *verify)
{
	const struct verify_config *config = verify->config;

	for (size_t i = 0; i < config->corrects && !verify->result->interrupted; i++) {
		struct verify_finding *finding = &verify->result->correct[i];
		struct trial trial = trial_of_correct(config, i);

		if (!is_last_unmet(verify, i))
			continue;
		trial.has_to_meet = true;
		verify->whole_ns += trial.about_ns;
		finding->state = VERIFY_NOT_MET;
		if (is_worth_a_try(&trial, VERIFY_NO_READ, finding))
			try_until_seen(verify, &trial, VERIFY_NO_READ, finding);
	}
}

/* Names what cannot show on one CPU. */
static int check_cpus(const struct verify_config *config, int cpus, struct errmsg *err)
{
	char names[256] = "";
	size_t used = 0, needing = 0;

	if (cpus > 1)
		return 0;
	for (size_t i = 0; i < config->mutants; i++) {
		if (!config->mutant[i].needs_two_cpus)
			continue;
		needing++;
		if (used < sizeof(names))
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
						 used ? ", " : "", config->mutant[i].name);
	}
	if (!needing)
		return 0;
	return errmsg_set(
		err,
		"one CPU only, where no reader is there in the middle of an update: %zu of "
		"%zu mutants cannot show (%s%s); allow it two, or name others with --only",
		needing, config->mutants, names, used < sizeof(names) ? "" : "...");
}

static int prepare(struct verify *verify, struct errmsg *err)
{
	const struct verify_config *config = verify->config;
	struct verify_result *result = verify->result;
	void *memory = mmap(NULL, sizeof(*verify->area), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return errmsg_set(err, "no memory for the runs: %s", strerror(errno));
	verify->area = memory;
	result->mutant = calloc(config->mutants + 1, sizeof(*result->mutant));
	result->correct = calloc(config->corrects + 1, sizeof(*result->correct));
	if (!result->mutant || !result->correct)
		return errmsg_set(err, "no memory for the result");
	verify->whole_ns = verify_about_ns(config);
	return 0;
}

static void remark_on_machine(struct verify_result *result, u64 steal_before)
{
	cpu_set_t used;

	sched_getaffinity(0, sizeof(used), &used);
	machine_remarks(&result->machine, &used, machine_steal_ticks() - steal_before,
			&result->remarks);
}

static void remark_on_correct(const struct verify_config *config, struct verify_result *result,
			      size_t which)
{
	const struct verify_finding *finding = &result->correct[which];
	const struct verify_job *job = &config->correct[which];

	if (finding->unchecked) {
		remark(&result->remarks,
		       "%s under %s: %llu reads could not be checked: their reader was put aside "
		       "for so long that the oracle had forgotten the update",
		       job->reader, job->writer[0], (unsigned long long)finding->unchecked);
	}
}

static bool is_first_of_own(const struct verify_config *config, size_t which)
{
	const struct verify_job *job = &config->correct[which];

	return job->own && (!which || !job[-1].own || strcmp(job[-1].reader, job->reader) != 0);
}

/* Of a reader of the user's, from its first job on. */
static void remark_on_own(const struct verify_config *config, struct verify_result *result,
			  size_t first)
{
	const char *reader = config->correct[first].reader;
	bool met = false, ran = false;

	for (size_t i = first; i < config->corrects; i++) {
		if (!config->correct[i].own || strcmp(config->correct[i].reader, reader) != 0)
			continue;
		met |= result->correct[i].met;
		ran |= result->correct[i].state == VERIFY_SEEN_NOTHING;
	}
	if (ran && !met)
		remark(&result->remarks,
		       "%.100s told of no retry in any of its runs: that it met its writer is not "
		       "shown",
		       reader);
}

static void remark_on_jobs(const struct verify_config *config, struct verify_result *result)
{
	const struct verify_sum sum = verify_add_up(config, result);
	const char *nothing = verify_shows_nothing(config, &sum);

	if (nothing)
		remark(&result->remarks, "%s", nothing);
	for (enum verify_detector i = 0;
	     i < VERIFY_DETECTORS && config->mutants == verify_mutant_count; i++)
		if (!sum.killed_by[i])
			remark(&result->remarks,
			       "no mutant of this run was killed by %s: that it detects anything "
			       "is not shown here",
			       verify_detector_name(i));
	for (size_t i = 0; i < config->corrects; i++) {
		remark_on_correct(config, result, i);
		if (is_first_of_own(config, i))
			remark_on_own(config, result, i);
	}
}

int verify_execute(const struct verify_config *config, progress_fn *progress, void *context,
		   const volatile sig_atomic_t *stop, struct verify_result *result,
		   struct errmsg *err)
{
	struct verify verify = {
		.config = config,
		.progress = progress,
		.context = context,
		.stop = stop,
		.result = result,
	};
	const u64 begun_ns = monotonic_ns(), steal = machine_steal_ticks();

	memset(result, 0, sizeof(*result));
	machine_describe(&result->machine);
	result->counter = clocksource_default()->name;
	if (check_cpus(config, result->machine.cpus_allowed, err) || prepare(&verify, err)) {
		verify_result_release(result);
		return -1;
	}
	run_mutants(&verify);
	run_correct(&verify);
	have_them_meet(&verify);
	munmap(verify.area, sizeof(*verify.area));
	result->seconds = (double)(monotonic_ns() - begun_ns) / NSEC_PER_SEC;
	remark_on_machine(result, steal);
	remark_on_jobs(config, result);
	return 0;
}

void verify_result_release(struct verify_result *result)
{
	free(result->mutant);
	free(result->correct);
	result->mutant = result->correct = NULL;
}
