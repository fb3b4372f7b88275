// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>

#include "measure/starved.h"
#include "measure/watch.h"
#include "measure/writers.h"
#include "sim/barrier.h"

/*
 * How long nothing may move, beside a number of periods of the writer. ThreadSanitizer's run-time
 * has locks of its own, for which a writer in real time may wait for a reader that is put aside.
 */
#define PATIENCE_NS	 (CONTEND_TSAN ? 10000000000ull : 2000000000ull)
#define PATIENCE_PERIODS 20
/* Whoever shares a CPU waits for a turn after each of the others. */
#define PATIENCE_SHARED_NS 10000000ull
#define READER_PATIENCE_NS 5000000000ull
/* Others have its CPU, in real time: another run's writer that spins, for one. */
#define STARVED_PATIENCE_NS 30000000000ull
/* Between two looks the watcher may itself have been stopped; it then saw no more than this. */
#define LOOK_NS 250000000ull

int watch_begin(struct watch *watch, const struct run_shared *shared,
		struct reader_thread *const *readers, const struct writers *writers,
		bool writer_alone, struct errmsg *err)
{
	*watch = (struct watch){
		.shared = shared,
		.readers = readers,
		.writers = writers,
		.writer_alone = writer_alone,
		.count = run_readers(shared->config),
		.last_look = shared_counter(shared),
		.stuck_since = calloc(run_readers(shared->config), sizeof(u64)),
	};
	return watch->stuck_since ? 0 : errmsg_set(err, "no memory for the watch");
}

void watch_end(struct watch *watch)
{
	free(watch->stuck_since);
}

/* Readers that have not finished a block since the sequence last moved. */
static u32 count_stuck(const struct watch *watch)
{
	u32 stuck = 0;

	for (u32 i = 0; i < watch->count; i++)
		stuck += READ_ONCE(watch->readers[i]->blocks) == watch->stuck_since[i];
	return stuck;
}

static u64 look_at_readers(struct watch *watch, bool sequence_moved)
{
	u64 blocks = 0;

	for (u32 i = 0; i < watch->count; i++) {
		u64 done = READ_ONCE(watch->readers[i]->blocks);

		blocks += done;
		if (sequence_moved)
			watch->stuck_since[i] = done;
	}
	return blocks;
}

/* Whether one of the writers is ready to run, and none of them has run since the last look. */
static bool writers_are_starved(struct watch *watch)
{
	bool starved = false, ran = false;

	for (u32 i = 0; i < watch->writers->started; i++) {
		const struct writer_thread *writer = watch->writers->thread[i];
		const u64 before = watch->ran_ns[i];
		const pid_t tid = __atomic_load_n(&writer->tid, __ATOMIC_RELAXED);

		if (starved_look(writer->thread, tid, &watch->ran_ns[i]))
			starved = true;
		else if (watch->ran_ns[i] != before)
			ran = true;
	}
	return starved && !ran;
}

/* For their CPU, or for the one of them that is to make the update. */
static bool waits_for_readers(const struct watch *watch)
{
	return !watch->writer_alone || writers_interrupt(watch->shared->config);
}

static bool writer_is_stuck(const struct watch *watch, char *sentence, size_t bytes)
{
	const struct run_shared *shared = watch->shared;
	const u64 quiet = writers_quiet_ns(shared->config);
	u64 patience = PATIENCE_NS + PATIENCE_PERIODS * quiet +
		       (waits_for_readers(watch) ? PATIENCE_SHARED_NS * watch->count : 0);
	double seconds = shared_nanoseconds(shared, (double)watch->seq_still) / NSEC_PER_SEC;

	if (quiet == UINT64_MAX || watch->seq_still < shared_cycles(shared, patience))
		return false;
	if ((watch->seq & 1) && reader_is_lock(&shared->config->group[0].reader))
		snprintf(sentence, bytes,
			 "the writer is stuck in update %u: it has been publishing for %.1f s, and "
			 "%u of %u readers got nowhere since",
			 watch->seq / 2 + 1, seconds, count_stuck(watch), watch->count);
	else if (watch->seq & 1)
		snprintf(sentence, bytes,
			 "the writer is stuck in update %u: the sequence has been odd for %.1f s, "
			 "and %u of %u readers got nowhere since",
			 watch->seq / 2 + 1, seconds, count_stuck(watch), watch->count);
	else
		snprintf(sentence, bytes,
			 "the writer is stuck after update %u: there was no update for %.1f s at "
			 "%.10g Hz",
			 watch->seq / 2, seconds, writers_rate_hz(shared->config));
	return true;
}

static bool writer_gets_no_cpu(const struct watch *watch, char *sentence, size_t bytes)
{
	const struct run_shared *shared = watch->shared;

	if (watch->starved < shared_cycles(shared, STARVED_PATIENCE_NS))
		return false;
	snprintf(
		sentence, bytes,
		"the writer got no CPU for %.1f s: threads of its priority or a higher one have it",
		shared_nanoseconds(shared, (double)watch->starved) / NSEC_PER_SEC);
	return true;
}

static bool readers_are_stuck(const struct watch *watch, char *sentence, size_t bytes)
{
	const struct run_shared *shared = watch->shared;
	double seconds = shared_nanoseconds(shared, (double)watch->blocks_still) / NSEC_PER_SEC;

	if (watch->blocks_still < shared_cycles(shared, PATIENCE_NS + READER_PATIENCE_NS))
		return false;
	snprintf(
		sentence, bytes,
		"none of %u readers has finished a block of reads for %.1f s, while the page is at "
		"update %u",
		watch->count, seconds, watch->seq / 2);
	return true;
}

bool watch_look(struct watch *watch, char *sentence, size_t bytes)
{
	u64 now = shared_counter(watch->shared);
	u64 most = shared_cycles(watch->shared, LOOK_NS);
	u64 passed = now - watch->last_look;
	u32 seq = shared_sequence(watch->shared);
	bool moved = seq != watch->seq;
	u64 blocks = look_at_readers(watch, moved);
	bool starved;

	watch->last_look = now;
	if (passed > most)
		passed = most;
	starved = writers_are_starved(watch) && !moved;
	watch->starved = starved ? watch->starved + passed : 0;
	if (watch->starved > watch->most_starved)
		watch->most_starved = watch->starved;
	if (starved)
		passed = 0;
	watch->seq_still = moved ? 0 : watch->seq_still + passed;
	watch->blocks_still = blocks != watch->blocks ? 0 : watch->blocks_still + passed;
	watch->seq = seq;
	watch->blocks = blocks;
	return writer_is_stuck(watch, sentence, bytes) ||
	       writer_gets_no_cpu(watch, sentence, bytes) ||
	       readers_are_stuck(watch, sentence, bytes);
}
