// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/intervals.h"
#include "measure/thread.h"
#include "measure/put_off.h"

/* A last interval is no shorter than such a part of the others, and a look hardly longer. */
#define LEAST_PART 100
#define MOST_LOOKS 3

/* One for each that can become due, and the last one. */
static size_t room_for(const struct run_config *config)
{
	return (size_t)((config->duration_ns + PUT_OFF_MOST_NS) / config->interval_ns) + 1;
}

struct intervals *intervals_create(const struct run_shared *shared,
				   struct reader_thread *const *readers,
				   const struct writers *writers, struct errmsg *err)
{
	struct intervals *intervals = calloc(1, sizeof(*intervals));

	if (intervals)
		intervals->list = calloc(room_for(shared->config), sizeof(*intervals->list));
	if (!intervals || !intervals->list) {
		free(intervals);
		errmsg_set(err, "--interval: no memory for %zu intervals",
			   room_for(shared->config));
		return NULL;
	}
	intervals->shared = shared;
	intervals->readers = readers;
	intervals->writers = writers;
	return intervals;
}

/* The first deadline after `now`, counted from the measured start, so that none drifts. */
static u64 next_due(const struct intervals *intervals, u64 now)
{
	const struct run_shared *shared = intervals->shared;
	const u64 each_ns = shared->config->interval_ns;
	const double passed_ns = shared_nanoseconds(shared, (double)(now - shared->warm_until));
	u64 number = (u64)(passed_ns / (double)each_ns) + 1;
	u64 due = shared->warm_until + shared_cycles(shared, number * each_ns);

	if (due <= now)
		due = shared->warm_until + shared_cycles(shared, ++number * each_ns);
	return due;
}

/* All that can be known of readers that have not begun. */
static void ask_readers(struct intervals *intervals)
{
	const u32 count = run_readers(intervals->shared->config);
	u32 with_timer = 0;

	intervals->retries_known = intervals->off_cpu_known = true;
	for (u32 i = 0; i < count; i++) {
		const struct reader_thread *thread = intervals->readers[i];

		with_timer += reader_thread_has_timer(thread);
		intervals->retries_known &= !thread->reader->image && !thread->reader->no_retries;
	}
	intervals->timers_differ = with_timer && with_timer < count;
	if (with_timer == count)
		intervals->timer_cycles = intervals->shared->counter_cost;
}

void intervals_begin(struct intervals *intervals)
{
	ask_readers(intervals);
	intervals->due = next_due(intervals, intervals->shared->warm_until);
}

static void add_lengths(struct intervals *intervals, const struct reader_thread *thread)
{
	intervals->off_cpu_known &= !thread->off_cpu_unavailable;
	if (intervals->timers_differ)
		histogram_add_less(&intervals->now.lengths, &thread->lengths,
				   (u64)(thread->timer_cycles + 0.5));
	else
		histogram_add(&intervals->now.lengths, &thread->lengths);
}

static void look_at_reader(struct intervals *intervals, const struct reader_thread *thread)
{
	const struct published *published = &thread->published;
	struct interval_sums *now = &intervals->now;

	if (!smp_load_acquire(&published->counting))
		return;
	now->reads += READ_ONCE(published->reads);
	now->odd_waits += READ_ONCE(published->odd_waits);
	now->changed += READ_ONCE(published->changed);
	now->off_cpu += READ_ONCE(published->off_cpu);
	now->torn += READ_ONCE(published->torn);
	add_lengths(intervals, thread);
}

/* It has ended: what it never told counts, too. */
static void add_reader(struct intervals *intervals, const struct reader_thread *thread)
{
	const struct reader_counts *counts = &thread->counts;
	struct interval_sums *now = &intervals->now;

	now->reads += counts->reads;
	now->odd_waits += counts->odd_waits;
	now->changed += counts->changed;
	now->off_cpu += counts->off_cpu;
	now->torn += counts->torn;
	add_lengths(intervals, thread);
}

static void look_at_writers(struct intervals *intervals)
{
	struct interval_sums *now = &intervals->now;

	for (u32 i = 0; i < intervals->writers->count; i++) {
		const struct writer_thread *thread = intervals->writers->thread[i];

		if (thread->choice->kind->no_update || !smp_load_acquire(&thread->counting))
			continue;
		now->updates += READ_ONCE(thread->updates);
		histogram_add(&now->holds, &thread->hold);
	}
}

static void look(struct intervals *intervals, bool joined)
{
	const u32 count = run_readers(intervals->shared->config);

	memset(&intervals->now, 0, sizeof(intervals->now));
	for (u32 i = 0; i < count; i++)
		(joined ? add_reader : look_at_reader)(intervals, intervals->readers[i]);
	look_at_writers(intervals);
}

static double length_ns(const struct intervals *intervals, double cycles)
{
	return shared_nanoseconds(intervals->shared, fmax(cycles - intervals->timer_cycles, 0));
}

/* What came since the last look, of which the histograms are lost then. */
static struct run_interval since_last(struct intervals *intervals, double now_s)
{
	const struct interval_sums *now = &intervals->now;
	struct interval_sums *before = &intervals->before;
	struct run_interval interval = {
		.start_s = intervals->last,
		.seconds = now_s - intervals->last,
		.reads = now->reads - before->reads,
		.odd_waits = now->odd_waits - before->odd_waits,
		.changed = now->changed - before->changed,
		.off_cpu = now->off_cpu - before->off_cpu,
		.torn = now->torn - before->torn,
		.updates = now->updates - before->updates,
		.retries_known = intervals->retries_known,
		.off_cpu_known = intervals->off_cpu_known,
	};

	histogram_since(&before->lengths, &now->lengths);
	interval.samples = histogram_total(&before->lengths);
	interval.p50_ns = length_ns(intervals, histogram_percentile(&before->lengths, 0.5));
	interval.p99_ns = length_ns(intervals, histogram_percentile(&before->lengths, 0.99));
	histogram_since(&before->holds, &now->holds);
	interval.holds = histogram_total(&before->holds);
	interval.hold_max_ns =
		shared_nanoseconds(intervals->shared, (double)histogram_max(&before->holds));
	return interval;
}

static bool is_empty(const struct run_interval *interval)
{
	return interval->seconds <= 0 && !interval->reads && !interval->odd_waits &&
	       !interval->changed && !interval->off_cpu && !interval->torn && !interval->samples &&
	       !interval->updates && !interval->holds;
}

u64 intervals_due(const struct intervals *intervals)
{
	const struct run_shared *shared = intervals->shared;
	const u64 least = shared_cycles(shared, shared->config->interval_ns / LEAST_PART);

	return intervals->due + least < shared->end ? intervals->due : UINT64_MAX;
}

u64 intervals_look(struct intervals *intervals)
{
	const struct run_shared *shared = intervals->shared;
	const u64 most = shared_cycles(shared, shared->config->interval_ns / LEAST_PART);
	u64 begin, took, own_ns;

	intervals->looks = 0;
	/*
	 * One in which this thread was put aside is of no time in particular, and is made again;
	 * one that is long because there are many readers would be as long again.
	 */
	do {
		own_ns = thread_cpu_ns();
		begin = shared_counter(shared);
		look(intervals, false);
		took = shared_counter(shared) - begin;
		own_ns = thread_cpu_ns() - own_ns;
	} while (++intervals->looks < MOST_LOOKS && took > most + shared_cycles(shared, own_ns));
	return begin + took / 2;
}

const struct run_interval *intervals_take(struct intervals *intervals, u64 now)
{
	const struct run_shared *shared = intervals->shared;
	const double now_s =
		shared_nanoseconds(shared, (double)(now - shared->warm_until)) / NSEC_PER_SEC;
	struct run_interval *interval = &intervals->list[intervals->count++];

	intervals->due = next_due(intervals, now);
	*interval = since_last(intervals, now_s);
	intervals->before = intervals->now;
	intervals->last = now_s;
	return interval;
}

const struct run_interval *intervals_finish(struct intervals *intervals, double seconds)
{
	struct run_interval *interval = &intervals->list[intervals->count];

	look(intervals, true);
	/* Readers of a run that stalled may have ended before the last look. */
	*interval = since_last(intervals, fmax(seconds, intervals->last));
	if (is_empty(interval))
		return NULL;
	intervals->count++;
	return interval;
}

struct run_interval *intervals_list(struct intervals *intervals, u64 *count)
{
	struct run_interval *list = intervals->list;

	*count = intervals->count;
	intervals->list = NULL;
	return list;
}

void intervals_destroy(struct intervals *intervals)
{
	if (intervals)
		free(intervals->list);
	free(intervals);
}
