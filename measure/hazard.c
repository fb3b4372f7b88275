// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure/hazard.h"
#include "measure/host_vdso.h"
#include "measure/interval.h"

#define BLOCKS	    301
#define BLOCK_READS 256

#define WARMUP_NS 200000000
#define MOST_HZ	  10000000
/* The longest that a writer can be asked for. */
#define MOST_HOLD_NS 1000000
/* A dependent operation takes a core cycle or two; the work must last longer than the hold. */
#define OPERATIONS_PER_NS 4
#define LEAST_OPERATIONS  600
#define MOST_OPERATIONS	  1000000

static double per_million(double rate_hz, double ns)
{
	return fmin(1e6, rate_hz * ns / NSEC_PER_SEC * 1e6);
}

static void choose_hold(struct hazard *hazard, const struct hold_seen *hold)
{
	if (hold->measured) {
		hazard->hold_source = HOLD_SEEN;
		hazard->hold_ns = hold->p50_ns;
		hazard->least_hold_ns = hold->p50_ns * (double)hold->measured /
					(double)(hold->measured + hold->passed);
	} else if (hold->passed) {
		hazard->hold_source = HOLD_PASSED;
		hazard->hold_ns = hold->passed_p50_ns;
	} else {
		hazard->hold_source = HOLD_UNSEEN;
	}
}

struct hazard hazard_of(double rate_hz, double read_ns, const struct hold_seen *hold)
{
	struct hazard hazard = {.rate_hz = rate_hz, .read_ns = read_ns};

	choose_hold(&hazard, hold);
	hazard.per_million = per_million(rate_hz, read_ns + hazard.hold_ns);
	hazard.least = per_million(rate_hz, read_ns + hazard.least_hold_ns);
	hazard.tick_cpu = per_million(rate_hz, read_ns);
	return hazard;
}

double hazard_read_ns(const struct clocksource *clocksource, u64 frequency_hz)
{
	vdso_clock_gettime_fn *const read = host_vdso_clock_gettime();
	double cycles[BLOCKS], scratch[BLOCKS];
	struct timespec ts;

	if (!read)
		return 0;
	for (int block = 0; block < BLOCKS; block++) {
		u64 start = clocksource_read(clocksource->clock_mode, NULL);

		for (int i = 0; i < BLOCK_READS; i++)
			read(CLOCK_MONOTONIC, &ts);
		cycles[block] = (double)(clocksource_read(clocksource->clock_mode, NULL) - start) /
				BLOCK_READS;
	}
	return interval_of_median(cycles, BLOCKS, scratch).estimate * NSEC_PER_SEC /
	       (double)frequency_hz;
}

u64 hazard_hz(double rate_hz)
{
	return (u64)fmin(MOST_HZ, fmax(1, round(rate_hz)));
}

u64 hazard_hold_ns(double hold_ns)
{
	return (u64)fmin(MOST_HOLD_NS, fmax(0, round(hold_ns)));
}

const struct clocksource *hazard_clocksource(s32 clock_mode)
{
	const struct clocksource *cs = clocksources;
	const char *why;

	while (cs->name && (cs->clock_mode != clock_mode || !cs->selectable || !cs->usable(&why)))
		cs++;
	return cs->name ? cs : clocksource_default();
}

static int configure(const struct hazard_plan *plan, const struct hazard_run *run,
		     struct run_config *config, struct errmsg *err)
{
	struct writer_choice writer;
	char spec[64];
	u64 operations = LEAST_OPERATIONS + run->hold_ns * OPERATIONS_PER_NS;

	snprintf(spec, sizeof(spec), "tick:hz=%llu,hold=%lluns", (unsigned long long)run->hz,
		 (unsigned long long)run->hold_ns);
	if (writer_resolve(spec, &writer, err))
		return -1;
	*config = (struct run_config){
		.groups = 1,
		.writers = 1,
		.writer = {writer},
		.clocksource = hazard_clocksource(plan->clock_mode),
		.duration_ns = plan->duration_ns,
		.warmup_ns = plan->duration_ns < WARMUP_NS ? plan->duration_ns : WARMUP_NS,
		.writer_cpu = -1,
		.priority = PRIORITY_AUTO,
		.payload = PAYLOAD_TIME,
		.seed = 1,
	};
	config->group[0] = (struct run_group){
		.name = "hazard",
		.readers = 1,
		.work = {WORK_ALU, operations < MOST_OPERATIONS ? operations : MOST_OPERATIONS},
	};
	return reader_resolve(plan->in_namespace ? "timens:clock=monotonic"
						 : "hres:clock=monotonic",
			      &config->group[0].reader, err);
}

static void take_result(const struct run_result *result, struct hazard_run *run)
{
	const struct poisson_limits met = poisson_limits(result->all.total.retried);
	double million = (double)result->all.total.reads / 1e6;

	run->interrupted = result->outcome == RUN_INTERRUPTED;
	run->reads = result->all.total.reads;
	run->met = result->all.total.retried;
	run->read_ns = result->all.read.p50_ns;
	run->hold_p50_ns = result->writer.hold.p50_ns;
	run->work_ns = result->all.work_ns;
	run->law_per_million = per_million(result->writer.rate_hz, run->read_ns + run->hold_p50_ns);
	if (result->outcome == RUN_STALLED)
		snprintf(run->why, sizeof(run->why), "the run stalled: %.200s", result->stall);
	else if (!run->reads)
		snprintf(run->why, sizeof(run->why), "the run measured no read");
	if (!run->reads)
		return;
	run->per_million = (double)run->met / million;
	run->per_million_95 = (struct poisson_limits){met.low / million, met.high / million};
}

static bool has_remark(const struct remarks *remarks, const char *text)
{
	for (int i = 0; i < remarks->count; i++)
		if (strcmp(remarks->text[i], text) == 0)
			return true;
	return false;
}

static void add_remarks(struct remarks *remarks, const struct remarks *of_run)
{
	for (int i = 0; i < of_run->count; i++)
		if (!has_remark(remarks, of_run->text[i]))
			remark(remarks, "simulated run: %s", of_run->text[i]);
}

static void remark_on_run(const struct hazard_run *run, struct remarks *remarks)
{
	double expected = run->law_per_million * (double)run->reads / 1e6;

	if (run->reads && expected < 10)
		remark(remarks,
		       "simulated run: only about %.1f reads were to be expected to meet an "
		       "update, so the share is poorly known: give it more time (--simulate)",
		       expected);
	if (run->reads && run->work_ns < run->hold_p50_ns)
		remark(remarks,
		       "simulated run: its reads follow each other so closely that few meet the "
		       "same update: the share is lower for that");
}

void hazard_simulate(const struct hazard_plan *plan, progress_fn *progress, void *context,
		     struct hazard_run *run, struct remarks *remarks)
{
	const struct run_hooks hooks = {.progress = progress, .context = context};
	struct run_config config = {.groups = 0};
	struct run_result result;
	struct errmsg err;

	*run = (struct hazard_run){
		.hz = hazard_hz(plan->rate_hz),
		.hold_ns = hazard_hold_ns(plan->hold_ns),
	};
	if (configure(plan, run, &config, &err) || run_execute(&config, &hooks, &result, &err)) {
		snprintf(run->why, sizeof(run->why), "%.250s", err.text);
		return;
	}
	take_result(&result, run);
	add_remarks(remarks, &result.remarks);
	remark_on_run(run, remarks);
	run_result_release(&result);
	reader_release(&config.group[0].reader);
}
