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
#define TAG_BITS   14
#define VALUE_BITS (64 - TAG_BITS)
#define VALUE_MASK ((1ull << VALUE_BITS) - 1)

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
	u64 first_ns; /* of the first update: origin of the packed values */
	struct entry *entries;
	/* An update is announced, then written, then latest. */
	u64 announced __attribute__((aligned(CACHE_LINE)));
	u64 latest;
};

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
	struct oracle_update update = {.number = number};
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

void oracle_tell(struct oracle *oracle, u64 number, const struct timekeeper *tk)
{
	struct oracle_update update = oracle_describe(oracle->clock, number, tk);
	struct entry *entry = entry_of(oracle, number);

	if (!oracle->first_ns)
		oracle->first_ns = oracle_nanoseconds(&update, update.cycle_last);

	WRITE_ONCE(oracle->announced, number);
	smp_wmb();
	WRITE_ONCE(entry->update.number, update.number);
	WRITE_ONCE(entry->update.cycle_last, update.cycle_last);
	WRITE_ONCE(entry->update.max_cycles, update.max_cycles);
	WRITE_ONCE(entry->update.sec, update.sec);
	WRITE_ONCE(entry->update.nsec, update.nsec);
	WRITE_ONCE(entry->update.mult, update.mult);
	WRITE_ONCE(entry->update.shift, update.shift);
	WRITE_ONCE(entry->latest, tag_of(oracle, number));
	WRITE_ONCE(entry->earliest, tag_of(oracle, number) | VALUE_MASK);
	smp_store_release(&oracle->latest, number);
	/* Whoever sees the sequence of this update must find it here. */
	smp_wmb();
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

bool oracle_recall(const struct oracle *oracle, u64 number, struct oracle_update *update)
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
	smp_rmb();
	return READ_ONCE(oracle->announced) - number < oracle->capacity;
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

	return oracle_recall(oracle, number, &update) &&
	       oracle_nanoseconds(&update, cycles) == nanoseconds;
}

enum oracle_verdict oracle_judge(const struct oracle *oracle, u32 seq, u64 cycles, u64 nanoseconds)
{
	u64 number = oracle_number(oracle, seq);
	u64 first = number > NEAR_BEFORE ? number - NEAR_BEFORE : 1;
	struct oracle_update oldest;

	for (u64 n = first; n <= number + NEAR_AFTER && n <= oracle_latest(oracle); n++)
		if (update_explains(oracle, n, cycles, nanoseconds))
			return ORACLE_RIGHT;
	/* What was never told is no update's. */
	return first > oracle_latest(oracle) || oracle_recall(oracle, first, &oldest)
		       ? ORACLE_TORN
		       : ORACLE_UNKNOWN;
}

static bool update_explains_span(const struct oracle *oracle, u64 number,
				 const struct oracle_span *span, u64 nanoseconds, u64 quantum)
{
	struct oracle_update update;

	if (!oracle_recall(oracle, number, &update))
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
			return ORACLE_RIGHT;
	return oracle_recall(oracle, first, &oldest) ? ORACLE_TORN : ORACLE_UNKNOWN;
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

u32 oracle_order(struct oracle *oracle, u64 before, u64 before_ns, u64 after, u64 after_ns)
{
	u64 last = before_ns - oracle->first_ns;
	u64 first = after_ns - oracle->first_ns;
	u32 backwards = 0;

	if (!oracle->ordered)
		return 0;
	/*
	 * Only reads of different updates say something to other threads. Thirteen days after the
	 * start, or before it, the packed words have no room.
	 */
	if (after_ns < before_ns || after <= before || last >= VALUE_MASK || first >= VALUE_MASK)
		return after_ns < before_ns;

	/*
	 * Each word is extended before its neighbour is looked at, so of two threads that
	 * disagree at least one sees it.
	 */
	extend(&entry_of(oracle, before)->latest, tag_of(oracle, before), last, true);
	extend(&entry_of(oracle, after)->earliest, tag_of(oracle, after), first, false);
	if (unpack(&entry_of(oracle, before + 1)->earliest, tag_of(oracle, before + 1),
		   VALUE_MASK) < last)
		backwards++;
	if (unpack(&entry_of(oracle, after - 1)->latest, tag_of(oracle, after - 1), 0) > first)
		backwards++;
	return backwards;
}
