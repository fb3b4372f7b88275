// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/sweep.h"
#include "sim/monotonic.h"

#define WARMUP_NS 100000000
/*
 * Of the first run; every reader is to be given a CPU in it, even where many share one. It is
 * longer than high rates need for their retries, or what else runs here would decide about their
 * rate.
 */
#define PILOT_NS	    NSEC_PER_SEC
#define PILOT_NS_PER_READER 2000000
/* A shorter one is not worth its warm-up. */
#define LEAST_NS    50000000
#define MOST_LONGER 8

struct sweep {
	const struct sweep_config *config;
	const struct sweep_hooks *hooks;
	struct sweep_result *result;
	size_t at; /* the point at hand */
	u64 begin_ns;
	u64 run_ns; /* of the run at hand, warm-up included */
	/* Of points done in this sweep, to tell how long the others will take. */
	double per_update; /* reads that retry, of the last one that had any; 0: none so far */
};

void sweep_axis_span(struct sweep_axis *axis, u64 first, u64 last, size_t points)
{
	const double ratio = (double)last / (double)first;

	*axis = (struct sweep_axis){.count = 0};
	for (size_t i = 0; i < points; i++) {
		const double share = points > 1 ? (double)i / (double)(points - 1) : 0;
		const u64 value = (u64)llround((double)first * pow(ratio, share));

		if (!axis->count || value > axis->value[axis->count - 1])
			axis->value[axis->count++] = value;
	}
}

void sweep_configure(const struct sweep_config *config, u64 hz, u32 readers, u64 duration_ns,
		     struct run_config *run)
{
	*run = (struct run_config){
		.groups = 1,
		.group = {{
			.readers = readers,
			.reader = config->reader,
			.work = config->work,
			.cpus_given = config->cpus_given,
			.cpus = config->cpus,
		}},
		.writers = 1,
		.writer = {config->writer},
		.clocksource = config->clocksource,
		.record_hz = config->record_hz,
		.duration_ns = duration_ns,
		.warmup_ns = WARMUP_NS,
		.writer_cpu = config->writer_cpu,
		.priority = config->priority,
		.payload = PAYLOAD_TIME,
		.seed = config->seed,
	};
	run->writer[0].hz = hz;
}

int sweep_result_begin(const struct sweep_config *config, struct sweep_result *result,
		       struct errmsg *err)
{
	const size_t points = config->hz.count * config->readers.count;

	memset(result, 0, sizeof(*result));
	result->point = calloc(points, sizeof(*result->point));
	if (!result->point)
		return errmsg_set(err, "no memory for the result");
	result->points = points;
	for (size_t i = 0; i < points; i++) {
		result->point[i].hz = config->hz.value[i / config->readers.count];
		result->point[i].readers = (u32)config->readers.value[i % config->readers.count];
	}
	machine_describe(&result->machine);
	return 0;
}

void sweep_result_release(struct sweep_result *result)
{
	free(result->point);
	result->point = NULL;
}

static u64 pilot_ns(const struct sweep_config *config, u32 readers)
{
	const u64 ns = PILOT_NS + PILOT_NS_PER_READER * (u64)readers;

	return ns < config->max_time_ns ? ns : config->max_time_ns;
}

u64 sweep_next_ns(const struct sweep_config *config, const struct sweep_point *point)
{
	/* Not what was measured: that may be nothing, where readers get no CPU. */
	const double so_far = (double)point->asked_ns;
	const double left = (double)config->max_time_ns - so_far;
	const double wanted = (double)config->retries + 2 * sqrt((double)config->retries);
	double ns = MOST_LONGER * so_far;

	if (!point->runs)
		return pilot_ns(config, point->readers);
	if (point->retried >= config->retries || left < LEAST_NS)
		return 0;
	if (point->retried)
		ns = fmin(ns, so_far * (wanted / (double)point->retried - 1));
	return (u64)fmin(left, fmax(ns, LEAST_NS));
}

bool sweep_is_bound(const struct sweep_config *config, const struct sweep_point *point)
{
	return point->retried < config->retries;
}

void sweep_law(const struct sweep_result *result, struct law *law, struct law_finding *finding)
{
	struct law_point points[SWEEP_MAX_POINTS];

	for (size_t i = 0; i < result->points; i++) {
		const struct sweep_point *point = &result->point[i];
		const bool sound = point->state == SWEEP_DONE && !sweep_is_wrong(point);

		points[i] = (struct law_point){
			.rate_hz = sound ? point->rate_hz : 0,
			.reads = point->reads,
			.changed = point->retried - point->waited,
			.waited = point->waited,
		};
	}
	law_fit(points, result->points, law, finding);
}

/* The mean of what was averaged over `samples` and of `more` others. */
static void mix(double *mean, u64 *samples, double other, u64 more)
{
	if (!more)
		return;
	*mean += (other - *mean) * ((double)more / (double)(*samples + more));
	*samples += more;
}

static void add_run(struct sweep_point *point, u64 asked_ns, const struct run_result *run)
{
	const double seconds = point->seconds + run->seconds;

	if (seconds > 0)
		point->rate_hz += (run->writer.rate_hz - point->rate_hz) * run->seconds / seconds;
	point->seconds = seconds;
	point->asked_ns += asked_ns;
	point->runs++;
	point->updates += run->writer.updates;
	point->reads += run->all.total.reads;
	point->retried += run->all.total.retried;
	point->waited += run->all.total.waited;
	point->off_cpu += run->all.total.off_cpu;
	point->torn += run->all.total.torn;
	point->stale += run->all.total.stale;
	point->backwards += run->all.total.backwards;
	mix(&point->read_ns, &point->read_samples, run->all.read.mean_ns, run->all.read.samples);
	mix(&point->hold_ns, &point->hold_samples, run->writer.hold.p50_ns,
	    run->writer.hold.samples);
}

/* Whether they say the same, figures apart. */
static bool are_alike(const char *one, const char *other)
{
	for (;;) {
		one += strspn(one, "0123456789.");
		other += strspn(other, "0123456789.");
		if (*one != *other)
			return false;
		if (!*one)
			return true;
		one++;
		other++;
	}
}

static void add_remarks(struct remarks *remarks, const struct remarks *of_run)
{
	for (int i = 0; i < of_run->count; i++) {
		int at = 0;

		while (at < remarks->count && !are_alike(remarks->text[at], of_run->text[i]))
			at++;
		if (at == remarks->count)
			remark(remarks, "%s", of_run->text[i]);
	}
}

static double seconds_since(u64 begin_ns)
{
	return (double)(monotonic_ns() - begin_ns) / NSEC_PER_SEC;
}

/* What is left of a point's time, as far as the last one with retries tells; all, if none does. */
static double seconds_of(const struct sweep *sweep, const struct sweep_point *point)
{
	const struct sweep_config *config = sweep->config;
	const double most = (double)config->max_time_ns / NSEC_PER_SEC - point->seconds;
	const double pilot = (double)pilot_ns(config, point->readers) / NSEC_PER_SEC;
	double seconds = most;

	if (point->state != SWEEP_OPEN)
		return 0;
	if (sweep->per_update > 0)
		seconds = (double)config->retries / (sweep->per_update * (double)point->hz) -
			  point->seconds;
	return fmin(most, fmax(seconds, pilot)) + 2 * (double)WARMUP_NS / NSEC_PER_SEC;
}

/* A progress_fn. */
static void on_run(double share_done, double seconds_left, const char *figures, void *context)
{
	const struct sweep *sweep = context;
	const struct sweep_result *result = sweep->result;
	const double done = seconds_since(sweep->begin_ns);
	double left = fmax(seconds_left, 0);
	struct sweep_progress progress = {
		.point = &result->point[sweep->at],
		.number = sweep->at + 1,
		.points = result->points,
	};

	(void)share_done;
	(void)figures;
	for (size_t i = sweep->at + 1; i < result->points; i++)
		left += seconds_of(sweep, &result->point[i]);
	progress.share_done = done / (done + left);
	progress.seconds_left = left;
	if (sweep->hooks->progress)
		sweep->hooks->progress(&progress, sweep->hooks->context);
}

/* What became of the point by this run. */
static void conclude(struct sweep *sweep, struct sweep_point *point, const struct run_result *run)
{
	if (run->outcome == RUN_STALLED) {
		point->state = SWEEP_STALLED;
		snprintf(point->why, sizeof(point->why), "%s", run->stall);
	} else if (!point->reads && !sweep_next_ns(sweep->config, point)) {
		point->state = SWEEP_FAILED;
		snprintf(point->why, sizeof(point->why),
			 "no read was measured: give it more time (--max-time), or fewer readers");
	} else if (sweep_is_wrong(point) || !sweep_next_ns(sweep->config, point)) {
		point->state = SWEEP_DONE;
	}
}

/* One run of the point at hand; -1 if there was none, with a sentence in *err. */
static int run_once(struct sweep *sweep, u64 duration_ns, struct errmsg *err)
{
	struct sweep_point *point = &sweep->result->point[sweep->at];
	const struct run_hooks hooks = {.progress = on_run, .context = sweep};
	struct run_config config;
	struct run_result *run = malloc(sizeof(*run));

	if (!run)
		return errmsg_set(err, "no memory for the result");
	sweep_configure(sweep->config, point->hz, point->readers, duration_ns, &config);
	if (run_execute(&config, &hooks, run, err)) {
		free(run);
		return -1;
	}
	sweep->result->signalled = sweep->result->interrupted = run->signalled;
	if (run->outcome != RUN_INTERRUPTED) {
		add_run(point, duration_ns, run);
		add_remarks(&sweep->result->remarks, &run->remarks);
		conclude(sweep, point, run);
	}
	if (run->off_cpu_unavailable)
		sweep->result->off_cpu_unavailable = run->off_cpu_unavailable;
	run_result_release(run);
	free(run);
	return 0;
}

/* What was counted before an interruption is less than the point is to have. */
static void forget(struct sweep_point *point)
{
	*point = (struct sweep_point){.hz = point->hz, .readers = point->readers};
}

static void measure_point(struct sweep *sweep)
{
	struct sweep_point *point = &sweep->result->point[sweep->at];
	struct errmsg err;

	while (point->state == SWEEP_OPEN) {
		if (sweep->result->interrupted || (sweep->hooks->stop && *sweep->hooks->stop)) {
			sweep->result->interrupted = true;
			forget(point);
			return;
		}
		if (run_once(sweep, sweep_next_ns(sweep->config, point), &err)) {
			point->state = SWEEP_FAILED;
			snprintf(point->why, sizeof(point->why), "%.255s", err.text);
		}
	}
	if (point->retried)
		sweep->per_update = (double)point->retried / (point->seconds * point->rate_hz);
	if (sweep->hooks->keep)
		sweep->hooks->keep(sweep->result, sweep->hooks->context);
}

/* Whether there is a point of that state, or of any other. */
static bool has_point(const struct sweep_result *result, enum sweep_state state, bool same)
{
	for (size_t i = 0; i < result->points; i++)
		if ((result->point[i].state == state) == same)
			return true;
	return false;
}

static void remark_on_hold(const struct sweep_config *config, struct remarks *remarks)
{
	struct remarks own = {.count = 0};

	if (config->work.kind != WORK_NONE)
		return;
	remark(&own, "readers that read without a pause begin next to no read within a hold, so "
		     "that little of it is visible; --work alu:600 between reads shows all of a "
		     "short one");
	add_remarks(remarks, &own);
}

int sweep_execute(const struct sweep_config *config, const struct sweep_hooks *hooks,
		  struct sweep_result *result, struct errmsg *err)
{
	struct sweep sweep = {
		.config = config,
		.hooks = hooks,
		.result = result,
		.begin_ns = monotonic_ns(),
	};

	for (; sweep.at < result->points && !result->interrupted; sweep.at++)
		if (result->point[sweep.at].state == SWEEP_OPEN)
			measure_point(&sweep);
	result->seconds = seconds_since(sweep.begin_ns);
	/* One that came when all was done has interrupted nothing. */
	result->interrupted = result->interrupted && has_point(result, SWEEP_OPEN, true);
	if (!has_point(result, SWEEP_FAILED, false))
		return errmsg_set(err, "%s", result->point[0].why);
	remark_on_hold(config, &result->remarks);
	return 0;
}
