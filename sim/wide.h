/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What takes more than 64 bits: products of a counter and mult, and their sums.
 *
 * Where the compiler has no 128-bit integers, as on 32-bit machines, the functions called words_
 * do in two words what it does elsewhere; they are there on every machine so that tests can hold
 * one against the other. Nothing here traps or asserts; any thread may call anything.
 */
#ifndef SIM_WIDE_H
#define SIM_WIDE_H

#include "sim/types.h"

#ifdef __SIZEOF_INT128__
#define WIDE_NATIVE 1
/* __extension__ because ISO C has no such type. Not to be used where contend runs on 32 bits. */
__extension__ typedef unsigned __int128 wide_native;
#else
#define WIDE_NATIVE 0
#endif

/* 128 bits in two's complement; whether the highest is a sign is up to the user. */
struct wide {
	u64 low;
	u64 high;
};

static inline struct wide words_mul(u64 a, u64 b)
{
	u64 a_low = (u32)a, a_high = a >> 32, b_low = (u32)b, b_high = b >> 32;
	u64 low = a_low * b_low;
	/* No sum here can overflow: (2^32 - 1)^2 leaves room for two words of 32 bits. */
	u64 middle = a_high * b_low + (low >> 32);
	u64 other_middle = a_low * b_high + (u32)middle;

	return (struct wide){
		.low = other_middle << 32 | (u32)low,
		.high = a_high * b_high + (middle >> 32) + (other_middle >> 32),
	};
}

static inline struct wide words_div(struct wide dividend, u64 divisor, u64 *rest)
{
	struct wide quotient = {.high = dividend.high / divisor};
	u64 left = dividend.high % divisor;

	if (left == 0) {
		quotient.low = dividend.low / divisor;
		*rest = dividend.low % divisor;
		return quotient;
	}
	/* A bit at a time; what is left is less than the divisor, but twice that may need 65 bits.
	 */
	for (int bit = 63; bit >= 0; bit--) {
		bool carry = left >> 63;

		left = left << 1 | (dividend.low >> bit & 1);
		if (carry || left >= divisor) {
			left -= divisor;
			quotient.low |= 1ull << bit;
		}
	}
	*rest = left;
	return quotient;
}

static inline u64 words_mul_add_shift(u64 a, u32 b, u64 c, u32 shift)
{
	u64 product = (u64)(u32)a * b;
	u64 upper = (a >> 32) * b + (product >> 32);
	u64 low = upper << 32 | (u32)product;
	u64 high = upper >> 32;

	low += c;
	high += low < c;
	return shift ? low >> shift | high << (64 - shift) : low;
}

/* a * b. */
static inline struct wide wide_mul(u64 a, u64 b)
{
#if WIDE_NATIVE
	wide_native product = (wide_native)a * b;

	return (struct wide){(u64)product, (u64)(product >> 64)};
#else
	return words_mul(a, b);
#endif
}

/* a * b, with the sign of b. */
static inline struct wide wide_mul_signed(u64 a, s64 b)
{
	struct wide product = wide_mul(a, (u64)b);

	/* A negative b was taken for 2^64 more than it is. */
	product.high -= b < 0 ? a : 0;
	return product;
}

static inline struct wide wide_add(struct wide a, struct wide b)
{
	u64 low = a.low + b.low;

	return (struct wide){low, a.high + b.high + (low < b.low)};
}

static inline bool wide_is_negative(struct wide a)
{
	return a.high >> 63;
}

static inline bool wide_is_zero(struct wide a)
{
	return (a.low | a.high) == 0;
}

/* The unsigned quotient, and what is left of the dividend. The divisor must not be 0. */
static inline struct wide wide_div(struct wide dividend, u64 divisor, u64 *rest)
{
#if WIDE_NATIVE
	wide_native whole = (wide_native)dividend.high << 64 | dividend.low;
	wide_native quotient = whole / divisor;

	*rest = (u64)(whole % divisor);
	return (struct wide){(u64)quotient, (u64)(quotient >> 64)};
#else
	return words_div(dividend, divisor, rest);
#endif
}

/* a * b / c, rounded down, of which the low 64 bits; c must not be 0. */
static inline u64 wide_mul_div(u64 a, u64 b, u64 c)
{
	u64 rest;

	return wide_div(wide_mul(a, b), c, &rest).low;
}

/*
 * (a * b + c) >> shift, of which the low 64 bits; shift is at most 63. Part of the read path, and
 * in its own words there: what judges a read must not share it.
 */
static inline __attribute__((always_inline)) u64 wide_mul_add_shift(u64 a, u32 b, u64 c, u32 shift)
{
#if WIDE_NATIVE
	return (u64)(((wide_native)a * b + c) >> shift);
#else
	return words_mul_add_shift(a, b, c, shift);
#endif
}

/* a >> shift, zeros coming in, of which the low 64 bits; shift is at most 63. */
static inline u64 wide_shift_right(struct wide a, u32 shift)
{
	return shift ? a.low >> shift | a.high << (64 - shift) : a.low;
}

#endif /* SIM_WIDE_H */
