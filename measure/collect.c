// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/collect.h"

u64 reader_retries(const struct reader_counts *counts)
{
	return counts->odd_waits + counts->changed + counts->off_cpu;
}

u64 run_interval_retries(const struct run_interval *interval)
{
	return interval->odd_waits + interval->changed + interval->off_cpu;
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
	sum->stale += counts->stale;
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
		.group = thread->group->number,
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
	const u32 count = run_readers(shared->config);
	u64 last = shared->warm_until;

	for (u32 i = 0; i < count; i++)
		if (readers[i]->last_cycles > last)
			last = readers[i]->last_cycles;
	return shared_nanoseconds(shared, (double)(last - shared->warm_until)) / NSEC_PER_SEC;
}

/* Of a group or of all, while it grows. */
struct sum {
	struct readers_result *result;
	struct histogram lengths;
	double timer_cycles; /* in each of the lengths */
	double work_cycles;  /* of a piece of each reader's work, added up */
	double cpu_seconds;
	cpu_set_t cpus;
	u64 fault_cycles; /* of the first; UINT64_MAX: none */
};

static void begin_sum(struct sum *sum, struct readers_result *result,
		      const struct reader_result *each)
{
	memset(sum, 0, sizeof(*sum));
	sum->result = result;
	sum->fault_cycles = UINT64_MAX;
	result->each = each;
}

static void add_reader(struct sum *sum, const struct run_shared *shared,
		       const struct reader_thread *thread)
{
	struct readers_result *result = sum->result;

	result->readers++;
	add_counts(&result->total, &thread->counts);
	/* It began no block, and one takes next to no time: it waited in one, or had no CPU. */
	if (thread->warm_cycles >= shared->end) {
		const bool waits_asleep =
			reader_is_lock(thread->reader) && thread->reader->no_retries;
		const bool waited =
			waits_asleep || thread->whole_cpu_ns > shared->config->warmup_ns;

		result->kept += waited;
		result->starved += !waited;
	}
	histogram_add(&sum->lengths, &thread->lengths);
	sum->timer_cycles = thread->timer_cycles;
	sum->work_cycles += thread->work_cycles;
	sum->cpu_seconds += (double)thread->cpu_ns / NSEC_PER_SEC;
	CPU_SET((size_t)thread->cpu, &sum->cpus);
	if (thread->fault_cycles && thread->fault_cycles < sum->fault_cycles)
		sum->fault_cycles = thread->fault_cycles;
	if (thread->reader->image)
		result->retries_unavailable = "an image's code does not tell its retries";
	else if (thread->reader->no_retries)
		result->retries_unavailable = thread->reader->no_retries;
}

/*
 * Lengths of groups whose readers are timed differently can be added up only without the timers.
 */
static void add_lengths(struct sum *all, const struct sum *group)
{
	if (all->result->readers && group->timer_cycles != all->timer_cycles) {
		struct histogram before = all->lengths;

		memset(&all->lengths, 0, sizeof(all->lengths));
		histogram_add_less(&all->lengths, &before, (u64)(all->timer_cycles + 0.5));
		histogram_add_less(&all->lengths, &group->lengths,
				   (u64)(group->timer_cycles + 0.5));
		all->timer_cycles = 0;
		return;
	}
	histogram_add(&all->lengths, &group->lengths);
	all->timer_cycles = group->timer_cycles;
}

static void add_group(struct sum *all, const struct sum *group)
{
	add_lengths(all, group);
	all->result->readers += group->result->readers;
	add_counts(&all->result->total, &group->result->total);
	all->result->starved += group->result->starved;
	all->result->kept += group->result->kept;
	all->work_cycles += group->work_cycles;
	all->cpu_seconds += group->cpu_seconds;
	CPU_OR(&all->cpus, &all->cpus, &group->cpus);
	if (group->fault_cycles < all->fault_cycles)
		all->fault_cycles = group->fault_cycles;
	if (group->result->retries_unavailable)
		all->result->retries_unavailable = group->result->retries_unavailable;
}

static int end_sum(const struct sum *sum, const struct run_shared *shared, double seconds)
{
	struct readers_result *result = sum->result;

	result->work_ns = shared_nanoseconds(shared, sum->work_cycles / result->readers);
	result->timer_ns = shared_nanoseconds(shared, sum->timer_cycles);
	result->read = distribution(shared, &sum->lengths, sum->timer_cycles);
	result->first_fault_ns =
		sum->fault_cycles == UINT64_MAX
			? -1
			: shared_nanoseconds(shared, (double)(sum->fault_cycles - shared->start));
	if (lengths_make(&result->lengths, &sum->lengths, sum->timer_cycles, shared->counter_hz))
		return -1;
	if (seconds <= 0)
		return 0;
	/* More than all of it, if somebody let them onto other CPUs. */
	result->cpu_share = fmin(sum->cpu_seconds / seconds / CPU_COUNT(&sum->cpus), 1);
	result->reads_per_second = (double)result->total.reads / seconds;
	return 0;
}

/* Of the time that it was there for, how much it did not wait for its CPU. */
static double unqueued(u64 queued_ns, double seconds)
{
	return seconds > 0 ? fmax(1 - (double)queued_ns / NSEC_PER_SEC / seconds, 0) : 0;
}

void collect_together(const struct run_shared *shared, struct reader_thread *const *readers,
		      const struct writers *writers, struct run_result *result)
{
	const u32 count = run_readers(shared->config);
	double seconds, share = 1, writing = 0;
	u64 last = shared->start;

	for (u32 i = 0; i < count; i++)
		if (readers[i]->last_cycles > last)
			last = readers[i]->last_cycles;
	seconds = shared_nanoseconds(shared, (double)(last - shared->start)) / NSEC_PER_SEC;
	for (u32 i = 0; i < count; i++)
		share = fmin(share, unqueued(readers[i]->queued_ns, seconds));
	/* They wait for each other, too. */
	for (u32 i = 0; i < writers->count; i++)
		writing = fmax(writing, unqueued(writers->thread[i]->queued_ns, seconds));
	result->together_seconds = seconds * share * writing;
}

static int collect_groups(const struct run_shared *shared, struct reader_thread *const *readers,
			  struct run_result *result, struct sum *all, struct sum *group)
{
	const struct run_config *config = shared->config;
	u32 first = 0;

	begin_sum(all, &result->all, result->each);
	for (u32 i = 0; i < config->groups; i++) {
		begin_sum(group, &result->group[i], &result->each[first]);
		for (u32 nth = 0; nth < config->group[i].readers; nth++)
			add_reader(group, shared, readers[first + nth]);
		if (end_sum(group, shared, result->seconds))
			return -1;
		add_group(all, group);
		first += config->group[i].readers;
	}
	return end_sum(all, shared, result->seconds);
}

int collect_readers(const struct run_shared *shared, struct reader_thread *const *readers,
		    struct run_result *result, struct errmsg *err)
{
	const u32 count = run_readers(shared->config);
	struct sum *sums = calloc(2, sizeof(*sums));
	u64 first = UINT64_MAX;
	int failed;

	result->each = calloc(count, sizeof(*result->each));
	if (!sums || !result->each) {
		free(sums);
		return errmsg_set(err, "no memory for the results of %u readers", count);
	}
	for (u32 i = 0; i < count; i++) {
		collect_reader(shared, readers[i], &result->each[i]);
		if (readers[i]->first_cycles < first)
			first = readers[i]->first_cycles;
		if (readers[i]->off_cpu_unavailable)
			result->off_cpu_unavailable = readers[i]->off_cpu_unavailable;
	}
	result->first_read_ns = shared_nanoseconds(shared, (double)(first - shared->called));
	result->seconds = measured_seconds(shared, readers);
	failed = collect_groups(shared, readers, result, &sums[0], &sums[1]);
	free(sums);
	return failed ? errmsg_set(err, "no memory for the lengths of reads") : 0;
}

static struct writer_result collect_writer(const struct run_shared *shared,
					   const struct writer_thread *thread)
{
	double seconds =
		shared_nanoseconds(shared, (double)(thread->last_cycles - thread->warm_cycles)) /
		NSEC_PER_SEC;

	return (struct writer_result){
		.cpu = thread->cpu,
		.priority = thread->priority,
		.updates = thread->updates,
		.missed_ticks = thread->missed_ticks,
		.rate_hz = seconds > 0 ? (double)thread->updates / seconds : 0,
		.hold = distribution(shared, &thread->hold, 0),
		.late = distribution(shared, &thread->late, 0),
		.stalls = thread->stalls,
		.stall_limit_ns = (double)writer_stall_ns(thread->choice),
	};
}

static void add_writer(struct writer_result *sum, const struct writer_result *writer)
{
	sum->updates += writer->updates;
	sum->missed_ticks += writer->missed_ticks;
	sum->rate_hz += writer->rate_hz;
	sum->stalls += writer->stalls;
	if (writer->stall_limit_ns > sum->stall_limit_ns)
		sum->stall_limit_ns = writer->stall_limit_ns;
}

/* `sum` is of holds and of lateness. */
static int collect_all_writers(const struct run_shared *shared, const struct writers *writers,
			       struct run_result *result, struct histogram *sum)
{
	result->writers = writers->count;
	result->writer.cpu = writers->thread[0]->cpu;
	result->writer.priority = writers->thread[0]->priority;
	for (u32 i = 0; i < writers->count; i++) {
		const struct writer_thread *thread = writers->thread[i];

		result->each_writer[i] = collect_writer(shared, thread);
		if (lengths_make(&result->each_writer[i].holds, &thread->hold, 0,
				 shared->counter_hz))
			return -1;
		if (thread->choice->kind->no_update)
			continue;
		add_writer(&result->writer, &result->each_writer[i]);
		histogram_add(&sum[0], &thread->hold);
		histogram_add(&sum[1], &thread->late);
	}
	result->writer.hold = distribution(shared, &sum[0], 0);
	result->writer.late = distribution(shared, &sum[1], 0);
	return lengths_make(&result->writer.holds, &sum[0], 0, shared->counter_hz);
}

int collect_writers(const struct run_shared *shared, const struct writers *writers,
		    struct run_result *result, struct errmsg *err)
{
	struct histogram *sum = calloc(2, sizeof(*sum));
	const int failed = !sum || collect_all_writers(shared, writers, result, sum);

	free(sum);
	return failed ? errmsg_set(err, "no memory for the writers' results") : 0;
}
