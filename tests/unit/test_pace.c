// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Deadlines over the virtual counter. nanosleep is this file's own: it keeps what it was asked for
 * and moves the counter on by it, so no test here depends on real time.
 */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "sim/clocksource.h"
#include "sim/layout.h"
#include "tests/unit/big.h"
#include "writers/pace.h"

#define GHZ	      1000000000ull
#define LONGEST_SLEEP 20000000

static struct page_region region;
static bool stop;

/* What nanosleep does besides, and what it was asked for. */
static struct {
	u64 frequency_hz; /* of the counter that it moves on; 0: it leaves it alone */
	u64 oversleep;	  /* in cycles */
	u64 stop_after;	  /* raises the stop flag at this call; 0: never */
	u64 calls;
	u64 requested_ns;
	u64 longest_ns;
} sleeper;

static u64 counter_now(void)
{
	return clocksource_read(SIM_CLOCKMODE_VIRTUAL, page_for_readers(&region));
}

int nanosleep(const struct timespec *requested, struct timespec *remaining)
{
	u64 ns = (u64)requested->tv_sec * NSEC_PER_SEC + (u64)requested->tv_nsec;
	u64 cycles = big_low(big_div(big_product(ns ? ns : 1, sleeper.frequency_hz), NSEC_PER_SEC));

	(void)remaining;
	sleeper.requested_ns += ns;
	if (sleeper.longest_ns < ns)
		sleeper.longest_ns = ns;
	if (++sleeper.calls == sleeper.stop_after)
		WRITE_ONCE(stop, true);
	/* As a real sleep: a nanosecond at least, and never shorter than asked for. */
	if (sleeper.frequency_hz)
		page_set_virtual_counter(&region, counter_now() + cycles + 1 + sleeper.oversleep);
	return 0;
}

static int map_page(void **state)
{
	struct errmsg err;

	(void)state;
	return page_region_map(&region, &page_layout_current, 0, &err);
}

static int unmap_page(void **state)
{
	(void)state;
	page_region_unmap(&region);
	return 0;
}

static struct pace start_pace(u64 frequency_hz, u64 hz, u64 start)
{
	struct pace pace = {.clock_mode = SIM_CLOCKMODE_VIRTUAL,
			    .page = page_for_readers(&region),
			    .frequency_hz = frequency_hz,
			    .hz = hz,
			    .stop = &stop};

	memset(&sleeper, 0, sizeof(sleeper));
	WRITE_ONCE(stop, false);
	page_set_virtual_counter(&region, start);
	pace_start(&pace, start);
	return pace;
}

static const struct {
	u64 frequency_hz;
	u64 hz;
} rates[] = {{2596122000, 1000}, {2596122000, 7},	 {3333333333, 999},   {24000000, 1000003},
	     {GHZ, 3},		 {GHZ, 10000000},	 {19200000, 9600000}, {19200000, 4799999},
	     {100000000000, 1},	 {100000000000, 999983}, {1000003, 1000003},  {1000003, 1}};

/*
 * What a deadline must be, without division: the number of whole cycles in tick / hz seconds. Kept
 * by adding up, as frequency = whole * hz + rest.
 */
struct ideal {
	u64 whole;
	u64 rest;
	u64 cycles;
	u64 fraction; /* of hz */
};

static struct ideal start_ideal(u64 frequency_hz, u64 hz)
{
	return (struct ideal){.whole = frequency_hz / hz, .rest = frequency_hz % hz};
}

static void next_ideal(struct ideal *ideal, u64 hz)
{
	ideal->cycles += ideal->whole;
	ideal->fraction += ideal->rest;
	if (ideal->fraction >= hz) {
		ideal->fraction -= hz;
		ideal->cycles++;
	}
}

static void test_first_ticks(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
		struct pace pace = start_pace(rates[i].frequency_hz, rates[i].hz, 12345);
		struct ideal ideal = start_ideal(rates[i].frequency_hz, rates[i].hz);

		assert_int_equal(pace_deadline(&pace, 0), 12345);
		for (u64 tick = 1; tick <= 1000000; tick++) {
			next_ideal(&ideal, rates[i].hz);
			if (pace_deadline(&pace, tick) != 12345 + ideal.cycles)
				fail_msg("tick %llu of %llu Hz", (unsigned long long)tick,
					 (unsigned long long)rates[i].hz);
		}
	}
}

/* Exact and so without drift: the last whole cycle that is not after tick / hz seconds. */
static void check_deadline(const struct pace *pace, u64 tick)
{
	u64 passed = pace_deadline(pace, tick) - pace->start;
	big ideal = big_product(tick, pace->frequency_hz);

	if (big_compare(big_product(passed, pace->hz), ideal) > 0 ||
	    big_compare(big_product(passed + 1, pace->hz), ideal) <= 0)
		fail_msg("tick %llu of %llu Hz is %llu cycles from the start",
			 (unsigned long long)tick, (unsigned long long)pace->hz,
			 (unsigned long long)passed);
}

static void test_a_billion_ticks(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
		struct pace pace = start_pace(rates[i].frequency_hz, rates[i].hz, 1ull << 40);
		u64 ticks = 1000000000;

		/* As far as the counter's 63 bits go. */
		while (big_compare(big_div(big_product(ticks, pace.frequency_hz), pace.hz),
				   big_of(1ull << 62)) >= 0)
			ticks /= 2;
		for (u64 tick = 1; tick < ticks; tick += tick / 1000 + 1)
			check_deadline(&pace, tick);
		for (u64 tick = ticks - 1000; tick <= ticks; tick++)
			check_deadline(&pace, tick);
		assert_int_equal(pace_deadline(&pace, pace.hz), (1ull << 40) + pace.frequency_hz);
	}
}

static u64 random_state;

static u64 random_below(u64 limit)
{
	u64 x = random_state += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return (x ^ x >> 31) % limit;
}

/*
 * Waits that find the counter past one deadline or several: each deadline is answered once, and by
 * the first wait that ends after it. `ideal` walks along deadline by deadline.
 */
static void check_late_ticks(u64 frequency_hz, u64 hz, u64 start)
{
	struct pace pace = start_pace(frequency_hz, hz, start);
	struct ideal ideal = start_ideal(frequency_hz, hz);
	u64 period = frequency_hz / hz;
	u64 answered = 0, now = start;

	pace.may_spin = hz & 1;
	next_ideal(&ideal, hz);
	for (int wait = 0; wait < 3000; wait++) {
		u64 first = start + ideal.cycles;
		u64 ticks, due, passed = 0;

		/* Exactly at it, a little later, several periods later. */
		now = first > now ? first : now;
		if (wait % 3)
			now += random_below(wait % 3 == 1 ? period / 8 + 2 : 9 * period + 2);
		while (start + ideal.cycles <= now) {
			passed++;
			next_ideal(&ideal, hz);
		}
		page_set_virtual_counter(&region, now);
		assert_int_equal(pace_wait(&pace, &due, &ticks), now);
		assert_int_equal(due, first);
		assert_int_equal(ticks, passed);
		answered += ticks;
		assert_int_equal(pace.tick, answered + 1);
	}
	assert_int_equal(pace_deadline(&pace, answered + 1), start + ideal.cycles);
	assert_int_equal(sleeper.calls, 0);
}

static void test_late_ticks_are_merged_and_counted(void **state)
{
	(void)state;
	random_state = 1;
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
		check_late_ticks(rates[i].frequency_hz, rates[i].hz, 0);
		check_late_ticks(rates[i].frequency_hz, rates[i].hz, 987654321987);
	}
}

/* A writer that was stopped for an hour. */
static void test_very_late(void **state)
{
	struct pace pace = start_pace(2596122000, 1000003, 5);
	u64 due, ticks;

	(void)state;
	page_set_virtual_counter(&region, 5 + 3600 * 2596122000ull);
	assert_int_equal(pace_wait(&pace, &due, &ticks), 5 + 3600 * 2596122000ull);
	assert_int_equal(due, 5 + 2596);
	assert_int_equal(ticks, 3600 * 1000003ull);
	assert_int_equal(pace.tick, 3600 * 1000003ull + 1);
}

static void test_start_anew(void **state)
{
	struct pace pace = start_pace(GHZ, 1000, 1000);
	u64 due, ticks;

	(void)state;
	page_set_virtual_counter(&region, 50000000);
	assert_true(pace_wait(&pace, &due, &ticks) != 0);
	pace_start(&pace, 50000000);
	page_set_virtual_counter(&region, 51000000);
	assert_true(pace_wait(&pace, &due, &ticks) != 0);
	assert_int_equal(due, 51000000);
	assert_int_equal(ticks, 1);
}

/* Sleeps are the only thing that moves this counter: a waiter that span would not come back. */
static void sleep_through(u64 frequency_hz, u64 hz, u64 oversleep)
{
	struct pace pace = start_pace(frequency_hz, hz, 1000);
	u64 due, ticks, sum = 0, now = 0;

	sleeper.frequency_hz = frequency_hz;
	sleeper.oversleep = oversleep;
	for (int i = 0; i < 100; i++) {
		u64 slept = sleeper.calls;

		now = pace_wait(&pace, &due, &ticks);
		assert_true(now >= due);
		sum += ticks;
		assert_true(now >= pace_deadline(&pace, sum));
		assert_true(now < pace_deadline(&pace, sum + 1));
		assert_true(sleeper.calls > slept);
	}
	assert_int_equal(pace.tick, sum + 1);
	assert_true(sleeper.longest_ns <= LONGEST_SLEEP);
	/* No sleep is shorter than it must be, but for the last nanosecond and the longest slice.
	 */
	assert_true(sleeper.calls <=
		    100 * (2 + (NSEC_PER_SEC / hz + LONGEST_SLEEP - 1) / LONGEST_SLEEP));
}

static void test_without_spinning_it_sleeps_to_the_end(void **state)
{
	static const u64 hzs[] = {1, 3, 49, 50, 51, 1000, 16667, 100000};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(hzs); i++) {
		sleep_through(GHZ, hzs[i], 0);
		sleep_through(2596122000, hzs[i], 0);
		sleep_through(2596122000, hzs[i], 2596122000 / hzs[i] / 3);
		sleep_through(24000000, hzs[i], 0);
		sleep_through(100000000000, hzs[i], 17);
	}
}

/* A wait in a thread of its own, for tests in which somebody else must end it. */
struct waiter {
	pthread_t thread;
	struct pace pace;
	u64 due;
	u64 ticks;
	u64 result;
	u64 waiting; /* read by the other thread: the wait is about to begin */
};

static void *wait_once(void *argument)
{
	struct waiter *waiter = argument;

	smp_store_release(&waiter->waiting, 1);
	waiter->result = pace_wait(&waiter->pace, &waiter->due, &waiter->ticks);
	return NULL;
}

static void start_waiter(struct waiter *waiter)
{
	waiter->waiting = 0;
	assert_int_equal(pthread_create(&waiter->thread, NULL, wait_once, waiter), 0);
	while (!smp_load_acquire(&waiter->waiting))
		cpu_relax();
}

static void join_waiter(struct waiter *waiter)
{
	struct timespec limit;

	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += 30;
	if (pthread_timedjoin_np(waiter->thread, NULL, &limit))
		fail_msg("the wait does not end");
}

/* One cycle before the deadline is too early: the counter has no value between the two. */
static void check_not_early(bool may_spin)
{
	for (int i = 0; i < 20; i++) {
		struct waiter waiter = {.pace = start_pace(GHZ, 1000, 1000)};

		waiter.pace.may_spin = may_spin;
		page_set_virtual_counter(&region, 1000999);
		start_waiter(&waiter);
		for (int look = 0; look < 1000; look++)
			cpu_relax();
		page_set_virtual_counter(&region, 1001000);
		join_waiter(&waiter);
		assert_int_equal(waiter.result, 1001000);
		assert_int_equal(waiter.due, 1001000);
		assert_int_equal(waiter.ticks, 1);
	}
}

static void test_not_early(void **state)
{
	(void)state;
	check_not_early(true);
	check_not_early(false);
}

/* Sleeping ends PACE_WAKE_EARLY_NS before the deadline; from there on it only spins. */
static void check_sleeps_then_spins(u64 frequency_hz, u64 hz)
{
	struct waiter waiter = {.pace = start_pace(frequency_hz, hz, 1000)};
	u64 deadline = pace_deadline(&waiter.pace, 1);
	u64 early = big_low(big_div(big_product(PACE_WAKE_EARLY_NS, frequency_hz), NSEC_PER_SEC));

	waiter.pace.may_spin = true;
	sleeper.frequency_hz = frequency_hz;
	start_waiter(&waiter);
	/* Where sleeping ends the counter stays, until it is moved from here. */
	while (deadline - counter_now() > early)
		cpu_relax();
	for (int look = 0; look < 1000; look++)
		cpu_relax();
	assert_true(deadline - counter_now() <= early);
	assert_true(deadline - counter_now() + frequency_hz / 1000000 + 10 > early);
	page_set_virtual_counter(&region, deadline);
	join_waiter(&waiter);
	assert_int_equal(waiter.result, deadline);
	assert_true(sleeper.longest_ns <= LONGEST_SLEEP);
	assert_true(sleeper.requested_ns <= NSEC_PER_SEC / hz - PACE_WAKE_EARLY_NS);
}

static void test_sleeps_then_spins(void **state)
{
	(void)state;
	check_sleeps_then_spins(GHZ, 1);
	check_sleeps_then_spins(GHZ, 16000);
	check_sleeps_then_spins(2596122000, 1000);
	check_sleeps_then_spins(24000000, 49);
	check_sleeps_then_spins(100000000000, 51);
}

/* Where a period is no longer than waking takes, it never sleeps. */
static void test_spins_at_high_rates(void **state)
{
	struct waiter waiter = {.pace = start_pace(GHZ, 16667, 1000)};

	(void)state;
	waiter.pace.may_spin = true;
	start_waiter(&waiter);
	page_set_virtual_counter(&region, 1000 + 30000);
	for (int look = 0; look < 1000; look++)
		cpu_relax();
	page_set_virtual_counter(&region, 1000 + 60000);
	join_waiter(&waiter);
	assert_int_equal(waiter.result, 61000);
	assert_int_equal(sleeper.calls, 0);
}

static void test_stop_before_the_wait(void **state)
{
	u64 due, ticks = 77;

	(void)state;
	for (int may_spin = 0; may_spin < 2; may_spin++) {
		struct pace pace = start_pace(GHZ, 1000, 1000);

		pace.may_spin = may_spin;
		stop = true;
		assert_int_equal(pace_wait(&pace, &due, &ticks), 0);
		/* Even when a deadline has passed. */
		page_set_virtual_counter(&region, 5000000);
		assert_int_equal(pace_wait(&pace, &due, &ticks), 0);
		assert_int_equal(sleeper.calls, 0);
		/* No deadline has been answered. */
		assert_int_equal(pace.tick, 1);
		stop = false;
		assert_int_equal(pace_wait(&pace, &due, &ticks), 5000000);
		assert_int_equal(ticks, 4);
	}
}

/* The counter stands still, years from the deadline. */
static void test_stop_ends_sleeping(void **state)
{
	u64 due, ticks;

	(void)state;
	for (int may_spin = 0; may_spin < 2; may_spin++) {
		struct pace pace = start_pace(1000, 1, 1000);

		pace.may_spin = may_spin;
		pace.start += 1ull << 40;
		sleeper.stop_after = 10;
		assert_int_equal(pace_wait(&pace, &due, &ticks), 0);
		assert_int_equal(sleeper.calls, 10);
		assert_int_equal(sleeper.longest_ns, LONGEST_SLEEP);
	}
}

static void test_stop_ends_spinning(void **state)
{
	struct waiter waiter = {.pace = start_pace(GHZ, 1000000, 1000)};

	(void)state;
	waiter.pace.may_spin = true;
	start_waiter(&waiter);
	WRITE_ONCE(stop, true);
	join_waiter(&waiter);
	assert_int_equal(waiter.result, 0);
	assert_int_equal(sleeper.calls, 0);
}

/* Waits until the counter stands at the next deadline, and for nothing else. */
static u64 wait_on_time(struct pace *pace, u64 *ticks)
{
	u64 due;

	page_set_virtual_counter(&region, pace->next);
	assert_int_equal(pace_wait(pace, &due, ticks), counter_now());
	assert_int_equal(due, counter_now());
	return due;
}

/* Later than the grid by 0 to the bound, all of it used, and never early. */
static void check_jitter(u64 frequency_hz, u64 hz, u64 jitter)
{
	const u64 waits = 20000;
	struct pace pace = start_pace(frequency_hz, hz, 777);
	u64 least = UINT64_MAX, most = 0, sum = 0, ticks;

	pace.jitter = jitter;
	pace_start(&pace, 777);
	for (u64 tick = 1; tick <= waits; tick++) {
		const u64 grid = pace_deadline(&pace, tick);
		const u64 due = wait_on_time(&pace, &ticks);
		const u64 late = due - grid;

		assert_int_equal(ticks, 1);
		if (due < grid || late > jitter)
			fail_msg("tick %llu comes %lld cycles late", (unsigned long long)tick,
				 (long long)late);
		least = late < least ? late : least;
		most = late > most ? late : most;
		sum += late;
	}
	assert_true(least <= jitter / 100);
	assert_true(most >= jitter - jitter / 100);
	/* The mean of so many is off by less than a hundredth, five times its error. */
	assert_in_range(sum / waits, jitter / 2 - jitter / 50, jitter / 2 + jitter / 50 + 1);
}

static void test_jitter(void **state)
{
	(void)state;
	check_jitter(GHZ, 1000, 1);
	check_jitter(GHZ, 1000, 50);
	check_jitter(GHZ, 1000, 900000);
	check_jitter(2596122000, 7, 100000000);
	check_jitter(24000000, 999983, 20);
}

/* A bound beyond the next deadlines: what is late by so much takes them with it. */
static void test_long_jitter(void **state)
{
	struct pace pace = start_pace(GHZ, 1000, 777);
	u64 answered = 0, merged = 0, ticks;

	(void)state;
	pace.jitter = 5000000;
	pace_start(&pace, 777);
	for (int i = 0; i < 5000; i++) {
		const u64 due = wait_on_time(&pace, &ticks);

		assert_true(due >= pace_deadline(&pace, answered + 1));
		assert_true(due <= pace_deadline(&pace, answered + 1) + pace.jitter);
		answered += ticks;
		merged += ticks - 1;
		assert_true(pace_deadline(&pace, answered) <= due);
		assert_true(pace_deadline(&pace, answered + 1) > due);
	}
	assert_true(merged > 5000);
}

#define ARRIVALS 200000

static u64 arrival[ARRIVALS];

/* The deadlines of one that is never late. */
static struct pace start_arrivals(u64 frequency_hz, u64 hz, u64 every_ns, u64 seed)
{
	struct pace pace = start_pace(frequency_hz, hz, 777);

	pace.every_ns = every_ns;
	pace.arrivals = PACE_POISSON;
	pace.random = seed;
	pace_start(&pace, 777);
	return pace;
}

static void draw_arrivals(u64 frequency_hz, u64 hz, u64 every_ns, u64 seed)
{
	struct pace pace = start_arrivals(frequency_hz, hz, every_ns, seed);
	u64 ticks;

	for (u64 i = 0; i < ARRIVALS; i += ticks) {
		const u64 due = wait_on_time(&pace, &ticks);

		/* Two or more may be due at the same value of a slow counter. */
		for (u64 same = 0; same < ticks && i + same < ARRIVALS; same++)
			arrival[i + same] = due;
	}
}

/*
 * An exponential distribution of distances, each of which knows nothing of the one before. All
 * bounds are five times what chance makes of so many; the seed is always the same.
 */
static void check_distances(double mean)
{
	const double error = 1 / sqrt(ARRIVALS);
	double sum = 0, squares = 0, products = 0, before = 0;
	u64 last = 777, long_ones = 0;

	for (size_t i = 0; i < ARRIVALS; i++) {
		const double distance = (double)(arrival[i] - last) / mean;

		last = arrival[i];
		sum += distance;
		squares += (distance - 1) * (distance - 1);
		products += i ? (distance - 1) * (before - 1) : 0;
		long_ones += distance > 2;
		before = distance;
	}
	assert_true(fabs(sum / ARRIVALS - 1) < 5 * error + 0.04 / mean / mean);
	assert_true(fabs(squares / ARRIVALS - 1) < 5 * sqrt(8) * error + 0.1 / mean / mean);
	assert_true(fabs(products / ARRIVALS) < 5 * error);
	/* Where whole cycles are too coarse to say, nothing is known of the tail. */
	if (mean > 1000)
		assert_true(fabs((double)long_ones / ARRIVALS - exp(-2)) < 5 * error * 0.35);
}

static void test_poisson(void **state)
{
	static const struct {
		u64 frequency_hz, hz, every_ns;
	} poisson[] = {{GHZ, 1000, 0},		 {2596122000, 1000003, 0}, {GHZ, 0, 50000},
		       {19200000, 9600000, 0},	 {24000000, 10000000, 0},  {100000000000, 1, 0},
		       {2596122000, 10000000, 0}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(poisson); i++) {
		const double rate = pace_rate_hz(poisson[i].hz, poisson[i].every_ns);

		draw_arrivals(poisson[i].frequency_hz, poisson[i].hz, poisson[i].every_ns, 1);
		check_distances((double)poisson[i].frequency_hz / rate);
	}
}

static void test_seed(void **state)
{
	u64 first[100], same = 0;

	(void)state;
	draw_arrivals(GHZ, 1000, 0, 1);
	memcpy(first, arrival, sizeof(first));
	draw_arrivals(GHZ, 1000, 0, 1);
	assert_memory_equal(first, arrival, sizeof(first));
	draw_arrivals(GHZ, 1000, 0, 2);
	for (size_t i = 0; i < ARRAY_SIZE(first); i++)
		same += first[i] == arrival[i];
	assert_true(same <= 1);
}

/* Whoever is late meets the deadlines of one that is not, each counted once. */
static void test_late_arrivals(void **state)
{
	const u64 period = 1000000;
	struct pace pace;
	size_t passed = 0;
	u64 now = 777;

	(void)state;
	random_state = 3;
	draw_arrivals(GHZ, 1000, 0, 1);
	pace = start_arrivals(GHZ, 1000, 0, 1);
	for (int wait = 0; passed < ARRIVALS - 1000; wait++) {
		const u64 first = arrival[passed];
		u64 due, ticks, expected = 0;

		now = first > now ? first : now;
		if (wait % 3)
			now += random_below(wait % 3 == 1 ? period / 8 : 9 * period);
		for (; arrival[passed] <= now; passed++)
			expected++;
		page_set_virtual_counter(&region, now);
		assert_int_equal(pace_wait(&pace, &due, &ticks), now);
		assert_int_equal(due, first);
		assert_int_equal(ticks, expected);
	}
}

/* The grid's deadlines from `tick` on that no idle stretch swallows: the first of them. */
static u64 awake_from(const struct pace *pace, u64 idle, u64 tick)
{
	while ((pace_deadline(pace, tick) - pace->start) / idle % 2)
		tick++;
	return tick;
}

/* `stretch` is what comes of a stretch of `idle`. */
static void check_idle(u64 frequency_hz, u64 hz, u64 idle, u64 stretch)
{
	struct pace pace = start_pace(frequency_hz, hz, 777);
	const u64 period = frequency_hz / hz;
	u64 tick, last = 777, now = 777, left_out = 0;

	pace.idle = idle;
	pace_start(&pace, 777);
	tick = awake_from(&pace, stretch, 1);
	for (int wait = 0; wait < 3000; wait++) {
		const u64 first = pace_deadline(&pace, tick);
		u64 due, ticks, passed = 0;

		assert_true(first - last <= stretch + 2 * (period + 1));
		now = first > now ? first : now;
		if (wait % 3)
			now += random_below(wait % 3 == 1 ? period / 8 + 2 : 3 * stretch + 2);
		while (pace_deadline(&pace, tick) <= now) {
			const u64 next = awake_from(&pace, stretch, tick + 1);

			last = pace_deadline(&pace, tick);
			left_out += next - tick - 1;
			tick = next;
			passed++;
		}
		page_set_virtual_counter(&region, now);
		assert_int_equal(pace_wait(&pace, &due, &ticks), now);
		assert_int_equal(due, first);
		assert_int_equal(ticks, passed);
	}
	assert_true(left_out > 500);
	assert_int_equal(sleeper.calls, 0);
}

static void test_idle(void **state)
{
	(void)state;
	random_state = 4;
	check_idle(GHZ, 1000, 10000000, 10000000);
	check_idle(GHZ, 1000, 3141592, 3141592);
	check_idle(2596122000, 7, 25961220000, 25961220000);
	check_idle(2596122000, 1000003, 2596122, 2596122);
	check_idle(19200000, 9600000, 17, 17);
}

/*
 * No stretch is shorter than from one deadline to the next: those that are would beat with the
 * grid, and swallow deadlines for as long as they lie in step with it.
 */
static void test_idle_shorter_than_a_period(void **state)
{
	(void)state;
	random_state = 5;
	check_idle(GHZ, 1000, 1, 1000001);
	check_idle(GHZ, 1000, 499999, 1000001);
	check_idle(2596122000, 1000, 1298060, 2596123);
	check_idle(2596122000, 1000003, 2000, 2597);
}

static void test_idle_and_jitter(void **state)
{
	struct pace pace = start_pace(GHZ, 1000, 777);
	u64 tick, ticks;

	(void)state;
	pace.idle = 20000000;
	pace.jitter = 300000;
	pace_start(&pace, 777);
	tick = awake_from(&pace, pace.idle, 1);
	for (int i = 0; i < 5000; i++) {
		const u64 grid = pace_deadline(&pace, tick);
		const u64 due = wait_on_time(&pace, &ticks);

		assert_true(due >= grid && due <= grid + pace.jitter);
		assert_int_equal(ticks, 1);
		tick = awake_from(&pace, pace.idle, tick + 1);
	}
}

/* A distance in nanoseconds and the rate that it is are the same deadlines. */
static void test_every_and_hz(void **state)
{
	static const u64 every[] = {1000, 20000, 1000000, 50000000, 1000000000};
	static const u64 frequency[] = {GHZ, 2596122000, 3333333333, 19200000, 100000000000};

	(void)state;
	random_state = 6;
	for (size_t i = 0; i < ARRAY_SIZE(every) * ARRAY_SIZE(frequency); i++) {
		const u64 distance = every[i / ARRAY_SIZE(frequency)];
		const u64 hz = NSEC_PER_SEC / distance;
		const u64 frequency_hz = frequency[i % ARRAY_SIZE(frequency)];
		struct pace by_hz = start_pace(frequency_hz, hz, 777);
		struct pace by_every = start_pace(frequency_hz, 0, 777);
		u64 now = 777, due[2], ticks[2];

		by_every.every_ns = distance;
		pace_start(&by_every, 777);
		for (int wait = 0; wait < 1000; wait++) {
			now = by_hz.next > now ? by_hz.next : now;
			now += random_below(3 * frequency_hz / hz);
			page_set_virtual_counter(&region, now);
			assert_int_equal(pace_wait(&by_hz, &due[0], &ticks[0]), now);
			assert_int_equal(pace_wait(&by_every, &due[1], &ticks[1]), now);
			assert_int_equal(due[0], due[1]);
			assert_int_equal(ticks[0], ticks[1]);
		}
	}
}

/* An hour between two, for a year. */
static void test_every_hour(void **state)
{
	const u64 hour = 3600 * 2596122000ull;
	struct pace pace = start_pace(2596122000, 0, 777);
	u64 ticks;

	(void)state;
	pace.every_ns = 3600ull * NSEC_PER_SEC;
	pace_start(&pace, 777);
	for (u64 tick = 1; tick <= 366 * 24; tick++) {
		assert_int_equal(wait_on_time(&pace, &ticks), 777 + tick * hour);
		assert_int_equal(ticks, 1);
	}
}

static void test_no_waits(void **state)
{
	struct pace pace = start_pace(GHZ, 0, 777);
	u64 due, ticks;

	(void)state;
	for (u64 now = 777; now < 800; now += 3) {
		page_set_virtual_counter(&region, now);
		assert_int_equal(pace_wait(&pace, &due, &ticks), now);
		assert_int_equal(due, now);
		assert_int_equal(ticks, 1);
		assert_int_equal(pace_pass(&pace, now + 1000000), 0);
	}
	stop = true;
	assert_int_equal(pace_wait(&pace, &due, &ticks), 0);
	assert_int_equal(sleeper.calls, 0);
}

/* Deadlines before a counter value are counted once; one that is just due still has time. */
static void check_pass(struct pace *pace)
{
	u64 due, ticks, first;

	assert_int_equal(pace_pass(pace, pace->next), 0);
	for (int i = 0; i < 1000; i++) {
		struct pace walker = *pace;
		const u64 cycles = pace->next + random_below(i % 2 ? 10000000 : 2);
		u64 passed = 0;

		/* What waits on time would have met. */
		while (walker.next < cycles) {
			wait_on_time(&walker, &ticks);
			passed += ticks;
		}
		assert_int_equal(pace_pass(pace, cycles), passed);
		assert_int_equal(pace_pass(pace, cycles), 0);
		assert_true(pace->next >= cycles);
	}
	/* The next wait is for what was not passed over. */
	first = pace->next;
	page_set_virtual_counter(&region, first);
	assert_int_equal(pace_wait(pace, &due, &ticks), first);
	assert_int_equal(due, first);
	assert_int_equal(ticks, 1);
}

static void test_pass(void **state)
{
	struct pace pace = start_pace(GHZ, 1000, 777);

	(void)state;
	random_state = 7;
	check_pass(&pace);
	pace = start_pace(GHZ, 0, 777);
	pace.every_ns = 1000003;
	pace_start(&pace, 777);
	check_pass(&pace);
	pace = start_pace(GHZ, 1000, 777);
	pace.idle = 7000000;
	pace_start(&pace, 777);
	check_pass(&pace);
	pace = start_arrivals(GHZ, 1000, 0, 1);
	check_pass(&pace);
}

static void test_rate(void **state)
{
	(void)state;
	assert_true(pace_rate_hz(1000, 0) == 1000);
	assert_true(pace_rate_hz(0, 50000000) == 20);
	assert_true(fabs(pace_rate_hz(0, 3600ull * NSEC_PER_SEC) * 3600 - 1) < 1e-9);
	assert_true(isinf(pace_rate_hz(0, 0)));
}

/* A writer that was put aside for long must not count for minutes what nobody wants any more. */
static void check_pass_after_stop(struct pace *pace, u64 cycles)
{
	struct pace stopped = *pace;

	stop = false;
	assert_in_range(pace_pass(pace, cycles), 1000000, 10000000);
	stop = true;
	assert_in_range(pace_pass(&stopped, cycles), 1, 100000);
	stop = false;
}

static void test_stop_ends_passing(void **state)
{
	struct pace pace = start_arrivals(GHZ, 10000000, 0, 5);
	struct pace few = pace;

	(void)state;
	/* A fifth of a second. */
	check_pass_after_stop(&pace, pace.start + GHZ / 5);
	pace = start_pace(GHZ, 10000000, 777);
	pace.idle = 1000;
	pace_start(&pace, 777);
	check_pass_after_stop(&pace, pace.start + GHZ);
	/* What is over at once is counted to the end all the same. */
	stop = true;
	assert_in_range(pace_pass(&few, few.start + GHZ / 1000), 9000, 11000);
	stop = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_ticks),
		cmocka_unit_test(test_a_billion_ticks),
		cmocka_unit_test(test_late_ticks_are_merged_and_counted),
		cmocka_unit_test(test_very_late),
		cmocka_unit_test(test_start_anew),
		cmocka_unit_test(test_without_spinning_it_sleeps_to_the_end),
		cmocka_unit_test(test_not_early),
		cmocka_unit_test(test_sleeps_then_spins),
		cmocka_unit_test(test_spins_at_high_rates),
		cmocka_unit_test(test_stop_before_the_wait),
		cmocka_unit_test(test_stop_ends_sleeping),
		cmocka_unit_test(test_stop_ends_spinning),
		cmocka_unit_test(test_jitter),
		cmocka_unit_test(test_long_jitter),
		cmocka_unit_test(test_poisson),
		cmocka_unit_test(test_seed),
		cmocka_unit_test(test_late_arrivals),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_idle_shorter_than_a_period),
		cmocka_unit_test(test_idle_and_jitter),
		cmocka_unit_test(test_every_and_hz),
		cmocka_unit_test(test_every_hour),
		cmocka_unit_test(test_no_waits),
		cmocka_unit_test(test_pass),
		cmocka_unit_test(test_stop_ends_passing),
		cmocka_unit_test(test_rate),
	};

	return cmocka_run_group_tests(tests, map_page, unmap_page);
}
