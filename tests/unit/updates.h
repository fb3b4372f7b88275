/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The updates of a run of either payload, for tests: what the writer makes of the counter at each.
 */
#ifndef TESTS_UNIT_UPDATES_H
#define TESTS_UNIT_UPDATES_H

#include "sim/page.h"
#include "sim/stamp.h"
#include "sim/timekeeper.h"

#define HZ     2596122000ull
#define PERIOD (HZ / 1000)

static const clockid_t clocks[] = {CLOCK_REALTIME,
				   CLOCK_MONOTONIC,
				   CLOCK_MONOTONIC_RAW,
				   CLOCK_REALTIME_COARSE,
				   CLOCK_MONOTONIC_COARSE,
				   CLOCK_BOOTTIME,
				   CLOCK_TAI};

enum payload_kind {
	TIME,
	STAMP,
	PAYLOADS
};

static inline bool is_coarse(clockid_t clock)
{
	return clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE;
}

/* A tick a millisecond, some a little late. */
static inline u64 cycles_of(u64 number)
{
	return (1ull << 40) + number * PERIOD + number * number % 1009;
}

/* Fills told[1] to told[updates]; steered back and forth, for mult to change. */
static inline void make_time(struct timekeeper *told, u64 updates, s32 clock_mode)
{
	const struct timekeeper_start start = {
		.frequency_hz = HZ,
		.mask = INT64_MAX,
		.clock_mode = clock_mode,
		.interval_hz = 4000,
		.realtime = {1700000000, 990000000},
		.monotonic = {4321, 980000000},
		.boottime = {54321, 970000000},
		.tai_offset_sec = 37,
	};
	struct timekeeper tk;
	struct errmsg err;

	assert_int_equal(timekeeper_init(&tk, &start, cycles_of(0), &err), 0);
	for (u64 number = 1; number <= updates; number++) {
		s64 ppb = (s64)(number % 3 * 200000) << TIMEKEEPER_PPB_SHIFT;

		assert_int_equal(timekeeper_set_frequency(&tk, ppb, &err), 0);
		timekeeper_advance(&tk, cycles_of(number));
		told[number] = tk;
	}
}

static inline void make_stamps(struct timekeeper *told, u64 updates, s32 clock_mode)
{
	for (u64 number = 1; number <= updates; number++) {
		told[number] = (struct timekeeper){.clock_mode = clock_mode, .mask = INT64_MAX};
		timekeeper_stamp(&told[number], number, cycles_of(number));
	}
}

#endif /* TESTS_UNIT_UPDATES_H */
