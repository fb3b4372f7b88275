/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One thread of a comparison: visits placement after placement, and at each times blocks of every
 * reader.
 */
#ifndef MEASURE_COMPARE_THREAD_H
#define MEASURE_COMPARE_THREAD_H

#include "measure/compare_area.h"
#include "measure/quiet.h"
#include "measure/shared.h"
#include "measure/work.h"
#include "writers/writer.h"

/* Rounds of one visit at most. */
#define COMPARE_MAX_ROUNDS 4096

/* Pages of one layout, between which a thread may choose. */
#define COMPARE_MAX_PAGES 256

/* A reader as a thread has it before it. */
struct compare_contestant {
	const struct reader *reader;
	size_t layout;			   /* readers of one number read the same pages */
	const struct page_region *regions; /* so many, all updated by the writer */
	const struct vdso_time_data *page; /* of one of them: what the reader is given now */
	reader_fn *read;		   /* the copy that is timed; NULL: an image's code */
	bool moves;			   /* copies of it can be made */
	bool has_quiet;			   /* and checked */
	struct placement placement;
	struct quiet quiet;
};

struct compare_thread {
	/* Set before the thread starts. */
	const struct compare_config *config;
	struct run_shared *shared;
	struct compare_area *area;
	u32 index;
	u32 pages;	       /* of each layout */
	struct writer *writer; /* whose updates this thread makes between visits; NULL: not it */
	pthread_t thread;
	struct work work;
	struct compare_contestant contestant[COMPARE_MAX_READERS];
	u64 random;

	/* The thread's own. */
	u32 block_reads;
	u64 *on_cpu; /* see measure/offcpu.h */
	u64 on_cpu_mark;
	struct hw_counters hw;
	/* Nanoseconds of a read in each round of a visit; the last are of work without a reader. */
	double ns[COMPARE_MAX_READERS + 1][COMPARE_MAX_ROUNDS];
	double scratch[3 * COMPARE_MAX_ROUNDS];
};

/*
 * What a crash does in this process: tells whose code it was, a reader's or its lock's publisher,
 * and ends the process as it would have ended. Before any thread is started; `thread` is one of
 * those that are going to be.
 */
void compare_tell_crashes(const struct compare_thread *thread);

/*
 * The page that is being published to through a lock, and in *reader the first that reads it, from
 * 0; NULL: none is. Any thread, and a signal's handler.
 */
const struct vdso_time_data *compare_publishing(const struct compare_thread *thread, u32 *reader);

/* The thread's function; `argument` is a struct compare_thread. */
void *compare_thread_main(void *argument);

#endif /* MEASURE_COMPARE_THREAD_H */
