/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a read path's source includes, ours and yours alike: what it is given, what it must return,
 * and how it tells what it went through. A source is of one of two kinds: a clock reader, which
 * reads the kernel's page, or a lock, which brings its own memory and who publishes through it.
 * Examples are readers/example/atomic.c and readers/example/lock.c; one is run by
 * ./contend --reader ./readers/example/atomic.c
 *
 * A clock reader is given a page as readers see it and a clock id. It fills *ts and returns 0,
 * or falls back to the system call and returns what that returned (0 or a negative errno). It is
 * called by many threads at once, each with its own *ts and *note. It takes no lock, allocates
 * nothing, keeps nothing and calls nothing outside itself; its code is copied to other places.
 *
 * The page is laid out as the reader's key `layout` says, READER_LAYOUT for the source (see
 * sim/layouts.h); sim/page.h declares the structure of the usual one. A source may use the kernel's
 * names (sim/barrier.h) or C11 atomics.
 *
 * What the counted path does not tell cannot be checked, and `contend run` refuses it: in each
 * accepted attempt, NOTE_USED_SEQ and (if there is one) NOTE_USED_CYCLES.
 *
 * A lock is described at LOCK, in readers/lock.h.
 *
 * A source is compiled twice. With READER_COUNTED 1 the NOTE_ macros record into *note: on the
 * fast path what was used (two stores), on the slow path what happened. With READER_COUNTED 0
 * they are nothing, *note is not touched, and what remains is the path that would ship.
 */
#ifndef READERS_READER_H
#define READERS_READER_H

#if CONTEND_PROVE
/* What copies blocks is a function there, by whatever name it is called. */
#include <string.h>
#endif
#include <time.h>

#include "sim/barrier.h"
#include "sim/counter.h"
#include "sim/page.h"
#include "sim/types.h"
#include "sim/wide.h"

/* Attempts of one read that are kept for the oracle; the rest are only counted. */
#define NOTE_LOST_ATTEMPTS 8

/* An attempt that the reader threw away: what it would have returned. */
struct lost_attempt {
	u64 cycles;
	u64 sec;
	u64 nsec;    /* may exceed a second: the carry has not been done */
	u32 seq;     /* it began with this sequence */
	u32 end_seq; /* and this was found at its end */
};

/* One read, as its reader tells it. Written by the reader, read and cleared by its caller. */
struct read_note {
	/* Used by the accepted attempt. A reader of coarse time leaves cycles alone. */
	u64 cycles;
	u32 seq;
	/* Raised by whatever else is recorded below; beside seq, so that one compare covers both.
	 */
	u32 events;

	u32 odd_waits; /* attempts that found the sequence odd */
	u32 spins;     /* pauses while it was odd */
	u32 changed;   /* attempts thrown away since the sequence differed, off-CPU ones included */
	u32 off_cpu;   /* of those, attempts during which the reader was not running */
	u32 fallbacks; /* the value is the system call's, not the page's */
	u32 waiting;   /* 1 within an odd wait */

	/*
	 * A word that the kernel sets to zero whenever it takes the thread off its CPU, and what
	 * to put back afterwards; NULL when there is no such word. See measure/offcpu.h.
	 */
	u64 *on_cpu;
	u64 on_cpu_mark;

	struct lost_attempt lost[NOTE_LOST_ATTEMPTS];
};

/* What every read path is. */
typedef int reader_fn(const struct vdso_time_data *page, clockid_t clock, struct timespec *ts,
		      struct read_note *note);

/*
 * Begins the one function that a source must have:
 *	CLOCK_READER(page, clock, ts, note) { ... return 0; }
 * Whoever compiles the source defines READER_NAME and READER_COUNTED.
 */
#define CLOCK_READER(page, clock, ts, note)                                                      \
	reader_fn READER_NAME;                                                                   \
	int READER_NAME(const struct vdso_time_data *page, clockid_t clock, struct timespec *ts, \
			struct read_note *note)

/* Whether the thread was taken off its CPU since the last call; sets the word again if so. */
static inline bool note_was_off_cpu(struct read_note *note)
{
	if (!note->on_cpu || READ_ONCE(*note->on_cpu))
		return false;
	WRITE_ONCE(*note->on_cpu, note->on_cpu_mark);
	return true;
}

#if READER_COUNTED

/* What the attempt uses. Before the recheck, so that nothing stays in registers for it. */
#define NOTE_USED_SEQ(note, value)    ((void)((note)->seq = (value)))
#define NOTE_USED_CYCLES(note, value) ((void)((note)->cycles = (value)))
/* A pause while the sequence is odd. */
#define NOTE_SPIN(note) note_spin(note)
/* The attempt is thrown away; what it would have returned, and the sequence now. */
#define NOTE_CHANGED(note, sec, nsec, end_seq) note_changed(note, sec, nsec, end_seq)
/* The system call is asked instead. */
#define NOTE_FALLBACK(note) ((void)((note)->fallbacks++, (note)->events++))

static inline void note_spin(struct read_note *note)
{
	note->spins++;
	if (!note->waiting) {
		note->waiting = 1;
		note->odd_waits++;
		note->events++;
	}
}

static inline void note_changed(struct read_note *note, u64 sec, u64 nsec, u32 end_seq)
{
	bool off_cpu = note_was_off_cpu(note);

	if (note->changed < NOTE_LOST_ATTEMPTS)
		note->lost[note->changed] = (struct lost_attempt){
			.cycles = note->cycles,
			.sec = sec,
			.nsec = nsec,
			.seq = note->seq,
			.end_seq = end_seq,
		};
	note->changed++;
	note->off_cpu += off_cpu;
	note->waiting = 0;
	note->events++;
}

#else

#define NOTE_USED_SEQ(note, value)	       ((void)(note))
#define NOTE_USED_CYCLES(note, value)	       ((void)(note))
#define NOTE_SPIN(note)			       ((void)(note))
#define NOTE_CHANGED(note, sec, nsec, end_seq) ((void)(note))
#define NOTE_FALLBACK(note)		       ((void)(note))

#endif

#include "readers/lock.h"

#endif /* READERS_READER_H */
