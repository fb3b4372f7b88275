// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "measure/collect.h"

u64 reader_retries(const struct reader_counts *counts)
{
	return counts->odd_waits + counts->changed + counts->off_cpu;
}

double reader_retries_per_million(const struct reader_counts *counts)
{
	return counts->reads ? 1e6 * (double)reader_retries(counts) / (double)counts->reads : 0;
}

/* A figure in cycles, less what does not belong to it, in nanoseconds. */
static double figure(const struct run_shared *shared, double cycles, double foreign)
{
	return cycles > foreign ? shared_nanoseconds(shared, cycles - foreign) : 0;
}

static struct distribution distribution(const struct run_shared *shared,
					const struct histogram *lengths, double foreign)
{
	return (struct distribution){
		.samples = histogram_total(lengths),
		.mean_ns = figure(shared, histogram_mean(lengths), foreign),
		.p50_ns = figure(shared, histogram_percentile(lengths, 0.5), foreign),
		.p99_ns = figure(shared, histogram_percentile(lengths, 0.99), foreign),
		.p99_99_ns = figure(shared, histogram_percentile(lengths, 0.9999), foreign),
		.max_ns = figure(shared, (double)histogram_max(lengths), foreign),
	};
}

static void add_counts(struct reader_counts *sum, const struct reader_counts *counts)
{
	sum->reads += counts->reads;
	sum->odd_waits += counts->odd_waits;
	sum->spins += counts->spins;
	sum->changed += counts->changed;
	sum->off_cpu += counts->off_cpu;
	sum->checked += counts->checked;
	sum->unchecked += counts->unchecked;
	sum->torn += counts->torn;
	sum->caught += counts->caught;
	sum->lost_unjudged += counts->lost_unjudged;
	sum->backwards += counts->backwards;
	sum->retried += counts->retried;
	sum->waited += counts->waited;
	sum->fallbacks += counts->fallbacks;
	sum->began_odd += counts->began_odd;
	sum->sequence_changed += counts->sequence_changed;
	sum->off_cpu_gaps += counts->off_cpu_gaps;
	if (counts->longest_run > sum->longest_run)
		sum->longest_run = counts->longest_run;
}

static void collect_reader(const struct run_shared *shared, const struct reader_thread *thread,
			   struct reader_result *reader)
{
	*reader = (struct reader_result){
		.cpu = thread->cpu,
		.seconds = shared_nanoseconds(shared,
					      (double)(thread->last_cycles - thread->warm_cycles)) /
			   NSEC_PER_SEC,
		.counts = thread->counts,
		.read = distribution(shared, &thread->lengths, thread->timer_cycles),
	};
}

/* When the last of them stopped; a run that was cut short is as long as that. */
static double measured_seconds(const struct run_shared *shared,
			       struct reader_thread *const *readers)
{
	u64 last = shared->warm_until;

	for (u32 i = 0; i < shared->config->readers; i++)
		if (readers[i]->last_cycles > last)
			last = readers[i]->last_cycles;
	return shared_nanoseconds(shared, (double)(last - shared->warm_until)) / NSEC_PER_SEC;
}

int collect_readers(const struct run_shared *shared, struct reader_thread *const *readers,
		    int reader_cpus, struct run_result *result, struct errmsg *err)
{
	const u32 count = shared->config->readers;
	struct histogram *all = calloc(1, sizeof(*all));
	u64 first = UINT64_MAX;
	u64 fault = UINT64_MAX;
	double work = 0, cpu_seconds = 0;

	result->each = calloc(count, sizeof(*result->each));
	if (!all || !result->each) {
		free(all);
		return errmsg_set(err, "no memory for the results of %u readers", count);
	}
	result->readers = count;
	for (u32 i = 0; i < count; i++) {
		collect_reader(shared, readers[i], &result->each[i]);
		add_counts(&result->total, &result->each[i].counts);
		histogram_add(all, &readers[i]->lengths);
		/* It began no block, and one takes next to no time. */
		result->starved += readers[i]->warm_cycles >= shared->end;
		cpu_seconds += (double)readers[i]->cpu_ns / NSEC_PER_SEC;
		work += readers[i]->work_cycles / count;
		if (readers[i]->first_cycles < first)
			first = readers[i]->first_cycles;
		if (readers[i]->fault_cycles && readers[i]->fault_cycles < fault)
			fault = readers[i]->fault_cycles;
		if (readers[i]->off_cpu_unavailable)
			result->off_cpu_unavailable = readers[i]->off_cpu_unavailable;
	}
	result->work_ns = shared_nanoseconds(shared, work);
	result->timer_ns = shared_nanoseconds(shared, readers[0]->timer_cycles);
	result->read = distribution(shared, all, readers[0]->timer_cycles);
	result->first_read_ns = shared_nanoseconds(shared, (double)(first - shared->called));
	result->first_fault_ns =
		fault == UINT64_MAX ? -1
				    : shared_nanoseconds(shared, (double)(fault - shared->start));
	result->seconds = measured_seconds(shared, readers);
	result->cpu_share = result->seconds > 0 ? cpu_seconds / result->seconds / reader_cpus : 0;
	if (result->seconds > 0)
		result->reads_per_second = (double)result->total.reads / result->seconds;
	free(all);
	return 0;
}

void collect_writer(const struct run_shared *shared, const struct writer_thread *thread,
		    struct run_result *result)
{
	double seconds =
		shared_nanoseconds(shared, (double)(thread->last_cycles - thread->warm_cycles)) /
		NSEC_PER_SEC;

	result->writer = (struct writer_result){
		.cpu = thread->cpu,
		.priority = thread->priority,
		.updates = thread->updates,
		.missed_ticks = thread->missed_ticks,
		.rate_hz = seconds > 0 ? (double)thread->updates / seconds : 0,
		.hold = distribution(shared, &thread->hold, 0),
		.late = distribution(shared, &thread->late, 0),
		.stalls = thread->stalls,
		.stall_limit_ns = (double)writer_stall_ns(shared->config),
	};
}
