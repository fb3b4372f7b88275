// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/cpu_set.h"
#include "measure/ending.h"
#include "measure/observe.h"
#include "measure/observe_collect.h"
#include "measure/watcher.h"
#include "sim/host_page.h"

/* The watcher is awake for most of so long, moving from CPU to CPU, and asleep for the rest. */
#define CYCLE_NS (10ull * NSEC_PER_SEC)
#define AWAKE	 0.8
/* The longest that it stays on a CPU, or sleeps without a look. */
#define SLICE_NS 100000000

struct observation {
	const struct observe_config *config;
	struct watcher watcher;
	struct vdso_image image;
	struct host_page host;
	double read_ns;
	int count;
	struct observer_cpu *cpus;
	bool *refused; /* the CPU cannot be used any more */
	u64 start;     /* all in cycles of the counter */
	u64 end;
	u64 awake;
	u64 asleep;
};

/* Progress goes over watching and simulation. */
struct stage {
	progress_fn *progress;
	void *context;
	double before; /* seconds that the stages before it took */
	double length;
	double total;
};

static void report_progress(const struct stage *stage, double share_done, const char *figures)
{
	double done = stage->before + share_done * stage->length;

	if (stage->progress)
		stage->progress(done / stage->total, stage->total - done, figures, stage->context);
}

static void simulation_progress(double share_done, double seconds_left, const char *figures,
				void *context)
{
	(void)seconds_left;
	report_progress(context, share_done < 1 ? share_done : 1, figures);
}

static int find_page(struct observation *observation, struct observe_result *result,
		     struct errmsg *err)
{
	const struct vdso_wants *wants = &observation->image.wants;
	struct errmsg why;

	if (vdso_image_open(&observation->image, "host", &why))
		return errmsg_set(err, "the kernel's page cannot be found: %s", why.text);
	if (host_page_find(&observation->image, &observation->host, err)) {
		vdso_image_close(&observation->image);
		return -1;
	}
	result->page = (struct observe_page){
		.layout = observation->host.layout,
		.page = observation->host.namespace_data ? wants->namespace_page : wants->time_page,
		.data_offset = wants->data_offset,
		.in_namespace = observation->host.namespace_data != NULL,
	};
	return 0;
}

static int list_cpus(struct observation *observation, struct errmsg *err)
{
	const cpu_set_t *cpus = &observation->config->cpus;
	int next = 0;

	observation->count = CPU_COUNT(cpus);
	observation->cpus = calloc((size_t)observation->count, sizeof(*observation->cpus));
	observation->refused = calloc((size_t)observation->count, sizeof(*observation->refused));
	if (!observation->cpus || !observation->refused)
		return errmsg_set(err, "no memory for %d CPUs", observation->count);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET((size_t)cpu, cpus))
			observation->cpus[next++].cpu = cpu;
	return 0;
}

static bool is_over(const struct observation *observation, u64 until)
{
	return *observation->config->stop || (s64)(until - watcher_now(&observation->watcher)) <= 0;
}

/* So much later, but no later than `end`. */
static u64 later(const struct observation *observation, u64 cycles, u64 end)
{
	u64 until = watcher_now(&observation->watcher) + cycles;

	return (s64)(end - until) < 0 ? end : until;
}

static u64 slice_of(const struct observation *observation, u64 cycles)
{
	u64 longest = watcher_cycles(&observation->watcher, SLICE_NS);

	return cycles < longest ? cycles : longest;
}

static void report_watched(const struct observation *observation, const struct stage *stage)
{
	const struct observer *observer = &observation->watcher.observer;
	const u64 done = watcher_now(&observation->watcher) - observation->start;
	const double share = (double)done / (double)(observation->end - observation->start);
	char figures[96];

	snprintf(figures, sizeof(figures), "%llu updates, %llu of them seen in progress",
		 (unsigned long long)observer->updates, (unsigned long long)observer->odd);
	report_progress(stage, fmin(1, share), figures);
}

/* Whether the thread is there. */
static bool go_to(struct observation *observation, int index, struct remarks *remarks)
{
	const int cpu = observation->cpus[index].cpu;
	cpu_set_t place;

	CPU_ZERO(&place);
	CPU_SET((size_t)cpu, &place);
	if (sched_setaffinity(0, sizeof(place), &place) == 0)
		return true;
	if (!observation->refused[index])
		remark(remarks, "CPU %d could not be used: %s", cpu, strerror(errno));
	observation->refused[index] = true;
	return false;
}

/* Once on each CPU, as far as there is time, but on one at least. Whether any could be used. */
static bool watch_round(struct observation *observation, u64 until, const struct stage *stage,
			struct remarks *remarks)
{
	const u64 slice = slice_of(observation, observation->awake / (u64)observation->count);
	struct watcher *watcher = &observation->watcher;
	bool any = false;

	for (int i = 0; i < observation->count && (!i || !is_over(observation, until)); i++) {
		if (!go_to(observation, i, remarks))
			continue;
		any = true;
		watcher_move(watcher, &observation->cpus[i]);
		watcher_watch(watcher, later(observation, slice, until));
		report_watched(observation, stage);
	}
	return any;
}

/* The same for a while. */
static bool stay_awake(struct observation *observation, const struct stage *stage,
		       struct remarks *remarks)
{
	const u64 until = later(observation, observation->awake, observation->end);
	bool any = true;

	while (any && !is_over(observation, until))
		any = watch_round(observation, until, stage, remarks);
	return any;
}

static void sleep_a_while(struct observation *observation, const struct stage *stage)
{
	const u64 until = later(observation, observation->asleep, observation->end);
	const u64 nap = slice_of(observation, observation->asleep);

	while (!is_over(observation, until)) {
		watcher_sleep(&observation->watcher, later(observation, nap, until));
		report_watched(observation, stage);
	}
}

static void set_times(struct observation *observation)
{
	const struct watcher *watcher = &observation->watcher;
	const u64 length = watcher_cycles(watcher, observation->config->duration_ns);
	const u64 longest = watcher_cycles(watcher, CYCLE_NS);
	const u64 cycle = length < longest ? length : longest;

	observation->start = watcher_now(watcher);
	observation->end = observation->start + length;
	observation->awake = (u64)(AWAKE * (double)cycle);
	observation->asleep = cycle - observation->awake;
}

/* What has had its full time was not, whenever it was asked to stop. */
static bool was_cut_short(const struct observation *observation)
{
	u64 now = watcher_now(&observation->watcher);

	return (s64)(observation->end - now) > 0 && *observation->config->stop;
}

static int watch(struct observation *observation, const struct stage *stage,
		 struct observe_result *result, struct errmsg *err)
{
	cpu_set_t before;
	bool any;

	sched_getaffinity(0, sizeof(before), &before);
	report_progress(stage, 0, "");
	/* To come to a CPU may take a while, which nobody watches. */
	go_to(observation, 0, &result->remarks);
	set_times(observation);
	do {
		any = stay_awake(observation, stage, &result->remarks);
		if (any)
			sleep_a_while(observation, stage);
	} while (any && !is_over(observation, observation->end));
	sched_setaffinity(0, sizeof(before), &before);
	result->outcome = was_cut_short(observation) ? RUN_INTERRUPTED : RUN_COMPLETE;
	if (!observation->watcher.observer.looks && result->outcome == RUN_COMPLETE)
		return errmsg_set(err, "none of the CPUs %s could be used",
				  cpu_list(&observation->config->cpus).text);
	return 0;
}

static void simulate(const struct observation *observation, struct stage *stage,
		     struct observe_result *result)
{
	const struct hazard_plan plan = {
		.rate_hz = result->rate_hz,
		.hold_ns = result->hazard.hold_ns,
		.duration_ns = observation->config->simulate_ns,
		.clock_mode = result->clock_mode,
		.in_namespace = result->page.in_namespace,
	};

	result->simulated = true;
	hazard_simulate(&plan, simulation_progress, stage, &result->run, &result->remarks);
	if (result->run.interrupted)
		result->outcome = RUN_INTERRUPTED;
}

/*
 * A run takes the signals for its own, but not before it has begun: till then they are kept for it,
 * unless one came before that.
 */
static void simulate_unless_stopped(const struct observation *observation, struct stage *stage,
				    struct observe_result *result)
{
	const sigset_t signals = ending_signals();
	sigset_t before;

	pthread_sigmask(SIG_BLOCK, &signals, &before);
	if (*observation->config->stop)
		result->outcome = RUN_INTERRUPTED;
	else
		simulate(observation, stage, result);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static int prepare(struct observation *observation, struct observe_result *result,
		   struct errmsg *err)
{
	if (list_cpus(observation, err) || find_page(observation, result, err))
		return -1;
	result->clocksource = clocksource_default();
	result->counter_hz = result->clocksource->frequency_hz();
	observation->read_ns = hazard_read_ns(result->clocksource, result->counter_hz);
	vdso_image_close(&observation->image);
	watcher_init(&observation->watcher, observation->host.data, observation->host.layout,
		     result->clocksource, result->counter_hz, observation->config->stop);
	return 0;
}

static int carry_out(struct observation *observation, progress_fn *progress, void *context,
		     struct observe_result *result, struct errmsg *err)
{
	const struct observe_config *config = observation->config;
	const double watching = (double)config->duration_ns / NSEC_PER_SEC;
	const double simulating = (double)config->simulate_ns / NSEC_PER_SEC;
	struct stage stage = {progress, context, 0, watching, watching + simulating};
	const u64 steal = machine_steal_ticks();

	machine_describe(&result->machine);
	if (prepare(observation, result, err) || watch(observation, &stage, result, err) ||
	    observe_collect(&observation->watcher, observation->cpus, observation->count,
			    observation->read_ns, result, err))
		return -1;
	machine_remarks(&result->machine, &config->cpus, machine_steal_ticks() - steal,
			&result->remarks);
	stage.before = stage.length;
	stage.length = simulating;
	if (config->simulate_ns && !result->hazard_unavailable && result->outcome == RUN_COMPLETE)
		simulate_unless_stopped(observation, &stage, result);
	return 0;
}

int observe_execute(const struct observe_config *config, progress_fn *progress, void *context,
		    struct observe_result *result, struct errmsg *err)
{
	struct observation *observation = calloc(1, sizeof(*observation));
	int failed;

	memset(result, 0, sizeof(*result));
	if (!observation)
		return errmsg_set(err, "no memory for the observation");
	observation->config = config;
	failed = carry_out(observation, progress, context, result, err);
	if (failed)
		observe_result_release(result);
	free(observation->cpus);
	free(observation->refused);
	free(observation);
	return failed;
}

void observe_result_release(struct observe_result *result)
{
	free(result->cpus);
	result->cpus = NULL;
}
