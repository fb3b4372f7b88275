/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All writers of a run: what they come to together, and their threads.
 */
#ifndef MEASURE_WRITERS_H
#define MEASURE_WRITERS_H

#include "measure/cpus.h"
#include "measure/writer_thread.h"

/* Updates per second that are asked for, of all writers; infinite if one of them never waits. */
double writers_rate_hz(const struct run_config *config);

/* The same as a whole number, 1 or more; a writer that never waits makes no more than a million. */
u64 writers_update_hz(const struct run_config *config);

/*
 * Whether these writers, on a CPU of their own, hardly ever give way: they spin for more than four
 * fifths of the time.
 */
bool writers_never_sleep(const struct run_config *config);

/* How long the page may stay as it is though all is well, in nanoseconds, but for chance. */
u64 writers_quiet_ns(const struct run_config *config);

/* Whether one of them has time made of another counter now and then. */
bool writers_change_counter(const struct run_config *config);

/*
 * Refuses writers that cannot do what they do to this job's readers, payload or clock source: 0, or
 * -1 with a sentence in *err.
 */
int writers_check(const struct run_config *config, struct errmsg *err);

/* Refuses a writer that cannot act through the reader's lock, if it has one. As above. */
int writers_check_lock(const struct writer_choice *choice, const struct reader *reader,
		       struct errmsg *err);

struct writers {
	struct tk_core core;
	bool begun; /* the core is to be ended */
	u32 count;
	u32 started; /* writers that have a thread */
	struct writer_thread *thread[WRITER_MAX];
};

/*
 * Starts the clocks and prepares all writers of shared->config, in *writers, which is all zero.
 * Whatever this returns, writers_release gives it back. 0, or -1 with a sentence in *err.
 */
int writers_make(struct writers *writers, struct run_shared *shared, const struct cpu_plan *plan,
		 const struct tk_core_setup *setup, struct errmsg *err);

/* Whether one of them has its updates made by readers. */
bool writers_interrupt(const struct run_config *config);

/* Says whom they may interrupt: `count` readers, whose threads run before any writer acts. */
void writers_set_readers(struct writers *writers, struct reader_thread *const *readers, u32 count);

/* Starts their threads, which wait at the gate. 0, or -1 with a sentence in *err. */
int writers_start(struct writers *writers, struct errmsg *err);

/* Waits for those threads that were started; the stop flag has been raised. */
void writers_join(struct writers *writers);

void writers_release(struct writers *writers);

#endif /* MEASURE_WRITERS_H */
