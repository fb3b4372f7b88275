// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The reader that users begin with tells what the built-in one tells, a counter that lags behind
 * included.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "readers/variation.h"
#include "sim/layout.h"
#include "sim/publish.h"
#include "tests/unit/updates.h"

#define UPDATES 9

/* The example, with READER_COUNTED 0 and 1. */
reader_fn example_atomic_0, example_atomic_1;

static struct page_region region;

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static void check_read(clockid_t clock, u64 number, u64 cycles)
{
	const struct vdso_time_data *page = page_for_readers(&region);
	struct read_note note = {.on_cpu = NULL};
	struct timespec wanted, bare, counted;

	page_set_virtual_counter(&region, cycles);
	assert_int_equal(variations[0].bare(page, clock, &wanted, NULL), 0);
	assert_int_equal(example_atomic_0(page, clock, &bare, NULL), 0);
	assert_int_equal(example_atomic_1(page, clock, &counted, &note), 0);
	if (!same_time(&wanted, &bare) || !same_time(&wanted, &counted))
		fail_msg("clock %d: %lld.%09ld and %lld.%09ld instead of %lld.%09ld", (int)clock,
			 (long long)bare.tv_sec, bare.tv_nsec, (long long)counted.tv_sec,
			 counted.tv_nsec, (long long)wanted.tv_sec, wanted.tv_nsec);
	assert_int_equal(note.seq, 2 * number);
	assert_true(note.cycles == cycles);
	assert_int_equal(note.events, 0);
}

static void test_same_as_built_in(void **state)
{
	static const s64 deltas[] = {0,		  1, 12345, PERIOD, 40 * (s64)HZ, -1, -(s64)PERIOD,
				     -(1ll << 39)};
	static const clockid_t precise[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME,
					    CLOCK_TAI};
	struct timekeeper told[UPDATES + 1];
	struct errmsg err;

	(void)state;
	make_time(told, UPDATES, SIM_CLOCKMODE_VIRTUAL);
	assert_int_equal(page_region_map(&region, &page_layout_current, 0, &err), 0);
	for (u64 number = 1; number <= UPDATES; number++) {
		update_vsyscall(page_for_writer(&region), &page_layout_current, &told[number]);
		for (size_t i = 0; i < ARRAY_SIZE(precise) * ARRAY_SIZE(deltas); i++)
			check_read(precise[i % ARRAY_SIZE(precise)], number,
				   told[number].cycle_last + (u64)deltas[i / ARRAY_SIZE(precise)]);
	}
	page_region_unmap(&region);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_as_built_in)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
