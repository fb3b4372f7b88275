/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The oracle says what a read may return.
 *
 * The writer tells it each update before it publishes it; the oracle keeps as many as fit. A
 * reader then asks whether one single update explains what it read. The arithmetic is done in 128
 * bits and shares nothing with the read paths.
 *
 * One oracle watches one clock. One thread tells, any number ask.
 */
#ifndef SIM_ORACLE_H
#define SIM_ORACLE_H

#include <time.h>

#include "sim/errmsg.h"
#include "sim/timekeeper.h"
#include "sim/types.h"

/* What one update says of the clock that is watched. */
struct oracle_update {
	u64 number; /* half the even sequence that the update ends with */
	u64 cycle_last;
	u64 max_cycles;
	u64 sec;
	u64 nsec; /* as in the page: << shift, or plain for a coarse clock */
	u32 mult; /* 0 for a coarse clock, which does not move between updates */
	u32 shift;
};

enum oracle_verdict {
	ORACLE_RIGHT,
	ORACLE_TORN,	/* no single update explains it */
	ORACLE_UNKNOWN, /* so old that the updates it might stem from are forgotten */
};

/* What is known of when code that tells nothing read the page. */
struct oracle_span {
	u32 begin_seq;
	u32 end_seq;
	u64 begin_cycles;
	u64 end_cycles;
};

struct oracle;

/*
 * An oracle for a clock, that remembers at least `updates` updates (at most 2^21); 128 bytes each,
 * all in place when it returns, so that the writer never waits for memory. NULL with a sentence in
 * *err when there is not the memory. `ordered` says that later updates tell later times; without it
 * nobody asks whether time ran backwards. The caller owns it; oracle_destroy releases it.
 */
struct oracle *oracle_create(clockid_t clock, u64 updates, bool ordered, struct errmsg *err);
void oracle_destroy(struct oracle *oracle);

/* The writer, before the sequence of update `number` goes odd. Numbers rise by one. */
void oracle_tell(struct oracle *oracle, u64 number, const struct timekeeper *tk);

/* Number of the last update told. */
u64 oracle_latest(const struct oracle *oracle);

/*
 * Number of the update that a read with this 32-bit sequence stems from: the one that ended with
 * it, or, if it is odd, the one before the update in progress. Right as long as the read is less
 * than 2^30 updates old.
 */
u64 oracle_number(const struct oracle *oracle, u32 seq);

/* Update `number` in *update; false when it is forgotten or not told yet. */
bool oracle_recall(const struct oracle *oracle, u64 number, struct oracle_update *update);

/* What an update of this number makes of a clock, when this timekeeper is published. */
struct oracle_update oracle_describe(clockid_t clock, u64 number, const struct timekeeper *tk);

/* Nanoseconds since the epoch that an update gives for a counter value. */
u64 oracle_nanoseconds(const struct oracle_update *update, u64 cycles);

/*
 * Judges a read that says it used this sequence and this counter value (ignored for a coarse
 * clock) and returned `nanoseconds` since the epoch. Updates near the sequence are tried too: a
 * value that one update explains is not a mixture, whatever the sequence. One that would be of an
 * update never told is none's.
 */
enum oracle_verdict oracle_judge(const struct oracle *oracle, u32 seq, u64 cycles, u64 nanoseconds);

/*
 * Judges a read of code that tells nothing but its value. It began when the sequence was begin_seq
 * or later and the counter at begin_cycles or later, and had ended when they were end_seq and
 * end_cycles; its value may have been rounded down to multiples of `quantum` nanoseconds (1, or one
 * that divides a second). It is right if one single update explains it: an update of that span or,
 * as above, one nearby.
 */
enum oracle_verdict oracle_judge_span(const struct oracle *oracle, const struct oracle_span *span,
				      u64 nanoseconds, u64 quantum);

/*
 * Two reads of one thread in order: one that used update `before` and the next, which used update
 * `after`, often the same. Returns how often this shows time running backwards: between the two,
 * and against other threads' reads of the neighbouring updates, which the page orders. Always 0
 * for an oracle that is not ordered.
 */
u32 oracle_order(struct oracle *oracle, u64 before, u64 before_ns, u64 after, u64 after_ns);

#endif /* SIM_ORACLE_H */
