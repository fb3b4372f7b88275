// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "measure/compare_child.h"
#include "measure/compare_figures.h"
#include "measure/ending.h"
#include "measure/writers.h"
#include "sim/monotonic.h"

#define POLL_NS 50000000ull
/* The same when threads only finish their block. */
#define POLL_END_NS 2000000ull
/* So long those that were interrupted have for that, before they are ended. */
#define INTERRUPTED_NS 300000000ull
/* A visit is long against what disturbs, and short enough that there will be many. */
#define VISITS	     200
#define VISIT_MIN_NS 4000000ull
#define VISIT_MAX_NS 25000000ull
/* A thread that makes no step while it uses so much CPU time is stuck in a reader's code. */
#define STUCK_CPU_NS (4ull * NSEC_PER_SEC)
/* That a writer takes for its last update, when nobody is in its way. */
#define LAST_UPDATE_NS (10ull * NSEC_PER_SEC)
/* Or in so much time of any kind: it may have put itself to sleep. */
#define STUCK_NS (60ull * NSEC_PER_SEC)

/* When a thread was last seen to move on. */
struct lane_watch {
	u64 steps;
	u64 ns;
	u64 cpu_ns; /* its CPU time then */
};

/* All of a comparison that the parent has. */
struct compare {
	const struct compare_config *config;
	struct compare_area *area;
	size_t area_bytes;
	pid_t child;
	bool ended;    /* it was waited for */
	int status;    /* then */
	bool precise;  /* as asked for */
	bool given_up; /* it did not end soon enough after an interruption */
	u64 begun_ns;
	u64 looked_at; /* windows of all threads, at the last look at the intervals */
	u64 told_at;   /* the same, at the last one for progress */
	char figures[64];
	struct lane_watch watch[COMPARE_MAX_THREADS];
	struct compare_result *result;
};

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
	const size_t visits = (size_t)(windows * 2 * COMPARE_WINDOW * config->run.group[0].readers);
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

static void nap(u64 ns)
{
	const struct timespec length = {0, (long)ns};

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

static struct compare_snapshot snapshot_of(const struct compare *compare)
{
	struct compare_snapshot snapshot;

	compare_take_snapshot(&snapshot, compare->config, compare->area);
	return snapshot;
}

static bool nothing_moves(const struct compare_config *config)
{
	for (size_t who = 0; who < config->readers; who++)
		if (compare_moves(config, who))
			return false;
	return true;
}

/* Looked at again only as often as does the intervals no harm. */
static bool is_precise(struct compare *compare)
{
	const struct compare_config *config = compare->config;
	const bool still = nothing_moves(config);
	const size_t units = (still ? 2 : 1) * COMPARE_WINDOW;
	const struct compare_snapshot snapshot = snapshot_of(compare);
	struct effect effects[COMPARE_MAX_READERS];
	struct errmsg err;

	if (config->precision_percent <= 0 ||
	    snapshot.all * units < effect_next_look((size_t)compare->looked_at * units, still))
		return false;
	compare->looked_at = snapshot.all;
	for (size_t who = 1; who < config->readers; who++)
		if (compare_effect(&snapshot, who, &effects[who - 1], &err))
			return false;
	compare->precise =
		effect_all_precise(effects, config->readers - 1, config->precision_percent);
	return compare->precise;
}

/* NAN: one of them is not known yet. */
static double widest_percent(const struct compare *compare, const struct compare_snapshot *snapshot)
{
	struct effect effect;
	struct errmsg err;
	double widest = 0;

	for (size_t who = 1; who < compare->config->readers; who++) {
		if (compare_effect(snapshot, who, &effect, &err) || !effect.known)
			return NAN;
		widest = fmax(widest, effect_half_width_percent(&effect));
	}
	return widest;
}

/* It takes time that readers might need: no more often than there is something new to tell. */
static void find_figures(struct compare *compare)
{
	const struct compare_snapshot snapshot = snapshot_of(compare);
	double widest;

	if (!compare->config->figures || snapshot.all < 8 ||
	    snapshot.all * 4 < compare->told_at * 5)
		return;
	compare->told_at = snapshot.all;
	widest = widest_percent(compare, &snapshot);
	if (!isnan(widest))
		snprintf(compare->figures, sizeof(compare->figures),
			 "95 %% interval%s within +/- %.2g %%",
			 compare->config->readers > 2 ? "s" : "", widest);
}

/* `lane`: whose thread it was; NULL: nobody's who reads. */
static void tell_broken(struct compare *compare, const struct compare_lane *lane, const char *how)
{
	struct compare_result *result = compare->result;
	const u32 publisher = READ_ONCE(compare->area->publisher);

	result->outcome = COMPARE_BROKEN;
	if (lane && lane->reader >= 0)
		snprintf(result->broken, sizeof(result->broken), "%.100s%s %s",
			 compare->config->reader[lane->reader]->path,
			 lane->counted ? " with READER_COUNTED 1" : "", how);
	else if (publisher)
		snprintf(result->broken, sizeof(result->broken), "the publisher of %.100s %s",
			 compare->config->reader[publisher - 1]->path, how);
	else
		snprintf(result->broken, sizeof(result->broken), "the process that compares %s",
			 how);
}

/* CPU time of one of the child's threads; 0 once it has ended. In clock ticks' resolution. */
static u64 thread_cpu_ns(const struct compare *compare, const struct compare_lane *lane)
{
	unsigned long long user = 0, system = 0;
	char path[64], line[512];
	const char *after = NULL;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)compare->child,
		 (int)READ_ONCE(lane->tid));
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fgets(line, sizeof(line), file))
		after = strrchr(line, ')');
	fclose(file);
	if (!after || sscanf(after, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu",
			     &user, &system) != 2)
		return 0;
	return (user + system) * (NSEC_PER_SEC / (u64)sysconf(_SC_CLK_TCK));
}

static void note_steps(struct compare *compare, u32 i, u64 now)
{
	struct lane_watch *watch = &compare->watch[i];

	watch->steps = READ_ONCE(compare->area->lane[i].steps);
	watch->ns = now;
	watch->cpu_ns = thread_cpu_ns(compare, &compare->area->lane[i]);
}

/* However long others kept it from the CPU. */
static bool is_stuck(struct compare *compare, u32 i, u64 now)
{
	const struct lane_watch *watch = &compare->watch[i];
	const struct compare_lane *lane = &compare->area->lane[i];
	u64 cpu;

	if (READ_ONCE(lane->reader) < 0 || READ_ONCE(lane->steps) != watch->steps) {
		note_steps(compare, i, now);
		return false;
	}
	if (now - watch->ns < STUCK_CPU_NS)
		return false;
	cpu = thread_cpu_ns(compare, lane);
	return now - watch->ns > STUCK_NS || cpu > watch->cpu_ns + STUCK_CPU_NS;
}

/* The first thread that is stuck in a reader's code; NULL: none is. */
static const struct compare_lane *find_stuck(struct compare *compare)
{
	const u64 now = monotonic_ns();

	for (u32 i = 0; i < compare->config->run.group[0].readers; i++)
		if (is_stuck(compare, i, now))
			return &compare->area->lane[i];
	return NULL;
}

/* A writer that is not meant to come back from the middle of a lock's publication. */
static bool stops_for_ever(const struct compare_config *config)
{
	return config->has_writer && config->run.writer[0].value[WRITER_FOR] == WRITER_FOREVER;
}

static void tell_left(struct compare *compare, u32 update)
{
	struct compare_result *result = compare->result;
	const u32 publisher = READ_ONCE(compare->area->publisher);

	result->outcome = COMPARE_BROKEN;
	if (publisher)
		snprintf(result->broken, sizeof(result->broken),
			 "the writer ended within update %u and did not finish publishing it "
			 "through %.100s",
			 update, compare->config->reader[publisher - 1]->path);
	else
		snprintf(
			result->broken, sizeof(result->broken),
			"the writer ended within update %u and left the sequence odd, so no reader "
			"returns",
			update);
}

/* Whoever reads a page that the writer left odd waits for ever, and is not to blame. */
static bool tell_stuck(struct compare *compare)
{
	const u32 left_odd = smp_load_acquire(&compare->area->left_odd);
	const struct compare_lane *stuck = left_odd ? NULL : find_stuck(compare);

	if (stuck)
		tell_broken(compare, stuck, "does not return");
	if (!left_odd)
		return stuck;
	if (READ_ONCE(compare->area->publisher) && !stops_for_ever(compare->config))
		tell_broken(compare, NULL, "does not return");
	else
		tell_left(compare, left_odd / 2 + 1);
	return true;
}

static void watch(struct compare *compare, progress_fn *progress, void *context,
		  const volatile sig_atomic_t *stop)
{
	const double duration = (double)compare->config->duration_ns;

	compare->begun_ns = monotonic_ns();
	for (u32 i = 0; i < compare->config->run.group[0].readers; i++)
		note_steps(compare, i, compare->begun_ns);
	for (;;) {
		const double passed = (double)(monotonic_ns() - compare->begun_ns);

		if (progress) {
			find_figures(compare);
			progress(passed / duration, (duration - passed) / NSEC_PER_SEC,
				 compare->figures, context);
		}
		if (child_has_ended(compare) || passed >= duration || is_precise(compare))
			return;
		if (*stop) {
			compare->result->outcome = COMPARE_INTERRUPTED;
			return;
		}
		if (tell_stuck(compare))
			return;
		nap(duration - passed < POLL_NS ? (u64)(duration - passed) : POLL_NS);
	}
}

/* The thread whose code crashed, as its own handler has told; NULL: none has. */
static const struct compare_lane *crashed_lane(const struct compare *compare)
{
	const u32 crashed = READ_ONCE(compare->area->crashed);

	return crashed ? &compare->area->lane[crashed - 1] : NULL;
}

static void tell_how_it_ended(struct compare *compare)
{
	char how[128];

	if (compare->result->outcome == COMPARE_BROKEN || compare->given_up)
		return;
	if (smp_load_acquire(&compare->area->wrong)) {
		compare->result->outcome = COMPARE_BROKEN;
		snprintf(compare->result->broken, sizeof(compare->result->broken), "%s",
			 compare->area->wrong_text);
	} else if (WIFSIGNALED(compare->status)) {
		snprintf(how, sizeof(how), "crashes: %s", strsignal(WTERMSIG(compare->status)));
		tell_broken(compare, crashed_lane(compare), how);
	} else if (!WIFEXITED(compare->status) || WEXITSTATUS(compare->status)) {
		tell_broken(compare, NULL, "was ended by one of the readers");
	}
}

/* Whoever has interrupted it will not wait for code that does not return. */
static bool give_up(struct compare *compare, u64 asked_ns)
{
	compare->given_up = compare->result->outcome == COMPARE_INTERRUPTED &&
			    monotonic_ns() - asked_ns > INTERRUPTED_NS;
	return compare->given_up;
}

static bool readers_have_ended(const struct compare *compare)
{
	for (u32 i = 0; i < compare->config->run.group[0].readers; i++)
		if (READ_ONCE(compare->area->lane[i].reader) >= 0)
			return false;
	return true;
}

/* A lock's publisher may be code that never returns. */
static bool tell_stuck_writer(struct compare *compare, u64 *ended_ns)
{
	if (!*ended_ns && readers_have_ended(compare))
		*ended_ns = monotonic_ns();
	if (!*ended_ns || monotonic_ns() - *ended_ns <= LAST_UPDATE_NS)
		return false;
	tell_broken(compare, NULL, "does not end, as its writer does not return");
	return true;
}

/* Its threads finish the block that they are in, and then the writer the update that it is in. */
static void stop_child(struct compare *compare)
{
	const u64 asked_ns = monotonic_ns();
	u64 ended_ns = 0;

	WRITE_ONCE(compare->area->stop, true);
	while (compare->result->outcome != COMPARE_BROKEN && !child_has_ended(compare) &&
	       !give_up(compare, asked_ns) && !tell_stuck(compare) &&
	       !tell_stuck_writer(compare, &ended_ns))
		nap(POLL_END_NS);
	end_child(compare);
	tell_how_it_ended(compare);
}

static void take_counts(const struct compare *compare, size_t who, struct compare_reader *reader)
{
	reader->retries_unavailable = compare->config->reader[who]->no_retries;
	if (!compare->config->reader[who]->tells)
		reader->retries_unavailable =
			compare->config->reader[who]->image
				? "an image's code does not tell its retries"
				: "the source does not tell what it goes through";
	for (u32 i = 0; i < compare->config->run.group[0].readers; i++) {
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

	for (u32 i = 0; i < compare->config->run.group[0].readers; i++) {
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

		for (u32 j = 0; j < compare->config->run.group[0].readers; j++) {
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

/*
 * What the reader takes is told as the baseline's time and the effect make it, which were measured
 * in the same rounds.
 */
static void take_effect(const struct compare_snapshot *snapshot, size_t who,
			struct compare_result *result)
{
	struct compare_reader *reader = &result->reader[who];

	if (!result->visits) {
		errmsg_set(&reader->unavailable, "it ended before %d placements were compared",
			   COMPARE_WINDOW);
		return;
	}
	if (compare_effect(snapshot, who, &reader->effect, &reader->unavailable))
		return;
	reader->conclusion = effect_conclude(&reader->effect, snapshot->config->resolution_percent,
					     result->seconds);
	reader->read_ns = result->reader[0].read_ns + reader->effect.ns.estimate;
	reader->placements_kept =
		compare_placement_effects(snapshot, who, reader->placement_percent, COMPARE_KEPT);
}

static void take_reader(const struct compare *compare, const struct compare_snapshot *snapshot,
			size_t who)
{
	struct compare_reader *reader = &compare->result->reader[who];

	reader->placement_still = !compare_moves(compare->config, who);
	reader->read_ns = compare_read_ns(snapshot, who);
	take_counts(compare, who, reader);
	take_hardware(compare, who, reader);
	if (who)
		take_effect(snapshot, who, compare->result);
}

/* What the writer did, if it ended as it should. */
static void take_writer(const struct compare_area *area, struct compare_result *result)
{
	result->writer_cpu = area->writer_cpu;
	result->writer_priority = area->writer_priority;
	result->writer_known = smp_load_acquire(&area->writer_ended);
	if (!result->writer_known)
		return;
	result->updates = area->updates;
	result->stalls = area->stalls;
	result->rate_hz = area->writer_ns
				  ? (double)area->updates * NSEC_PER_SEC / (double)area->writer_ns
				  : 0;
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
		       effect->disturbed + effect->placements);
}

/* As in a run: less than nine tenths of what was asked for. */
static void remark_on_writer(struct compare_result *result, const struct compare_config *config)
{
	if (!config->has_writer || !result->writer_known)
		return;
	const double wanted = writers_rate_hz(&config->run);

	if (!isinf(wanted) && result->rate_hz < 0.9 * wanted && result->updates > 10)
		remark(&result->remarks, "the page was updated at %.0f Hz, not at %.10g",
		       result->rate_hz, wanted);
	if (result->stalls)
		remark(&result->remarks, "the writer was stopped within %llu of its updates",
		       (unsigned long long)result->stalls);
}

/* How long a faulty read takes can be asked all the same. */
static void remark_on_mutants(struct compare_result *result, const struct compare_config *config)
{
	static const char *const why = "a mutant: compare does not look for torn reads, run does";

	for (size_t who = 0; who < config->readers; who++)
		if (config->reader[who]->kind && config->reader[who]->kind->fault)
			remark(&result->remarks, "%s, reader %zu, is %s", config->reader[who]->path,
			       who + 1, why);
	if (config->has_writer && config->run.writer[0].kind->fault)
		remark(&result->remarks, "writer %s is %s", config->run.writer[0].kind->name, why);
}

static bool is_precise_enough(const struct compare_reader *reader, double percent)
{
	return !reader->unavailable.text[0] && reader->effect.known &&
	       effect_half_width_percent(&reader->effect) <= percent;
}

/* What was reached at the last look holds, whatever the visits that were still to be finished. */
static void judge_precision(const struct compare *compare)
{
	const double percent = compare->config->precision_percent;

	for (size_t who = 1; who < compare->config->readers && !compare->precise; who++)
		compare->result->reader[who].imprecise =
			percent > 0 && !is_precise_enough(&compare->result->reader[who], percent);
}

static void remark_on_precision(struct compare_result *result, const struct compare_config *config)
{
	for (size_t who = 1; who < config->readers; who++) {
		const struct compare_reader *reader = &result->reader[who];

		if (!reader->imprecise)
			continue;
		if (reader->unavailable.text[0] || !reader->effect.known)
			remark(&result->remarks,
			       "--precision was not reached: %s, reader %zu, has no interval",
			       config->reader[who]->path, who + 1);
		else
			remark(&result->remarks,
			       "--precision was not reached: the interval of %s, reader %zu, is "
			       "+- %.2g %% wide, not %.4g %%",
			       config->reader[who]->path, who + 1,
			       effect_half_width_percent(&reader->effect),
			       config->precision_percent);
	}
}

/* More than the interval knows of. */
static void remark_on_pages(struct compare_result *result, const struct compare_config *config)
{
	const enum work_kind work = config->run.group[0].work.kind;

	if (result->pages > 1 && (work == WORK_COLD || work == WORK_CACHE))
		remark(&result->remarks,
		       "readers read different pages, %u of each layout: where a process gets its "
		       "pages matters to reads that miss the caches, so compare several times",
		       result->pages);
}

static void take_lanes(const struct compare *compare)
{
	struct compare_result *result = compare->result;

	result->threads = compare->config->run.group[0].readers;
	for (u32 i = 0; i < result->threads; i++) {
		const struct compare_lane *lane = &compare->area->lane[i];

		result->cpu[i] = lane->cpu;
		if (lane->off_cpu_unavailable)
			result->off_cpu_unavailable = lane->off_cpu_unavailable;
		result->block_ns = fmax(result->block_ns, lane->block_ns);
	}
}

/*
 * Until all readers had come back. Of one that broke until the last visit that counts: what came
 * after was waiting.
 */
static double measured_seconds(const struct compare *compare)
{
	const struct compare_area *area = compare->area;
	const bool ended = smp_load_acquire(&area->readers_ended);
	u64 last = area->start_ns;

	if (compare->result->outcome != COMPARE_BROKEN && ended)
		return (double)(area->end_ns - area->start_ns) / NSEC_PER_SEC;
	for (u32 i = 0; i < compare->config->run.group[0].readers; i++)
		if (smp_load_acquire(&area->lane[i].windows) && area->lane[i].last_ns > last)
			last = area->lane[i].last_ns;
	return (double)(last - area->start_ns) / NSEC_PER_SEC;
}

/* Nobody would know otherwise why it was told of nothing else. */
static void remark_on_given_up(const struct compare *compare)
{
	struct compare_result *result = compare->result;

	for (u32 i = 0; compare->given_up && i < compare->config->run.group[0].readers; i++) {
		const int reader = READ_ONCE(compare->area->lane[i].reader);

		if (reader < 0)
			continue;
		remark(&result->remarks,
		       "%s had not come back %llu ms after the interruption, and was ended",
		       compare->config->reader[reader]->path,
		       (unsigned long long)(INTERRUPTED_NS / 1000000));
		return;
	}
}

static void take_result(struct compare *compare, u64 steal_before)
{
	const struct compare_config *config = compare->config;
	const struct compare_snapshot snapshot = snapshot_of(compare);
	struct compare_result *result = compare->result;
	const struct compare_area *area = compare->area;

	result->seconds = measured_seconds(compare);
	result->counter_hz = area->counter_hz;
	result->counter_step_ns = area->counter_step_ns;
	result->visits = snapshot.all * 2 * COMPARE_WINDOW;
	result->placements = nothing_moves(config) ? 0 : result->visits / 2;
	result->pages = area->pages;
	take_lanes(compare);
	take_writer(area, result);
	take_hardware_reasons(compare);
	for (size_t who = 0; who < config->readers; who++)
		take_reader(compare, &snapshot, who);
	if (config->run.group[0].work.kind != WORK_NONE)
		result->work_ns = compare_work_ns(&snapshot);
	result->remarks = area->remarks;
	for (size_t who = 1; who < config->readers; who++)
		remark_on_disturbed(result, config, who);
	remark_on_given_up(compare);
	remark_on_mutants(result, config);
	judge_precision(compare);
	remark_on_precision(result, config);
	remark_on_writer(result, config);
	remark_on_pages(result, config);
	machine_remarks(&result->machine, &area->used, machine_steal_ticks() - steal_before,
			&result->remarks);
}

static int compare_in_child(struct compare *compare, progress_fn *progress, void *context,
			    const volatile sig_atomic_t *stop, struct errmsg *err)
{
	/* They are the parent's: the child ends when it says so. */
	const sigset_t signals = ending_signals();
	const u64 steal = machine_steal_ticks();
	sigset_t before;

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

int compare_execute(const struct compare_config *config, progress_fn *progress, void *context,
		    const volatile sig_atomic_t *stop, struct compare_result *result,
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
