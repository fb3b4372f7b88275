// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>

#include "measure/observe_collect.h"

/* An interval of so many periods or more is a gap. */
#define GAP_PERIODS 1.5

static double nanoseconds(const struct observe_result *result, double cycles)
{
	return cycles * NSEC_PER_SEC / (double)result->counter_hz;
}

static double seconds(const struct observe_result *result, u64 cycles)
{
	return (double)cycles / (double)result->counter_hz;
}

static double per_second(u64 count, double time)
{
	return time > 0 ? (double)count / time : 0;
}

static struct observe_lengths lengths(const struct observe_result *result,
				      const struct histogram *histogram)
{
	return (struct observe_lengths){
		.samples = histogram_total(histogram),
		.mean_ns = nanoseconds(result, histogram_mean(histogram)),
		.min_ns = nanoseconds(result, (double)histogram_min(histogram)),
		.p50_ns = nanoseconds(result, histogram_percentile(histogram, 0.5)),
		.p99_ns = nanoseconds(result, histogram_percentile(histogram, 0.99)),
		.max_ns = nanoseconds(result, (double)histogram_max(histogram)),
	};
}

static void collect_updates(const struct observer *observer, struct observe_result *result)
{
	u64 gap = (u64)(GAP_PERIODS * histogram_percentile(&observer->interval, 0.5));

	result->seconds = seconds(result, observer->awake);
	result->updates = observer->updates;
	result->seen = observer->seen;
	result->elsewhere = observer->elsewhere;
	result->rate_hz = per_second(result->updates, result->seconds);
	result->interval = lengths(result, &observer->interval);
	result->period_ns = result->interval.p50_ns;
	if (!result->interval.samples)
		return;
	result->gaps = histogram_from(&observer->interval, gap);
	result->longest_gap_ns = result->gaps ? result->interval.max_ns : 0;
}

static void collect_asleep(const struct observer_asleep *asleep, struct observe_result *result)
{
	double due;

	result->asleep.seconds = seconds(result, asleep->cycles);
	result->asleep.updates = asleep->updates;
	result->asleep.rate_hz = per_second(asleep->updates, result->asleep.seconds);
	result->asleep.longest_ns = nanoseconds(result, (double)asleep->longest);
	if (result->period_ns <= 0)
		return;
	/* A stretch of n periods has n ticks, or one less if it began right after one. */
	due = floor(result->asleep.seconds * NSEC_PER_SEC / result->period_ns) -
	      (double)asleep->stretches;
	if (due > (double)asleep->updates)
		result->asleep.ticks_without_update = (u64)due - asleep->updates;
}

static void collect_fields(const struct observer *observer, struct observe_result *result)
{
	const struct observer_mult *mult = &observer->mult;

	result->steering.known = mult->known;
	result->steering.against_raw = mult->against_raw;
	result->steering.changes = mult->changes;
	if (mult->least > 0) {
		result->steering.least_ppm = (mult->least - 1) * 1e6;
		result->steering.most_ppm = (mult->most - 1) * 1e6;
	}
	result->mode_known = observer->has_fields;
	result->clock_mode = observer->fields.clock_mode;
	result->mode_changes = observer->mode_changes;
	result->second_looks = observer->second_looks;
	result->second_apart = observer->second_apart;
}

static void collect_watcher(const struct watcher *watcher, const struct observer_cpu *cpus,
			    struct observe_result *result)
{
	const struct observer *observer = &watcher->observer;
	u64 watched = 0;

	for (int i = 0; i < result->cpu_count; i++)
		watched += cpus[i].watched;
	result->look_ns = observer->looks
				  ? nanoseconds(result, (double)watched / (double)observer->looks)
				  : 0;
	result->watched_share =
		observer->awake ? fmin(1, (double)watched / (double)observer->awake) : 0;
	result->interruptions = observer->interruptions;
	result->off_cpu = observer->off_cpu;
	result->off_cpu_unavailable = watcher->off_cpu_unavailable;
	result->longest_interruption_ns =
		nanoseconds(result, (double)observer->longest_interruption);
}

static int collect_cpus(const struct observer_cpu *cpus, int count, struct observe_result *result,
			struct errmsg *err)
{
	result->cpus = calloc((size_t)count, sizeof(*result->cpus));
	if (!result->cpus)
		return errmsg_set(err, "no memory for the results of %d CPUs", count);
	result->cpu_count = count;
	for (int i = 0; i < count; i++)
		result->cpus[i] = (struct observe_cpu){
			.cpu = cpus[i].cpu,
			.watched_seconds = seconds(result, cpus[i].watched),
			.seen = cpus[i].seen,
			.elsewhere = cpus[i].elsewhere,
			.odd = cpus[i].odd,
		};
	result->tick = tick_cpu_tell(cpus, count);
	return 0;
}

static void collect_hazard(double read_ns, struct observe_result *result)
{
	const struct hold_seen hold = {
		.measured = result->hold.samples,
		.p50_ns = result->hold.p50_ns,
		.passed = result->passed.samples,
		.passed_p50_ns = result->passed.p50_ns,
	};

	if (read_ns <= 0)
		result->hazard_unavailable = "the host's vDSO has no clock_gettime";
	else if (!result->updates)
		result->hazard_unavailable = "no update was seen";
	else if (result->mode_known && result->clock_mode == VDSO_CLOCKMODE_NONE)
		result->hazard_unavailable = "in clock mode none reads go to the system call";
	else
		result->hazard = hazard_of(result->rate_hz, read_ns, &hold);
}

/* The law wants the mean; the median stands for it, since one stall may be all of a mean. */
static void remark_on_stalls(struct observe_result *result)
{
	const struct observe_lengths *hold = &result->hold;

	if (!result->hazard_unavailable && hold->samples && hold->mean_ns > 2 * hold->p50_ns)
		remark(&result->remarks,
		       "some updates were seen odd for far longer than the median: with the mean "
		       "of %.0f ns the hazard would be %.1f per million",
		       hold->mean_ns,
		       result->rate_hz * (result->hazard.read_ns + hold->mean_ns) / 1e3);
}

int observe_collect(const struct watcher *watcher, const struct observer_cpu *cpus, int count,
		    double read_ns, struct observe_result *result, struct errmsg *err)
{
	const struct observer *observer = &watcher->observer;

	if (collect_cpus(cpus, count, result, err))
		return -1;
	collect_updates(observer, result);
	collect_asleep(&observer->asleep, result);
	result->odd = observer->odd;
	result->odd_unmeasured = observer->odd_unmeasured;
	result->hold = lengths(result, &observer->hold);
	result->passed = lengths(result, &observer->passed);
	collect_fields(observer, result);
	collect_watcher(watcher, cpus, result);
	collect_hazard(read_ns, result);
	remark_on_stalls(result);
	return 0;
}
