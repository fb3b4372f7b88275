/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random numbers that a seed repeats: successive states of a Weyl sequence, scrambled.
 *
 * Source of the constants: Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
 * 2014 (SplitMix64).
 */
#ifndef SIM_RANDOM_H
#define SIM_RANDOM_H

#include "sim/types.h"

/* Neighbouring words give unrelated ones. */
static inline u64 random_scramble(u64 word)
{
	word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
	word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
	return word ^ (word >> 31);
}

/* The next number of this state, any of 2^64. Whoever owns the state calls it. */
static inline u64 random_next(u64 *state)
{
	*state += 0x9e3779b97f4a7c15u;
	return random_scramble(*state);
}

/* A number below `limit`, which is 1 or more and far less than 2^64. */
static inline u64 random_below(u64 *state, u64 limit)
{
	return random_next(state) % limit;
}

/* A number within 0 to 1, 0 excluded. */
static inline double random_unit(u64 *state)
{
	return ((double)(random_next(state) >> 11) + 1) / 9007199254740992.0;
}

#endif /* SIM_RANDOM_H */
