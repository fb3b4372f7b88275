/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a timekeeper's clocks say at a counter value, for tests: without rounding, and as a reader
 * has it.
 */
#ifndef TESTS_UNIT_CLOCK_VALUES_H
#define TESTS_UNIT_CLOCK_VALUES_H

#include "sim/timekeeper.h"
#include "tests/unit/big.h"

static inline u64 second_of(const struct timekeeper *tk)
{
	return (u64)NSEC_PER_SEC << tk->shift;
}

/* A clock at cycle_last, in shifted nanoseconds; a coarse clock in plain ones. */
static inline big base_of(const struct timekeeper *tk, clockid_t clock)
{
	bool coarse = clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE;
	u64 second = coarse ? NSEC_PER_SEC : second_of(tk);
	struct vdso_timestamp base;

	timekeeper_base(tk, clock, &base);
	return big_add(big_product(base.sec, second), big_of(base.nsec));
}

static inline u32 mult_of(const struct timekeeper *tk, clockid_t clock)
{
	return clock == CLOCK_MONOTONIC_RAW ? tk->nominal_mult : tk->mult;
}

/* A clock at a counter value not before cycle_last, without rounding. */
static inline big shifted_at(const struct timekeeper *tk, clockid_t clock, u64 cycles)
{
	u64 delta = (cycles - tk->cycle_last) & tk->mask;

	return big_add(base_of(tk, clock), big_product(delta, mult_of(tk, clock)));
}

/* What a reader makes of the same: 64 bits while they suffice, a nanosecond rounded down. */
static inline u64 read_ns(const struct timekeeper *tk, clockid_t clock, u64 cycles)
{
	u64 delta = (cycles - tk->cycle_last) & tk->mask;
	u32 mult = mult_of(tk, clock);
	struct vdso_timestamp base;
	u64 nsec;

	timekeeper_base(tk, clock, &base);
	if (delta <= tk->max_cycles)
		nsec = (delta * mult + base.nsec) >> tk->shift;
	else
		nsec = big_low(big_div(big_add(big_product(delta, mult), big_of(base.nsec)),
				       1ull << tk->shift));
	return base.sec * NSEC_PER_SEC + nsec;
}

#endif /* TESTS_UNIT_CLOCK_VALUES_H */
