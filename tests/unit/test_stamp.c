// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sim/stamp.h"
#include "tests/unit/big.h"
#include "tests/unit/updates.h"

#define NUMBERS 1000000

/* Where numbers start from: a run's, those at which a field's range begins anew, and far ones. */
static const u64 origins[] = {
	1,	    1000003 - 10,     10007 - 10,     101 * 10007 - 10, 1000000007 - 10,
	1ull << 31, (1ull << 62) - 3, 500000003 - 10, 800000000,	900000000};

static void for_each_number(void (*check)(u64 number))
{
	for (size_t i = 0; i < ARRAY_SIZE(origins); i++) {
		u64 count = i == 0 ? NUMBERS : NUMBERS / 10;

		for (u64 number = origins[i]; number < origins[i] + count; number++)
			check(number);
	}
}

static void check(u64 number, bool holds, const char *claim)
{
	if (!holds)
		fail_msg("stamp %llu: %s", (unsigned long long)number, claim);
}

static void check_bases_differ(u64 number, clockid_t clock, const struct timekeeper *tk,
			       const struct timekeeper *next)
{
	struct vdso_timestamp base, next_base;

	timekeeper_base(tk, clock, &base);
	timekeeper_base(next, clock, &next_base);
	if (base.sec == next_base.sec)
		fail_msg("stamps %llu and the next share second %llu of clock %d",
			 (unsigned long long)number, (unsigned long long)base.sec, (int)clock);
	if (base.nsec == next_base.nsec)
		fail_msg("stamps %llu and the next share nanoseconds %llu of clock %d",
			 (unsigned long long)number, (unsigned long long)base.nsec, (int)clock);
	if (is_coarse(clock))
		return;
	check(number, base.nsec >> tk->shift != next_base.nsec >> next->shift,
	      "its nanoseconds, not shifted, are the next one's");
}

static void shares_nothing(u64 number)
{
	struct timekeeper tk = {0}, next = {0};

	timekeeper_stamp(&tk, number, 1ull << 40);
	timekeeper_stamp(&next, number + 1, 1ull << 40);
	check(number, tk.mult != next.mult, "mult is the next one's");
	check(number, tk.nominal_mult != next.nominal_mult, "nominal_mult is the next one's");
	check(number, tk.shift != next.shift, "shift is the next one's");
	check(number, tk.max_cycles != next.max_cycles, "max_cycles is the next one's");
	/* Nor would the raw clock's mult do for the other's. */
	check(number, tk.mult != tk.nominal_mult, "mult is nominal_mult");
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
		check_bases_differ(number, clocks[i], &tk, &next);
}

static void test_successive_numbers_share_nothing(void **state)
{
	(void)state;
	for_each_number(shares_nothing);
}

static void is_of_less_than_a_second(u64 number)
{
	struct vdso_timestamp base;
	struct timekeeper tk = {0};

	timekeeper_stamp(&tk, number, 1ull << 40);
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		u32 shift = is_coarse(clocks[i]) ? 0 : tk.shift;

		timekeeper_base(&tk, clocks[i], &base);
		check(number, base.nsec < (u64)NSEC_PER_SEC << shift, "a base of a second or more");
		/* Plain seconds: what borrowing below zero would give is far beyond. */
		check(number, base.sec < 1ull << 32, "seconds out of bounds");
	}
}

static void test_bases_are_less_than_a_second(void **state)
{
	(void)state;
	for_each_number(is_of_less_than_a_second);
}

/* Host's clocks are later than mid-July 2017, or were started less than 15 years ago. */
static void is_no_host_time(u64 number)
{
	struct vdso_timestamp base;
	struct timekeeper tk = {0};

	timekeeper_stamp(&tk, number, 1ull << 40);
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		bool from_epoch = clocks[i] == CLOCK_REALTIME || clocks[i] == CLOCK_TAI ||
				  clocks[i] == CLOCK_REALTIME_COARSE;

		timekeeper_base(&tk, clocks[i], &base);
		if (from_epoch)
			check(number, base.sec < 1500001000, "the host's time may be near");
		else
			check(number, base.sec > 15ull * 365 * 86400, "the host's may be near");
	}
}

static void test_host_is_never_near(void **state)
{
	(void)state;
	for_each_number(is_no_host_time);
}

/* For a second at 10 GHz at least a reader needs no more than 64 bits. */
static void product_fits(u64 number)
{
	struct vdso_timestamp base;
	struct timekeeper tk = {0};

	timekeeper_stamp(&tk, number, 1ull << 40);
	check(number, tk.max_cycles >= 10000000000, "max_cycles is too small to be of use");
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		bool raw = clocks[i] == CLOCK_MONOTONIC_RAW;
		u32 mult = raw ? tk.nominal_mult : tk.mult;

		timekeeper_base(&tk, clocks[i], &base);
		check(number,
		      big_high(big_add(big_product(tk.max_cycles, mult), big_of(base.nsec))) == 0,
		      "the product overflows at max_cycles");
	}
}

static void test_product_cannot_overflow(void **state)
{
	(void)state;
	for_each_number(product_fits);
}

/* Two different nearby counter values, so that the distance must follow from the number alone. */
static void cycle_last_is_before(u64 number)
{
	const u64 cycles = 123456789012;
	struct timekeeper tk = {0}, later = {0};

	timekeeper_stamp(&tk, number, cycles);
	timekeeper_stamp(&later, number, cycles + 1000);
	check(number, tk.cycle_last <= cycles, "cycle_last is not before cycles");
	check(number, cycles - tk.cycle_last < 1 << 16, "cycle_last is far before cycles");
	check(number, later.cycle_last == tk.cycle_last + 1000,
	      "the distance of cycle_last does not follow from the number");
}

static void test_cycle_last(void **state)
{
	(void)state;
	for_each_number(cycle_last_is_before);
}

/* Distances that repeated would hide a cycle_last of another update. */
static void test_cycle_last_varies(void **state)
{
	u64 same = 0;

	(void)state;
	for (u64 number = 1; number <= NUMBERS; number++) {
		struct timekeeper tk = {0}, next = {0};

		timekeeper_stamp(&tk, number, 1 << 20);
		timekeeper_stamp(&next, number + 1, 1 << 20);
		same += tk.cycle_last == next.cycle_last;
	}
	assert_in_range(same, 0, NUMBERS / 10000);
}

static void test_follows_from_the_number(void **state)
{
	(void)state;
	for (u64 number = 1; number < 1000; number++) {
		struct timekeeper tk = {0}, again = {0};

		/* Whatever was in it before. */
		timekeeper_stamp(&again, number + 17, 99);
		timekeeper_stamp(&tk, number, 1 << 20);
		timekeeper_stamp(&again, number, 1 << 20);
		assert_memory_equal(&tk, &again, sizeof(tk));
	}
}

static void test_clock_mode_is_left(void **state)
{
	struct timekeeper tk = {.clock_mode = 5, .mask = 123, .frequency_hz = 9};

	(void)state;
	timekeeper_stamp(&tk, 1, 1 << 20);
	assert_int_equal(tk.clock_mode, 5);
	assert_int_equal(tk.mask, 123);
	assert_int_equal(tk.frequency_hz, 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_successive_numbers_share_nothing),
		cmocka_unit_test(test_bases_are_less_than_a_second),
		cmocka_unit_test(test_host_is_never_near),
		cmocka_unit_test(test_product_cannot_overflow),
		cmocka_unit_test(test_cycle_last),
		cmocka_unit_test(test_cycle_last_varies),
		cmocka_unit_test(test_follows_from_the_number),
		cmocka_unit_test(test_clock_mode_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
