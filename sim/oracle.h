/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The oracle says what a read may return.
 *
 * The writer tells it each update before it publishes it; the oracle keeps as many as fit. A
 * reader then asks whether one single update explains what it read. The arithmetic is done in 128
 * bits and shares nothing with the read paths.
 *
 * It also watches the writer: where one update ends and the next begins a clock must go on from
 * where it was, unless it was made to jump; and it tells what lets a reader see time go back
 * without anybody's fault.
 *
 * One oracle watches one clock. One thread at a time tells, any number ask.
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
	u64 jumps;     /* timekeeper_jumps of the clock */
	u32 counter;   /* the low bits of timekeeper_counter_number */
	u32 forbidden; /* oracle_forbidden_jumps, this update's own included */
};

enum oracle_verdict {
	ORACLE_RIGHT,
	ORACLE_TORN,	/* no single update explains it, or the update was never told */
	ORACLE_STALE,	/* one that was replaced before the read began */
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

/*
 * The writer, before it stores any field of update `number`. The sequence may be odd already, as a
 * suspend and a change of counter are made while readers wait. Numbers rise by one.
 *
 * An ordered oracle holds the timekeeper against the one told before, which is why it must be told
 * of all states that timekeeper_forward speaks of.
 */
void oracle_tell(struct oracle *oracle, u64 number, const struct timekeeper *tk);

/*
 * The writer, when update `number` is published wherever it is to be: a read that begins from here
 * on uses it, or a later one.
 */
void oracle_finish(struct oracle *oracle, u64 number);

/*
 * Number of the last update that is finished; 0: none. Any thread may ask, and what it reads
 * afterwards is of that update or of a later one.
 */
u64 oracle_finished(const struct oracle *oracle);

/*
 * How often so far a clock that was not made to jump between two updates did: at the counter value
 * where the one ends and the other begins they say times that lie more than a nanosecond apart, or
 * the one ended, by a change or reset of the counter, before it began. For a coarse clock, the
 * clock that it is the base of. Always 0 for an oracle that is not ordered. Any thread may ask.
 */
u64 oracle_forbidden_jumps(const struct oracle *oracle);

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

/*
 * What an update of this number makes of a clock, when this timekeeper is published; no forbidden
 * jumps, as those take two.
 */
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
 * The same of a read that began when update `oldest` was finished. It is stale if it says that it
 * used one before that, even where a later one happens to tell the same, or if none but such a one
 * explains it. One so old that it is forgotten is stale, too.
 */
enum oracle_verdict oracle_judge_since(const struct oracle *oracle, u64 oldest, u32 seq, u64 cycles,
				       u64 nanoseconds);

/*
 * Judges a read of code that tells nothing but its value. It began when the sequence was begin_seq
 * or later and the counter at begin_cycles or later, and had ended when they were end_seq and
 * end_cycles; its value may have been rounded down to multiples of `quantum` nanoseconds (1, or one
 * that divides a second). It is right if one single update explains it: an update of that span or,
 * as above, one nearby; and stale if that is none but one of the two before the span.
 */
enum oracle_verdict oracle_judge_span(const struct oracle *oracle, const struct oracle_span *span,
				      u64 nanoseconds, u64 quantum);

/*
 * Two reads of one thread in order: one that used update `before` and the next, which used update
 * `after`, often the same. Returns how often this shows time running backwards: between the two,
 * and against other threads' reads of the neighbouring updates, which the page orders. Always 0
 * for an oracle that is not ordered. Times more than 13 days from the first update's are not held
 * against other threads'.
 *
 * A time that is less than the one before is nobody's fault
 *  - if the clock was made to jump between the two updates, or may have been, as the earlier one is
 *    forgotten and the clock has jumped;
 *  - if the counter need not have gone back: the later update, with a slower slope, was published
 *    so late that it tells no more than the later time at the first counter value at which the
 *    earlier update tells the earlier time. The kernel does this to its readers too. It is counted
 *    in oracle_steered_back. No coarse clock can do it, nor is a forbidden jump excused by it.
 */
u32 oracle_order(struct oracle *oracle, u64 before, u64 before_ns, u64 after, u64 after_ns);

/*
 * The same for times that were rounded down to multiples of `quantum` nanoseconds, as
 * oracle_judge_span has it. Whoever asks one oracle must round alike.
 */
u32 oracle_order_rounded(struct oracle *oracle, u64 before, u64 before_ns, u64 after, u64 after_ns,
			 u64 quantum);

/*
 * The same of one thread's two reads alone, of which it is known only that the first used update
 * `before` or a later one, and the second `after` or an earlier one.
 */
bool oracle_ran_backwards(struct oracle *oracle, u64 before, u64 before_ns, u64 after, u64 after_ns,
			  u64 quantum);

/* How often a slower slope, published late, took time back. Any thread may ask. */
u64 oracle_steered_back(const struct oracle *oracle);

#endif /* SIM_ORACLE_H */
