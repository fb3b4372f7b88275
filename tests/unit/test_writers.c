// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writers over the virtual counter: nothing here depends on real time. In which order each kind
 * writes, test_publish looks at.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "sim/stamp.h"
#include "writers/kinds.h"
#include "writers/writer.h"

#define HZ 2596122000ull

static struct page_region region;
static struct oracle *oracle;
static struct writer writer;
static struct errmsg err;
static bool stop;
static u64 sleeps;

/* No test waits for anything; only a writer that has died sleeps, until it is stopped. */
int nanosleep(const struct timespec *requested, struct timespec *remaining)
{
	(void)requested;
	(void)remaining;
	if (++sleeps == 3)
		WRITE_ONCE(stop, true);
	return 0;
}

static int set_up(void **state)
{
	(void)state;
	if (page_region_map(&region, &page_layout_current, 0, &err))
		return -1;
	oracle = oracle_create(CLOCK_MONOTONIC, 4096, true, &err);
	stop = false;
	sleeps = 0;
	return oracle ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	oracle_destroy(oracle);
	page_region_unmap(&region);
	return 0;
}

static void move_counter(u64 cycles)
{
	page_set_virtual_counter(&region, cycles);
}

static struct writer_setup setup_of(const struct writer_kind *kind, enum payload payload, u64 hz)
{
	return (struct writer_setup){
		.kind = kind,
		.payload = payload,
		.clocksource = clocksource_find("virtual"),
		.frequency_hz = HZ,
		.hz = hz,
		.stop = &stop,
		.region = &region,
		.oracle = oracle,
	};
}

static void start(const struct writer_kind *kind, enum payload payload, u64 hz, u64 cycles)
{
	const struct writer_setup setup = setup_of(kind, payload, hz);

	move_counter(cycles);
	if (writer_start(&writer, &setup, &err))
		fail_msg("%s", err.text);
}

/* The page and the oracle know update `number` as the writer's timekeeper has it. */
static void check_published(u64 number)
{
	static struct vdso_time_data expected;
	struct vdso_timestamp base;
	struct oracle_update update;

	memset(&expected, 0, sizeof(expected));
	vdso_set_sequences(&expected, &page_layout_current, (u32)(number - 1) * 2);
	update_vsyscall(&expected, &page_layout_current, &writer.tk);
	assert_memory_equal(page_for_readers(&region), &expected, sizeof(expected));
	assert_int_equal(expected.clock_data[CS_HRES_COARSE].seq, number * 2);
	assert_int_equal(expected.clock_data[CS_RAW].seq, number * 2);

	assert_int_equal(writer.number, number);
	assert_int_equal(oracle_latest(oracle), number);
	assert_int_equal(oracle_number(oracle, (u32)number * 2), number);
	assert_true(oracle_recall(oracle, number, &update));
	timekeeper_base(&writer.tk, CLOCK_MONOTONIC, &base);
	assert_int_equal(update.sec, base.sec);
	assert_int_equal(update.nsec, base.nsec);
	assert_int_equal(update.mult, writer.tk.mult);
	assert_int_equal(update.cycle_last, writer.tk.cycle_last);
}

static const enum payload payloads[] = {PAYLOAD_TIME, PAYLOAD_STAMP};

static void test_start_publishes_update_1(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(payloads); i++) {
		oracle_destroy(oracle);
		oracle = oracle_create(CLOCK_MONOTONIC, 64, true, &err);
		memset(region.writable, 0, SIM_PAGE_BYTES * PAGE_SLOTS);
		start(&writer_tick, payloads[i], 1000, 123456789);
		check_published(1);
		assert_ptr_equal(writer.kind, &writer_tick);
		assert_int_equal(writer.payload, payloads[i]);
		assert_int_equal(page_for_readers(&region)->clock_data[0].clock_mode,
				 SIM_CLOCKMODE_VIRTUAL);
		assert_int_equal(writer.pace.start, 123456789);
		assert_int_equal(writer.pace.tick, 1);
	}
	assert_int_equal(sleeps, 0);
}

static u64 host_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (u64)now.tv_sec * NSEC_PER_SEC + (u64)now.tv_nsec;
}

static u64 base_ns(clockid_t clock)
{
	struct vdso_timestamp base;

	timekeeper_base(&writer.tk, clock, &base);
	return base.sec * NSEC_PER_SEC + (base.nsec >> writer.tk.shift);
}

static void test_start_from_the_hosts_clocks(void **state)
{
	u64 monotonic = host_ns(CLOCK_MONOTONIC);
	u64 boottime = host_ns(CLOCK_BOOTTIME);
	u64 realtime = host_ns(CLOCK_REALTIME);

	(void)state;
	start(&writer_tick, PAYLOAD_TIME, 1000, 1ull << 50);
	assert_in_range(base_ns(CLOCK_MONOTONIC), monotonic, host_ns(CLOCK_MONOTONIC));
	assert_in_range(base_ns(CLOCK_BOOTTIME), boottime, host_ns(CLOCK_BOOTTIME));
	assert_in_range(base_ns(CLOCK_REALTIME), realtime, host_ns(CLOCK_REALTIME));
	assert_int_equal(base_ns(CLOCK_MONOTONIC_RAW), base_ns(CLOCK_MONOTONIC));
	assert_int_equal(base_ns(CLOCK_TAI), base_ns(CLOCK_REALTIME) + 37ull * NSEC_PER_SEC);
	assert_int_equal(writer.tk.cycle_last, 1ull << 50);
	assert_int_equal(writer.tk.frequency_hz, HZ);
}

/* What the timekeeper refuses is told, and nobody is told of an update. */
static void test_start_refuses(void **state)
{
	static const u8 zeros[SIM_PAGE_BYTES];
	struct writer_setup setup = setup_of(&writer_tick, PAYLOAD_TIME, 1000);

	(void)state;
	setup.frequency_hz = 999;
	memset(&err, 0, sizeof(err));
	assert_int_equal(writer_start(&writer, &setup, &err), -1);
	assert_non_null(strstr(err.text, "999 Hz"));
	/* A rate that the counter cannot follow is refused by its own name. */
	setup = setup_of(&writer_tick, PAYLOAD_TIME, HZ / 2 + 1);
	memset(&err, 0, sizeof(err));
	assert_int_equal(writer_start(&writer, &setup, &err), -1);
	assert_non_null(strstr(err.text, "--hz"));
	assert_int_equal(oracle_latest(oracle), 0);
	assert_memory_equal(page_for_readers(&region), zeros, sizeof(zeros));
}

static u64 random_state;

static u64 random_below(u64 limit)
{
	u64 x = random_state += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return (x ^ x >> 31) % limit;
}

/* The writer's timekeeper, moved on by hand. */
static void follow(struct timekeeper *tk, enum payload payload, u64 number, u64 cycles)
{
	if (payload == PAYLOAD_STAMP)
		timekeeper_stamp(tk, number, cycles);
	else
		timekeeper_advance(tk, cycles);
}

static void check_steps(enum payload payload, u64 hz)
{
	const u64 origin = 1ull << 41;
	u64 period = HZ / hz, answered = 0, before = origin;
	struct timekeeper followed;
	struct update_times times;

	start(&writer_tick, payload, hz, origin);
	memcpy(&followed, &writer.tk, sizeof(followed));
	for (u64 number = 2; number <= 300; number++) {
		u64 due = pace_deadline(&writer.pace, answered + 1);
		u64 now = due + (number % 3 ? random_below(period / 4 + 1) : 0);
		u64 last = writer.tk.cycle_last;
		u64 passed;

		/* Now and then late by whole periods. */
		if (number % 10 == 0)
			now += random_below(5 * period);
		move_counter(now);
		passed = now - before;
		before = now;
		assert_true(writer_step(&writer, &times));
		assert_int_equal(times.due, due);
		assert_int_equal(times.begin, now);
		assert_int_equal(times.odd, now);
		assert_int_equal(times.even, now);
		assert_true(times.ticks >= 1);
		answered += times.ticks;
		assert_true(pace_deadline(&writer.pace, answered) <= now);
		assert_true(pace_deadline(&writer.pace, answered + 1) > now);

		follow(&followed, payload, number, now);
		assert_memory_equal(&followed, &writer.tk, sizeof(followed));
		check_published(number);
		/* A tick that comes early finds something to accumulate, too. */
		if (payload == PAYLOAD_TIME && passed > period / 2)
			assert_true(writer.tk.cycle_last > last);
	}
	assert_int_equal(sleeps, 0);
}

static void test_steps_of_time(void **state)
{
	static const u64 rates[] = {1, 7, 250, 1000, 999983, 10000000};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
		tear_down(NULL);
		assert_int_equal(set_up(NULL), 0);
		check_steps(PAYLOAD_TIME, rates[i]);
	}
}

static void test_steps_of_stamps(void **state)
{
	(void)state;
	check_steps(PAYLOAD_STAMP, 1000);
}

/* A day late: one update, the deadlines counted. */
static void test_late_step(void **state)
{
	struct update_times times;

	(void)state;
	start(&writer_tick, PAYLOAD_TIME, 1000, 1000);
	move_counter(1000 + 86400 * HZ);
	assert_true(writer_step(&writer, &times));
	assert_int_equal(times.ticks, 86400000);
	assert_int_equal(times.due, 1000 + HZ / 1000);
	assert_int_equal(times.begin, 1000 + 86400 * HZ);
	check_published(2);
	move_counter(1000 + 86400 * HZ + HZ / 1000);
	assert_true(writer_step(&writer, &times));
	assert_int_equal(times.ticks, 1);
	check_published(3);
}

static void test_begin_paces_anew(void **state)
{
	struct update_times times;

	(void)state;
	start(&writer_tick, PAYLOAD_TIME, 1000, 1000);
	move_counter(1000 + 10 * HZ);
	writer_begin(&writer);
	check_published(1);
	move_counter(1000 + 10 * HZ + HZ / 1000);
	assert_true(writer_step(&writer, &times));
	assert_int_equal(times.due, 1000 + 10 * HZ + HZ / 1000);
	assert_int_equal(times.ticks, 1);
	check_published(2);
}

static void test_stop(void **state)
{
	struct update_times times;

	(void)state;
	start(&writer_tick, PAYLOAD_TIME, 1000, 1000);
	move_counter(1000 + 10 * HZ);
	stop = true;
	assert_false(writer_step(&writer, &times));
	check_published(1);
	stop = false;
	assert_true(writer_step(&writer, &times));
	check_published(2);
}

/* The hold is of counter cycles; that it is kept, test_publish looks at. */
static void test_hold(void **state)
{
	struct writer_setup setup = setup_of(&writer_tick, PAYLOAD_TIME, 1000);

	(void)state;
	start(&writer_tick, PAYLOAD_TIME, 1000, 1000);
	assert_int_equal(writer.hold_cycles, 0);
	setup.hold_ns = WRITER_MAX_HOLD_NS;
	assert_int_equal(writer_start(&writer, &setup, &err), 0);
	assert_int_equal(writer.hold_cycles, HZ / 1000);
	setup.hold_ns = 300;
	assert_int_equal(writer_start(&writer, &setup, &err), 0);
	assert_int_equal(writer.hold_cycles, 778);
}

/* A kind of this file's own, that looks around and takes its time. */
static struct {
	u64 oracle_latest;
	u64 number;
	u32 seq;
	u64 published_sec;
	u64 hold;
	bool end;
} spy;

static void publish_as_spy(struct writer *me)
{
	spy.oracle_latest = oracle_latest(me->oracle);
	spy.number = me->number;
	spy.seq = vdso_sequence(me->page);
	spy.published_sec = me->page->clock_data[0].basetime[CLOCK_REALTIME].sec;
	vdso_write_begin(me->page, &page_layout_current);
	publish_coarse(me->page, &page_layout_current, &me->tk);
	publish_hres(me->page, &page_layout_current, &me->tk);
	move_counter(*page_virtual_counter(me->readers_page) + spy.hold);
	if (spy.end)
		vdso_write_end(me->page, &page_layout_current);
}

static const struct spec_key no_keys[] = {{.name = NULL}};

static const struct writer_kind spy_kind = {
	.name = "spy", .summary = "looks around", .keys = no_keys, .publish = publish_as_spy};

/* Told before the sequence goes odd, counted after it is even; the hold lies in between. */
static void test_order_of_a_step(void **state)
{
	struct update_times times;

	(void)state;
	start(&spy_kind, PAYLOAD_STAMP, 1000, 1000);
	spy.hold = 777;
	spy.end = true;
	move_counter(1000 + HZ / 1000 + 5);
	assert_true(writer_step(&writer, &times));
	assert_int_equal(spy.oracle_latest, 2);
	assert_int_equal(spy.number, 1);
	assert_int_equal(spy.seq, 2);
	/* The page was still the first update's. */
	assert_int_equal(spy.published_sec, 1000000001);
	assert_int_equal(times.begin, 1000 + HZ / 1000 + 5);
	assert_int_equal(times.odd, times.begin);
	assert_int_equal(times.even, times.begin + 777);
	check_published(2);
}

static void test_step_that_stays_odd(void **state)
{
	struct update_times times;

	(void)state;
	start(&spy_kind, PAYLOAD_STAMP, 1000, 1000);
	spy.end = false;
	move_counter(1000 + HZ);
	assert_false(writer_step(&writer, &times));
	assert_int_equal(writer.number, 1);
	assert_int_equal(vdso_sequence(writer.page), 3);
	/* Readers may meet its fields, so the oracle must know it. */
	assert_int_equal(oracle_latest(oracle), 2);
}

/* When nobody reads meanwhile, a broken order leaves the same behind as the right one. */
static void check_mutant_ends_well(const struct writer_kind *kind)
{
	struct update_times times;

	assert_non_null(kind->fault);
	start(kind, PAYLOAD_STAMP, 1000, 1000);
	check_published(1);
	for (u64 number = 2; number <= 200; number++) {
		move_counter(1000 + (number - 1) * (HZ / 1000));
		assert_true(writer_step(&writer, &times));
		assert_int_equal(times.ticks, 1);
		check_published(number);
	}
}

static void test_never_odd_ends_well(void **state)
{
	(void)state;
	check_mutant_ends_well(&mutant_never_odd);
}

static void test_early_end_ends_well(void **state)
{
	(void)state;
	check_mutant_ends_well(&mutant_early_end);
}

static void test_late_sequence_ends_well(void **state)
{
	(void)state;
	check_mutant_ends_well(&mutant_late_sequence);
}

static void test_stops_odd(void **state)
{
	struct vdso_time_data *page = page_for_writer(&region);
	struct vdso_time_data last;
	struct update_times times;

	(void)state;
	start(&mutant_stops_odd, PAYLOAD_STAMP, 1000, 1000);
	for (u64 number = 2; number <= 100; number++) {
		move_counter(1000 + (number - 1) * (HZ / 1000));
		assert_true(writer_step(&writer, &times));
		check_published(number);
	}
	memcpy(&last, page, sizeof(last));
	move_counter(1000 + 100 * (HZ / 1000));
	assert_int_equal(sleeps, 0);
	assert_false(writer_step(&writer, &times));
	/* It stayed until it was stopped, odd in both, and wrote nothing. */
	assert_int_equal(sleeps, 3);
	assert_int_equal(writer.number, 100);
	assert_int_equal(page->clock_data[CS_HRES_COARSE].seq, 201);
	assert_int_equal(page->clock_data[CS_RAW].seq, 201);
	vdso_set_sequences(page, &page_layout_current, 200);
	assert_memory_equal(page, &last, sizeof(last));
}

static void test_never_sleeps(void **state)
{
	(void)state;
	assert_int_equal(PACE_WAKE_EARLY_NS, 60000);
	assert_false(writer_never_sleeps(1, 0));
	assert_false(writer_never_sleeps(1000, 0));
	/* 60 us of 75 are four fifths. */
	assert_false(writer_never_sleeps(13333, 0));
	assert_true(writer_never_sleeps(13334, 0));
	assert_true(writer_never_sleeps(1000000, 0));
	assert_true(writer_never_sleeps(WRITER_MAX_HZ, 0));
	/* A long hold is spun away too. */
	assert_false(writer_never_sleeps(1000, 700000));
	assert_true(writer_never_sleeps(1000, 800000));
	assert_true(writer_never_sleeps(WRITER_MAX_HZ, WRITER_MAX_HOLD_NS));
}

static void test_table(void **state)
{
	bool mutants_begun = false;
	int kinds = 0, mutants = 0;

	(void)state;
	for (const struct writer_kind *const *kind = writer_kinds; *kind; kind++) {
		kinds++;
		mutants += (*kind)->fault != NULL;
		assert_true(*(*kind)->name && *(*kind)->summary);
		assert_non_null((*kind)->publish);
		assert_non_null((*kind)->keys);
		/* Correct writers first. */
		assert_false(mutants_begun && !(*kind)->fault);
		mutants_begun = (*kind)->fault != NULL;
		for (const struct writer_kind *const *other = writer_kinds; other < kind; other++)
			assert_string_not_equal((*other)->name, (*kind)->name);
	}
	assert_ptr_equal(writer_kinds[0], &writer_tick);
	assert_int_equal(mutants, 4);
	assert_int_equal(kinds, 5);
}

static void check_resolved(const char *text, const struct writer_kind *kind, u64 hz, u64 hold_ns)
{
	struct writer_choice choice;

	memset(&choice, 0x5a, sizeof(choice));
	if (writer_resolve(text, &choice, &err))
		fail_msg("'%s' refused: %s", text, err.text);
	if (choice.kind != kind)
		fail_msg("'%s' is %s", text, choice.kind->name);
	assert_int_equal(choice.hz, hz);
	assert_int_equal(choice.hold_ns, hold_ns);
}

static void test_resolve(void **state)
{
	(void)state;
	check_resolved("tick", &writer_tick, 0, 0);
	check_resolved("tick:hz=1", &writer_tick, 1, 0);
	check_resolved("tick:hz=1000", &writer_tick, 1000, 0);
	check_resolved("tick:hz=10000000", &writer_tick, 10000000, 0);
	check_resolved("tick:hold=0", &writer_tick, 0, 0);
	check_resolved("tick:hold=300ns", &writer_tick, 0, 300);
	check_resolved("tick:hold=1ms,hz=5", &writer_tick, 5, 1000000);
	check_resolved("never-odd", &mutant_never_odd, 0, 0);
	check_resolved("early-end:hz=50", &mutant_early_end, 50, 0);
	check_resolved("late-sequence", &mutant_late_sequence, 0, 0);
	check_resolved("stops-odd:hz=7", &mutant_stops_odd, 7, 0);
}

static void check_refused(const char *text, const char *culprit, const char *remedy)
{
	struct writer_choice choice;

	memset(&err, 0, sizeof(err));
	if (writer_resolve(text, &choice, &err) != -1)
		fail_msg("'%s' accepted", text);
	if (!strstr(err.text, culprit))
		fail_msg("\"%s\" does not name %s", err.text, culprit);
	if (!strstr(err.text, remedy))
		fail_msg("\"%s\" does not name %s", err.text, remedy);
	if (strchr(err.text, '\n'))
		fail_msg("\"%s\" is not one sentence", err.text);
}

static void check_value_refused(const char *key, const char *value, const char *remedy)
{
	char text[SPEC_MAX_TEXT], culprit[SPEC_MAX_TEXT + 16];

	snprintf(text, sizeof(text), "tick:%s=%s", key, value);
	snprintf(culprit, sizeof(culprit), "writer 'tick': %s: '%s'", key, value);
	check_refused(text, culprit, remedy);
}

static void test_resolve_refuses_values(void **state)
{
	static const char *const rates[] = {"0",
					    "-1",
					    "+5",
					    " 5",
					    "10000001",
					    "18446744073709551617",
					    "99999999999999999999",
					    "1000x",
					    "1e3",
					    "1.5",
					    "0x10",
					    "x",
					    "1000 ",
					    "1k"};
	static const char *const holds[] = {"1000001ns", "1.1ms", "2ms", "1s", "9h"};
	static const char *const no_times[] = {"-1ns", "x", "1e3ns", "300n", "ns"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++)
		check_value_refused("hz", rates[i], "whole number from 1 to 10000000");
	for (size_t i = 0; i < ARRAY_SIZE(holds); i++)
		check_value_refused("hold", holds[i], "from 0s to 1ms");
	for (size_t i = 0; i < ARRAY_SIZE(no_times); i++)
		check_value_refused("hold", no_times[i], "as in 10s or 1.5s");
	check_value_refused("hold", "300", "has no unit");
}

static void test_resolve_refuses(void **state)
{
	(void)state;
	check_refused("", "''", "name[:key=value,...]");
	check_refused("tock", "no writer 'tock'", "there is tick");
	check_refused("Tick", "no writer 'Tick'", "there is tick");
	check_refused("hres", "no writer 'hres'", "there is tick");
	check_refused("tick:", "''", "key=value");
	check_refused("tick:hz", "'hz'", "key=value");
	check_refused("tick:hz=", "'hz='", "key=value");
	check_refused("tick:hz=1,hz=2", "'hz'", "twice");
	check_refused("tick:rate=5", "writer 'tick' has no key 'rate'", "it has hz, hold");
	check_refused("never-odd:hold=5us", "writer 'never-odd' has no key 'hold'", "it has hz");
}

/* Mutants can be named, but nobody is pointed to them. */
static void test_mutants_are_not_suggested(void **state)
{
	(void)state;
	check_refused("nobody", "'nobody'", "tick");
	for (const struct writer_kind *const *kind = writer_kinds; *kind; kind++)
		assert_int_equal(strstr(err.text, (*kind)->name) == NULL, (*kind)->fault != NULL);
}

#define WITH_PAGE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_PAGE(test_start_publishes_update_1),
		WITH_PAGE(test_start_from_the_hosts_clocks),
		WITH_PAGE(test_start_refuses),
		WITH_PAGE(test_steps_of_time),
		WITH_PAGE(test_steps_of_stamps),
		WITH_PAGE(test_late_step),
		WITH_PAGE(test_begin_paces_anew),
		WITH_PAGE(test_stop),
		WITH_PAGE(test_hold),
		WITH_PAGE(test_order_of_a_step),
		WITH_PAGE(test_step_that_stays_odd),
		WITH_PAGE(test_never_odd_ends_well),
		WITH_PAGE(test_early_end_ends_well),
		WITH_PAGE(test_late_sequence_ends_well),
		WITH_PAGE(test_stops_odd),
		cmocka_unit_test(test_never_sleeps),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_resolve),
		cmocka_unit_test(test_resolve_refuses_values),
		cmocka_unit_test(test_resolve_refuses),
		cmocka_unit_test(test_mutants_are_not_suggested),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
