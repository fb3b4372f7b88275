/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writer's thread of a run: one update after the other, each one's lateness and hold kept.
 */
#ifndef MEASURE_WRITER_THREAD_H
#define MEASURE_WRITER_THREAD_H

#include <pthread.h>

#include "measure/escape.h"
#include "measure/histogram.h"
#include "measure/shared.h"

/* A hold this much longer than it was asked to be is a stall: the writer was stopped within it. */
static inline u64 writer_stall_ns(const struct writer_choice *choice)
{
	u64 asked = choice->value[WRITER_HOLD];

	if (choice->kind->while_odd && choice->value[WRITER_FOR] != WRITER_FOREVER)
		asked += choice->value[WRITER_FOR];
	return 100000 + 2 * asked;
}

struct reader_thread;
struct interruption;

struct writer_thread {
	/* Set before the thread starts. */
	struct run_shared *shared;
	const struct writer_choice *choice;
	struct writer writer;
	int cpu;
	int priority; /* SCHED_FIFO priority, 0 for none */
	/* Only if its updates are made by readers: those, each in turn. */
	struct reader_thread *const *readers;
	u32 reader_count;
	pthread_t thread;
	pid_t tid; /* told by itself; others read it with an atomic load */

	/* The thread's own, read by others after the join; updates and hold as soon as it counts.
	 */
	bool counting;
	u64 warm_cycles; /* when it began to count */
	u64 last_cycles;
	u64 updates;
	u64 missed_ticks;
	u64 stalls;
	bool strayed;			   /* it was not on its CPU after some update */
	u32 turn;			   /* of the reader that is interrupted next */
	struct interruption *interruption; /* freed with the thread */
	struct histogram hold;
	struct histogram late;
	struct escape escape; /* of a lock's publisher, compiled on demand */
};

/* The thread's function; `argument` is a struct writer_thread. */
void *writer_thread_main(void *argument);

#endif /* MEASURE_WRITER_THREAD_H */
