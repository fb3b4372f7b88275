/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processor's own counter: how it is read in order, inside a read path.
 *
 * Each is ordered after the loads before it, so that it cannot be read before the sequence was.
 */
#ifndef SIM_ARCH_COUNTER_H
#define SIM_ARCH_COUNTER_H

#include "sim/types.h"

#if defined(__x86_64__) || defined(__i386__)

#define SIM_HAS_ARCH_COUNTER 1

static inline u64 counter_rdtscp(void)
{
	u32 low, high;

	__asm__ __volatile__("rdtscp" : "=a"(low), "=d"(high) : : "ecx", "memory");
	return (u64)high << 32 | low;
}

static inline u64 counter_lfence_rdtsc(void)
{
	u32 low, high;

	__asm__ __volatile__("lfence\n\trdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (u64)high << 32 | low;
}

static inline u64 counter_arch(void)
{
	return counter_rdtscp();
}

#elif defined(__aarch64__)

#define SIM_HAS_ARCH_COUNTER 1

/*
 * isb: without it the counter may be read before the sequence was. Nor would the load barrier
 * before the recheck order the two, for it orders loads only; so a load that needs the counter's
 * value, though it comes to nothing, stands between them.
 */
static inline u64 counter_arch(void)
{
	u64 cycles, nowhere;

	__asm__ __volatile__("isb\n\t"
			     "mrs %0, cntvct_el0\n\t"
			     "and %1, %0, xzr\n\t"
			     "add %1, sp, %1\n\t"
			     "ldr wzr, [%1]"
			     : "=&r"(cycles), "=&r"(nowhere)
			     :
			     : "memory");
	return cycles;
}

#elif defined(__riscv) && __riscv_xlen == 64

#define SIM_HAS_ARCH_COUNTER 1

static inline u64 counter_arch(void)
{
	u64 cycles;

	__asm__ __volatile__("rdtime %0" : "=r"(cycles) : : "memory");
	return cycles;
}

#elif defined(__powerpc64__)

#define SIM_HAS_ARCH_COUNTER 1

static inline u64 counter_arch(void)
{
	u64 cycles;

	__asm__ __volatile__("mfspr %0, 268" : "=r"(cycles) : : "memory");
	return cycles;
}

#elif defined(__powerpc__)

#define SIM_HAS_ARCH_COUNTER 1

/* Its two halves are read apart, until none was carried from the one to the other meanwhile. */
static inline u64 counter_arch(void)
{
	u32 high, low, again;

	do
		__asm__ __volatile__("mfspr %0, 269\n\t"
				     "mfspr %1, 268\n\t"
				     "mfspr %2, 269"
				     : "=r"(high), "=r"(low), "=r"(again)
				     :
				     : "memory");
	while (high != again);
	return (u64)high << 32 | low;
}

#elif defined(__arm__)

#define SIM_HAS_ARCH_COUNTER 1

static inline u64 counter_arch(void)
{
	u64 cycles;

	__asm__ __volatile__("isb\n\t"
			     "mrrc p15, 1, %Q0, %R0, c14"
			     : "=r"(cycles)
			     :
			     : "memory");
	return cycles;
}

#elif defined(__s390x__)

#define SIM_HAS_ARCH_COUNTER 1

/* The clock of the day, in 1/4096 of a microsecond. */
static inline u64 counter_arch(void)
{
	u64 cycles;

	__asm__ __volatile__("stckf %0" : "=Q"(cycles) : : "cc", "memory");
	return cycles;
}

#else

#define SIM_HAS_ARCH_COUNTER 0

#endif

/* What counter_read returns where the counter cannot be read from user space. */
#define COUNTER_UNREADABLE UINT64_MAX

/* As the kernel does, so that the top bit is free to say that a counter cannot be read. */
static inline bool counter_is_readable(u64 cycles)
{
	return (s64)cycles >= 0;
}

#endif /* SIM_ARCH_COUNTER_H */
