// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What all writers of a run come to together.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "measure/writers.h"
#include "tests/unit/choice_of.h"
#include "writers/kinds.h"

#define MS 1000000ull

static const struct spec_key every_keys[] = {{"every", NULL, "50ms", ""}, {.name = NULL}};
static const struct spec_key burst_keys[] = {
	WRITER_KEY_HZ, {"burst", NULL, "0", ""}, {.name = NULL}};
static const struct writer_kind every_kind = {.name = "step", .keys = every_keys};
static const struct writer_kind beside_kind = {
	.name = "beside", .keys = every_keys, .no_update = true};
static const struct writer_kind burst_kind = {.name = "storm", .keys = burst_keys};

static struct run_config config;

static int clear(void **state)
{
	(void)state;
	config = (struct run_config){.writers = 0};
	return 0;
}

static struct writer_choice *add(struct writer_choice choice)
{
	struct writer_choice *added = &config.writer[config.writers++];

	*added = choice;
	return added;
}

static struct writer_choice every(const struct writer_kind *kind, u64 ns)
{
	return (struct writer_choice){.kind = kind, .value = {[WRITER_EVERY] = ns}};
}

static struct writer_choice burst(u64 hz, u64 updates)
{
	return (struct writer_choice){
		.kind = &burst_kind, .hz = hz, .value = {[WRITER_BURST] = updates}};
}

static void test_rates(void **state)
{
	(void)state;
	add(choice_of("tick:hz=1000"));
	assert_true(writers_rate_hz(&config) == 1000);
	add(every(&every_kind, 50 * MS));
	assert_true(writers_rate_hz(&config) == 1020);
	assert_int_equal(writers_update_hz(&config), 1020);
	/* What it writes is no update. */
	add(every(&beside_kind, MS));
	assert_true(writers_rate_hz(&config) == 1020);
	add(burst(100, 30));
	assert_true(writers_rate_hz(&config) == 4020);
	add(burst(100, 0));
	assert_true(isinf(writers_rate_hz(&config)));
	assert_int_equal(writers_update_hz(&config), 1000000);
}

static void test_slow_rates(void **state)
{
	(void)state;
	add(every(&every_kind, 3600ull * NSEC_PER_SEC));
	assert_true(fabs(writers_rate_hz(&config) * 3600 - 1) < 1e-9);
	assert_int_equal(writers_update_hz(&config), 1);
	config.writer[0] = every(&beside_kind, MS);
	assert_true(writers_rate_hz(&config) == 0);
	assert_int_equal(writers_update_hz(&config), 1);
}

static bool never_sleep(u64 hz, u64 hold_ns)
{
	struct writer_choice *choice;

	clear(NULL);
	choice = add(choice_of("tick"));
	choice->hz = hz;
	choice->value[WRITER_HOLD] = hold_ns;
	return writers_never_sleep(&config);
}

static void test_never_sleep(void **state)
{
	(void)state;
	assert_int_equal(PACE_WAKE_EARLY_NS, 60000);
	assert_false(never_sleep(1, 0));
	assert_false(never_sleep(1000, 0));
	/* 60 us of 75 are four fifths. */
	assert_false(never_sleep(13333, 0));
	assert_true(never_sleep(13334, 0));
	assert_true(never_sleep(1000000, 0));
	assert_true(never_sleep(WRITER_MAX_HZ, 0));
	/* A long hold is spun away too. */
	assert_false(never_sleep(1000, 700000));
	assert_true(never_sleep(1000, 800000));
	assert_true(never_sleep(WRITER_MAX_HZ, WRITER_MAX_HOLD_NS));
}

static void test_together_they_never_sleep(void **state)
{
	(void)state;
	add(choice_of("tick:hz=7000"));
	assert_false(writers_never_sleep(&config));
	add(every(&every_kind, MS));
	assert_false(writers_never_sleep(&config));
	add(choice_of("tick:hz=7000"));
	assert_true(writers_never_sleep(&config));
}

static void test_bursts_and_sleep(void **state)
{
	(void)state;
	/* It sleeps from one burst to the next, if there is time for that. */
	add(burst(1000, 1000));
	assert_false(writers_never_sleep(&config));
	config.writer[0] = burst(1000, 10000);
	assert_true(writers_never_sleep(&config));
	config.writer[0] = burst(10, 1000000);
	assert_true(writers_never_sleep(&config));
	config.writer[0] = burst(1000, 0);
	assert_true(writers_never_sleep(&config));
}

static u64 quiet_of(struct writer_choice choice)
{
	clear(NULL);
	add(choice);
	return writers_quiet_ns(&config);
}

static void test_quiet(void **state)
{
	(void)state;
	assert_int_equal(quiet_of(choice_of("tick:hz=1000")), MS);
	assert_int_equal(quiet_of(choice_of("tick:hz=1")), 1000 * MS);
	assert_int_equal(quiet_of(choice_of("tick:hz=1000,jitter=7ms")), 8 * MS);
	assert_int_equal(quiet_of(every(&every_kind, 50 * MS)), 50 * MS);
	/* From one burst to the next. */
	assert_int_equal(quiet_of(burst(100, 1000)), 10 * MS);
	assert_int_equal(quiet_of(burst(100, 0)), 0);
	assert_int_equal(quiet_of(every(&beside_kind, MS)), UINT64_MAX);
}

/* The last update before a stretch and the first after it may be a period off its ends. */
static void test_quiet_of_idle_writers(void **state)
{
	(void)state;
	assert_int_equal(quiet_of(choice_of("tick:hz=1000,nohz=100ms")), 102 * MS);
	assert_int_equal(quiet_of(choice_of("tick:hz=1000,nohz=1us")), 3 * MS);
	assert_int_equal(quiet_of(choice_of("tick:hz=10,nohz=10s,jitter=1s")), 11200 * MS);
}

/* The most frequent one decides, but all wait for one that keeps readers out. */
static void test_quiet_of_several(void **state)
{
	struct writer_choice *stall;

	(void)state;
	add(choice_of("tick:hz=10"));
	add(choice_of("tick:hz=1000"));
	add(choice_of("tick:hz=100"));
	add(every(&beside_kind, 1000));
	assert_int_equal(writers_quiet_ns(&config), MS);
	stall = add(every(&every_kind, 50 * MS));
	stall->value[WRITER_FOR] = 20 * MS;
	assert_int_equal(writers_quiet_ns(&config), 21 * MS);
	/* For ever is what is looked for. */
	stall->value[WRITER_FOR] = WRITER_FOREVER;
	assert_int_equal(writers_quiet_ns(&config), MS);
}

/* What is said of a run of so many seconds by this reader; "": nothing. */
static const char *refusal(const char *spec, const char *writer, u64 seconds)
{
	static struct errmsg err;
	struct run_group *group = &config.group[0];

	clear(NULL);
	config.groups = 1;
	config.payload = PAYLOAD_TIME;
	config.clocksource = clocksource_default();
	config.duration_ns = seconds * NSEC_PER_SEC;
	add(choice_of(writer));
	strcpy(err.text, "");
	if (reader_resolve(spec, &group->reader, &err))
		fail_msg("%s: %s", spec, err.text);
	writers_check(&config, &err);
	reader_release(&group->reader);
	return err.text;
}

/* A reader that does not look at max_cycles is right for ten minutes from an update. */
static void test_too_seldom_for_old_readers(void **state)
{
	(void)state;
	assert_non_null(strstr(refusal("hres:layout=v5.3", "step:every=1h", 601), "--writer"));
	assert_non_null(strstr(refusal("hres:layout=gtod", "tz", 601), "page of gtod"));
	assert_string_equal(refusal("hres:layout=v5.3", "step:every=1h", 600), "");
	assert_string_equal(refusal("hres:layout=v5.3", "step:every=600s", 3600), "");
	assert_string_equal(refusal("hres:layout=v6.10", "step:every=1h", 3600), "");
	assert_string_equal(refusal("hres", "tz", 3600), "");
	assert_string_equal(refusal("coarse:layout=v5.3", "step:every=1h", 3600), "");
	assert_string_equal(refusal("seqcount", "step:every=1h", 3600), "");
}

#define CLEARED(test) cmocka_unit_test_setup(test, clear)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLEARED(test_rates),
		CLEARED(test_slow_rates),
		CLEARED(test_never_sleep),
		CLEARED(test_together_they_never_sleep),
		CLEARED(test_bursts_and_sleep),
		CLEARED(test_quiet),
		CLEARED(test_quiet_of_idle_writers),
		CLEARED(test_quiet_of_several),
		CLEARED(test_too_seldom_for_old_readers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
