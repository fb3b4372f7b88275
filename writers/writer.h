/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who updates the page: a table of kinds, and the writer that a spec picks from it.
 *
 * A writer waits for its next deadline, moves the timekeeper, tells the oracle and publishes. The
 * kinds differ in when they act, in what they do to time and in how they publish; waiting, locking
 * and telling are written once, in writer.c.
 */
#ifndef WRITERS_WRITER_H
#define WRITERS_WRITER_H

#include "sim/errmsg.h"
#include "sim/spec.h"
#include "writers/choice.h"
#include "writers/pace.h"
#include "writers/tk_core.h"

/* Writers of one run. */
#define WRITER_MAX 8

struct writer;

/* A kind of writer: one row of the table. */
struct writer_kind {
	const char *name;
	const char *summary;
	const struct spec_key *keys; /* each is a parameter of choice.h, or hz */
	const char *fault;	     /* mutants: what is broken; NULL for a correct writer */

	bool changes_time;    /* what it does has no meaning for stamps */
	bool while_odd;	      /* it changes time while readers wait, as if they were frozen */
	bool no_update;	      /* what it writes lies outside of the sequence */
	bool interrupts;      /* each update is made by a reader, which is interrupted for it */
	bool changes_counter; /* time is made of another counter now and then */
	bool exchanges;	      /* readers are given another page: tk_core's view */
	bool takes_no_lock;

	/* Refuses values that do not go together; NULL: all do. 0, or -1 with a sentence. */
	int (*check)(const struct writer_choice *choice, struct errmsg *err);
	/* Moves the timekeeper, whose counter says `cycles`; NULL: time passes, and that is all. */
	void (*change)(struct writer *writer, u64 cycles);
	/* Publishes core->tk into one of its pages; NULL: as the kernel does. */
	void (*publish)(struct writer *writer, const struct tk_page *page);
	/* Who wants to explore it: the function of broken_pages.h that it does that by; or NULL. */
	const char *page;
	/*
	 * What it does in the middle of a publication, where middle.h has it, or where a lock says
	 * that it is, for through a lock publish is not used; false: it never comes back from
	 * there. NULL: nothing.
	 */
	bool (*middle)(struct writer *writer);
};

struct writer {
	const struct writer_kind *kind;
	struct tk_core *core;
	u64 value[WRITER_PARAMETERS]; /* times in nanoseconds */
	struct pace pace;
	u64 hold_cycles; /* an update keeps the sequence odd for at least this long */
	u64 burst_left;	 /* updates that follow at once */
	bool left;	 /* the middle of a publication was not left again */
	u64 turn;	 /* the kind's: whose turn it is */
	u64 due;	 /* the kind's: when it acts next, a counter value */
	u64 second;	 /* the kind's: of TAI, when it acted last; 0: not yet */
	u64 jumps;	 /* the kind's: how often TAI had been set by then */
};

/* What one update went through, in counter values; of the first page, if there are several. */
struct update_times {
	u64 due;   /* when it should have begun */
	u64 begin; /* when it did; a single writer of the run advances the timekeeper to it */
	u64 odd;   /* just before the sequence went odd */
	u64 even;  /* just after it went even again */
	u64 ticks; /* deadlines that it answers: more than 1 when it was late by whole periods */
};

/* The table, ended by NULL; correct writers first. */
extern const struct writer_kind *const writer_kinds[];

struct writer_setup {
	const struct writer_choice *choice;
	u64 hz; /* updates per second, of a kind that has that key */
	u64 seed;
	bool may_spin;	  /* it has a CPU of its own */
	const bool *stop; /* ends waits when raised; outlives the writer */
	struct tk_core *core;
};

/* A writer of this core, paced from now on; the core outlives it. */
void writer_start(struct writer *writer, const struct writer_setup *setup);

/* Sets the pace anew from this moment; for the thread that is going to call writer_wait. */
void writer_begin(struct writer *writer);

/*
 * Waits for the next deadline: fills due, begin and ticks of *times. False when the stop flag was
 * raised. One thread only.
 */
bool writer_wait(struct writer *writer, struct update_times *times);

/*
 * Makes the update that was waited for, and fills the rest of *times. False if it left the sequence
 * odd, or another writer had, so that it did nothing. One thread at a time, which need not be the
 * one that waited.
 */
bool writer_act(struct writer *writer, struct update_times *times);

/* One update at once, whatever the pace. One thread only, and none that waits. */
void writer_update(struct writer *writer);

/* What the counter of its pace says now. */
static inline u64 writer_counter(const struct writer *writer)
{
	return clocksource_read(writer->pace.clock_mode, writer->pace.page);
}

/* For kinds, in the thread that acts: does nothing for so long, or until the stop flag is raised.
 */
void writer_pause(const struct writer *writer, u64 ns);

/* For kinds: 1 or -1, as the key `towards` says; in turn, if both. */
s64 writer_towards(struct writer *writer);

/* For kinds: asks the timekeeper for a frequency by chance, within the key `ppm`. */
void writer_steer(struct writer *writer);

/* Whether it stays in the middle of publications, where a lock must say that that is. */
bool writer_needs_middle(const struct writer_choice *choice);

/* So many nanoseconds in cycles of it. */
u64 writer_cycles(const struct writer *writer, u64 ns);

#endif /* WRITERS_WRITER_H */
