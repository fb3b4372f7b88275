/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a watcher makes of its looks at a page: counts and histograms, and nothing else. Neither
 * time nor page are its own; it is told the sequence, and the counter's value right after it was
 * read.
 *
 * Between two looks that follow each other closely the watcher ran undisturbed. A longer gap is an
 * interruption: an interrupt, another thread, a hypervisor. The kernel updates its page in an
 * interrupt, so an update made by the watcher's own CPU always comes within an interruption, and is
 * never seen in progress; one that was seen in progress, or passed between two close looks, was
 * made by another CPU.
 *
 * One thread owns an observer. Nothing is allocated.
 */
#ifndef MEASURE_OBSERVER_H
#define MEASURE_OBSERVER_H

#include "measure/histogram.h"
#include "sim/types.h"

/* What the page says beside its sequence, read under one even sequence. */
struct observer_fields {
	s32 clock_mode;
	u32 mult;     /* 0: there is none */
	u32 raw_mult; /* that of the raw clock, which is not steered; 0: there is none */
	bool has_second;
	u32 second_seq; /* the second clock structure's sequence */
};

struct observer_look {
	u32 seq;
	u64 cycles;   /* counter value after the sequence was read */
	bool off_cpu; /* the thread was taken off its CPU since the last look */
	const struct observer_fields *fields; /* NULL: not read */
};

/* Of the looks made on one CPU. */
struct observer_cpu {
	int cpu;
	u64 watched;   /* cycles between close looks */
	u64 seen;      /* updates whose moment is known, or that were seen in progress */
	u64 elsewhere; /* of those, made by another CPU for certain */
	u64 odd;       /* of those, seen in progress */
};

struct observer_asleep {
	u64 cycles;
	u64 updates;
	u64 longest;   /* no update came for at least this long, in cycles */
	u64 stretches; /* of one sleep right after the other */
	u64 looks;     /* when the last one ended */
};

struct observer_mult {
	bool known;
	u64 changes;
	u32 last;
	double least; /* as ratios to the raw clock's, or to the first one */
	double most;
	bool against_raw;
	u32 first;
};

/* All lengths are in cycles of the counter. */
struct observer {
	u64 close; /* looks no further apart than this are close */
	u64 near;  /* the moment of an update is known if it came within this */

	/* Where it stands. */
	struct observer_cpu *cpu; /* the caller's */
	u32 seq;
	u64 cycles;
	bool moved; /* since the last look, or not looked yet */
	bool has_update;
	u64 update_cycles; /* when the last update was over */
	bool odd_begin_known;
	u64 odd_cycles; /* first seen odd */

	u64 looks;
	u64 awake; /* from first look to last, sleep left out */
	u64 updates;
	u64 seen;
	u64 elsewhere;
	u64 odd;	    /* updates seen in progress */
	u64 odd_unmeasured; /* of those, the ones of which the length is not known */
	u64 interruptions;
	u64 off_cpu; /* of those, the ones in which the thread was taken off its CPU */
	u64 interrupted;
	u64 longest_interruption;
	struct histogram interval; /* between two updates whose moments are known */
	struct histogram hold;	   /* first seen odd to first seen even */
	struct histogram passed;   /* the gap in which an update passed without being seen odd */

	bool has_fields;
	struct observer_fields fields; /* the last read */
	u64 mode_changes;
	struct observer_mult mult;
	u32 second_distance; /* from the first sequence to the second, at first */
	u64 second_looks;
	u64 second_apart; /* looks at which that distance had changed */

	struct observer_asleep asleep;
};

/* An observer that has not looked yet. */
void observer_init(struct observer *observer, u64 close, u64 near);

/*
 * The first look on a CPU, or the first after it looked elsewhere. What was updated since the look
 * before it counts, but not as seen.
 */
void observer_move(struct observer *observer, struct observer_cpu *cpu,
		   const struct observer_look *look);

/* Any other look. */
void observer_look(struct observer *observer, const struct observer_look *look);

/*
 * The first look after a sleep that began right after the last look. What was updated meanwhile is
 * counted apart.
 */
void observer_wake(struct observer *observer, const struct observer_look *look);

/*
 * Takes a look that has nothing new, and is close to the one before, on a straight line; false: it
 * has to go to observer_look.
 */
static inline bool observer_glance(struct observer *observer, u32 seq, u64 cycles)
{
	if (seq != observer->seq || cycles - observer->cycles > observer->close)
		return false;
	observer->looks++;
	observer->awake += cycles - observer->cycles;
	observer->cpu->watched += cycles - observer->cycles;
	observer->cycles = cycles;
	return true;
}

/* Updates that passed undisturbed without being seen in progress. */
u64 observer_passed_unseen(const struct observer *observer);

#endif /* MEASURE_OBSERVER_H */
