/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's short integer names and the few constants that every room uses.
 */
#ifndef SIM_TYPES_H
#define SIM_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;
/* Products of a counter and mult; __extension__ because ISO C has no such type. */
__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

#define NSEC_PER_SEC 1000000000u
#define CACHE_LINE   64

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif /* SIM_TYPES_H */
