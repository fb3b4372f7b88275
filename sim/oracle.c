// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/barrier.h"
#include "sim/oracle.h"

#define MAX_UPDATES (1u << 21)
/* How many updates around the stated one are tried before a value is called a mixture. */
#define NEAR_BEFORE 2
#define NEAR_AFTER  64

/*
 * Times compared across threads are packed with a tag that names the round of the ring, so that
 * an entry that was taken for a new update never mixes with a slow reader's word on the old one.
 */
#define TAG_BITS   13
#define VALUE_BITS (64 - TAG_BITS)
#define VALUE_MASK ((1ull << VALUE_BITS) - 1)
/* What is packed for the time that the first update tells: as much room before it as after. */
#define VALUE_FIRST (1ull << (VALUE_BITS - 1))

struct entry {
	struct oracle_update update;
	/* Latest and earliest time that any thread read under this update; tag and value. */
	u64 latest __attribute__((aligned(CACHE_LINE)));
	u64 earliest;
} __attribute__((aligned(CACHE_LINE)));

struct oracle {
	clockid_t clock;
	bool ordered;
	u64 capacity; /* a power of two */
	u64 origin;   /* of the packed values, in nanoseconds; wraps if the clock begins early */
	struct entry *entries;
	/* An update is announced, then written, then latest; when it is published, finished. */
	u64 announced __attribute__((aligned(CACHE_LINE)));
	u64 latest;
	u64 finished;
	u64 jumps __attribute__((aligned(CACHE_LINE))); /* of the latest */
	u64 forbidden_jumps;
	/* The latest, for who tells: of the clock with a slope, if the clock itself has none. */
	struct oracle_update fine;
	u64 mask;
	u64 began_cycles;
	u64 steered_back __attribute__((aligned(CACHE_LINE)));
};

_Static_assert(sizeof(struct oracle_update) == CACHE_LINE, "an update is one line");

static struct entry *entry_of(const struct oracle *oracle, u64 number)
{
	return &oracle->entries[number & (oracle->capacity - 1)];
}

static u64 tag_of(const struct oracle *oracle, u64 number)
{
	return number / oracle->capacity << VALUE_BITS;
}

struct oracle *oracle_create(clockid_t clock, u64 updates, bool ordered, struct errmsg *err)
{
	struct oracle *oracle = aligned_alloc(CACHE_LINE, sizeof(*oracle));
	u64 capacity = 64;

	if (!oracle) {
		errmsg_set(err, "no memory for the oracle: %s", strerror(errno));
		return NULL;
	}
	while (capacity < updates && capacity < MAX_UPDATES)
		capacity *= 2;
	*oracle = (struct oracle){.clock = clock, .ordered = ordered, .capacity = capacity};
	oracle->entries =
		mmap(NULL, (size_t)capacity * sizeof(struct entry), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (oracle->entries == MAP_FAILED) {
		errmsg_set(err, "no memory for %llu updates in the oracle: %s",
			   (unsigned long long)capacity, strerror(errno));
		free(oracle);
		return NULL;
	}
	return oracle;
}

void oracle_destroy(struct oracle *oracle)
{
	munmap(oracle->entries, (size_t)oracle->capacity * sizeof(struct entry));
	free(oracle);
}

struct oracle_update oracle_describe(clockid_t clock, u64 number, const struct timekeeper *tk)
{
	struct oracle_update update = {
		.number = number,
		.jumps = timekeeper_jumps(tk, clock),
		.counter = (u32)timekeeper_counter_number(tk),
	};
	struct vdso_timestamp base;

	timekeeper_base(tk, clock, &base);
	update.sec = base.sec;
	update.nsec = base.nsec;
	if (clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE)
		return update;
	update.cycle_last = tk->cycle_last;
	update.max_cycles = tk->max_cycles;
	update.mult = clock == CLOCK_MONOTONIC_RAW ? tk->nominal_mult : tk->mult;
	update.shift = tk->shift;
	return update;
}

/* The clock that a coarse clock is the base of. */
static clockid_t fine_clock(clockid_t clock)
{
	switch (clock) {
	case CLOCK_REALTIME_COARSE:
		return CLOCK_REALTIME;
	case CLOCK_MONOTONIC_COARSE:
		return CLOCK_MONOTONIC;
	default:
		return clock;
	}
}

static u64 cycles_between(u64 from, u64 to, u64 mask)
{
	u64 delta = (to - from) & mask;

	return delta > mask / 2 ? 0 : delta;
}

/* As oracle_nanoseconds, where the counter may have wrapped since. */
static u64 masked_nanoseconds(const struct oracle_update *update, u64 cycles, u64 mask)
{
	u64 delta = cycles_between(update->cycle_last, cycles, mask);

	return oracle_nanoseconds(update, update->cycle_last + delta);
}

/*
 * The timekeeper joins two states without a gap, save the fraction of a nanosecond that a counter
 * of a lower shift has no room for: two times less than a nanosecond apart, which may lie on both
 * sides of where they are rounded down. And no state ends before it began: that is what a counter
 * looks like that was changed, or reset, before time was brought up to the present.
 */
static bool goes_on(const struct oracle *oracle, const struct oracle_update *now,
		    const struct timekeeper *tk)
{
	const struct oracle_update *before = &oracle->fine;
	bool same_counter = before->counter == now->counter;
	u64 ended = same_counter ? tk->began_cycles : tk->ended_cycles;
	u64 apart = masked_nanoseconds(now, tk->began_cycles, tk->mask) -
		    masked_nanoseconds(before, ended, oracle->mask);

	return apart + 1 <= 2 &&
	       (same_counter || cycles_between(ended, oracle->began_cycles, oracle->mask) == 0);
}

static void watch_writer(struct oracle *oracle, const struct oracle_update *update,
			 const struct timekeeper *tk)
{
	clockid_t fine = fine_clock(oracle->clock);
	struct oracle_update now = *update;

	if (fine != oracle->clock)
		now = oracle_describe(fine, 0, tk);
	if (oracle->latest && oracle->fine.jumps == now.jumps && !goes_on(oracle, &now, tk))
		__atomic_store_n(&oracle->forbidden_jumps, oracle->forbidden_jumps + 1,
				 __ATOMIC_RELAXED);
	__atomic_store_n(&oracle->jumps, now.jumps, __ATOMIC_RELAXED);
	oracle->fine = now;
	oracle->mask = tk->mask;
	oracle->began_cycles = tk->began_cycles;
}

static void write_update(struct oracle_update *to, const struct oracle_update *update)
{
	WRITE_ONCE(to->number, update->number);
	WRITE_ONCE(to->cycle_last, update->cycle_last);
	WRITE_ONCE(to->max_cycles, update->max_cycles);
	WRITE_ONCE(to->sec, update->sec);
	WRITE_ONCE(to->nsec, update->nsec);
	WRITE_ONCE(to->mult, update->mult);
	WRITE_ONCE(to->shift, update->shift);
	WRITE_ONCE(to->jumps, update->jumps);
	WRITE_ONCE(to->counter, update->counter);
	WRITE_ONCE(to->forbidden, update->forbidden);
}

void oracle_tell(struct oracle *oracle, u64 number, const struct timekeeper *tk)
{
	struct oracle_update update = oracle_describe(oracle->clock, number, tk);
	struct entry *entry = entry_of(oracle, number);

	if (!oracle->latest)
		oracle->origin = oracle_nanoseconds(&update, update.cycle_last) - VALUE_FIRST;
	if (oracle->ordered)
		watch_writer(oracle, &update, tk);
	update.forbidden = (u32)oracle->forbidden_jumps;

	WRITE_ONCE(oracle->announced, number);
	smp_wmb();
	write_update(&entry->update, &update);
	WRITE_ONCE(entry->latest, tag_of(oracle, number));
	WRITE_ONCE(entry->earliest, tag_of(oracle, number) | VALUE_MASK);
	smp_store_release(&oracle->latest, number);
	/* Whoever sees the sequence of this update must find it here. */
	smp_wmb();
}

void oracle_finish(struct oracle *oracle, u64 number)
{
	smp_store_release(&oracle->finished, number);
}

u64 oracle_finished(const struct oracle *oracle)
{
	return smp_load_acquire(&oracle->finished);
}

u64 oracle_forbidden_jumps(const struct oracle *oracle)
{
	return __atomic_load_n(&oracle->forbidden_jumps, __ATOMIC_RELAXED);
}

u64 oracle_steered_back(const struct oracle *oracle)
{
	return __atomic_load_n(&oracle->steered_back, __ATOMIC_RELAXED);
}

u64 oracle_latest(const struct oracle *oracle)
{
	return smp_load_acquire(&oracle->latest);
}

u64 oracle_number(const struct oracle *oracle, u32 seq)
{
	u64 latest = oracle_latest(oracle);
	s32 behind = (s32)(seq - (u32)(latest * 2));

	/* An odd sequence belongs to the update before it: round down. */
	return latest + (u64)(s64)((behind - (s32)(seq & 1)) / 2);
}

/* `whole`: with what no time follows from. A constant, so that judging a read has no part in it. */
static inline __attribute__((always_inline)) bool recall(const struct oracle *oracle, u64 number,
							 struct oracle_update *update, bool whole)
{
	const struct oracle_update *told = &entry_of(oracle, number)->update;

	if (number == 0 || number > oracle_latest(oracle))
		return false;
	update->number = READ_ONCE(told->number);
	update->cycle_last = READ_ONCE(told->cycle_last);
	update->max_cycles = READ_ONCE(told->max_cycles);
	update->sec = READ_ONCE(told->sec);
	update->nsec = READ_ONCE(told->nsec);
	update->mult = READ_ONCE(told->mult);
	update->shift = READ_ONCE(told->shift);
	if (whole) {
		update->jumps = READ_ONCE(told->jumps);
		update->counter = READ_ONCE(told->counter);
		update->forbidden = READ_ONCE(told->forbidden);
	}
	smp_rmb();
	return READ_ONCE(oracle->announced) - number < oracle->capacity;
}

bool oracle_recall(const struct oracle *oracle, u64 number, struct oracle_update *update)
{
	return recall(oracle, number, update, true);
}

u64 oracle_nanoseconds(const struct oracle_update *update, u64 cycles)
{
	u64 delta = cycles - update->cycle_last;

	/* A counter that lags behind the writer's tells the time of the update itself. */
	if (update->mult == 0 || delta >> 62)
		delta = 0;
	return update->sec * NSEC_PER_SEC +
	       wide_shift_right(
		       wide_add(wide_mul(delta, update->mult), (struct wide){.low = update->nsec}),
		       update->shift);
}

static bool update_explains(const struct oracle *oracle, u64 number, u64 cycles, u64 nanoseconds)
{
	struct oracle_update update;

	return recall(oracle, number, &update, false) &&
	       oracle_nanoseconds(&update, cycles) == nanoseconds;
}

/*
 * An update that nobody has told of, though others were. Whoever publishes tells before, so that no
 * read can have used one, unless the sequence was raised by somebody who has no right to.
 */
static bool is_untold(const struct oracle *oracle, u64 number)
{
	const u64 latest = oracle_latest(oracle);

	return latest && (s64)(number - latest) > 0;
}

enum oracle_verdict oracle_judge_since(const struct oracle *oracle, u64 oldest, u32 seq, u64 cycles,
				       u64 nanoseconds)
{
	u64 number = oracle_number(oracle, seq);
	u64 first = number > NEAR_BEFORE ? number - NEAR_BEFORE : 1;
	struct oracle_update update;
	bool stale = false;

	for (u64 n = first; n <= number + NEAR_AFTER && n <= oracle_latest(oracle); n++) {
		if (!update_explains(oracle, n, cycles, nanoseconds))
			continue;
		if (number >= oldest && n >= oldest)
			return ORACLE_RIGHT;
		stale = true;
	}
	if (stale)
		return ORACLE_STALE;
	if (is_untold(oracle, first) || oracle_recall(oracle, first, &update))
		return ORACLE_TORN;
	return number < oldest ? ORACLE_STALE : ORACLE_UNKNOWN;
}

enum oracle_verdict oracle_judge(const struct oracle *oracle, u32 seq, u64 cycles, u64 nanoseconds)
{
	return oracle_judge_since(oracle, 0, seq, cycles, nanoseconds);
}

static bool update_explains_span(const struct oracle *oracle, u64 number,
				 const struct oracle_span *span, u64 nanoseconds, u64 quantum)
{
	struct oracle_update update;

	if (!recall(oracle, number, &update, false))
		return false;
	/* Rounded down from a value that the span holds: not before it by a whole quantum. */
	return nanoseconds + quantum > oracle_nanoseconds(&update, span->begin_cycles) &&
	       nanoseconds <= oracle_nanoseconds(&update, span->end_cycles);
}

enum oracle_verdict oracle_judge_span(const struct oracle *oracle, const struct oracle_span *span,
				      u64 nanoseconds, u64 quantum)
{
	u64 begin = oracle_number(oracle, span->begin_seq);
	u64 end = oracle_number(oracle, span->end_seq) + NEAR_AFTER;
	u64 first = begin > NEAR_BEFORE ? begin - NEAR_BEFORE : 1;
	u64 latest = oracle_latest(oracle);
	u64 forgotten = latest > oracle->capacity ? latest - oracle->capacity : 0;
	struct oracle_update oldest;

	if (end > latest)
		end = latest;
	/* From the end, where the update of a read that was put aside for long is found. */
	for (u64 n = end; n >= first && n > forgotten; n--)
		if (update_explains_span(oracle, n, span, nanoseconds, quantum))
			return n >= begin ? ORACLE_RIGHT : ORACLE_STALE;
	return is_untold(oracle, first) || oracle_recall(oracle, first, &oldest) ? ORACLE_TORN
										 : ORACLE_UNKNOWN;
}

/* Raises (or lowers) the packed word to this value if it is still of this round. */
static void extend(u64 *word, u64 tag, u64 value, bool upwards)
{
	u64 old = READ_ONCE(*word);

	while ((old & ~VALUE_MASK) == tag) {
		u64 old_value = old & VALUE_MASK;

		if (upwards ? value <= old_value : value >= old_value)
			return;
		if (__atomic_compare_exchange_n(word, &old, tag | value, false, __ATOMIC_SEQ_CST,
						__ATOMIC_SEQ_CST))
			return;
	}
}

/* The value of a packed word of this round, or `otherwise`. */
static u64 unpack(const u64 *word, u64 tag, u64 otherwise)
{
	u64 packed = __atomic_load_n(word, __ATOMIC_SEQ_CST);

	return (packed & ~VALUE_MASK) == tag ? packed & VALUE_MASK : otherwise;
}

/*
 * The first counter value, cycle_last or later, at which an update says this or more; anything if
 * it lies beyond what 64 bits count, or if this is before the update's second.
 */
static u64 first_cycles(const struct oracle_update *update, u64 nanoseconds)
{
	u64 ns = nanoseconds - update->sec * NSEC_PER_SEC;
	struct wide shifted = wide_mul(ns, 1ull << update->shift);
	struct wide least = {.low = update->nsec};
	u64 rest;

	if (shifted.high == 0 && shifted.low <= least.low)
		return update->cycle_last;
	/* Rounded up: less nsec, and on by a cycle that is not whole. */
	shifted.high -= shifted.low < least.low;
	shifted.low -= least.low;
	shifted = wide_add(shifted, (struct wide){.low = update->mult - 1});
	return update->cycle_last + wide_div(shifted, update->mult, &rest).low;
}

/*
 * Whether the counter need not have gone back for an earlier update to say what it said, and a
 * later one, afterwards, less.
 */
static bool was_steered_back(const struct oracle_update *earlier, u64 earlier_ns,
			     const struct oracle_update *later, u64 later_ns, u64 quantum)
{
	u64 cycles;

	if (!earlier->mult || !later->mult || earlier->counter != later->counter ||
	    earlier->forbidden != later->forbidden)
		return false;
	cycles = first_cycles(earlier, earlier_ns);
	return oracle_nanoseconds(earlier, cycles) - earlier_ns < quantum &&
	       oracle_nanoseconds(later, cycles) < later_ns + quantum;
}

/* Whether it is a fault that a later read says less than an earlier one. */
static __attribute__((noinline, cold)) bool is_fault(struct oracle *oracle, u64 before,
						     u64 before_ns, u64 after, u64 after_ns,
						     u64 quantum)
{
	struct oracle_update earlier, later;

	if (after <= before)
		return true;
	if (!oracle_recall(oracle, before, &earlier) || !oracle_recall(oracle, after, &later))
		return __atomic_load_n(&oracle->jumps, __ATOMIC_RELAXED) == 0;
	if (earlier.jumps != later.jumps)
		return false;
	if (!was_steered_back(&earlier, before_ns, &later, after_ns, quantum))
		return true;
	__atomic_fetch_add(&oracle->steered_back, 1, __ATOMIC_RELAXED);
	return false;
}

static inline __attribute__((always_inline)) u32 order(struct oracle *oracle, u64 before,
						       u64 before_ns, u64 after, u64 after_ns,
						       u64 quantum)
{
	u64 last = before_ns - oracle->origin;
	u64 first = after_ns - oracle->origin;
	u32 backwards = 0;
	u64 other;

	if (!oracle->ordered)
		return 0;
	if (unlikely(after_ns < before_ns) &&
	    is_fault(oracle, before, before_ns, after, after_ns, quantum))
		return 1;
	/*
	 * Only reads of different updates say something to other threads. Thirteen days from the
	 * start the packed words have no room.
	 */
	if (after <= before || last >= VALUE_MASK || first >= VALUE_MASK)
		return 0;

	/*
	 * Each word is extended before its neighbour is looked at, so of two threads that
	 * disagree at least one sees it. What the neighbour holds may be this thread's own word.
	 */
	extend(&entry_of(oracle, before)->latest, tag_of(oracle, before), last, true);
	extend(&entry_of(oracle, after)->earliest, tag_of(oracle, after), first, false);
	other = unpack(&entry_of(oracle, before + 1)->earliest, tag_of(oracle, before + 1),
		       VALUE_MASK);
	if (unlikely(other < last) && !(other == first && after == before + 1))
		backwards += is_fault(oracle, before, before_ns, before + 1, oracle->origin + other,
				      quantum);
	other = unpack(&entry_of(oracle, after - 1)->latest, tag_of(oracle, after - 1), 0);
	if (unlikely(other > first) && !(other == last && after == before + 1))
		backwards += is_fault(oracle, after - 1, oracle->origin + other, after, after_ns,
				      quantum);
	return backwards;
}

u32 oracle_order(struct oracle *oracle, u64 before, u64 before_ns, u64 after, u64 after_ns)
{
	return order(oracle, before, before_ns, after, after_ns, 1);
}

u32 oracle_order_rounded(struct oracle *oracle, u64 before, u64 before_ns, u64 after, u64 after_ns,
			 u64 quantum)
{
	return order(oracle, before, before_ns, after, after_ns, quantum);
}

bool oracle_ran_backwards(struct oracle *oracle, u64 before, u64 before_ns, u64 after, u64 after_ns,
			  u64 quantum)
{
	return oracle->ordered && after_ns < before_ns &&
	       is_fault(oracle, before, before_ns, after, after_ns, quantum);
}
