/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instructions of an image that a kernel replaces at boot, by what the processor can do.
 *
 * A place is the instruction that always works, filled up with one-byte NOPs to the length of the
 * longest replacement. An entry of .altinstructions has, without gaps,
 *   s32  from this field to the place
 *   s32  from this field to the replacement
 *   u16  feature: the number of a word of the kernel's, times 32, plus a bit
 *   u16  flags, in entries of 14 bytes (kernels from 6.3 on)
 *   u8   length of the place
 *   u8   length of the replacement
 *   u8   length of the filling, in entries of 13 bytes (4.1 to 5.12); neither in those of 12
 * Of several entries for one place the last counts whose feature is there.
 *
 * ALTERNATIVES is the length of an entry; without it there are none, and the counter is read by
 * rdtscp, or if BARE_RDTSC is defined by rdtsc, which nothing keeps in its place.
 */
#ifndef TESTS_IMAGES_ALTERNATIVES_H
#define TESTS_IMAGES_ALTERNATIVES_H

#include "sim/types.h"

#define TEXT_(x) #x
#define TEXT(x)	 TEXT_(x)

/*
 * rdtscp: CPUID 0x80000001 EDX 27. rdpid: CPUID 7 ECX 22. mfence and lfence that hold rdtsc back: a
 * word of the kernel's own; from 6.3 on lfence has the place of CPUID 0x80000021 EAX 2.
 */
#define FEATURE_RDTSCP	     (1 * 32 + 27)
#define FEATURE_MFENCE_RDTSC (3 * 32 + 17)
#define FEATURE_RDPID	     (16 * 32 + 22)
#if defined(ALTERNATIVES) && ALTERNATIVES == 14
#define FEATURE_LFENCE_RDTSC (20 * 32 + 2)
#else
#define FEATURE_LFENCE_RDTSC (3 * 32 + 18)
#endif

#ifdef ALTERNATIVES
#if ALTERNATIVES == 12
#define ENTRY_FEATURE ".2byte "
#define ENTRY_FILLING ""
#elif ALTERNATIVES == 13
#define ENTRY_FEATURE ".2byte "
#define ENTRY_FILLING ".byte 772b - 771b\n\t"
#elif ALTERNATIVES == 14
#define ENTRY_FEATURE ".4byte "
#define ENTRY_FILLING ""
#else
#error "an entry of .altinstructions has 12, 13 or 14 bytes"
#endif

/* The place: from 770 to 771 what always works, from there to 772 its filling. */
#define PLACE(instruction, filling) \
	"770: " instruction "\n771: .skip " TEXT(filling) ", 0x90\n772:\n\t"

/* clang-format off */
#define REPLACEMENT(instruction, feature) \
	".pushsection .altinstructions, \"a\"\n\t" \
	".4byte 770b - .\n\t" \
	".4byte 773f - .\n\t" \
	ENTRY_FEATURE TEXT(feature) "\n\t" \
	".byte 772b - 770b\n\t" \
	".byte 774f - 773f\n\t" \
	ENTRY_FILLING \
	".popsection\n\t" \
	".pushsection .altinstr_replacement, \"ax\"\n" \
	"773: " instruction "\n774:\n\t" \
	".popsection\n\t"
/* clang-format on */
#endif

/* rdtsc is 2 bytes, lfence and mfence 3, rdtscp 3. */
#if defined(ALTERNATIVES) && defined(FENCE_ALONE)
/* Up to 4.20: a fence is put before rdtsc. */
#define READ_TSC                                    \
	PLACE("", 3)                                \
	REPLACEMENT("mfence", FEATURE_MFENCE_RDTSC) \
	REPLACEMENT("lfence", FEATURE_LFENCE_RDTSC) \
	"rdtsc"
#elif defined(ALTERNATIVES)
#define READ_TSC                                           \
	PLACE("rdtsc", 3)                                  \
	REPLACEMENT("lfence; rdtsc", FEATURE_LFENCE_RDTSC) \
	REPLACEMENT("rdtscp", FEATURE_RDTSCP)
#elif defined(BARE_RDTSC)
#define READ_TSC "rdtsc"
#else
#define READ_TSC "rdtscp"
#endif

static inline __attribute__((always_inline)) u64 read_tsc(void)
{
	u32 low, high;

	__asm__ __volatile__(READ_TSC : "=a"(low), "=d"(high) : : "ecx", "memory");
	return (u64)high << 32 | low;
}

#ifdef __x86_64__
/* The limit of this segment is the CPU's number and, from bit 12 on, the node's. */
#define CPU_AND_NODE_SELECTOR 0x7b

/* lsl is 3 bytes, rdpid 4. */
static inline __attribute__((always_inline)) u32 read_cpu_and_node(void)
{
	u32 both;

#ifdef ALTERNATIVES
	__asm__ __volatile__(PLACE("lsl %%eax, %%eax", 1) REPLACEMENT("rdpid %%rax", FEATURE_RDPID)
			     : "=a"(both)
			     : "0"(CPU_AND_NODE_SELECTOR));
#else
	__asm__ __volatile__("lsl %1, %0" : "=r"(both) : "r"(CPU_AND_NODE_SELECTOR));
#endif
	return both;
}
#endif

#endif /* TESTS_IMAGES_ALTERNATIVES_H */
