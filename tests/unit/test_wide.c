// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What takes more than 64 bits: values worked out elsewhere, and the two-word arithmetic against
 * the compiler's 128-bit integers where it has them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sim/wide.h"

static const struct {
	u64 a, b, divisor;
	struct wide product, quotient;
	u64 rest;
} known[] = {
	{0xffffffffffffffff,
	 0xffffffffffffffff,
	 0xffffffffffffffff,
	 {0x1, 0xfffffffffffffffe},
	 {0xffffffffffffffff, 0x0},
	 0x0},
	{0xffffffffffffffff,
	 0xffffffffffffffff,
	 0x1,
	 {0x1, 0xfffffffffffffffe},
	 {0x1, 0xfffffffffffffffe},
	 0x0},
	{0x8000000000000000, 0x2, 0x3, {0x0, 0x1}, {0x5555555555555555, 0x0}, 0x1},
	{0xffffffffffffffff,
	 0x8000000000000000,
	 0x8000000000000001,
	 {0x8000000000000000, 0x7fffffffffffffff},
	 {0xfffffffffffffffd, 0x0},
	 0x3},
	{0x123456789abcdef,
	 0xfedcba9876543210,
	 0x8000000000000001,
	 {0x2236d88fe5618cf0, 0x121fa00ad77d742},
	 {0x243f4015aefae84, 0x0},
	 0x1ff2e48e8a71de6c},
	{0xfffffffffffffffe,
	 0xffffffffffffffff,
	 0xffffffffffffffff,
	 {0x2, 0xfffffffffffffffd},
	 {0xfffffffffffffffe, 0x0},
	 0x0},
	{0x34630b8a000,
	 0x9abdad90,
	 0x3b9aca00,
	 {0xa6594ef64bfa0000, 0x1fa},
	 {0x8800b58b900, 0x0},
	 0x0},
	{0xde0b6b3a7640000,
	 0x2540be400,
	 0x7,
	 {0x3e25026110000000, 0x204fce5e},
	 {0x5205497b94924924, 0x49dafc4},
	 0x4},
	{0x0, 0xffffffffffffffff, 0x5, {0x0, 0x0}, {0x0, 0x0}, 0x0},
	{0x100000000, 0x100000000, 0x100000000, {0x0, 0x1}, {0x100000000, 0x0}, 0x0},
};

static void assert_same(struct wide got, struct wide wanted)
{
	assert_int_equal(got.high, wanted.high);
	assert_int_equal(got.low, wanted.low);
}

static void test_known_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		struct wide product = words_mul(known[i].a, known[i].b);
		u64 rest;

		assert_same(product, known[i].product);
		assert_same(words_div(product, known[i].divisor, &rest), known[i].quotient);
		assert_int_equal(rest, known[i].rest);
		assert_same(wide_mul(known[i].a, known[i].b), known[i].product);
		assert_same(wide_div(product, known[i].divisor, &rest), known[i].quotient);
		assert_int_equal(rest, known[i].rest);
		assert_int_equal(wide_mul_div(known[i].a, known[i].b, known[i].divisor),
				 known[i].quotient.low);
	}
}

static void test_signs(void **state)
{
	struct wide minus_six = wide_mul_signed(2, -3);

	(void)state;
	assert_same(minus_six, (struct wide){(u64)-6, UINT64_MAX});
	assert_true(wide_is_negative(minus_six) && !wide_is_zero(minus_six));
	assert_same(wide_add(minus_six, wide_mul_signed(6, 1)), (struct wide){0, 0});
	assert_true(wide_is_zero(wide_mul_signed(0, -1)));
	assert_false(wide_is_zero((struct wide){0, 1}));
	assert_false(wide_is_negative(wide_mul_signed(UINT64_MAX, INT64_MAX)));
	/* -2^63 * (2^64 - 1) */
	assert_same(wide_mul_signed(UINT64_MAX, INT64_MIN),
		    (struct wide){1ull << 63, 0x8000000000000000});
	/* The carry between the words, both ways. */
	assert_same(wide_add((struct wide){UINT64_MAX, 4}, (struct wide){1, 0}),
		    (struct wide){0, 5});
	assert_same(wide_add((struct wide){0, 5}, (struct wide){UINT64_MAX, UINT64_MAX}),
		    (struct wide){UINT64_MAX, 4});
}

static void test_shifts(void **state)
{
	const struct wide value = {0x0123456789abcdef, 0xfedcba9876543210};

	(void)state;
	assert_int_equal(wide_shift_right(value, 0), 0x0123456789abcdef);
	assert_int_equal(wide_shift_right(value, 4), 0x00123456789abcde);
	assert_int_equal(wide_shift_right(value, 32), 0x7654321001234567);
	assert_int_equal(wide_shift_right(value, 63), 0xfdb97530eca86420);
}

static void test_mul_add_shift(void **state)
{
	/* (2^64 - 1) * (2^32 - 1) + 2^64 - 1 = (2^64 - 1) << 32, of which 64 bits. */
	static const struct {
		u32 shift;
		u64 all_ones;
		u64 mixed;
	} wanted[] = {
		{0, 0xffffffff00000000, 0xe81b4e810f2a520f},
		{1, 0xffffffff80000000, 0xf40da74087952907},
		{24, 0xffffffffffffff00, 0xb00ea5e81b4e810f},
		{32, 0xffffffffffffffff, 0x00b00ea5e81b4e81},
		{33, 0x7fffffffffffffff, 0x00580752f40da740},
		{63, 0x00000001ffffffff, 0x0000000001601d4b},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		assert_int_equal(
			words_mul_add_shift(UINT64_MAX, UINT32_MAX, UINT64_MAX, wanted[i].shift),
			wanted[i].all_ones);
		assert_int_equal(words_mul_add_shift(0x0123456789abcdef, 0x9abcdef1,
						     0xfedcba9876543210, wanted[i].shift),
				 wanted[i].mixed);
		assert_int_equal(wide_mul_add_shift(0x0123456789abcdef, 0x9abcdef1,
						    0xfedcba9876543210, wanted[i].shift),
				 wanted[i].mixed);
	}
}

#if WIDE_NATIVE

__extension__ typedef __int128 native_signed;

static u64 random_state = 1;

static u64 random_word(void)
{
	static const u64 edges[] = {
		0, 1, 2, UINT32_MAX, 1ull << 32, INT64_MAX, 1ull << 63, UINT64_MAX - 1, UINT64_MAX};
	u64 x = random_state += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	x ^= x >> 31;
	/* All lengths, and the edges often. */
	return x % 4 ? x >> (x >> 2) % 64 : edges[(x >> 2) % ARRAY_SIZE(edges)];
}

static wide_native native(struct wide value)
{
	return (wide_native)value.high << 64 | value.low;
}

static void check_words(u64 a, u64 b, u64 c, u32 shift)
{
	struct wide high_and_low = {a, b};
	u64 rest;

	assert_true(native(words_mul(a, b)) == (wide_native)a * b);
	assert_true(native(wide_mul_signed(a, (s64)b)) ==
		    (wide_native)a * (wide_native)(native_signed)(s64)b);
	assert_true(native(wide_add(high_and_low, (struct wide){b, c})) ==
		    native(high_and_low) + native((struct wide){b, c}));
	assert_int_equal(wide_shift_right(high_and_low, shift),
			 (u64)(native(high_and_low) >> shift));
	assert_int_equal(words_mul_add_shift(a, (u32)b, c, shift),
			 (u64)(((wide_native)a * (u32)b + c) >> shift));
	if (c == 0)
		return;
	assert_true(native(words_div(high_and_low, c, &rest)) == native(high_and_low) / c);
	assert_int_equal(rest, (u64)(native(high_and_low) % c));
}

static void test_against_the_compiler(void **state)
{
	(void)state;
	for (int i = 0; i < 2000000; i++) {
		u64 a = random_word(), b = random_word(), c = random_word();

		check_words(a, b, c, (u32)(random_word() % 64));
	}
}

#else

/* What the compiler has no type for is multiplied back. */
static void test_against_the_compiler(void **state)
{
	u64 a = 1, b = UINT64_MAX, c = 3, rest;

	(void)state;
	for (int i = 0; i < 1000000; i++) {
		struct wide product = words_mul(a, b);
		struct wide quotient = words_div(product, c, &rest);
		struct wide back = words_mul(quotient.low, c);

		back.high += quotient.high * c;
		assert_true(rest < c);
		assert_same(wide_add(back, (struct wide){.low = rest}), product);
		a = a * 6364136223846793005u + 1442695040888963407u;
		b ^= a >> (i % 64);
		c = (a ^ b) >> (i % 61) | 1;
	}
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_values),
		cmocka_unit_test(test_signs),
		cmocka_unit_test(test_shifts),
		cmocka_unit_test(test_mul_add_shift),
		cmocka_unit_test(test_against_the_compiler),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
