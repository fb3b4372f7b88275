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
#include "tests/unit/choice_of.h"
#include "writers/kinds.h"
#include "writers/writer.h"

#define HZ 2596122000ull

static struct page_region region;
static struct oracle *oracle;
static struct tk_core core;
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

static const struct tk_core_setup no_more;

/* A writer of that choice on a core of its own, which is told `extra` besides. */
static void start_choice(const struct writer_choice *choice, enum payload payload, u64 cycles,
			 const struct tk_core_setup *extra)
{
	struct tk_core_setup setup = *extra;
	const struct writer_setup of_writer = {
		.choice = choice, .hz = choice->hz, .seed = 1, .stop = &stop, .core = &core};

	setup.payload = payload;
	setup.clocksource = clocksource_find("virtual");
	setup.frequency_hz = HZ;
	setup.update_hz = choice->hz ? choice->hz : 1;
	setup.region = &region;
	setup.oracles = 1;
	setup.oracle = &oracle;
	move_counter(cycles);
	if (tk_core_start(&core, &setup, &err))
		fail_msg("%s", err.text);
	writer_start(&writer, &of_writer);
}

static void start(const struct writer_kind *kind, enum payload payload, u64 hz, u64 cycles)
{
	const struct writer_choice choice = {.kind = kind, .hz = hz};

	start_choice(&choice, payload, cycles, &no_more);
}

/* One update as a writer's thread makes it. */
static bool step(struct update_times *times)
{
	return writer_wait(&writer, times) && writer_act(&writer, times);
}

/* The page and the oracle know update `number` as the writer's timekeeper has it. */
static void check_published(u64 number)
{
	static struct vdso_time_data expected;
	struct vdso_timestamp base;
	struct oracle_update update;

	memset(&expected, 0, sizeof(expected));
	vdso_set_sequences(&expected, &page_layout_current, (u32)(number - 1) * 2);
	update_vsyscall(&expected, &page_layout_current, &core.tk);
	assert_memory_equal(page_for_readers(&region), &expected, sizeof(expected));
	assert_int_equal(expected.clock_data[CS_HRES_COARSE].seq, number * 2);
	assert_int_equal(expected.clock_data[CS_RAW].seq, number * 2);

	assert_int_equal(core.number, number);
	assert_int_equal(oracle_latest(oracle), number);
	assert_int_equal(oracle_number(oracle, (u32)number * 2), number);
	assert_true(oracle_recall(oracle, number, &update));
	timekeeper_base(&core.tk, CLOCK_MONOTONIC, &base);
	assert_int_equal(update.sec, base.sec);
	assert_int_equal(update.nsec, base.nsec);
	assert_int_equal(update.mult, core.tk.mult);
	assert_int_equal(update.cycle_last, core.tk.cycle_last);
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
	memcpy(&followed, &core.tk, sizeof(followed));
	for (u64 number = 2; number <= 300; number++) {
		u64 due = pace_deadline(&writer.pace, answered + 1);
		u64 now = due + (number % 3 ? random_below(period / 4 + 1) : 0);
		u64 last = core.tk.cycle_last;
		u64 passed;

		/* Now and then late by whole periods. */
		if (number % 10 == 0)
			now += random_below(5 * period);
		move_counter(now);
		passed = now - before;
		before = now;
		assert_true(step(&times));
		assert_int_equal(times.due, due);
		assert_int_equal(times.begin, now);
		assert_int_equal(times.odd, now);
		assert_int_equal(times.even, now);
		assert_true(times.ticks >= 1);
		answered += times.ticks;
		assert_true(pace_deadline(&writer.pace, answered) <= now);
		assert_true(pace_deadline(&writer.pace, answered + 1) > now);

		follow(&followed, payload, number, now);
		assert_memory_equal(&followed, &core.tk, sizeof(followed));
		check_published(number);
		/* A tick that comes early finds something to accumulate, too. */
		if (payload == PAYLOAD_TIME && passed > period / 2)
			assert_true(core.tk.cycle_last > last);
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
	assert_true(step(&times));
	assert_int_equal(times.ticks, 86400000);
	assert_int_equal(times.due, 1000 + HZ / 1000);
	assert_int_equal(times.begin, 1000 + 86400 * HZ);
	check_published(2);
	move_counter(1000 + 86400 * HZ + HZ / 1000);
	assert_true(step(&times));
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
	assert_true(step(&times));
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
	assert_false(step(&times));
	check_published(1);
	stop = false;
	assert_true(step(&times));
	check_published(2);
}

/* What a choice says in nanoseconds, in counter cycles; that a hold is kept, test_publish looks at.
 */
static void test_choice_in_cycles(void **state)
{
	struct writer_choice choice = choice_of("tick:hz=1000");

	(void)state;
	start_choice(&choice, PAYLOAD_TIME, 1000, &no_more);
	assert_int_equal(writer.hold_cycles, 0);
	assert_int_equal(writer.pace.jitter, 0);
	assert_int_equal(writer.pace.idle, 0);
	choice = choice_of("tick:hz=1000,hold=1ms,jitter=1s,nohz=10s");
	start_choice(&choice, PAYLOAD_TIME, 1000, &no_more);
	assert_int_equal(writer.hold_cycles, HZ / 1000);
	assert_int_equal(writer.pace.jitter, HZ);
	assert_int_equal(writer.pace.idle, 10 * HZ);
	assert_int_equal(writer.pace.arrivals, PACE_PERIODIC);
	choice = choice_of("tick:hz=1000,hold=300ns,arrivals=poisson");
	start_choice(&choice, PAYLOAD_TIME, 1000, &no_more);
	assert_int_equal(writer.hold_cycles, 778);
	assert_int_equal(writer.pace.arrivals, PACE_POISSON);
	for (int i = 0; i < WRITER_PARAMETERS; i++)
		assert_int_equal(writer.value[i], choice.value[i]);
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

static void publish_as_spy(struct writer *me, const struct tk_page *page)
{
	spy.oracle_latest = oracle_latest(me->core->oracle[0]);
	spy.number = me->core->number;
	spy.seq = vdso_sequence(page->page);
	spy.published_sec = page->page->clock_data[0].basetime[CLOCK_REALTIME].sec;
	vdso_write_begin(page->page, page->layout);
	publish_coarse(page->page, page->layout, &me->core->tk);
	publish_hres(page->page, page->layout, &me->core->tk);
	move_counter(*page_virtual_counter(me->core->readers_page) + spy.hold);
	if (spy.end)
		vdso_write_end(page->page, page->layout);
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
	assert_true(step(&times));
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
	assert_false(step(&times));
	assert_int_equal(core.number, 1);
	assert_int_equal(vdso_sequence(core.page[0].page), 3);
	/* Readers may meet its fields, so the oracle must know it. */
	assert_int_equal(oracle_latest(oracle), 2);
}

/* The lock is held when the time is taken and until all is published; those who take none do not.
 */
static bool lock_is_taken(void)
{
	if (pthread_mutex_trylock(&core.lock))
		return true;
	pthread_mutex_unlock(&core.lock);
	return false;
}

static struct {
	bool changing, publishing;
	u64 cycles;
} lock_seen;

static void change_under_lock(struct writer *me, u64 cycles)
{
	lock_seen.changing = lock_is_taken();
	lock_seen.cycles = cycles;
	tk_core_advance(me->core, cycles);
}

static void publish_under_lock(struct writer *me, const struct tk_page *page)
{
	lock_seen.publishing = lock_is_taken();
	update_vsyscall(page->page, page->layout, &me->core->tk);
}

static void check_lock(bool locked, bool takes_no_lock)
{
	const struct writer_kind kind = {.name = "spy",
					 .keys = no_keys,
					 .takes_no_lock = takes_no_lock,
					 .change = change_under_lock,
					 .publish = publish_under_lock};
	const struct writer_choice choice = {.kind = &kind, .value = {[WRITER_EVERY] = 1000000}};
	const struct tk_core_setup extra = {.locked = locked};
	struct update_times times;

	tear_down(NULL);
	assert_int_equal(set_up(NULL), 0);
	start_choice(&choice, PAYLOAD_TIME, 1000, &extra);
	move_counter(1000 + HZ / 1000);
	assert_true(writer_wait(&writer, &times));
	/* Meanwhile another one had the lock. */
	move_counter(1000 + HZ / 500);
	assert_true(writer_act(&writer, &times));
	assert_int_equal(lock_seen.changing, locked && !takes_no_lock);
	assert_int_equal(lock_seen.publishing, locked && !takes_no_lock);
	assert_false(lock_is_taken());
	/* Without the lock the time may not go back to when the wait ended; alone it need not move.
	 */
	assert_int_equal(times.begin, 1000 + HZ / 1000);
	assert_int_equal(lock_seen.cycles, locked ? 1000 + HZ / 500 : times.begin);
	check_published(2);
	tk_core_end(&core);
}

static void test_lock(void **state)
{
	(void)state;
	check_lock(false, false);
	check_lock(true, false);
	check_lock(true, true);
}

#define OTHERS 3

/* Who reads other pages is told the same, whatever their layout. */
static void test_other_pages(void **state)
{
	static u8 expected[SIM_PAGE_BYTES] __attribute__((aligned(SIM_PAGE_BYTES)));
	const struct writer_choice choice = choice_of("tick:hz=1000");
	struct page_region others[OTHERS];
	const struct page_region *const other[OTHERS] = {&others[0], &others[1], &others[2]};
	const struct tk_core_setup extra = {.others = OTHERS, .other = other};

	(void)state;
	for (size_t i = 0; i < OTHERS; i++)
		assert_int_equal(page_region_map(&others[i], page_layouts[i], 0, &err), 0);
	start_choice(&choice, PAYLOAD_STAMP, 1000, &extra);
	for (u64 number = 1; number <= 5; number++) {
		check_published(number);
		for (size_t i = 0; i < OTHERS; i++) {
			memset(expected, 0, sizeof(expected));
			vdso_set_sequences(expected, page_layouts[i], (u32)(number - 1) * 2);
			update_vsyscall(expected, page_layouts[i], &core.tk);
			assert_memory_equal(page_for_readers(&others[i]), expected,
					    sizeof(expected));
		}
		move_counter(1000 + number * (HZ / 1000));
		writer_update(&writer);
	}
	for (size_t i = 0; i < OTHERS; i++)
		page_region_unmap(&others[i]);
}

/* One that has no rate acts at distances. */
static void test_every(void **state)
{
	static const struct writer_kind kind = {.name = "now and then", .keys = no_keys};
	const struct writer_choice choice = {.kind = &kind, .value = {[WRITER_EVERY] = 2000000}};
	struct update_times times;

	(void)state;
	start_choice(&choice, PAYLOAD_TIME, 1000, &no_more);
	for (u64 number = 2; number <= 50; number++) {
		const u64 due = 1000 + (number - 1) * HZ / 500;

		move_counter(due + 3);
		assert_true(step(&times));
		assert_int_equal(times.due, due);
		assert_int_equal(times.ticks, 1);
		check_published(number);
	}
	assert_int_equal(sleeps, 0);
}

static const struct spec_key burst_keys[] = {
	WRITER_KEY_HZ, {"burst", NULL, "0", ""}, {.name = NULL}};
static const struct writer_kind burst_kind = {.name = "burst", .keys = burst_keys};

/* Updates that follow at once, after each deadline; then the next deadline is waited for. */
static void test_burst(void **state)
{
	const struct writer_choice choice = {
		.kind = &burst_kind, .hz = 1000, .value = {[WRITER_BURST] = 3}};
	struct update_times times;
	u64 number = 1;

	(void)state;
	start_choice(&choice, PAYLOAD_TIME, 1000, &no_more);
	for (u64 tick = 1; tick <= 20; tick++) {
		const u64 due = 1000 + tick * (HZ / 1000);

		for (u64 i = 0; i < 3; i++) {
			move_counter(due + i);
			assert_true(step(&times));
			assert_int_equal(times.due, due + i);
			assert_int_equal(times.begin, due + i);
			assert_int_equal(times.ticks, 1);
			check_published(++number);
		}
		assert_int_equal(sleeps, 0);
	}
	/* The fourth would have to wait: only the stop flag ends that here. */
	assert_false(step(&times));
	assert_true(sleeps > 0);
	check_published(number);
}

static void test_burst_without_end(void **state)
{
	const struct writer_choice choice = {.kind = &burst_kind, .hz = 1000};
	struct update_times times;

	(void)state;
	start_choice(&choice, PAYLOAD_STAMP, 1000, &no_more);
	for (u64 number = 2; number <= 100; number++) {
		assert_true(step(&times));
		assert_int_equal(times.due, times.begin);
		assert_int_equal(times.ticks, 1);
		check_published(number);
	}
	assert_int_equal(sleeps, 0);
}

static void test_stop_ends_a_burst(void **state)
{
	const struct writer_choice choice = {
		.kind = &burst_kind, .hz = 1000, .value = {[WRITER_BURST] = 1000}};
	struct update_times times;

	(void)state;
	start_choice(&choice, PAYLOAD_STAMP, 1000, &no_more);
	move_counter(1000 + HZ / 1000);
	assert_true(step(&times));
	assert_true(step(&times));
	stop = true;
	assert_false(step(&times));
	check_published(3);
}

static struct {
	u32 seq[2];
	u64 oracle_latest;
	u64 cycles;
} frozen;

static void change_frozen(struct writer *me, u64 cycles)
{
	for (size_t i = 0; i < 2; i++)
		frozen.seq[i] = vdso_sequence(me->core->page[i].page);
	frozen.oracle_latest = oracle_latest(oracle);
	frozen.cycles = cycles;
	tk_core_advance(me->core, cycles);
	move_counter(cycles + 555);
}

/* Time changes while no reader gets through, on any page, and the oracle knows it before they do.
 */
static void test_change_while_odd(void **state)
{
	static const struct writer_kind kind = {
		.name = "freeze", .keys = no_keys, .while_odd = true, .change = change_frozen};
	const struct writer_choice choice = {.kind = &kind, .value = {[WRITER_EVERY] = 1000000}};
	struct page_region another;
	const struct page_region *const other[] = {&another};
	const struct tk_core_setup extra = {.others = 1, .other = other};
	struct update_times times;

	(void)state;
	assert_int_equal(page_region_map(&another, &page_layout_current, 0, &err), 0);
	start_choice(&choice, PAYLOAD_TIME, 1000, &extra);
	move_counter(1000 + HZ / 1000);
	assert_true(writer_wait(&writer, &times));
	move_counter(1000 + HZ / 500);
	assert_true(writer_act(&writer, &times));
	assert_int_equal(frozen.seq[0], 3);
	assert_int_equal(frozen.seq[1], 3);
	assert_int_equal(frozen.oracle_latest, 1);
	/* No earlier than when all were odd. */
	assert_int_equal(frozen.cycles, 1000 + HZ / 500);
	assert_int_equal(times.odd, 1000 + HZ / 500);
	assert_int_equal(times.even, 1000 + HZ / 500 + 555);
	check_published(2);
	assert_memory_equal(page_for_readers(&another), page_for_readers(&region),
			    sizeof(struct vdso_time_data));
	page_region_unmap(&another);
}

static void write_beside(struct writer *me, const struct tk_page *page)
{
	(void)me;
	spy.number++;
	page->page->tz_minuteswest = 77;
}

/* Nobody is told of an update that is none. */
static void test_outside_of_the_sequence(void **state)
{
	static const struct writer_kind kind = {
		.name = "beside", .keys = no_keys, .no_update = true, .publish = write_beside};
	const struct writer_choice choice = {.kind = &kind, .value = {[WRITER_EVERY] = 1000000}};
	struct update_times times;

	(void)state;
	start_choice(&choice, PAYLOAD_TIME, 1000, &no_more);
	move_counter(1000 + HZ / 1000);
	spy.number = 0;
	assert_true(step(&times));
	assert_int_equal(spy.number, 1);
	assert_int_equal(page_for_readers(&region)->tz_minuteswest, 77);
	page_for_writer(&region)->tz_minuteswest = 0;
	check_published(1);
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
		assert_true(step(&times));
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
		assert_true(step(&times));
		check_published(number);
	}
	memcpy(&last, page, sizeof(last));
	move_counter(1000 + 100 * (HZ / 1000));
	assert_int_equal(sleeps, 0);
	assert_false(step(&times));
	/* It stayed until it was stopped, odd in both, and wrote nothing. */
	assert_int_equal(sleeps, 3);
	assert_int_equal(core.number, 100);
	assert_int_equal(page->clock_data[CS_HRES_COARSE].seq, 201);
	assert_int_equal(page->clock_data[CS_RAW].seq, 201);
	vdso_set_sequences(page, &page_layout_current, 200);
	assert_memory_equal(page, &last, sizeof(last));
}

static void test_table(void **state)
{
	bool mutants_begun = false;
	int mutants = 0;

	(void)state;
	for (const struct writer_kind *const *kind = writer_kinds; *kind; kind++) {
		mutants += (*kind)->fault != NULL;
		assert_true(*(*kind)->name && *(*kind)->summary);
		assert_non_null((*kind)->keys);
		/* A rate, or distances that a key says. */
		if (!writer_has_rate((*kind)))
			assert_true(choice_of((*kind)->name).value[WRITER_EVERY] > 0);
		/* Correct writers first. */
		assert_false(mutants_begun && !(*kind)->fault);
		mutants_begun = (*kind)->fault != NULL;
		for (const struct writer_kind *const *other = writer_kinds; other < kind; other++)
			assert_string_not_equal((*other)->name, (*kind)->name);
	}
	assert_ptr_equal(writer_kinds[0], &writer_tick);
	assert_true(mutants >= 4);
}

#define WITH_PAGE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_PAGE(test_steps_of_time),
		WITH_PAGE(test_steps_of_stamps),
		WITH_PAGE(test_late_step),
		WITH_PAGE(test_begin_paces_anew),
		WITH_PAGE(test_stop),
		WITH_PAGE(test_choice_in_cycles),
		WITH_PAGE(test_order_of_a_step),
		WITH_PAGE(test_step_that_stays_odd),
		WITH_PAGE(test_lock),
		WITH_PAGE(test_other_pages),
		WITH_PAGE(test_every),
		WITH_PAGE(test_burst),
		WITH_PAGE(test_burst_without_end),
		WITH_PAGE(test_stop_ends_a_burst),
		WITH_PAGE(test_change_while_odd),
		WITH_PAGE(test_outside_of_the_sequence),
		WITH_PAGE(test_never_odd_ends_well),
		WITH_PAGE(test_early_end_ends_well),
		WITH_PAGE(test_late_sequence_ends_well),
		WITH_PAGE(test_stops_odd),
		cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
