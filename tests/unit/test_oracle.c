// SPDX-License-Identifier: GPL-2.0-or-later
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim/barrier.h"
#include "sim/oracle.h"
#include "tests/unit/beside.h"
#include "tests/unit/big.h"
#include "tests/unit/updates.h"

/* The least that an oracle remembers. */
#define RING 64

static struct oracle *create(clockid_t clock, u64 updates, bool ordered)
{
	struct errmsg err;
	struct oracle *oracle = oracle_create(clock, updates, ordered, &err);

	if (!oracle)
		fail_msg("%s", err.text);
	return oracle;
}

static const char *const payload_names[] = {"time", "stamp"};

#define UPDATES 200

static struct timekeeper told[UPDATES + 1];

static void prepare(enum payload_kind payload)
{
	if (payload == TIME)
		make_time(told, UPDATES, VDSO_CLOCKMODE_TSC);
	else
		make_stamps(told, UPDATES, VDSO_CLOCKMODE_TSC);
}

/* What a reader may meet of update `number`, field by field. */
struct fields {
	u64 cycle_last;
	u64 sec;
	u64 nsec;
	u32 mult;
	u32 shift;
};

static struct fields fields_of(const struct timekeeper *tk, clockid_t clock)
{
	struct vdso_timestamp base;
	bool coarse = is_coarse(clock);

	timekeeper_base(tk, clock, &base);
	return (struct fields){
		.cycle_last = tk->cycle_last,
		.sec = base.sec,
		.nsec = base.nsec,
		.mult = coarse			       ? 0
			: clock == CLOCK_MONOTONIC_RAW ? tk->nominal_mult
						       : tk->mult,
		.shift = coarse ? 0 : tk->shift,
	};
}

static u64 value_of(const struct fields *f, u64 cycles)
{
	u64 delta = cycles - f->cycle_last;

	/* cycle_last of a later update: the counter seems to lag. */
	if ((s64)delta < 0)
		delta = 0;
	return f->sec * NSEC_PER_SEC +
	       big_low(big_div(big_add(big_product(delta, f->mult), big_of(f->nsec)),
			       1ull << f->shift));
}

static u64 right_value(u64 number, clockid_t clock, u64 cycles)
{
	struct fields f = fields_of(&told[number], clock);

	return value_of(&f, cycles);
}

static struct oracle *tell_all(clockid_t clock, u64 updates)
{
	struct oracle *oracle = create(clock, UPDATES, true);

	for (u64 number = 1; number <= updates; number++)
		oracle_tell(oracle, number, &told[number]);
	return oracle;
}

static void check_recalled(const struct oracle *oracle, u64 number, clockid_t clock,
			   const struct timekeeper *tk)
{
	struct fields f = fields_of(tk, clock);
	struct oracle_update update;

	if (!oracle_recall(oracle, number, &update))
		fail_msg("update %llu is forgotten", (unsigned long long)number);
	assert_int_equal(update.number, number);
	assert_int_equal(update.sec, f.sec);
	assert_int_equal(update.nsec, f.nsec);
	assert_int_equal(update.mult, f.mult);
	assert_int_equal(update.shift, f.shift);
	if (!is_coarse(clock)) {
		assert_int_equal(update.cycle_last, tk->cycle_last);
		assert_int_equal(update.max_cycles, tk->max_cycles);
	}
}

static void test_recall(void **state)
{
	(void)state;
	for (enum payload_kind payload = 0; payload < PAYLOADS; payload++) {
		prepare(payload);
		for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
			struct oracle *oracle = tell_all(clocks[i], UPDATES);

			assert_int_equal(oracle_latest(oracle), UPDATES);
			for (u64 number = 1; number <= UPDATES; number++)
				check_recalled(oracle, number, clocks[i], &told[number]);
			oracle_destroy(oracle);
		}
	}
}

static void test_knows_nothing_at_first(void **state)
{
	struct oracle *oracle = create(CLOCK_MONOTONIC, 1, true);
	struct oracle_update update;

	(void)state;
	assert_int_equal(oracle_latest(oracle), 0);
	for (u64 number = 0; number < 3 * RING; number++)
		assert_false(oracle_recall(oracle, number, &update));
	assert_false(oracle_recall(oracle, UINT64_MAX, &update));
	oracle_destroy(oracle);
}

/* Until one is told it cannot be recalled, and nothing is told by telling its neighbour. */
static void test_recall_at_the_front(void **state)
{
	struct oracle *oracle = create(CLOCK_MONOTONIC, RING, true);
	struct oracle_update update;

	(void)state;
	make_stamps(told, UPDATES, VDSO_CLOCKMODE_TSC);
	for (u64 number = 1; number <= UPDATES; number++) {
		assert_false(oracle_recall(oracle, number, &update));
		oracle_tell(oracle, number, &told[number]);
		assert_int_equal(oracle_latest(oracle), number);
		check_recalled(oracle, number, CLOCK_MONOTONIC, &told[number]);
		assert_false(oracle_recall(oracle, number + 1, &update));
	}
	oracle_destroy(oracle);
}

/* `wanted` or the next power of two, never less than RING. */
static void check_capacity(u64 wanted, u64 capacity)
{
	struct oracle *oracle = create(CLOCK_REALTIME, wanted, false);
	struct oracle_update update;
	struct timekeeper tk = {0};

	for (u64 number = 1; number <= 3 * capacity + 1; number++) {
		u64 oldest = number < capacity ? 1 : number - capacity + 1;

		timekeeper_stamp(&tk, number, cycles_of(number));
		oracle_tell(oracle, number, &tk);
		timekeeper_stamp(&tk, oldest, cycles_of(oldest));
		check_recalled(oracle, oldest, CLOCK_REALTIME, &tk);
		assert_false(oracle_recall(oracle, oldest - 1, &update));
		if (oldest > 2)
			assert_false(oracle_recall(oracle, oldest - 2, &update));
	}
	oracle_destroy(oracle);
}

static void test_forgets_what_does_not_fit(void **state)
{
	(void)state;
	check_capacity(0, RING);
	check_capacity(1, RING);
	check_capacity(RING, RING);
	check_capacity(RING + 1, 2 * RING);
	check_capacity(1000, 1024);
}

/* More than it may remember is cut down to what it may. */
static void test_largest_capacity(void **state)
{
	struct oracle *oracle = create(CLOCK_REALTIME, UINT64_MAX, false);
	struct oracle_update update;
	struct timekeeper tk = {0};
	const u64 most = 1 << 21;

	(void)state;
	/* Numbers rise by one; from where does not matter to what is kept. */
	for (u64 number = most - 10; number <= most + 10; number++) {
		timekeeper_stamp(&tk, number, cycles_of(number));
		oracle_tell(oracle, number, &tk);
	}
	assert_true(oracle_recall(oracle, most - 10, &update));
	timekeeper_stamp(&tk, 2 * most - 10, 1 << 20);
	oracle_tell(oracle, 2 * most - 10, &tk);
	assert_false(oracle_recall(oracle, most - 10, &update));
	assert_true(oracle_recall(oracle, most - 9, &update));
	oracle_destroy(oracle);
}

/* A sequence that is `behind` sequences (2 an update) behind that of update `latest`. */
static void check_number(u64 latest, s64 behind, u64 expected)
{
	struct oracle *oracle = create(CLOCK_MONOTONIC, 1, true);
	struct timekeeper tk = {0};
	u64 number;

	timekeeper_stamp(&tk, latest, 1 << 20);
	oracle_tell(oracle, latest, &tk);
	number = oracle_number(oracle, (u32)(latest * 2 - (u64)behind));
	oracle_destroy(oracle);
	if (number != expected)
		fail_msg("%lld sequences before that of update %llu: update %llu instead of %llu",
			 (long long)behind, (unsigned long long)latest, (unsigned long long)number,
			 (unsigned long long)expected);
}

static void check_numbers_around(u64 latest)
{
	for (s64 behind = 0; behind < 10; behind++)
		check_number(latest, behind, latest - (u64)(behind + 1) / 2);
	/* In progress: odd, of the update before it; told, but with the sequence yet to go odd. */
	check_number(latest, -1, latest);
	check_number(latest, -2, latest + 1);
	check_number(latest, -3, latest + 1);
}

/* 2^31 is where an update's sequence wraps. */
static void test_number_from_sequence(void **state)
{
	(void)state;
	check_numbers_around(10);
	check_numbers_around(1000000);
	for (u64 latest = (1ull << 30) - 8; latest < (1ull << 30) + 8; latest++)
		check_numbers_around(latest);
	for (u64 latest = (1ull << 31) - 8; latest < (1ull << 31) + 8; latest++)
		check_numbers_around(latest);
	for (u64 latest = (5ull << 31) - 8; latest < (5ull << 31) + 8; latest++)
		check_numbers_around(latest);
}

static void test_number_from_an_old_sequence(void **state)
{
	static const u64 latests[] = {1ull << 30, (1ull << 31) + 5, 7ull << 31, (1ull << 40) - 1};
	const s64 oldest = (1 << 30) - 1;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(latests); i++) {
		check_number(latests[i], 2 * oldest, latests[i] - (u64)oldest);
		check_number(latests[i], 2 * oldest - 1, latests[i] - (u64)oldest);
		check_number(latests[i], 2 * 1000003, latests[i] - 1000003);
	}
}

static void test_number_before_any_update(void **state)
{
	struct oracle *oracle = create(CLOCK_MONOTONIC, 1, true);

	(void)state;
	assert_int_equal(oracle_number(oracle, 0), 0);
	assert_int_equal(oracle_number(oracle, 1), 0);
	assert_int_equal(oracle_number(oracle, 2), 1);
	oracle_destroy(oracle);
}

/* Counter values that a read under update `number` may have used. */
static const s64 reading_offsets[] = {-1000, -1, 0, 1, 2, 3, 100, PERIOD / 2, PERIOD, 10 * PERIOD};

static void check_nanoseconds(clockid_t clock)
{
	struct oracle *oracle = tell_all(clock, UPDATES);
	struct oracle_update update;

	for (u64 number = 1; number <= UPDATES; number++)
		for (size_t i = 0; i < ARRAY_SIZE(reading_offsets); i++) {
			u64 cycles = cycles_of(number) + (u64)reading_offsets[i];

			assert_true(oracle_recall(oracle, number, &update));
			assert_int_equal(oracle_nanoseconds(&update, cycles),
					 right_value(number, clock, cycles));
		}
	oracle_destroy(oracle);
}

static void test_nanoseconds(void **state)
{
	(void)state;
	for (enum payload_kind payload = 0; payload < PAYLOADS; payload++) {
		prepare(payload);
		for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
			check_nanoseconds(clocks[i]);
	}
}

/* Far beyond what 64 bits hold of the product, and behind. */
static void test_nanoseconds_at_the_edges(void **state)
{
	struct oracle_update update = {.cycle_last = 1ull << 50,
				       .sec = 5,
				       .nsec = 999999999ull << 24,
				       .mult = 1 << 24,
				       .shift = 24};

	(void)state;
	assert_int_equal(oracle_nanoseconds(&update, update.cycle_last), 5999999999);
	assert_int_equal(oracle_nanoseconds(&update, update.cycle_last + 1), 6000000000);
	assert_int_equal(oracle_nanoseconds(&update, update.cycle_last + (1ull << 45)),
			 5999999999 + (1ull << 45));
	assert_int_equal(oracle_nanoseconds(&update, update.cycle_last - 1), 5999999999);
	assert_int_equal(oracle_nanoseconds(&update, 0), 5999999999);
	/* The first cycle that is worth less than a nanosecond is dropped, not rounded. */
	update.mult = (1 << 24) - 1;
	assert_int_equal(oracle_nanoseconds(&update, update.cycle_last + 1), 5999999999);
	/* A coarse clock does not look at the counter. */
	update = (struct oracle_update){.sec = 5, .nsec = 7};
	assert_int_equal(oracle_nanoseconds(&update, 12345), 5000000007);
}

static void check_verdict(const struct oracle *oracle, u32 seq, u64 cycles, u64 nanoseconds,
			  enum oracle_verdict expected, const char *what)
{
	enum oracle_verdict verdict = oracle_judge(oracle, seq, cycles, nanoseconds);

	if (verdict != expected)
		fail_msg("%s: verdict %d instead of %d, at sequence %u", what, (int)verdict,
			 (int)expected, seq);
}

static void check_judges_right(clockid_t clock)
{
	struct oracle *oracle = tell_all(clock, UPDATES);

	for (u64 number = 1; number <= UPDATES; number++)
		for (size_t i = 0; i < ARRAY_SIZE(reading_offsets); i++) {
			u64 cycles = cycles_of(number) + (u64)reading_offsets[i];
			u64 value = right_value(number, clock, cycles);

			check_verdict(oracle, (u32)number * 2, cycles, value, ORACLE_RIGHT,
				      "a right read");
		}
	oracle_destroy(oracle);
}

static void test_judge_right(void **state)
{
	(void)state;
	for (enum payload_kind payload = 0; payload < PAYLOADS; payload++) {
		prepare(payload);
		for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
			check_judges_right(clocks[i]);
	}
}

enum field {
	CYCLE_LAST,
	SEC,
	NSEC,
	MULT,
	SHIFT,
	FIELDS
};

static const char *const field_names[] = {"cycle_last", "sec", "nsec", "mult", "shift"};

static void take_field(struct fields *to, const struct fields *from, enum field field)
{
	switch (field) {
	case CYCLE_LAST:
		to->cycle_last = from->cycle_last;
		break;
	case SEC:
		to->sec = from->sec;
		break;
	case NSEC:
		to->nsec = from->nsec;
		break;
	case MULT:
		to->mult = from->mult;
		break;
	default:
		to->shift = from->shift;
		break;
	}
}

/* Whether one of the updates that are tried around this one gives this value. */
static bool is_explained(u64 number, clockid_t clock, u64 cycles, u64 value)
{
	u64 first = number > 2 ? number - 2 : 1;

	for (u64 n = first; n <= number + 64 && n <= UPDATES; n++)
		if (right_value(n, clock, cycles) == value)
			return true;
	return false;
}

static u64 mixtures, mixtures_that_show;

/* Update `number` with one field of `neighbour`. */
static void judge_mixture(const struct oracle *oracle, clockid_t clock, u64 number, u64 neighbour,
			  enum field field)
{
	u64 cycles = cycles_of(number < neighbour ? neighbour : number) + 777777;
	struct fields mixed = fields_of(&told[number], clock);
	struct fields other = fields_of(&told[neighbour], clock);
	bool shows;
	u64 value;

	take_field(&mixed, &other, field);
	value = value_of(&mixed, cycles);
	shows = !is_explained(number, clock, cycles, value);
	mixtures++;
	mixtures_that_show += shows;
	check_verdict(oracle, (u32)number * 2, cycles, value, shows ? ORACLE_TORN : ORACLE_RIGHT,
		      field_names[field]);
}

static void judge_mixtures(enum payload_kind payload, clockid_t clock, enum field field)
{
	struct oracle *oracle = tell_all(clock, UPDATES);

	mixtures = mixtures_that_show = 0;
	for (u64 number = 2; number < UPDATES; number++) {
		judge_mixture(oracle, clock, number, number - 1, field);
		judge_mixture(oracle, clock, number, number + 1, field);
	}
	oracle_destroy(oracle);
	/* What the stamp is for. */
	if (payload == STAMP && mixtures_that_show != mixtures)
		fail_msg("%s of another stamp of clock %d does not show in %llu of %llu mixtures",
			 field_names[field], (int)clock,
			 (unsigned long long)(mixtures - mixtures_that_show),
			 (unsigned long long)mixtures);
	/* Time's shift never changes, nor raw time's mult; seconds do once, within these updates.
	 */
	if (payload == TIME && field != SHIFT && !(field == MULT && clock == CLOCK_MONOTONIC_RAW) &&
	    mixtures_that_show == 0)
		fail_msg("%s of another update of clock %d never shows", field_names[field],
			 (int)clock);
}

static void test_judge_mixtures(void **state)
{
	(void)state;
	for (enum payload_kind payload = 0; payload < PAYLOADS; payload++) {
		prepare(payload);
		for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
			for (enum field field = 0; field < FIELDS; field++) {
				bool unused =
					field == CYCLE_LAST || field == MULT || field == SHIFT;

				if (!(is_coarse(clocks[i]) && unused))
					judge_mixtures(payload, clocks[i], field);
			}
	}
}

/* A value that is off by the least there is. */
static void test_judge_is_exact(void **state)
{
	(void)state;
	for (enum payload_kind payload = 0; payload < PAYLOADS; payload++) {
		prepare(payload);
		for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
			struct oracle *oracle = tell_all(clocks[i], UPDATES);

			for (u64 number = 1; number <= UPDATES; number++) {
				u64 cycles = cycles_of(number) + 123;
				u64 right = right_value(number, clocks[i], cycles);

				for (s64 off = -1; off <= 1; off += 2) {
					u64 value = right + (u64)off;
					bool other = is_explained(number, clocks[i], cycles, value);

					check_verdict(oracle, (u32)number * 2, cycles, value,
						      other ? ORACLE_RIGHT : ORACLE_TORN,
						      payload_names[payload]);
				}
			}
			oracle_destroy(oracle);
		}
	}
}

/* A value that one update explains is right although the sequence names a neighbour of it. */
static void test_judge_neighbours(void **state)
{
	const u64 cycles = cycles_of(100) + 4321;
	struct oracle *oracle;

	(void)state;
	make_stamps(told, UPDATES, VDSO_CLOCKMODE_TSC);
	oracle = tell_all(CLOCK_MONOTONIC, UPDATES);
	for (u64 number = 98; number <= 164; number++)
		check_verdict(oracle, 200, cycles, right_value(number, CLOCK_MONOTONIC, cycles),
			      ORACLE_RIGHT, "a neighbour's value");
	check_verdict(oracle, 200, cycles, right_value(97, CLOCK_MONOTONIC, cycles), ORACLE_TORN,
		      "a value of long ago");
	check_verdict(oracle, 200, cycles, right_value(165, CLOCK_MONOTONIC, cycles), ORACLE_TORN,
		      "a value of long after");
	/* An odd sequence is of the update before: the one in progress must be among those. */
	check_verdict(oracle, 201, cycles, right_value(100, CLOCK_MONOTONIC, cycles), ORACLE_RIGHT,
		      "the update before an odd sequence");
	check_verdict(oracle, 201, cycles, right_value(101, CLOCK_MONOTONIC, cycles), ORACLE_RIGHT,
		      "the update that an odd sequence belongs to");
	oracle_destroy(oracle);
}

/* Updates that are not there yet explain nothing. */
static void test_judge_the_last_update(void **state)
{
	const u64 cycles = cycles_of(UPDATES) + 5;
	struct oracle *oracle;

	(void)state;
	make_stamps(told, UPDATES, VDSO_CLOCKMODE_TSC);
	oracle = tell_all(CLOCK_TAI, UPDATES - 1);
	check_verdict(oracle, 2 * (UPDATES - 1), cycles, right_value(UPDATES, CLOCK_TAI, cycles),
		      ORACLE_TORN, "an update not told");
	oracle_tell(oracle, UPDATES, &told[UPDATES]);
	check_verdict(oracle, 2 * (UPDATES - 1), cycles, right_value(UPDATES, CLOCK_TAI, cycles),
		      ORACLE_RIGHT, "the same, told");
	oracle_destroy(oracle);
}

static void test_judge_the_first_update(void **state)
{
	const u64 cycles = cycles_of(1) + 5;
	struct oracle *oracle;

	(void)state;
	make_stamps(told, UPDATES, VDSO_CLOCKMODE_TSC);
	oracle = tell_all(CLOCK_TAI, 1);
	for (u32 seq = 0; seq <= 3; seq++) {
		check_verdict(oracle, seq, cycles, right_value(1, CLOCK_TAI, cycles), ORACLE_RIGHT,
			      "the first update");
		check_verdict(oracle, seq, cycles, 12345, ORACLE_TORN, "a page of zeros");
	}
	oracle_destroy(oracle);
}

/* What is forgotten cannot be called a mixture. */
static void test_judge_unknown(void **state)
{
	struct oracle *oracle = create(CLOCK_MONOTONIC, RING, true);

	(void)state;
	make_stamps(told, UPDATES, VDSO_CLOCKMODE_TSC);
	for (u64 number = 1; number <= UPDATES; number++)
		oracle_tell(oracle, number, &told[number]);
	for (u64 number = 1; number <= UPDATES; number++) {
		u64 cycles = cycles_of(number) + 5;
		u64 value = right_value(number, CLOCK_MONOTONIC, cycles);
		/* The two updates before it might explain it, if they were known. */
		bool known = number - 2 > UPDATES - RING && number > 2;

		check_verdict(oracle, (u32)number * 2, cycles, value,
			      number > UPDATES - RING ? ORACLE_RIGHT : ORACLE_UNKNOWN, "a value");
		check_verdict(oracle, (u32)number * 2, cycles, value + 1000000,
			      known ? ORACLE_TORN : ORACLE_UNKNOWN, "a wrong value");
	}
	oracle_destroy(oracle);
}

/* Nor is what was never told forgotten: a sequence from memory that holds something else. */
static void test_judge_never_told(void **state)
{
	static const u32 beyond[] = {3, 100, 1u << 20, 1u << 29};
	struct oracle *oracle = create(CLOCK_MONOTONIC, RING, true);

	(void)state;
	make_stamps(told, UPDATES, VDSO_CLOCKMODE_TSC);
	for (u64 number = 1; number <= UPDATES; number++)
		oracle_tell(oracle, number, &told[number]);
	for (size_t i = 0; i < ARRAY_SIZE(beyond); i++) {
		const u32 seq = 2 * ((u32)UPDATES + beyond[i]);

		check_verdict(oracle, seq, cycles_of(UPDATES) + 5, 12345, ORACLE_TORN,
			      "nobody's value");
	}
	oracle_destroy(oracle);
}

/*
 * Spans: all that is known of a read by code that tells nothing. Beside the two payloads there are
 * stamps that stand still, for which a span of time is no room.
 */
#define STILL PAYLOADS

struct place {
	u64 begin, end; /* updates that the sequences are of */
	u32 begin_odd, end_odd;
	u64 begin_cycles, end_cycles;
};

static const u64 quanta[] = {1, 1000, NSEC_PER_SEC};

static void prepare_still(void)
{
	for (u64 number = 1; number <= UPDATES; number++) {
		told[number] =
			(struct timekeeper){.clock_mode = VDSO_CLOCKMODE_TSC, .mask = INT64_MAX};
		timekeeper_stamp(&told[number], number, cycles_of(number) + STAMP_AHEAD);
	}
}

static const char *payload_name(int payload)
{
	return payload == STILL ? "standing stamp" : payload_names[payload];
}

static u64 rounded(u64 value, u64 quantum)
{
	return value - value % quantum;
}

/* Whether the update gives this for some counter value of the span. */
static bool gives(u64 number, clockid_t clock, const struct place *place, u64 value, u64 quantum)
{
	u64 low = right_value(number, clock, place->begin_cycles);
	u64 high = right_value(number, clock, place->end_cycles);

	return value >= rounded(low, quantum) && value <= rounded(high, quantum);
}

static enum oracle_verdict expected_verdict(const struct oracle *oracle, clockid_t clock,
					    const struct place *place, u64 value, u64 quantum)
{
	u64 first = place->begin > 2 ? place->begin - 2 : 1;
	u64 latest = oracle_latest(oracle);
	enum oracle_verdict verdict = ORACLE_TORN;

	for (u64 n = first; n <= place->end + 64 && n <= latest; n++)
		if (gives(n, clock, place, value, quantum))
			verdict = n < place->begin ? ORACLE_STALE : ORACLE_RIGHT;
	return verdict;
}

static struct oracle_span span_of(const struct place *place)
{
	return (struct oracle_span){
		.begin_seq = (u32)place->begin * 2 + place->begin_odd,
		.end_seq = (u32)place->end * 2 + place->end_odd,
		.begin_cycles = place->begin_cycles,
		.end_cycles = place->end_cycles,
	};
}

static void check_span(const struct oracle *oracle, const struct place *place, u64 value,
		       u64 quantum, enum oracle_verdict expected, const char *what)
{
	const struct oracle_span span = span_of(place);
	enum oracle_verdict verdict = oracle_judge_span(oracle, &span, value, quantum);

	if (verdict != expected)
		fail_msg("%s in steps of %llu ns: verdict %d instead of %d, sequences %u to %u",
			 what, (unsigned long long)quantum, (int)verdict, (int)expected,
			 span.begin_seq, span.end_seq);
}

/* From the first to the last, but of many only some. */
static u64 next_of(const struct place *place, u64 number)
{
	u64 left = place->end - number;

	return left > 4 ? number + left / 2 : number + 1;
}

/* All that a correct reader may return. */
static void span_right(const struct oracle *oracle, clockid_t clock, const struct place *place)
{
	u64 length = place->end_cycles - place->begin_cycles;

	for (u64 n = place->begin; n <= place->end; n = next_of(place, n))
		for (u64 part = 0; part <= 4; part++)
			for (size_t i = 0; i < ARRAY_SIZE(quanta); i++) {
				u64 cycles = place->begin_cycles + length * part / 4;
				u64 value = right_value(n, clock, cycles);

				check_span(oracle, place, rounded(value, quanta[i]), quanta[i],
					   ORACLE_RIGHT, "a right value");
			}
}

static u64 spans_torn, spans_judged;

static void span_judge(const struct oracle *oracle, clockid_t clock, const struct place *place,
		       u64 value, u64 quantum, const char *what)
{
	enum oracle_verdict expected;

	value = rounded(value, quantum);
	expected = expected_verdict(oracle, clock, place, value, quantum);
	spans_judged++;
	spans_torn += expected == ORACLE_TORN;
	check_span(oracle, place, value, quantum, expected, what);
}

/* One step before and behind what each update gives. */
static void span_edges(const struct oracle *oracle, clockid_t clock, const struct place *place)
{
	for (u64 n = place->begin; n <= place->end; n = next_of(place, n))
		for (size_t i = 0; i < ARRAY_SIZE(quanta); i++) {
			u64 low = right_value(n, clock, place->begin_cycles);
			u64 high = right_value(n, clock, place->end_cycles);

			span_judge(oracle, clock, place, low - quanta[i], quanta[i], "too early");
			span_judge(oracle, clock, place, high + quanta[i], quanta[i], "too late");
		}
}

static void span_mixture(const struct oracle *oracle, clockid_t clock, const struct place *place,
			 u64 number, u64 other, enum field field)
{
	struct fields mixed = fields_of(&told[number], clock);
	struct fields from = fields_of(&told[other], clock);

	take_field(&mixed, &from, field);
	for (size_t i = 0; i < ARRAY_SIZE(quanta); i++) {
		span_judge(oracle, clock, place, value_of(&mixed, place->begin_cycles), quanta[i],
			   field_names[field]);
		span_judge(oracle, clock, place, value_of(&mixed, place->end_cycles), quanta[i],
			   field_names[field]);
	}
}

/* Each field from each neighbour, whole halves, and an update that is as far away as can be. */
static void span_mixtures(const struct oracle *oracle, clockid_t clock, const struct place *place)
{
	for (u64 n = place->begin; n <= place->end; n = next_of(place, n))
		for (enum field field = 0; field < FIELDS; field++) {
			if (is_coarse(clock) && field != SEC && field != NSEC)
				continue;
			if (n > 1)
				span_mixture(oracle, clock, place, n, n - 1, field);
			span_mixture(oracle, clock, place, n, n + 1, field);
			span_mixture(oracle, clock, place, n, place->end, field);
			span_mixture(oracle, clock, place, n, place->begin, field);
		}
}

typedef void span_fn(const struct oracle *oracle, clockid_t clock, const struct place *place);

/* Spans of this many updates, of this length and of one that holds no time at all. */
static void with_places(clockid_t clock, u64 begin, u64 updates, span_fn *test)
{
	struct oracle *oracle = tell_all(clock, UPDATES);
	struct place place = {.begin = begin, .end = begin + updates};

	for (u32 odd = 0; odd < 4; odd++)
		for (u64 length = 0; length <= 40000; length = length * 30 + 40) {
			place.begin_odd = odd & 1;
			place.end_odd = odd >> 1;
			/* A sequence does not fall. */
			if (updates == 0 && odd == 1)
				continue;
			place.begin_cycles = cycles_of(begin) + 70000;
			place.end_cycles = cycles_of(place.end) + 70000 + length;
			test(oracle, clock, &place);
		}
	oracle_destroy(oracle);
}

/* Returns how many of the values that were looked at were not honest. */
static u64 with_spans(int payload, clockid_t clock, span_fn *test)
{
	static const u64 begins[] = {1, 100, 2, 3}, lengths[] = {1, 67, 0, 2, 5, 95};
	/* The same whatever the configuration, but slow in some: all but one take half of each. */
#ifdef CONTEND_TEST_ONCE
	const size_t share = 1;
#else
	const size_t share = 2;
#endif

	if (payload == STILL)
		prepare_still();
	else
		prepare((enum payload_kind)payload);
	spans_torn = spans_judged = 0;
	for (size_t i = 0; i < ARRAY_SIZE(begins) / share; i++)
		for (size_t j = 0; j < ARRAY_SIZE(lengths) / share; j++)
			with_places(clock, begins[i], lengths[j], test);
	return spans_torn;
}

static void test_span_right(void **state)
{
	(void)state;
	for (int payload = 0; payload <= STILL; payload++)
		for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
			with_spans(payload, clocks[i], span_right);
}

static void test_span_edges(void **state)
{
	(void)state;
	for (int payload = 0; payload <= STILL; payload++)
		for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
			if (with_spans(payload, clocks[i], span_edges) == 0)
				fail_msg("%s: clock %d: nothing was torn", payload_name(payload),
					 (int)clocks[i]);
}

static void test_span_mixtures(void **state)
{
	(void)state;
	for (int payload = 0; payload <= STILL; payload++)
		for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
			if (with_spans(payload, clocks[i], span_mixtures) == 0)
				fail_msg("%s: clock %d: nothing was torn", payload_name(payload),
					 (int)clocks[i]);
}

/* What stamps stand still for: whatever the length of the span, a mixture is one. */
static void test_span_of_standing_stamps_is_exact(void **state)
{
	struct place place = {.begin = 100, .end = 101};

	(void)state;
	prepare_still();
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		struct oracle *oracle = tell_all(clocks[i], UPDATES);
		struct fields mixed = fields_of(&told[100], clocks[i]);
		u64 right = right_value(100, clocks[i], 0);
		u64 sec = fields_of(&told[101], clocks[i]).sec;

		place.begin_cycles = 0;
		place.end_cycles = 1ull << 54;
		mixed.sec = sec;
		check_span(oracle, &place, right, 1, ORACLE_RIGHT, "the value");
		check_span(oracle, &place, right + 1, 1, ORACLE_TORN, "one more");
		check_span(oracle, &place, right - 1, 1, ORACLE_TORN, "one less");
		check_span(oracle, &place, value_of(&mixed, 0), 1, ORACLE_TORN, "a mixture");
		oracle_destroy(oracle);
	}
}

/* An update that was put behind the oracle's back explains nothing. */
static void test_span_of_an_update_not_told(void **state)
{
	struct place place = {.begin = 100,
			      .end = 101,
			      .begin_cycles = cycles_of(100),
			      .end_cycles = cycles_of(101) + 100};
	u64 value;

	(void)state;
	prepare_still();
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		struct oracle *oracle = tell_all(clocks[i], 100);

		value = right_value(101, clocks[i], place.end_cycles);
		check_span(oracle, &place, value, 1, ORACLE_TORN, "an update not told");
		oracle_tell(oracle, 101, &told[101]);
		check_span(oracle, &place, value, 1, ORACLE_RIGHT, "the same, told");
		oracle_destroy(oracle);
	}
}

static void test_span_before_any_update(void **state)
{
	struct oracle *oracle = create(CLOCK_MONOTONIC, RING, true);
	const struct place place = {.end_cycles = cycles_of(1)};

	(void)state;
	prepare_still();
	check_span(oracle, &place, 0, 1, ORACLE_UNKNOWN, "no update at all");
	oracle_tell(oracle, 1, &told[1]);
	check_span(oracle, &place, right_value(1, CLOCK_MONOTONIC, 0), 1, ORACLE_RIGHT,
		   "the first update");
	check_span(oracle, &place, 0, 1, ORACLE_TORN, "a page of zeros");
	oracle_destroy(oracle);
}

/* A read that lasted for longer than the oracle remembers. */
static void test_span_forgotten(void **state)
{
	const u64 oldest = UPDATES - RING + 1;
	struct oracle *oracle = create(CLOCK_MONOTONIC, RING, true);

	(void)state;
	prepare_still();
	for (u64 number = 1; number <= UPDATES; number++)
		oracle_tell(oracle, number, &told[number]);
	for (u64 begin = 1; begin <= UPDATES; begin++)
		for (u64 end = begin; end <= UPDATES; end += 7) {
			const struct place place = {.begin = begin, .end = end};
			bool known = begin >= oldest + 2;

			for (u64 n = begin; n <= end; n += 3)
				check_span(oracle, &place, right_value(n, CLOCK_MONOTONIC, 0), 1,
					   n >= oldest ? ORACLE_RIGHT : ORACLE_UNKNOWN, "a value");
			check_span(oracle, &place, 12345, 1, known ? ORACLE_TORN : ORACLE_UNKNOWN,
				   "a wrong value");
		}
	oracle_destroy(oracle);
}

static u64 thread_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (u64)now.tv_sec * NSEC_PER_SEC + (u64)now.tv_nsec;
}

/* Nanoseconds that it takes to find nothing in a span of this many updates, the least of some. */
static u64 ns_to_judge(const struct oracle *oracle, u64 updates)
{
	const struct place place = {.begin = oracle_latest(oracle) - updates,
				    .end = oracle_latest(oracle)};
	const struct oracle_span span = span_of(&place);
	u64 least = UINT64_MAX;

	for (int i = 0; i < 9; i++) {
		u64 start = thread_ns(), taken;

		assert_int_equal(oracle_judge_span(oracle, &span, 12345, 1),
				 updates < RING / 2 ? ORACLE_TORN : ORACLE_UNKNOWN);
		taken = thread_ns() - start;
		least = taken < least ? taken : least;
	}
	return least;
}

/* A reader may have been put aside for long: what is forgotten is not gone through. */
static void test_long_span_is_judged_soon(void **state)
{
	const u64 start = 1ull << 27;
	struct oracle *oracle = create(CLOCK_MONOTONIC, RING, true);
	u64 some, all;

	(void)state;
	prepare_still();
	for (u64 number = 1; number <= UPDATES; number++)
		oracle_tell(oracle, start + number, &told[number]);
	some = ns_to_judge(oracle, RING / 4);
	all = ns_to_judge(oracle, start);
	if (all > 1000 * (some + 1000))
		fail_msg("%llu ns, and %llu of %d updates", (unsigned long long)all,
			 (unsigned long long)some, RING / 4);
	oracle_destroy(oracle);
}

/* Around where the sequence comes back to 0; told[n] is told as update start + n. */
static void check_spans_from(u64 start)
{
	struct oracle *oracle = create(CLOCK_REALTIME, UPDATES, true);

	for (u64 number = 1; number <= UPDATES; number++)
		oracle_tell(oracle, start + number, &told[number]);
	for (u64 begin = 4; begin < 180; begin++)
		for (u64 end = begin; end <= begin + 6; end += 2) {
			const struct place place = {
				.begin = start + begin, .end = start + end, .begin_odd = begin & 1};
			struct fields mixed = fields_of(&told[begin], CLOCK_REALTIME);

			for (u64 n = begin; n <= end; n++)
				check_span(oracle, &place, right_value(n, CLOCK_REALTIME, 0), 1,
					   ORACLE_RIGHT, "a value");
			mixed.sec = fields_of(&told[begin + 1], CLOCK_REALTIME).sec;
			check_span(oracle, &place, value_of(&mixed, 0), 1, ORACLE_TORN,
				   "a mixture");
			check_span(oracle, &place, right_value(begin - 3, CLOCK_REALTIME, 0), 1,
				   ORACLE_TORN, "a value of before");
		}
	oracle_destroy(oracle);
}

static void test_span_where_the_sequence_wraps(void **state)
{
	(void)state;
	prepare_still();
	check_spans_from((1ull << 31) - 100);
	check_spans_from((1ull << 30) - 100);
	check_spans_from((6ull << 31) - 100);
}

/*
 * Order. Update n tells times from n * STEP on, as far as the cases below want them to; the oracle
 * compares nothing but the times it is given.
 */
#define STEP 1000000ull

static u64 first_ns;

/* A cycle is a nanosecond, so that no slope ever excuses what goes back. */
static void make_even_time(void)
{
	const struct timekeeper_start start = {.frequency_hz = NSEC_PER_SEC,
					       .mask = INT64_MAX,
					       .clock_mode = VDSO_CLOCKMODE_TSC,
					       .interval_hz = 1000,
					       .realtime = {1700000000, 990000000},
					       .monotonic = {4321, 980000000},
					       .boottime = {54321, 970000000}};
	struct timekeeper tk;
	struct errmsg err;

	assert_int_equal(timekeeper_init(&tk, &start, 0, &err), 0);
	for (u64 number = 1; number <= UPDATES; number++) {
		timekeeper_advance(&tk, number * STEP);
		told[number] = tk;
	}
}

static struct oracle *ordered_oracle(u64 updates, bool ordered)
{
	struct oracle *oracle = create(CLOCK_MONOTONIC, RING, ordered);
	struct oracle_update update;

	make_even_time();
	for (u64 number = 1; number <= updates; number++)
		oracle_tell(oracle, number, &told[1 + (number - 1) % UPDATES]);
	assert_true(oracle_recall(oracle, 1, &update) || updates >= RING);
	first_ns = right_value(1, CLOCK_MONOTONIC, told[1].cycle_last);
	return oracle;
}

static u64 at(u64 number, u64 ns)
{
	return first_ns + number * STEP + ns;
}

static void check_order(struct oracle *oracle, u64 before, u64 before_ns, u64 after, u64 after_ns,
			u32 expected)
{
	u32 backwards = oracle_order(oracle, before, before_ns, after, after_ns);

	if (backwards != expected)
		fail_msg(
			"%llu ns under update %llu, %llu ns under %llu: %u times backwards, not %u",
			(unsigned long long)(before_ns - first_ns), (unsigned long long)before,
			(unsigned long long)(after_ns - first_ns), (unsigned long long)after,
			backwards, expected);
}

static void test_order_within_a_thread(void **state)
{
	struct oracle *oracle = ordered_oracle(30, true);

	(void)state;
	check_order(oracle, 5, at(5, 10), 5, at(5, 10), 0);
	check_order(oracle, 5, at(5, 10), 5, at(5, 11), 0);
	check_order(oracle, 5, at(5, 10), 5, at(5, 9), 1);
	check_order(oracle, 5, at(5, 10), 6, at(6, 0), 0);
	check_order(oracle, 6, at(6, 0), 7, at(5, 999999), 1);
	/* Equal is not backwards. */
	check_order(oracle, 10, at(10, 10), 11, at(10, 10), 0);
	/* A page that is a step behind: the sequence backwards, time forwards. */
	check_order(oracle, 21, at(21, 0), 20, at(21, 1), 0);
	check_order(oracle, 21, at(21, 0), 20, at(20, 1), 1);
	oracle_destroy(oracle);
}

/* One thread read late under 10, another read early under 11: whoever tells second sees it. */
static void test_order_across_threads_late_first(void **state)
{
	struct oracle *oracle = ordered_oracle(30, true);

	(void)state;
	check_order(oracle, 10, at(10, 500), 11, at(11, 700), 0);
	check_order(oracle, 10, at(10, 100), 11, at(10, 499), 1);
	oracle_destroy(oracle);
}

static void test_order_across_threads_early_first(void **state)
{
	struct oracle *oracle = ordered_oracle(30, true);

	(void)state;
	check_order(oracle, 10, at(10, 100), 11, at(10, 499), 0);
	check_order(oracle, 10, at(10, 500), 11, at(11, 700), 1);
	oracle_destroy(oracle);
}

static void test_order_across_threads_equal(void **state)
{
	struct oracle *oracle = ordered_oracle(30, true);

	(void)state;
	check_order(oracle, 10, at(10, 500), 11, at(11, 0), 0);
	check_order(oracle, 10, at(10, 100), 11, at(10, 500), 0);
	check_order(oracle, 10, at(10, 500), 11, at(10, 500), 0);
	/* Later under 10 and sooner under 11 only narrow it. */
	check_order(oracle, 10, at(10, 400), 11, at(10, 900), 0);
	check_order(oracle, 10, at(10, 501), 11, at(10, 501), 1);
	oracle_destroy(oracle);
}

/* Reads more than one update apart, each with a neighbour of its own. */
static void test_order_across_several_updates(void **state)
{
	struct oracle *oracle = ordered_oracle(30, true);

	(void)state;
	check_order(oracle, 10, at(10, 500), 11, at(11, 0), 0);
	check_order(oracle, 14, at(14, 0), 15, at(15, 300), 0);
	/* From 9, before 10's latest, up to 11: too early, by the first thread's word on 10. */
	check_order(oracle, 9, at(9, 0), 11, at(10, 499), 1);
	/* From 14 on, later than what 15 began with. */
	check_order(oracle, 14, at(15, 301), 20, at(20, 0), 1);
	/* Both at once: the entries between 10 and 15 say nothing. */
	check_order(oracle, 12, at(12, 0), 13, at(13, 500), 0);
	check_order(oracle, 17, at(17, 0), 18, at(17, 500), 0);
	check_order(oracle, 11, at(11, 1), 12, at(11, 1), 0);
	check_order(oracle, 16, at(17, 0), 17, at(17, 0), 0);
	oracle_destroy(oracle);

	oracle = ordered_oracle(30, true);
	check_order(oracle, 11, at(12, 0), 12, at(12, 0), 0);
	check_order(oracle, 14, at(14, 500), 15, at(15, 0), 0);
	/* After 12 began by the one's word, and before 14 ended by the other's. */
	check_order(oracle, 11, at(12, 1), 15, at(14, 499), 2);
	oracle_destroy(oracle);
}

/* Reads of one update say nothing to other threads: they are not noted. */
static void test_order_within_one_update_is_private(void **state)
{
	struct oracle *oracle = ordered_oracle(30, true);

	(void)state;
	check_order(oracle, 10, at(12, 0), 10, at(13, 0), 0);
	check_order(oracle, 10, at(10, 0), 11, at(11, 0), 0);
	oracle_destroy(oracle);
}

static void test_order_not_asked_for(void **state)
{
	struct oracle *oracle = ordered_oracle(30, false);

	(void)state;
	check_order(oracle, 5, at(5, 10), 5, at(5, 9), 0);
	check_order(oracle, 10, at(10, 500), 11, at(11, 700), 0);
	check_order(oracle, 10, at(10, 100), 11, at(10, 499), 0);
	check_order(oracle, 10, at(20, 0), 11, at(10, 0), 0);
	oracle_destroy(oracle);
}

/* What was said of update 10 must not be held against update 10 + RING. */
static void test_order_when_the_ring_is_reused(void **state)
{
	struct oracle *oracle = ordered_oracle(30, true);
	const u64 reused = 10 + RING;

	(void)state;
	check_order(oracle, 10, at(900, 0), 11, at(900, 0), 0);
	for (u64 number = 31; number <= reused + 5; number++)
		oracle_tell(oracle, number, &told[number]);
	check_order(oracle, reused, at(reused, 500), reused + 1, at(reused + 1, 0), 0);
	/* But what is said of it now is. */
	check_order(oracle, reused, at(reused, 100), reused + 1, at(reused, 499), 1);
	oracle_destroy(oracle);
}

/* A slow reader's word on a forgotten update must not touch what is said of the one in its place.
 */
static void test_order_of_a_forgotten_update(void **state)
{
	struct oracle *oracle = ordered_oracle(30 + RING, true);
	const u64 reused = 10 + RING;

	(void)state;
	check_order(oracle, 10, at(900, 0), 11, at(901, 0), 0);
	check_order(oracle, 9, at(0, 0), 10, at(0, 1), 0);
	check_order(oracle, reused, at(reused, 0), reused + 1, at(reused + 1, 0), 0);
	check_order(oracle, reused - 1, at(reused - 1, 0), reused, at(reused, 0), 0);
	/* Backwards within the thread is known from its own two reads. */
	check_order(oracle, 10, at(900, 0), 11, at(899, 0), 1);

	check_order(oracle, reused, at(reused, 500), reused + 1, at(reused + 1, 0), 0);
	/* Nor must it be held against that. */
	check_order(oracle, 9, at(9, 0), 11, at(11, 0), 0);
	check_order(oracle, 10, at(reused + 10, 0), 12, at(reused + 10, 1), 0);
	/* Which is still what it was. */
	check_order(oracle, reused, at(reused, 0), reused + 1, at(reused, 499), 1);
	check_order(oracle, reused, at(reused, 501), reused + 2, at(reused + 2, 0), 1);
	oracle_destroy(oracle);
}

/* As close to 2^50 ns as whole days come. */
#define DAYS_OF_ROOM 13

/* The packed words have room for times on both sides of the start; what has none is not noted. */
static void test_order_far_from_the_start(void **state)
{
	struct oracle *oracle = ordered_oracle(30, true);
	const u64 day = 86400ull * NSEC_PER_SEC;
	const u64 within[] = {0 - DAYS_OF_ROOM * day, 0 - day, 0 - NSEC_PER_SEC, 0, day,
			      DAYS_OF_ROOM * day};
	const u64 beyond[] = {0 - 20000 * day, 0 - (DAYS_OF_ROOM + 1) * day,
			      (DAYS_OF_ROOM + 1) * day, 20000 * day};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(beyond); i++) {
		check_order(oracle, 10, first_ns + beyond[i], 11, first_ns + beyond[i] + 1, 0);
		check_order(oracle, 10, first_ns + beyond[i], 11, first_ns + beyond[i] - 1, 1);
		check_order(oracle, 10, first_ns + beyond[i] - 9, 11, first_ns + beyond[i] - 8, 0);
	}
	/* None of it was noted. */
	check_order(oracle, 10, at(10, 0), 11, at(11, 0), 0);
	for (u64 i = 0; i < ARRAY_SIZE(within); i++) {
		u64 far = first_ns + within[i], number = 13 + 3 * i;

		check_order(oracle, number, far, number + 1, far, 0);
		check_order(oracle, number, far - 2, number + 1, far - 1, 1);
	}
	oracle_destroy(oracle);
}

/*
 * Threads that tell and recall at once. Recall may refuse, but what it gives is one update, whole:
 * each field is compared with what the number alone says it must be.
 */
#define RECALLERS	 2
#define RECALLS_PER_KIND (CONTEND_TSAN ? 3000u : 100000u)
#define RECALLS_AT_MOST	 (CONTEND_TSAN ? 3000000u : 300000000u)

struct recaller {
	pthread_t thread;
	const struct oracle *oracle;
	u64 recalled;
	u64 refused;
	u64 mixed;
};

static bool stop_telling;

static struct oracle_update update_of_stamp(u64 number)
{
	struct timekeeper tk = {0};
	struct fields f;

	timekeeper_stamp(&tk, number, cycles_of(number));
	f = fields_of(&tk, CLOCK_MONOTONIC);
	return (struct oracle_update){
		.number = number,
		.cycle_last = tk.cycle_last,
		.max_cycles = tk.max_cycles,
		.sec = f.sec,
		.nsec = f.nsec,
		.mult = f.mult,
		.shift = f.shift,
	};
}

static void *tell_at_full_speed(void *oracle)
{
	struct timekeeper tk = {0};

	for (u64 number = 1; !READ_ONCE(stop_telling); number++) {
		timekeeper_stamp(&tk, number, cycles_of(number));
		oracle_tell(oracle, number, &tk);
	}
	return NULL;
}

/* Around the end of the ring, where an update is about to be written over. */
static void *recall_at_full_speed(void *argument)
{
	struct recaller *me = argument;
	u64 age = 0;

	for (u64 i = 0; i < RECALLS_AT_MOST; i++) {
		u64 latest = oracle_latest(me->oracle);
		struct oracle_update update, whole;

		if (me->recalled >= RECALLS_PER_KIND && me->refused >= RECALLS_PER_KIND)
			break;
		age = (age + 1) % 16;
		if (latest <= RING)
			continue;
		if (!oracle_recall(me->oracle, latest - RING + age, &update)) {
			me->refused++;
			continue;
		}
		me->recalled++;
		whole = update_of_stamp(latest - RING + age);
		me->mixed += memcmp(&update, &whole, sizeof(update)) != 0;
	}
	return NULL;
}

static void test_recall_while_told(void **state)
{
	struct oracle *oracle = create(CLOCK_MONOTONIC, RING, false);
	struct recaller recallers[RECALLERS];
	pthread_t teller;

	(void)state;
	stop_telling = false;
	assert_int_equal(pthread_create(&teller, NULL, tell_at_full_speed, oracle), 0);
	for (int i = 0; i < RECALLERS; i++) {
		recallers[i] = (struct recaller){.oracle = oracle};
		assert_int_equal(pthread_create(&recallers[i].thread, NULL, recall_at_full_speed,
						&recallers[i]),
				 0);
	}
	for (int i = 0; i < RECALLERS; i++)
		pthread_join(recallers[i].thread, NULL);
	WRITE_ONCE(stop_telling, true);
	pthread_join(teller, NULL);
	oracle_destroy(oracle);
	for (int i = 0; i < RECALLERS; i++) {
		if (recallers[i].mixed)
			fail_msg("%llu of %llu recalled updates are mixtures",
				 (unsigned long long)recallers[i].mixed,
				 (unsigned long long)recallers[i].recalled);
		assert_true(recallers[i].recalled > 0);
		assert_true(recallers[i].refused > 0);
	}
}

/*
 * Threads that read in order while time is right never hear that it ran backwards, whatever the
 * interleaving. If one of them reads a little early under each update, though later than it has
 * read itself, then for each update one of them hears it.
 */
#define ORDERERS	2
#define ORDERED_UPDATES (1u << 12)

struct orderer {
	pthread_t thread;
	pthread_barrier_t *start;
	struct oracle *oracle;
	u64 last_ns;  /* of reads under an update, since its beginning */
	u64 first_ns; /* under the next update, since the same */
	u64 backwards;
};

static void *order_at_full_speed(void *argument)
{
	struct orderer *me = argument;

	pthread_barrier_wait(me->start);
	for (u64 n = 1; n < ORDERED_UPDATES; n++)
		me->backwards +=
			oracle_order(me->oracle, n, at(n, me->last_ns), n + 1, at(n, me->first_ns));
	return NULL;
}

static u64 run_orderers(u64 early_ns)
{
	struct oracle *oracle = create(CLOCK_MONOTONIC, ORDERED_UPDATES, true);
	struct orderer orderers[ORDERERS];
	pthread_barrier_t start;
	u64 backwards = 0;

	make_even_time();
	first_ns = right_value(1, CLOCK_MONOTONIC, told[1].cycle_last);
	for (u64 number = 1; number <= ORDERED_UPDATES; number++)
		oracle_tell(oracle, number, &told[1 + (number - 1) % UPDATES]);
	pthread_barrier_init(&start, NULL, ORDERERS);
	for (u64 i = 0; i < ORDERERS; i++) {
		orderers[i] = (struct orderer){
			.start = &start,
			.oracle = oracle,
			.last_ns = STEP - 100 * i,
			.first_ns = STEP - early_ns * i,
		};
		assert_int_equal(pthread_create(&orderers[i].thread, NULL, order_at_full_speed,
						&orderers[i]),
				 0);
	}
	for (int i = 0; i < ORDERERS; i++) {
		pthread_join(orderers[i].thread, NULL);
		backwards += orderers[i].backwards;
	}
	pthread_barrier_destroy(&start);
	oracle_destroy(oracle);
	return backwards;
}

static void test_order_with_threads(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++) {
		assert_int_equal(run_orderers(0), 0);
		assert_true(run_orderers(1) >= ORDERED_UPDATES - 1);
	}
}

int main(int count, char **arguments)
{
	const struct CMUnitTest beside[] = {
		cmocka_unit_test(test_knows_nothing_at_first),
		cmocka_unit_test(test_recall),
		cmocka_unit_test(test_recall_at_the_front),
		cmocka_unit_test(test_forgets_what_does_not_fit),
		cmocka_unit_test(test_largest_capacity),
		cmocka_unit_test(test_number_from_sequence),
		cmocka_unit_test(test_number_from_an_old_sequence),
		cmocka_unit_test(test_number_before_any_update),
		cmocka_unit_test(test_nanoseconds),
		cmocka_unit_test(test_nanoseconds_at_the_edges),
		cmocka_unit_test(test_judge_right),
		cmocka_unit_test(test_judge_mixtures),
		cmocka_unit_test(test_judge_is_exact),
		cmocka_unit_test(test_judge_neighbours),
		cmocka_unit_test(test_judge_the_last_update),
		cmocka_unit_test(test_judge_the_first_update),
		cmocka_unit_test(test_judge_unknown),
		cmocka_unit_test(test_judge_never_told),
		cmocka_unit_test(test_span_right),
		cmocka_unit_test(test_span_edges),
		cmocka_unit_test(test_span_mixtures),
		cmocka_unit_test(test_span_of_standing_stamps_is_exact),
		cmocka_unit_test(test_span_of_an_update_not_told),
		cmocka_unit_test(test_span_before_any_update),
		cmocka_unit_test(test_span_forgotten),
		cmocka_unit_test(test_long_span_is_judged_soon),
		cmocka_unit_test(test_span_where_the_sequence_wraps),
		cmocka_unit_test(test_order_within_a_thread),
		cmocka_unit_test(test_order_across_threads_late_first),
		cmocka_unit_test(test_order_across_threads_early_first),
		cmocka_unit_test(test_order_across_threads_equal),
		cmocka_unit_test(test_order_across_several_updates),
		cmocka_unit_test(test_order_within_one_update_is_private),
		cmocka_unit_test(test_order_not_asked_for),
		cmocka_unit_test(test_order_when_the_ring_is_reused),
		cmocka_unit_test(test_order_of_a_forgotten_update),
		cmocka_unit_test(test_order_far_from_the_start),
	};
	const struct CMUnitTest alone[] = {
		cmocka_unit_test(test_recall_while_told),
		cmocka_unit_test(test_order_with_threads),
	};
	int failed = 0;

	if (wants_tests(count, arguments, "--beside"))
		failed += cmocka_run_group_tests(beside, NULL, NULL);
	if (wants_tests(count, arguments, "--alone"))
		failed += cmocka_run_group_tests(alone, NULL, NULL);
	return failed;
}
