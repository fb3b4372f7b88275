/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole numbers of 128 bits that tests check arithmetic with: what the compiler makes of them
 * where it can, so that there nothing is shared with the code under test; elsewhere sim/wide.h,
 * which test_wide.c holds against the compiler's. Sums and products wrap; comparisons are signed.
 */
#ifndef TESTS_UNIT_BIG_H
#define TESTS_UNIT_BIG_H

#include "sim/types.h"
#include "sim/wide.h"

#if WIDE_NATIVE

__extension__ typedef __int128 big;

static inline big big_of(u64 value)
{
	return value;
}

static inline big big_add(big a, big b)
{
	return (big)((wide_native)a + (wide_native)b);
}

static inline big big_mul(big a, u64 b)
{
	return (big)((wide_native)a * b);
}

static inline big big_negative(big a)
{
	return (big)(0 - (wide_native)a);
}

/* `a` must not be negative. */
static inline big big_div(big a, u64 b)
{
	return a / (big)b;
}

static inline u64 big_low(big a)
{
	return (u64)a;
}

static inline u64 big_high(big a)
{
	return (u64)((wide_native)a >> 64);
}

#else

typedef struct wide big;

static inline big big_of(u64 value)
{
	return (big){.low = value};
}

static inline big big_add(big a, big b)
{
	return wide_add(a, b);
}

static inline big big_mul(big a, u64 b)
{
	big product = wide_mul(a.low, b);

	product.high += a.high * b;
	return product;
}

static inline big big_negative(big a)
{
	return wide_add((big){~a.low, ~a.high}, big_of(1));
}

static inline big big_div(big a, u64 b)
{
	u64 rest;

	return wide_div(a, b, &rest);
}

static inline u64 big_low(big a)
{
	return a.low;
}

static inline u64 big_high(big a)
{
	return a.high;
}

#endif

static inline big big_of_signed(s64 value)
{
	return value < 0 ? big_negative(big_of(-(u64)value)) : big_of((u64)value);
}

static inline big big_sub(big a, big b)
{
	return big_add(a, big_negative(b));
}

static inline big big_product(u64 a, u64 b)
{
	return big_mul(big_of(a), b);
}

static inline big big_shift_left(big a, u32 shift)
{
	return big_mul(a, 1ull << shift);
}

/* Less than 0, 0, or more, as a is less than b, equal, or more. */
static inline int big_compare(big a, big b)
{
	s64 a_high = (s64)big_high(a), b_high = (s64)big_high(b);

	if (a_high != b_high)
		return a_high < b_high ? -1 : 1;
	return (big_low(a) > big_low(b)) - (big_low(a) < big_low(b));
}

static inline bool big_equal(big a, big b)
{
	return big_compare(a, b) == 0;
}

static inline big big_magnitude(big a)
{
	return (s64)big_high(a) < 0 ? big_negative(a) : a;
}

#endif /* TESTS_UNIT_BIG_H */
