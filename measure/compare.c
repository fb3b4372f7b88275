// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "measure/compare_child.h"

#define POLL_NS (50 * 1000000l)
/* A visit is long against what disturbs, and short enough that there will be many. */
#define VISITS	     200
#define VISIT_MIN_NS 4000000ull
#define VISIT_MAX_NS 25000000ull
/* A thread that makes no step while the child uses so much CPU time is stuck in a reader's code. */
#define STUCK_CPU_NS		(4ull * NSEC_PER_SEC)
#define STUCK_CPU_PER_THREAD_NS (NSEC_PER_SEC / 10)
/* Or in so much time of any kind: it may have put itself to sleep. */
#define STUCK_NS (60ull * NSEC_PER_SEC)

/* All of a comparison that the parent has. */
struct compare {
	const struct compare_config *config;
	struct compare_area *area;
	size_t area_bytes;
	pid_t child;
	bool ended; /* it was waited for */
	int status; /* then */
	u64 begun_ns;
	u64 looked_at;	    /* windows of all threads, at the last look at the intervals */
	u64 steps;	    /* of all threads */
	u64 stepped_ns;	    /* when they last moved on */
	u64 stepped_cpu_ns; /* CPU time of the child then */
	struct compare_result *result;
};

static u64 now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * NSEC_PER_SEC + (u64)now.tv_nsec;
}

static u64 choose_visit_ns(const struct compare_config *config)
{
	u64 ns = config->duration_ns / VISITS;

	if (ns < VISIT_MIN_NS)
		return VISIT_MIN_NS;
	return ns > VISIT_MAX_NS ? VISIT_MAX_NS : ns;
}

static int make_area(struct compare *compare, struct errmsg *err)
{
	const struct compare_config *config = compare->config;
	const u64 visit_ns = choose_visit_ns(config);
	const u64 windows = config->duration_ns / visit_ns / (2 * COMPARE_WINDOW) + 2;
	const size_t visits = (size_t)(windows * 2 * COMPARE_WINDOW * config->run.readers);
	void *memory;

	compare->area_bytes = sizeof(*compare->area) + visits * sizeof(struct compare_visit);
	memory = mmap(NULL, compare->area_bytes, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return errmsg_set(err, "no memory for the comparison: %s", strerror(errno));
	compare->area = memory;
	compare->area->max_windows = windows;
	compare->area->visit_ns = visit_ns;
	return 0;
}

static bool child_has_ended(struct compare *compare)
{
	if (!compare->ended)
		compare->ended =
			waitpid(compare->child, &compare->status, WNOHANG) == compare->child;
	return compare->ended;
}

static void end_child(struct compare *compare)
{
	if (child_has_ended(compare))
		return;
	kill(compare->child, SIGKILL);
	while (waitpid(compare->child, &compare->status, 0) < 0 && errno == EINTR)
		;
	compare->ended = true;
}

static void nap(void)
{
	const struct timespec length = {0, POLL_NS};

	nanosleep(&length, NULL);
}

/* Until its threads run. */
static int await_begin(struct compare *compare, struct errmsg *err)
{
	while (!smp_load_acquire(&compare->area->begun)) {
		if (!child_has_ended(compare)) {
			const struct timespec moment = {0, 1000000};

			nanosleep(&moment, NULL);
		} else if (smp_load_acquire(&compare->area->refused)) {
			*err = compare->area->err;
			return -1;
		} else if (!smp_load_acquire(&compare->area->begun)) {
			return errmsg_set(err, "the process that compares ended before it began");
		}
	}
	return 0;
}

static u64 windows_of(const struct compare *compare)
{
	u64 windows = 0;

	for (u32 i = 0; i < compare->config->run.readers; i++)
		windows += smp_load_acquire(&compare->area->lane[i].windows);
	return windows;
}

/* Takes one figure of each visit that is finished, by placement, or in the order of time. */
static size_t collect(const struct compare *compare, size_t who, bool in_time,
		      double (*figure)(const struct compare_visit *visit, size_t who),
		      double *values)
{
	size_t count = 0;

	for (u32 i = 0; i < compare->config->run.readers; i++) {
		const u64 windows = smp_load_acquire(&compare->area->lane[i].windows);

		for (u64 window = 0; window < windows; window++) {
			const struct compare_visit *visits =
				compare_window(compare->area, i, window);

			for (size_t j = 0; j < 2 * COMPARE_WINDOW; j++)
				values[count + (in_time ? visits[j].turn : j)] =
					figure(&visits[j], who);
			count += 2 * COMPARE_WINDOW;
		}
	}
	return count;
}

static double log_ratio_of(const struct compare_visit *visit, size_t who)
{
	return visit->against[who].log_ratio;
}

static double ns_of(const struct compare_visit *visit, size_t who)
{
	return visit->against[who].ns;
}

static double read_ns_of(const struct compare_visit *visit, size_t who)
{
	return visit->read_ns[who];
}

static double work_ns_of(const struct compare_visit *visit, size_t who)
{
	(void)who;
	return visit->work_ns;
}

/* Room for a figure of every visit, three times. */
static double *make_room(const struct compare *compare, struct errmsg *err)
{
	const size_t visits = (size_t)windows_of(compare) * 2 * COMPARE_WINDOW;
	double *room = calloc(3 * (visits + 1), sizeof(*room));

	if (!room)
		errmsg_set(err, "no memory for %zu visits", visits);
	return room;
}

static bool is_still(const struct compare *compare, size_t who)
{
	return compare->config->placement_still || compare->config->reader[who]->image;
}

static double median_of(const struct compare *compare, size_t who,
			double (*figure)(const struct compare_visit *visit, size_t who))
{
	struct errmsg err;
	double *values = make_room(compare, &err);
	double median = 0;
	size_t count;

	if (!values)
		return 0;
	count = collect(compare, who, false, figure, values);
	if (count) {
		gsl_sort(values, 1, count);
		median = gsl_stats_median_from_sorted_data(values, 1, count);
	}
	free(values);
	return median;
}

/*
 * With work beside the reads, the visits know differences alone, some of them larger than a read.
 * What a read takes by itself is known of all visits together, and the logarithm of a ratio is
 * taken there: it is as straight as its tangent, which makes log ratios of visits.
 */
static int take_out_work(const struct compare *compare, const struct effect_visits *visits,
			 double *log_ratio, struct errmsg *err)
{
	const double baseline_ns = median_of(compare, 0, read_ns_of);
	const double share = mean_of(visits->ns, visits->visits) / baseline_ns;

	if (compare->config->run.work.kind == WORK_NONE)
		return 0;
	if (!(baseline_ns > 0) || !(share > -1))
		return errmsg_set(err,
				  "what the work takes, %.4g ns, varies by more than a read does, "
				  "so the read cannot be told from it",
				  median_of(compare, 0, work_ns_of));
	for (size_t i = 0; i < visits->visits; i++)
		log_ratio[i] = log1p(share) + (visits->ns[i] / baseline_ns - share) / (1 + share);
	return 0;
}

/* Held still for good if neither of the two moves. */
static int measure_effect(const struct compare *compare, size_t who, struct effect *effect,
			  struct errmsg *err)
{
	const size_t comparisons = compare->config->readers - 1;
	const bool still = is_still(compare, who) && is_still(compare, 0);
	double *log_ratio = make_room(compare, err);
	struct effect_visits visits;
	double *ns;
	int failed;

	if (!log_ratio)
		return -1;
	visits = (struct effect_visits){
		.log_ratio = log_ratio,
		.visits = collect(compare, who, still, log_ratio_of, log_ratio),
		.placement_still = still,
	};
	ns = log_ratio + visits.visits;
	collect(compare, who, still, ns_of, ns);
	visits.ns = ns;
	failed = take_out_work(compare, &visits, log_ratio, err) ||
				 effect_measure(&visits, comparisons, ns + visits.visits, effect,
						err)
			 ? -1
			 : 0;
	free(log_ratio);
	return failed;
}

/* Looked at again only as often as does the intervals no harm. */
static bool is_precise(struct compare *compare)
{
	const struct compare_config *config = compare->config;
	const bool still = config->placement_still;
	const u64 windows = windows_of(compare);
	struct effect effects[COMPARE_MAX_READERS];
	struct errmsg err;

	if (config->precision_percent <= 0 ||
	    windows * (still ? 2 : 1) * COMPARE_WINDOW <
		    effect_next_look((size_t)compare->looked_at * (still ? 2 : 1) * COMPARE_WINDOW,
				     still))
		return false;
	compare->looked_at = windows;
	for (size_t who = 1; who < config->readers; who++)
		if (measure_effect(compare, who, &effects[who - 1], &err))
			return false;
	return effect_all_precise(effects, config->readers - 1, config->precision_percent);
}

/* The first thread that is in a reader's code. */
static const struct compare_lane *find_stuck(const struct compare *compare)
{
	for (u32 i = 0; i < compare->config->run.readers; i++)
		if (READ_ONCE(compare->area->lane[i].reader) >= 0)
			return &compare->area->lane[i];
	return NULL;
}

static void tell_broken(struct compare *compare, const char *how)
{
	const struct compare_lane *lane = find_stuck(compare);
	struct compare_result *result = compare->result;

	result->outcome = COMPARE_BROKEN;
	if (lane)
		snprintf(result->broken, sizeof(result->broken), "%.100s%s %s",
			 compare->config->reader[lane->reader]->path,
			 lane->counted ? " with READER_COUNTED 1" : "", how);
	else
		snprintf(result->broken, sizeof(result->broken), "the process that compares %s",
			 how);
}

/* Of all threads of the child; 0 once it has ended. */
static u64 child_cpu_ns(const struct compare *compare)
{
	struct timespec used;
	clockid_t clock;

	if (clock_getcpuclockid(compare->child, &clock) || clock_gettime(clock, &used))
		return 0;
	return (u64)used.tv_sec * NSEC_PER_SEC + (u64)used.tv_nsec;
}

/* However long others kept it from the CPU. */
static bool is_stuck(struct compare *compare)
{
	const u64 limit = STUCK_CPU_NS + STUCK_CPU_PER_THREAD_NS * compare->config->run.readers;
	const u64 now = now_ns(), cpu = child_cpu_ns(compare);
	u64 steps = 0;

	for (u32 i = 0; i < compare->config->run.readers; i++)
		steps += READ_ONCE(compare->area->lane[i].steps);
	if (steps != compare->steps) {
		compare->steps = steps;
		compare->stepped_ns = now;
		compare->stepped_cpu_ns = cpu;
	}
	return now - compare->stepped_ns > STUCK_NS || cpu > compare->stepped_cpu_ns + limit;
}

static void watch(struct compare *compare, compare_progress_fn *progress, void *context,
		  const volatile sig_atomic_t *stop)
{
	const double duration = (double)compare->config->duration_ns;

	compare->begun_ns = compare->stepped_ns = now_ns();
	compare->stepped_cpu_ns = child_cpu_ns(compare);
	for (;;) {
		const double passed = (double)(now_ns() - compare->begun_ns);

		if (progress)
			progress(passed / duration, (duration - passed) / NSEC_PER_SEC, context);
		if (child_has_ended(compare) || passed >= duration || is_precise(compare))
			return;
		if (*stop) {
			compare->result->outcome = COMPARE_INTERRUPTED;
			return;
		}
		if (is_stuck(compare)) {
			tell_broken(compare, "does not return");
			return;
		}
		nap();
	}
}

static void tell_how_it_ended(struct compare *compare)
{
	char how[128];

	if (compare->result->outcome == COMPARE_BROKEN)
		return;
	if (smp_load_acquire(&compare->area->wrong)) {
		compare->result->outcome = COMPARE_BROKEN;
		snprintf(compare->result->broken, sizeof(compare->result->broken), "%s",
			 compare->area->wrong_text);
	} else if (WIFSIGNALED(compare->status)) {
		snprintf(how, sizeof(how), "crashes: %s", strsignal(WTERMSIG(compare->status)));
		tell_broken(compare, how);
	} else if (!WIFEXITED(compare->status) || WEXITSTATUS(compare->status)) {
		tell_broken(compare, "ended the process");
	}
}

/* Its threads finish the block that they are in. */
static void stop_child(struct compare *compare)
{
	WRITE_ONCE(compare->area->stop, true);
	compare->stepped_ns = now_ns();
	compare->stepped_cpu_ns = child_cpu_ns(compare);
	while (compare->result->outcome != COMPARE_BROKEN && !child_has_ended(compare)) {
		if (is_stuck(compare))
			tell_broken(compare, "does not return");
		nap();
	}
	end_child(compare);
	tell_how_it_ended(compare);
}

static void take_counts(const struct compare *compare, size_t who, struct compare_reader *reader)
{
	if (!compare->config->reader[who]->tells)
		reader->retries_unavailable =
			compare->config->reader[who]->image
				? "an image's code does not tell its retries"
				: "the source does not tell what it goes through";
	for (u32 i = 0; i < compare->config->run.readers; i++) {
		const struct compare_counts *counts = &compare->area->lane[i].counts[who];

		reader->reads += counts->reads;
		reader->odd_waits += counts->odd_waits;
		reader->changed += counts->changed;
		reader->off_cpu += counts->off_cpu;
	}
}

static double hw_per_read(const struct compare_hw *hw, enum hw_counter counter)
{
	return hw->reads ? (double)hw->value[counter] / (double)hw->reads : 0;
}

static void take_hardware(const struct compare *compare, size_t who, struct compare_reader *reader)
{
	const size_t readers = compare->config->readers;
	struct compare_hw hw = {.reads = 0}, work = {.reads = 0};

	for (u32 i = 0; i < compare->config->run.readers; i++) {
		const struct compare_lane *lane = &compare->area->lane[i];

		hw.reads += lane->hw[who].reads;
		work.reads += lane->hw[readers].reads;
		for (size_t j = 0; j < HW_COUNTERS; j++) {
			hw.value[j] += lane->hw[who].value[j];
			work.value[j] += lane->hw[readers].value[j];
		}
	}
	reader->hw_reads = hw.reads;
	for (enum hw_counter i = 0; i < HW_COUNTERS; i++)
		reader->hw_per_read[i] = !hw.reads || compare->result->hw_unavailable[i].text[0]
						 ? NAN
						 : hw_per_read(&hw, i) - hw_per_read(&work, i);
}

/* What one thread cannot have, none can be said to have. */
static void take_hardware_reasons(const struct compare *compare)
{
	for (size_t i = 0; i < HW_COUNTERS; i++) {
		struct errmsg *why = &compare->result->hw_unavailable[i];
		u64 counted = 0;
		int cause = 0;

		for (u32 j = 0; j < compare->config->run.readers; j++) {
			const struct compare_lane *lane = &compare->area->lane[j];

			cause = cause ? cause : lane->hw_cause[i];
			counted += lane->hw[0].value[HW_CYCLES];
		}
		if (cause)
			errmsg_set(why, "no hardware counters: %s (%s)", hw_counters_reason(cause),
				   strerror(cause));
		else if (!counted)
			errmsg_set(why, "no hardware counters: no block was counted");
	}
}

static void take_reader(const struct compare *compare, size_t who)
{
	struct compare_result *result = compare->result;
	struct compare_reader *reader = &result->reader[who];

	reader->placement_still = is_still(compare, who);
	reader->read_ns = median_of(compare, who, read_ns_of);
	take_counts(compare, who, reader);
	take_hardware(compare, who, reader);
	if (who == 0)
		return;
	if (!result->visits)
		errmsg_set(&reader->unavailable, "it ended before %d placements were compared",
			   COMPARE_WINDOW);
	else if (!measure_effect(compare, who, &reader->effect, &reader->unavailable))
		reader->conclusion = effect_conclude(
			&reader->effect, compare->config->resolution_percent, result->seconds);
}

static void remark_on_disturbed(struct compare_result *result, const struct compare_config *config,
				size_t who)
{
	const struct effect *effect = &result->reader[who].effect;

	if (effect->disturbed)
		remark(&result->remarks,
		       "%s, reader %zu: %zu of %zu placements are left out, since their two visits "
		       "disagree: one of them was disturbed",
		       config->reader[who]->path, who + 1, effect->disturbed,
		       effect->disturbed + effect->units);
}

static void take_result(struct compare *compare, u64 steal_before)
{
	const struct compare_config *config = compare->config;
	struct compare_result *result = compare->result;
	const struct compare_area *area = compare->area;

	result->seconds = (double)(now_ns() - compare->begun_ns) / NSEC_PER_SEC;
	result->counter_hz = area->counter_hz;
	result->counter_step_ns = area->counter_step_ns;
	result->writer_cpu = area->writer_cpu;
	result->writer_priority = area->writer_priority;
	result->threads = config->run.readers;
	for (u32 i = 0; i < config->run.readers; i++) {
		result->cpu[i] = area->lane[i].cpu;
		if (area->lane[i].off_cpu_unavailable)
			result->off_cpu_unavailable = area->lane[i].off_cpu_unavailable;
		result->block_ns = fmax(result->block_ns, area->lane[i].block_ns);
	}
	take_hardware_reasons(compare);
	result->visits = windows_of(compare) * 2 * COMPARE_WINDOW;
	for (size_t who = 0; who < config->readers; who++) {
		take_reader(compare, who);
		if (!is_still(compare, who))
			result->placements = result->visits / 2;
	}
	result->work_ns = median_of(compare, 0, work_ns_of);
	result->remarks = area->remarks;
	for (size_t who = 1; who < config->readers; who++)
		remark_on_disturbed(result, config, who);
	machine_remarks(&result->machine, &area->used, machine_steal_ticks() - steal_before,
			&result->remarks);
}

static int compare_in_child(struct compare *compare, compare_progress_fn *progress, void *context,
			    const volatile sig_atomic_t *stop, struct errmsg *err)
{
	const u64 steal = machine_steal_ticks();
	sigset_t signals, before;

	/* They are the parent's: the child ends when it says so. */
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, &before);
	compare->child = fork();
	if (compare->child == 0)
		compare_child(compare->config, compare->area);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (compare->child < 0)
		return errmsg_set(err, "no process to compare in: %s", strerror(errno));
	if (await_begin(compare, err)) {
		end_child(compare);
		return -1;
	}
	watch(compare, progress, context, stop);
	stop_child(compare);
	take_result(compare, steal);
	return 0;
}

int compare_execute(const struct compare_config *config, compare_progress_fn *progress,
		    void *context, const volatile sig_atomic_t *stop, struct compare_result *result,
		    struct errmsg *err)
{
	struct compare compare = {.config = config, .result = result};
	int failed;

	memset(result, 0, sizeof(*result));
	machine_describe(&result->machine);
	if (make_area(&compare, err))
		return -1;
	for (size_t who = 0; who < config->readers; who++)
		path_fill(&result->reader[who].path, config->reader[who],
			  config->reader[who]->clock);
	failed = compare_in_child(&compare, progress, context, stop, err);
	munmap(compare.area, compare.area_bytes);
	return failed;
}
