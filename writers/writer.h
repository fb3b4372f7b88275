/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who updates the page: a table of kinds, and the writer that a spec picks from it.
 *
 * A writer waits for its next deadline, moves the timekeeper, tells the oracle and publishes. The
 * kinds differ in how they publish; waiting and telling are written once, in writer.c.
 */
#ifndef WRITERS_WRITER_H
#define WRITERS_WRITER_H

#include "sim/clocksource.h"
#include "sim/errmsg.h"
#include "sim/lock_page.h"
#include "sim/oracle.h"
#include "sim/page.h"
#include "sim/spec.h"
#include "sim/timekeeper.h"
#include "writers/pace.h"

enum payload {
	PAYLOAD_TIME,  /* the timekeeper's clocks, fed by the real counter */
	PAYLOAD_STAMP, /* every field follows from the number of the update */
};

struct writer;

/* A kind of writer: one row of the table. */
struct writer_kind {
	const char *name;
	const char *summary;
	const struct spec_key *keys;
	const char *fault; /* mutants: what is broken; NULL for a correct writer */
	/* Publishes writer->tk into writer->page. This is what hold measures. */
	void (*publish)(struct writer *writer);
};

/* Pages that one writer can keep, laid out differently. */
#define WRITER_MAX_PAGES 2048

struct writer_page {
	struct vdso_time_data *page; /* writable; laid out as follows */
	const struct page_layout *layout;
	const struct lock_operations *lock; /* that each update goes through instead; or NULL */
	clockid_t clock;		    /* that it is told */
};

struct writer {
	const struct writer_kind *kind;
	enum payload payload;
	struct vdso_time_data *page; /* the one that is updated, writable; laid out as follows */
	const struct page_layout *layout;
	size_t pages; /* that each update is published to, one after the other */
	struct writer_page each[WRITER_MAX_PAGES];
	const struct vdso_time_data *readers_page; /* for reading the counter */
	struct timekeeper tk;
	struct oracle *oracle;
	struct pace pace;
	u64 stamp_ahead; /* 0, or STAMP_AHEAD */
	u64 hold_cycles; /* an update keeps the sequence odd for at least this long */
	u64 number;	 /* of the last update */
};

/* What one update went through, in counter values; of the first page, if there are several. */
struct update_times {
	u64 due;   /* when it should have begun */
	u64 begin; /* when it did, and what the timekeeper advanced to */
	u64 odd;   /* just before the sequence went odd */
	u64 even;  /* just after it went even again */
	u64 ticks; /* deadlines that it answers: more than 1 when it was late by whole periods */
};

/* The table, ended by NULL; correct writers first. */
extern const struct writer_kind *const writer_kinds[];

/* What a spec says. */
struct writer_choice {
	const struct writer_kind *kind;
	u64 hz;	     /* updates per second; 0: the spec does not say */
	u64 hold_ns; /* least time that an update keeps the sequence odd */
};

/*
 * Finds the writer that `text` names. Returns 0, or -1 with a sentence in *err: no such writer, no
 * such key, a value out of range.
 */
int writer_resolve(const char *text, struct writer_choice *choice, struct errmsg *err);

/*
 * Starts the clocks from the host's, publishes the first update, and sets the pace to hz (1 to
 * 1e6 and more) deadlines per second from now on. The oracle and the region stay the caller's and
 * must outlive the writer. Returns 0, or -1 with a sentence in *err.
 */
struct writer_setup {
	const struct writer_kind *kind;
	enum payload payload;
	const struct clocksource *clocksource;
	u64 frequency_hz;
	u64 hz;
	u64 hold_ns;	  /* least time that an update keeps the sequence odd */
	s64 ahead_sec;	  /* how far ahead of the host's clocks it starts; 0 or more */
	bool still;	  /* stamps are such that no time passes between two updates */
	bool may_spin;	  /* it has a CPU of its own */
	const bool *stop; /* ends waits when raised; outlives the writer */
	const struct page_region *region;
	size_t others; /* further regions that are told the same; fewer than WRITER_MAX_PAGES */
	const struct page_region *const *other;
	struct oracle *oracle;
};
int writer_start(struct writer *writer, const struct writer_setup *setup, struct errmsg *err);

/*
 * Whether a writer of this rate and hold, on a CPU of its own, hardly ever gives way: it spins for
 * more than four fifths of the time.
 */
bool writer_never_sleeps(u64 hz, u64 hold_ns);

/* Number of the last deadline that an update answered; they count from writer_begin on. */
u64 writer_last_tick(const struct writer *writer);

/* How many deadlines lie before this counter value, which is not before writer_begin's. */
u64 writer_ticks_before(const struct writer *writer, u64 cycles);

/*
 * What the locks' libraries want of the thread that is going to call writer_step or writer_update,
 * before it does so, and after it has done so last. Once for each library.
 */
void writer_enlist(const struct writer *writer);
void writer_leave(const struct writer *writer);

/* Sets the pace anew from this moment; for the thread that is going to call writer_step. */
void writer_begin(struct writer *writer);

/* One update at once, whatever the pace. One thread only, and none that calls writer_step. */
void writer_update(struct writer *writer);

/*
 * Waits for the next deadline and makes one update. False, without a whole update, when the stop
 * flag was raised. One thread only.
 */
bool writer_step(struct writer *writer, struct update_times *times);

#endif /* WRITERS_WRITER_H */
