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
/*
 * Aligned by their size on every machine: 32-bit ones would place them at any multiple of 4 in a
 * structure. The page is laid out for 64-bit kernels too, and an access to 64 bits at once must not
 * lie across two cache lines.
 */
typedef uint64_t u64 __attribute__((aligned(8)));
typedef int8_t s8;
typedef int32_t s32;
typedef int64_t s64 __attribute__((aligned(8)));

#define NSEC_PER_SEC 1000000000u
#define CACHE_LINE   64

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* A constant's figures, to stand in a text. */
#define FIGURES_OF(number) #number
#define FIGURES(constant)  FIGURES_OF(constant)

#endif /* SIM_TYPES_H */
