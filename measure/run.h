/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One run: many readers against one writer, measured.
 */
#ifndef MEASURE_RUN_H
#define MEASURE_RUN_H

#include <sched.h>

#include "measure/lengths.h"
#include "measure/machine.h"
#include "measure/progress.h"
#include "measure/remarks.h"
#include "measure/work.h"
#include "readers/readers.h"
#include "sim/clocksource.h"
#include "sim/errmsg.h"
#include "writers/writer.h"

#define RUN_MAX_READERS	   4096 /* of all groups together */
#define RUN_MAX_GROUPS	   16
#define RUN_MAX_GROUP_NAME 31

#define PRIORITY_AUTO (-1) /* real time if it is allowed and leaves a CPU free of it */
#define PRIORITY_NONE 0

/* Readers that are alike: one thread each. */
struct run_group {
	char name[RUN_MAX_GROUP_NAME + 1]; /* no two of a run have the same */
	u32 readers;			   /* 1 or more */
	struct reader reader;
	struct work_spec work;
	bool cpus_given;
	cpu_set_t cpus; /* where they run, if given */
};

/* Times are in nanoseconds. The strings and tables pointed to stay the caller's. */
struct run_config {
	u32 groups; /* 1 to RUN_MAX_GROUPS */
	struct run_group group[RUN_MAX_GROUPS];
	u32 writers;				 /* 1 to WRITER_MAX */
	struct writer_choice writer[WRITER_MAX]; /* with the hz of each that has a rate */
	const struct clocksource *clocksource;	 /* usable here */
	u64 record_hz; /* updates a second of its record; 0: none, or it has no record */
	u64 duration_ns;
	u64 warmup_ns;
	int writer_cpu; /* -1: chosen */
	int priority;	/* PRIORITY_AUTO, PRIORITY_NONE, or 1 to 99 for SCHED_FIFO */
	enum payload payload;
	u64 seed;
	/* Time the host's own vDSO and the first group's bare path in the same blocks. */
	bool baseline;
	/*
	 * A faulty read ends it, and is no interruption; so does a forbidden jump, as
	 * soon as a reader has seen time run backwards or 0.1 s later.
	 */
	bool until_fault;
	u64 interval_ns; /* how long each of the result's intervals is to be; 0: there are none */
	/* Readers tell what they have counted after each block, for progress and intervals. */
	bool publish;
};

/* Where the code of a group's lock lies that publishes, and was compiled on demand; NULL: nowhere.
 */
const void *run_foreign_publisher(const struct run_config *config, u64 *bytes);

/* The readers of all groups. */
u32 run_readers(const struct run_config *config);

/* A distribution of lengths. With no samples all figures are 0 and mean nothing. */
struct distribution {
	u64 samples;
	double mean_ns;
	double p50_ns;
	double p99_ns;
	double p99_99_ns;
	double max_ns;
};

/* What readers went through; of one reader, or the sum. See the words of the design. */
struct reader_counts {
	u64 reads;	 /* values returned from the page while measured */
	u64 odd_waits;	 /* attempts that found the sequence odd */
	u64 spins;	 /* pauses in them */
	u64 changed;	 /* changed attempts while the reader was running */
	u64 off_cpu;	 /* changed attempts during which it was not */
	u64 longest_run; /* most retries of one read */
	u64 retried;	 /* reads with a retry that did not happen off-CPU */
	u64 waited;    /* of those, reads that threw nothing away on their CPU: they only waited */
	u64 checked;   /* reads that the oracle judged, warm-up included */
	u64 unchecked; /* reads whose update the oracle had forgotten */
	u64 torn;
	u64 stale;	   /* reads of one whole update that was replaced before they began */
	u64 caught;	   /* attempts thrown away that were mixtures */
	u64 lost_unjudged; /* attempts thrown away that the oracle did not see */
	u64 backwards;
	u64 fallbacks; /* system calls instead of reads; not in reads */
	/* Of an image's code, which does not tell its retries: what can be seen from outside. */
	u64 began_odd;	      /* reads that began while the sequence was odd */
	u64 sequence_changed; /* reads during which the sequence changed */
	u64 off_cpu_gaps;     /* reads left out of the distribution: the reader was descheduled */
};

struct reader_result {
	u32 group; /* its number */
	int cpu;
	double seconds; /* from its first read to its last */
	struct reader_counts counts;
	struct distribution read;
};

/* What the readers of one group, or of all, came to. */
struct readers_result {
	u32 readers;
	const struct reader_result *each; /* readers of them */
	struct reader_counts total;
	struct distribution read;
	struct lengths lengths; /* what `read` is made of */
	double reads_per_second;
	double cpu_share; /* of their CPUs that they got, 0 to 1 */
	double work_ns;	  /* of a piece of work, timed alone; in no read's figure */
	double timer_ns;  /* of timing a read, taken out of each figure; 0: nothing was added */
	double first_fault_ns; /* from the start to the first faulty read; -1: none */
	u32 starved;	       /* that were given no CPU in the whole of the measured time */
	u32 kept;	       /* that were in one read all of that time, though they had a CPU */
	const char *retries_unavailable; /* why they were not counted; NULL: they were */
};

struct writer_result {
	int cpu;
	int priority;	  /* SCHED_FIFO priority, 0 if none */
	u64 updates;	  /* of a kind that makes none: how often it acted; it holds nothing */
	u64 missed_ticks; /* deadlines without an update of their own: a later one accumulated them
			   */
	double rate_hz;
	struct distribution hold;
	struct lengths holds; /* what `hold` is made of */
	struct distribution late;
	u64 stalls; /* updates held for stall_limit_ns or more */
	double stall_limit_ns;
};

/* Ratios of paired blocks, see measure/baseline.h; only if asked for. */
struct baseline_result {
	u64 pairs;
	double host_ns;	     /* median of a block's ns per read of the host's vDSO */
	double bare_ns;	     /* of the bare path */
	double counted_ns;   /* of the path that the run uses */
	double bare_to_host; /* median of paired ratios */
	double counted_to_bare;
	double run_to_counted;	 /* the run's own loop, checks and all, to the counted path alone */
	const char *unavailable; /* why there is no host's vDSO to compare with; NULL: there is */
};

/*
 * A part of the measured time. A figure whose `known` is false, or that nothing was counted for, is
 * 0 and means nothing. All intervals of a run together have what the run has.
 */
struct run_interval {
	double start_s; /* from the start of the measured time */
	double seconds; /* 0, if a run that stalled was over before it */
	u64 reads;
	u64 odd_waits;
	u64 changed;
	u64 off_cpu;
	bool retries_known;
	bool off_cpu_known;
	u64 torn;
	u64 samples; /* lengths of reads */
	double p50_ns;
	double p99_ns;
	u64 updates;
	u64 holds;
	double hold_max_ns; /* to 1 part in 128, and exact where it is the longest of the run */
};

enum run_outcome {
	RUN_COMPLETE,
	RUN_INTERRUPTED,
	RUN_STALLED,
};

struct run_result {
	enum run_outcome outcome;
	char stall[256]; /* who is stuck where, if stalled */
	bool signalled;	 /* by the signal that ends it, though it may have come too late for that */
	u32 continued;	 /* SIGCONTs that came: each after a stop, as a rule */
	double stopped_seconds; /* that those stops took at most */
	struct machine machine;
	double seconds;	      /* measured, warm-up left out */
	double first_read_ns; /* from the call of run_execute until the first reader could read */
	u64 counter_hz;
	double counter_step_ns; /* the counter moves in steps of this */
	double counter_cost_ns; /* of one reading of it */
	u64 record_updates; /* of the clock source's record, by the hypervisor, while measured */
	double record_rate_hz;

	/* All that make updates, together; cpu and priority are everybody's. */
	struct writer_result writer;
	u32 writers;
	struct writer_result each_writer[WRITER_MAX];
	u64 forbidden_jumps; /* of a clock that is watched, by a writer that may not make it jump */
	/* Only if the run ends at a fault: for how long about readers and writer all had a CPU. */
	double together_seconds;
	double fault_seen_ns; /* from the start, when the fault was seen that ended it; -1: none */
	u64 steered_back; /* reads before the one ahead of them, since a steered mult came late */
	struct readers_result all;
	struct readers_result group[RUN_MAX_GROUPS]; /* as many as were configured */
	struct reader_result *each; /* of all, group by group; freed by run_result_release */
	const char
		*off_cpu_unavailable; /* why off-CPU retries are not told apart; NULL: they are */
	const char *backwards_unavailable; /* why nobody asked; NULL: it was asked */
	struct baseline_result baseline;
	u64 intervals;
	struct run_interval *interval; /* freed by run_result_release */
	struct remarks remarks;
};

/* What is told while a run goes on, from the thread that called run_execute; each may be NULL. */
struct run_hooks {
	/*
	 * Called once, with a share of 0, when SIGINT, SIGTERM and SIGHUP have become the run's and
	 * there is a result to lose; then about five times a second.
	 */
	progress_fn *progress;
	/* Called when an interval is over; after the join for the last one. */
	void (*interval)(const struct run_interval *interval, void *context);
	void *context;
};

/*
 * Carries out a run. Blocks for its whole length. `hooks` may be NULL. The first SIGINT, SIGTERM or
 * SIGHUP ends it early, with what there is in *result and RUN_INTERRUPTED, unless it has had its
 * full time by then; the next, and what comes later, is the process's own, and one that is ignored
 * when this is called stays so. Returns 0 when *result holds a result, to be released by
 * run_result_release; -1 with a sentence in *err when the environment cannot do what was asked. One
 * run at a time in a process.
 */
int run_execute(const struct run_config *config, const struct run_hooks *hooks,
		struct run_result *result, struct errmsg *err);
void run_result_release(struct run_result *result);

/* Faulty reads: torn, stale, or such that time ran backwards. */
static inline u64 reader_faults(const struct reader_counts *counts)
{
	return counts->torn + counts->stale + counts->backwards;
}

/* Retries of all kinds. */
u64 reader_retries(const struct reader_counts *counts);

u64 run_interval_retries(const struct run_interval *interval);

/* Retries per million reads; 0 when there were no reads. */
double reader_retries_per_million(const struct reader_counts *counts);

#endif /* MEASURE_RUN_H */
