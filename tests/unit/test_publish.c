// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The order of an update's stores and barriers, against "Order of one update" in the design.
 *
 * The primitives of sim/barrier.h are replaced by ones that keep a record, and the writers under
 * test, the broken ones too, are compiled again on top of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim/types.h"

enum kind {
	STORE,	    /* volatile: of a sequence */
	DATA_STORE, /* plain */
	WRITE_BARRIER
};

struct event {
	enum kind kind;
	u64 offset; /* in the page */
	u64 bytes;
	u64 value;
};

#define MAX_EVENTS 200

struct record {
	int events;
	struct event event[MAX_EVENTS];
};

static struct record record;

static void keep(enum kind kind, const volatile void *where, u64 bytes, u64 value);
static void pause_once(void);

#define SIM_BARRIER_H
#define likely(x)     (x)
#define unlikely(x)   (x)
#define READ_ONCE(x)  (*(volatile __typeof__(x) *)&(x))
#define PLAIN_LOAD(x) (x)
#define cpu_relax()   pause_once()
#define barrier()     ((void)0) /* It holds back only the compiler. */
#define smp_wmb()     keep(WRITE_BARRIER, NULL, 0, 0)
#define smp_rmb()     ((void)0) /* No reader is tested here. */
#define WRITE_ONCE(x, v)                                \
	do {                                            \
		(x) = (v);                              \
		keep(STORE, &(x), sizeof(x), (u64)(x)); \
	} while (0)
#define PLAIN_STORE(x, v)                                    \
	do {                                                 \
		(x) = (v);                                   \
		keep(DATA_STORE, &(x), sizeof(x), (u64)(x)); \
	} while (0)

#include "sim/publish.h"

/* These define what the library's copies of them do; the linker takes the ones here. */
#include "writers/mutants.c"
#include "writers/tick.c"

/* The page, and behind it the one with the virtual counter. */
static union {
	struct vdso_time_data data;
	u8 bytes[2][SIM_PAGE_BYTES];
	u64 words[2][SIM_PAGE_BYTES / sizeof(u64)];
} pages __attribute__((aligned(SIM_PAGE_BYTES)));

static struct vdso_time_data *const page = &pages.data;

/* Pauses of a writer that holds; each is a cycle long. */
static u64 pauses;
static int events_before_pause;

static void pause_once(void)
{
	if (pauses++ == 0)
		events_before_pause = record.events;
	pages.words[1][0]++;
}

static void keep(enum kind kind, const volatile void *where, u64 bytes, u64 value)
{
	u64 offset = where ? (u64)((const volatile char *)where - (const char *)page) : 0;

	assert_true(record.events < MAX_EVENTS);
	assert_true(kind == WRITE_BARRIER || offset + bytes <= sizeof(*page));
	record.event[record.events++] = (struct event){kind, offset, bytes, value};
}

/* A step of the update: what may stand in any order among itself, but not past its neighbours. */
struct step {
	const char *name;
	int events;
	struct event event[6];
};

#define MAX_STEPS 24

struct plan {
	int steps;
	struct step step[MAX_STEPS];
};

static struct step *add_step(struct plan *plan, const char *name)
{
	struct step *step = &plan->step[plan->steps++];

	assert_true(plan->steps <= MAX_STEPS);
	*step = (struct step){.name = name};
	return step;
}

static void add_event(struct step *step, enum kind kind, u64 offset, u64 bytes, u64 value)
{
	assert_true((size_t)step->events < ARRAY_SIZE(step->event));
	step->event[step->events++] = (struct event){kind, offset, bytes, value};
}

/* A store into a clock structure, at the offset that the design's table gives. */
static void add_field(struct step *step, enum vdso_clock_index index, u64 offset, u64 bytes,
		      u64 value)
{
	add_event(step, DATA_STORE, (u64)index * 232 + offset, bytes, value);
}

static void add_sequences(struct plan *plan, const char *name, u32 seq)
{
	struct step *step = add_step(plan, name);

	add_event(step, STORE, 0, 4, seq);
	add_event(step, STORE, 232, 4, seq);
}

static void add_barrier(struct plan *plan)
{
	add_event(add_step(plan, "write barrier"), WRITE_BARRIER, 0, 0, 0);
}

static void add_base(struct step *step, enum vdso_clock_index index, clockid_t clock,
		     const struct timekeeper *tk)
{
	struct vdso_timestamp base;

	timekeeper_base(tk, clock, &base);
	add_field(step, index, 40 + 16 * (u64)clock, 8, base.sec);
	add_field(step, index, 48 + 16 * (u64)clock, 8, base.nsec);
}

static void add_counter(struct plan *plan, enum vdso_clock_index index, const struct timekeeper *tk,
			u32 mult)
{
	struct step *step = add_step(plan, "counter base");

	add_field(step, index, 8, 8, tk->cycle_last);
	add_field(step, index, 16, 8, tk->max_cycles);
	add_field(step, index, 24, 8, tk->mask);
	add_field(add_step(plan, "mult"), index, 32, 4, mult);
	add_field(add_step(plan, "shift"), index, 36, 4, tk->shift);
}

static void plan_fields_for_all(struct plan *plan, const struct timekeeper *tk)
{
	struct step *step = add_step(plan, "clock mode");

	add_field(step, CS_HRES_COARSE, 4, 4, (u64)(s64)tk->clock_mode);
	add_field(step, CS_RAW, 4, 4, (u64)(s64)tk->clock_mode);
	add_base(add_step(plan, "REALTIME"), CS_HRES_COARSE, CLOCK_REALTIME, tk);
	step = add_step(plan, "coarse clocks");
	add_base(step, CS_HRES_COARSE, CLOCK_REALTIME_COARSE, tk);
	add_base(step, CS_HRES_COARSE, CLOCK_MONOTONIC_COARSE, tk);
	add_event(add_step(plan, "resolution"), DATA_STORE, 2 * 232 + 8, 4, 1);
}

static void plan_fields_of_the_counter(struct plan *plan, const struct timekeeper *tk)
{
	add_counter(plan, CS_HRES_COARSE, tk, tk->mult);
	add_counter(plan, CS_RAW, tk, tk->nominal_mult);
	add_base(add_step(plan, "MONOTONIC"), CS_HRES_COARSE, CLOCK_MONOTONIC, tk);
	add_base(add_step(plan, "BOOTTIME"), CS_HRES_COARSE, CLOCK_BOOTTIME, tk);
	add_base(add_step(plan, "RAW"), CS_RAW, CLOCK_MONOTONIC_RAW, tk);
	add_base(add_step(plan, "TAI"), CS_HRES_COARSE, CLOCK_TAI, tk);
}

/* The whole update that starts from an even sequence. */
static struct plan plan_of(const struct timekeeper *tk, u32 seq)
{
	struct plan plan = {0};

	add_sequences(&plan, "both sequences odd", seq + 1);
	add_barrier(&plan);
	plan_fields_for_all(&plan, tk);
	if (tk->clock_mode != VDSO_CLOCKMODE_NONE)
		plan_fields_of_the_counter(&plan, tk);
	add_barrier(&plan);
	add_sequences(&plan, "both sequences even", seq + 2);
	return plan;
}

static bool same_event(const struct event *a, const struct event *b)
{
	return a->kind == b->kind && a->offset == b->offset && a->bytes == b->bytes &&
	       a->value == b->value;
}

/* Whether the next events of the record are the step's, each once. */
static bool step_follows(const struct step *step, const struct record *seen, int next)
{
	bool met[ARRAY_SIZE(step->event)] = {false};

	for (int i = next; i < next + step->events; i++) {
		int which = 0;

		if (i == seen->events)
			return false;
		while (which < step->events &&
		       (met[which] || !same_event(&step->event[which], &seen->event[i])))
			which++;
		if (which == step->events)
			return false;
		met[which] = true;
	}
	return true;
}

/* The first step that is not where it belongs; NULL when the record is the plan's. */
static const char *first_deviation(const struct plan *plan, const struct record *seen)
{
	int next = 0;

	for (int i = 0; i < plan->steps; i++) {
		if (!step_follows(&plan->step[i], seen, next))
			return plan->step[i].name;
		next += plan->step[i].events;
	}
	return next == seen->events ? NULL : "end";
}

/* No two fields of it hold the same value. */
static struct timekeeper distinct_timekeeper(void)
{
	return (struct timekeeper){
		.mask = 0x7fffffffffffffff,
		.max_cycles = 0x123456789ab,
		.shift = 24,
		.nominal_mult = 6430001,
		.mult = 6430177,
		.clock_mode = VDSO_CLOCKMODE_TSC,
		.cycle_last = 0xfedcba987654,
		.realtime_sec = 1700000000,
		.realtime_nsec = 900000011ull << 24,
		.raw_sec = 4000,
		.raw_nsec = 123456789ull << 24,
		.coarse_nsec = 800000013,
		.wall_to_monotonic = {-1699995000, 300000017},
		.boot_offset = {86400, 400000019},
		.tai_offset_sec = 37,
	};
}

static void start_record(u32 seq)
{
	memset(page, 0, sizeof(*page));
	page->clock_data[CS_HRES_COARSE].seq = seq;
	page->clock_data[CS_RAW].seq = seq;
	record.events = 0;
	pauses = 0;
}

static void check_update(const struct timekeeper *tk, u32 seq)
{
	struct plan plan = plan_of(tk, seq);
	const char *deviation;

	start_record(seq);
	update_vsyscall(page, &page_layout_current, tk);
	deviation = first_deviation(&plan, &record);
	if (deviation)
		fail_msg("the update leaves the order at: %s", deviation);
}

static void test_order(void **state)
{
	const struct timekeeper tk = distinct_timekeeper();

	(void)state;
	check_update(&tk, 0);
	check_update(&tk, 2);
	check_update(&tk, 123456);
}

/* The sequence is a counter of 32 bits that wraps. */
static void test_sequence_wraps(void **state)
{
	const struct timekeeper tk = distinct_timekeeper();

	(void)state;
	check_update(&tk, UINT32_MAX - 1);
	assert_int_equal(page->clock_data[CS_HRES_COARSE].seq, 0);
	assert_int_equal(page->clock_data[CS_RAW].seq, 0);
}

static void test_every_readable_mode(void **state)
{
	struct timekeeper tk = distinct_timekeeper();

	(void)state;
	for (s32 mode = VDSO_CLOCKMODE_TSC; mode <= SIM_CLOCKMODE_VIRTUAL; mode++) {
		tk.clock_mode = mode;
		check_update(&tk, 40);
	}
}

static bool record_touches(u64 offset)
{
	for (int i = 0; i < record.events; i++)
		if (record.event[i].kind != WRITE_BARRIER && record.event[i].offset == offset)
			return true;
	return false;
}

static void test_mode_none(void **state)
{
	struct timekeeper tk = distinct_timekeeper();

	(void)state;
	tk.clock_mode = VDSO_CLOCKMODE_NONE;
	check_update(&tk, 6);
	for (u64 index = 0; index < CS_BASES; index++) {
		assert_false(record_touches(index * 232 + offsetof(struct vdso_clock, cycle_last)));
		assert_false(record_touches(index * 232 + offsetof(struct vdso_clock, mult)));
		assert_false(record_touches(index * 232 + 40 + 16 * CLOCK_MONOTONIC));
	}
	assert_true(record_touches(40 + 16 * CLOCK_REALTIME));
	assert_true(record_touches(40 + 16 * CLOCK_MONOTONIC_COARSE));
	/* 2 sequences, barrier, 2 modes, 3 bases, resolution, barrier, 2 sequences. */
	assert_int_equal(record.events, 2 + 1 + 2 + 3 * 2 + 1 + 1 + 2);
}

/* Values by hand, lest the plan and the publication share a mistake of timekeeper_base. */
static void test_values(void **state)
{
	const struct timekeeper tk = distinct_timekeeper();
	const struct vdso_clock *hres = &page->clock_data[CS_HRES_COARSE];
	const struct vdso_clock *raw = &page->clock_data[CS_RAW];

	(void)state;
	check_update(&tk, 8);
	assert_int_equal(hres->basetime[CLOCK_REALTIME].sec, 1700000000);
	assert_int_equal(hres->basetime[CLOCK_REALTIME].nsec, 900000011ull << 24);
	assert_int_equal(hres->basetime[CLOCK_REALTIME_COARSE].sec, 1700000000);
	assert_int_equal(hres->basetime[CLOCK_REALTIME_COARSE].nsec, 800000013);
	assert_int_equal(hres->basetime[CLOCK_MONOTONIC].sec, 5001);
	assert_int_equal(hres->basetime[CLOCK_MONOTONIC].nsec, 200000028ull << 24);
	assert_int_equal(hres->basetime[CLOCK_MONOTONIC_COARSE].sec, 5001);
	assert_int_equal(hres->basetime[CLOCK_MONOTONIC_COARSE].nsec, 100000030);
	assert_int_equal(hres->basetime[CLOCK_BOOTTIME].sec, 91401);
	assert_int_equal(hres->basetime[CLOCK_BOOTTIME].nsec, 600000047ull << 24);
	assert_int_equal(hres->basetime[CLOCK_TAI].sec, 1700000037);
	assert_int_equal(hres->basetime[CLOCK_TAI].nsec, 900000011ull << 24);
	assert_int_equal(raw->basetime[CLOCK_MONOTONIC_RAW].sec, 4000);
	assert_int_equal(raw->basetime[CLOCK_MONOTONIC_RAW].nsec, 123456789ull << 24);
	assert_int_equal(hres->mult, 6430177);
	assert_int_equal(raw->mult, 6430001);
}

static bool is_clock_of_first_structure(u64 slot)
{
	return slot == CLOCK_REALTIME || slot == CLOCK_MONOTONIC || slot == CLOCK_BOOTTIME ||
	       slot == CLOCK_TAI || slot == CLOCK_REALTIME_COARSE || slot == CLOCK_MONOTONIC_COARSE;
}

/* Slots that belong to no clock of a structure stay as they are. */
static void test_nothing_else_is_written(void **state)
{
	const struct timekeeper tk = distinct_timekeeper();

	(void)state;
	check_update(&tk, 8);
	for (u64 slot = 0; slot < VDSO_BASES; slot++) {
		assert_int_equal(record_touches(40 + 16 * slot), is_clock_of_first_structure(slot));
		assert_int_equal(record_touches(232 + 40 + 16 * slot), slot == CLOCK_MONOTONIC_RAW);
	}
	assert_false(record_touches(offsetof(struct vdso_time_data, tz_minuteswest)));
	assert_false(record_touches(offsetof(struct vdso_time_data, tz_dsttime)));
}

/* The record of one right update, to be spoilt. */
static struct plan record_update(void)
{
	const struct timekeeper tk = distinct_timekeeper();

	check_update(&tk, 8);
	return plan_of(&tk, 8);
}

static int step_of(const struct plan *plan, int event)
{
	int step = 0;

	while (event >= plan->step[step].events)
		event -= plan->step[step++].events;
	return step;
}

/* The checker itself: any two events of different steps, swapped, must be told. */
static void test_checker_sees_a_swap(void **state)
{
	const struct plan plan = record_update();
	int swaps = 0;

	(void)state;
	for (int a = 0; a < record.events; a++)
		for (int b = a + 1; b < record.events; b++) {
			struct record spoilt = record;
			bool told;

			spoilt.event[a] = record.event[b];
			spoilt.event[b] = record.event[a];
			told = first_deviation(&plan, &spoilt) != NULL;
			if (told != (step_of(&plan, a) != step_of(&plan, b)) &&
			    !same_event(&record.event[a], &record.event[b]))
				fail_msg("events %d and %d swapped: %s", a, b,
					 told ? "a false alarm" : "not seen");
			swaps += told;
		}
	assert_true(swaps > 500);
}

static void test_checker_sees_a_lack(void **state)
{
	const struct plan plan = record_update();

	(void)state;
	for (int lost = 0; lost < record.events; lost++) {
		struct record spoilt = record;

		spoilt.events--;
		memmove(&spoilt.event[lost], &spoilt.event[lost + 1],
			(size_t)(spoilt.events - lost) * sizeof(spoilt.event[0]));
		if (!first_deviation(&plan, &spoilt))
			fail_msg("event %d is lost, and nothing is seen", lost);
	}
}

static void test_checker_sees_a_surplus(void **state)
{
	const struct plan plan = record_update();

	(void)state;
	for (int twice = 0; twice < record.events; twice++) {
		struct record spoilt = record;

		memmove(&spoilt.event[twice + 1], &spoilt.event[twice],
			(size_t)(spoilt.events - twice) * sizeof(spoilt.event[0]));
		spoilt.events++;
		if (!first_deviation(&plan, &spoilt))
			fail_msg("event %d comes twice, and nothing is seen", twice);
	}
}

static void test_checker_sees_a_wrong_store(void **state)
{
	const struct plan plan = record_update();

	(void)state;
	for (int i = 0; i < record.events; i++) {
		struct record spoilt = record;

		if (spoilt.event[i].kind == WRITE_BARRIER)
			continue;
		spoilt.event[i].value++;
		assert_non_null(first_deviation(&plan, &spoilt));
		spoilt = record;
		spoilt.event[i].kind = spoilt.event[i].kind == STORE ? DATA_STORE : STORE;
		assert_non_null(first_deviation(&plan, &spoilt));
		spoilt = record;
		spoilt.event[i].offset += 232;
		assert_non_null(first_deviation(&plan, &spoilt));
	}
}

static struct tk_core core;
static const struct tk_page core_page = {&pages.data, &page_layout_current};

/* Whoever publishes knows of its core the time and the number of the last update. */
static struct writer writer_of(const struct writer_kind *kind, const bool *stop)
{
	core.tk = distinct_timekeeper();
	core.number = 1;
	return (struct writer){
		.kind = kind,
		.core = &core,
		.pace = {.clock_mode = SIM_CLOCKMODE_VIRTUAL, .page = page, .stop = stop}};
}

static void test_tick(void **state)
{
	struct writer writer = writer_of(&writer_tick, NULL);
	struct plan right = plan_of(&core.tk, 8);

	(void)state;
	start_record(8);
	writer.kind->publish(&writer, &core_page);
	assert_null(first_deviation(&right, &record));
	assert_int_equal(pauses, 0);
}

/* A hold changes nothing in the order; it lies in the middle of what a counter's reader needs. */
static void test_tick_with_a_hold(void **state)
{
	struct writer writer = writer_of(&writer_tick, NULL);
	struct plan right = plan_of(&core.tk, 8);

	(void)state;
	writer.hold_cycles = 778;
	start_record(8);
	writer.kind->publish(&writer, &core_page);
	assert_null(first_deviation(&right, &record));
	assert_int_equal(pauses, 778);
	assert_string_equal(right.step[step_of(&right, events_before_pause - 1)].name, "shift");
	assert_string_equal(right.step[step_of(&right, events_before_pause)].name, "MONOTONIC");
}

/* A counter that cannot be read cannot tell when a hold is over: there is none then. */
static void test_tick_with_a_hold_of_no_counter(void **state)
{
	struct writer writer = writer_of(&writer_tick, NULL);
	struct plan right;

	(void)state;
	core.tk.clock_mode = VDSO_CLOCKMODE_NONE;
	right = plan_of(&core.tk, 8);
	writer.hold_cycles = 778;
	start_record(8);
	writer.kind->publish(&writer, &core_page);
	assert_null(first_deviation(&right, &record));
	assert_int_equal(pauses, 0);
}

/* The broken writers, each held against the order that it breaks and against what it does do. */
static void check_broken(struct writer *writer, const char *at, const struct plan *does)
{
	struct plan right = plan_of(&core.tk, 8);
	const char *deviation;

	start_record(8);
	writer->kind->publish(writer, &core_page);
	deviation = first_deviation(&right, &record);
	assert_non_null(deviation);
	assert_string_equal(deviation, at);
	deviation = first_deviation(does, &record);
	if (deviation)
		fail_msg("%s does not do what it says, at: %s", writer->kind->name, deviation);
}

static void test_never_odd(void **state)
{
	struct writer writer = writer_of(&mutant_never_odd, NULL);
	struct plan does = {0};

	(void)state;
	add_sequences(&does, "both sequences two up", 10);
	add_barrier(&does);
	plan_fields_for_all(&does, &core.tk);
	plan_fields_of_the_counter(&does, &core.tk);
	check_broken(&writer, "both sequences odd", &does);
}

static void test_late_sequence(void **state)
{
	struct writer writer = writer_of(&mutant_late_sequence, NULL);
	struct plan does = {0};

	(void)state;
	plan_fields_for_all(&does, &core.tk);
	plan_fields_of_the_counter(&does, &core.tk);
	add_barrier(&does);
	add_sequences(&does, "both sequences two up", 10);
	check_broken(&writer, "both sequences odd", &does);
}

static void test_early_end(void **state)
{
	struct writer writer = writer_of(&mutant_early_end, NULL);
	struct plan does = {0};

	(void)state;
	add_sequences(&does, "both sequences odd", 9);
	add_barrier(&does);
	plan_fields_for_all(&does, &core.tk);
	add_barrier(&does);
	add_sequences(&does, "both sequences even", 10);
	plan_fields_of_the_counter(&does, &core.tk);
	check_broken(&writer, "counter base", &does);
}

static void test_stops_odd(void **state)
{
	static const bool stop = true;
	struct writer writer = writer_of(&mutant_stops_odd, &stop);
	struct plan does = plan_of(&core.tk, 8);

	(void)state;
	for (core.number = 1; core.number < 100; core.number++) {
		start_record(8);
		writer.kind->publish(&writer, &core_page);
		assert_null(first_deviation(&does, &record));
	}
	does = (struct plan){0};
	add_sequences(&does, "both sequences odd", 9);
	add_barrier(&does);
	check_broken(&writer, "clock mode", &does);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_sequence_wraps),
		cmocka_unit_test(test_every_readable_mode),
		cmocka_unit_test(test_mode_none),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_nothing_else_is_written),
		cmocka_unit_test(test_checker_sees_a_swap),
		cmocka_unit_test(test_checker_sees_a_lack),
		cmocka_unit_test(test_checker_sees_a_surplus),
		cmocka_unit_test(test_checker_sees_a_wrong_store),
		cmocka_unit_test(test_tick),
		cmocka_unit_test(test_tick_with_a_hold),
		cmocka_unit_test(test_tick_with_a_hold_of_no_counter),
		cmocka_unit_test(test_never_odd),
		cmocka_unit_test(test_late_sequence),
		cmocka_unit_test(test_early_end),
		cmocka_unit_test(test_stops_odd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
