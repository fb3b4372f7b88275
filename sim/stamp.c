// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/random.h"
#include "sim/stamp.h"

/* Unrelated words for neighbouring numbers. */
static u64 scramble(u64 number)
{
	return random_next(&number);
}

/* A fraction of a second that differs from its neighbours' by a twentieth of one or more. */
static u32 stamp_nsec(u64 number, u32 phase)
{
	u64 twentieth = NSEC_PER_SEC / 20;

	return (u32)((number * 7 + phase) % 20 * twentieth + scramble(number + phase) % twentieth);
}

void timekeeper_stamp(struct timekeeper *tk, u64 number, u64 cycles)
{
	u64 word = scramble(number);

	/* 20 to 24, and mult to go with it: a cycle is worth between a quarter and a half ns. */
	tk->shift = 20 + (u32)(number % 5);
	tk->mult = (1u << (tk->shift - 2)) + (u32)(word & 0xffff) * 2 + (u32)(number & 1);
	tk->nominal_mult = tk->mult + 4;
	tk->max_cycles = UINT64_MAX / tk->mult / 2;
	tk->cycle_last = cycles - (word >> 48);

	tk->realtime_sec = 1000000000 + number % 500000003;
	tk->realtime_nsec = (u64)stamp_nsec(number, 1) << tk->shift;
	tk->coarse_nsec = stamp_nsec(number, 3);
	tk->raw_sec = 500000000 + number % 1000000007;
	tk->raw_nsec = (u64)stamp_nsec(number, 5) << tk->shift;
	/* Seconds change by so much that neither each other nor the carries can make up for it. */
	tk->wall_to_monotonic = (struct timespec){
		.tv_sec = -(time_t)(number * 3 % 1000003),
		.tv_nsec = (long)stamp_nsec(number, 7),
	};
	tk->boot_offset = (struct timespec){
		.tv_sec = (time_t)(number * 7 % 10007),
		.tv_nsec = (long)stamp_nsec(number, 11),
	};
	tk->tai_offset_sec = (s32)(number % 101);
}
