/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading the counter that a page's clock_mode names, inside the read path.
 *
 * The usual mode comes first and alone on the straight line, as in the kernel; the others are
 * tested for only after it. No call leaves this header, so that a read path stays a leaf and
 * needs no registers saved: system calls are made in assembly. The paravirtual clock needs so many
 * registers that the straight line had to save one more for it; so it can be left out.
 */
#ifndef SIM_COUNTER_H
#define SIM_COUNTER_H

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sim/arch_counter.h"
#include "sim/barrier.h"
#include "sim/page.h"
#include "sim/pvclock.h"

/* Of 64-bit seconds on every machine; 32-bit ones have a system call of their own for it. */
_Static_assert(sizeof(struct timespec) == 2 * sizeof(u64), "what the kernel fills");

/*
 * The clock_gettime system call, past the C library and past the vDSO. Returns 0, or a negative
 * errno. Any thread may call it.
 */
static inline long clock_gettime_syscall(clockid_t clock, struct timespec *ts)
{
#if CONTEND_PROVE
	/* What is explored calls no system. */
	*ts = (struct timespec){.tv_sec = 0};
	return -(long)SYS_clock_gettime - clock;
#elif defined(__x86_64__)
	long result;

	__asm__ __volatile__("syscall"
			     : "=a"(result)
			     : "0"((long)SYS_clock_gettime), "D"((long)clock), "S"(ts)
			     : "rcx", "r11", "memory");
	return result;
#elif defined(__i386__)
	long result;

	__asm__ __volatile__("int $0x80"
			     : "=a"(result)
			     : "0"(SYS_clock_gettime64), "b"(clock), "c"(ts)
			     : "memory");
	return result;
#elif defined(__aarch64__)
	register long number __asm__("x8") = SYS_clock_gettime;
	register long result __asm__("x0") = clock;
	register struct timespec *where __asm__("x1") = ts;

	__asm__ __volatile__("svc #0" : "+r"(result) : "r"(number), "r"(where) : "memory");
	return result;
#elif defined(__riscv)
	register long number __asm__("a7") = SYS_clock_gettime;
	register long result __asm__("a0") = clock;
	register struct timespec *where __asm__("a1") = ts;

	__asm__ __volatile__("ecall" : "+r"(result) : "r"(number), "r"(where) : "memory");
	return result;
#elif defined(__arm__)
	register long result __asm__("r0") = clock;
	register struct timespec *where __asm__("r1") = ts;

	/* r7 may be the frame pointer, which no operand can be. */
	__asm__ __volatile__("push {r7}\n\t"
			     "mov r7, %1\n\t"
			     "svc #0\n\t"
			     "pop {r7}"
			     : "+r"(result)
			     : "r"(SYS_clock_gettime64), "r"(where)
			     : "memory");
	return result;
#elif defined(__powerpc__)
#if __SIZEOF_POINTER__ < 8
	register long number __asm__("r0") = SYS_clock_gettime64;
#else
	register long number __asm__("r0") = SYS_clock_gettime;
#endif
	register long result __asm__("r3") = clock;
	register struct timespec *where __asm__("r4") = ts;

	/* An error is told by a flag, and its number then is positive. */
	__asm__ __volatile__("sc\n\t"
			     "bns+ 1f\n\t"
			     "neg %1, %1\n"
			     "1:"
			     : "+r"(number), "+r"(result), "+r"(where)
			     :
			     : "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "cr0", "ctr",
			       "xer", "memory");
	return result;
#elif defined(__s390x__)
	register long number __asm__("r1") = SYS_clock_gettime;
	register long result __asm__("r2") = clock;
	register struct timespec *where __asm__("r3") = ts;

	__asm__ __volatile__("svc 0" : "+d"(result) : "d"(number), "d"(where) : "cc", "memory");
	return result;
#elif __SIZEOF_POINTER__ < 8
	return syscall(SYS_clock_gettime64, clock, ts);
#else
	return syscall(SYS_clock_gettime, clock, ts);
#endif
}

/* CLOCK_MONOTONIC_RAW by system call, as a counter of nanoseconds. */
static inline u64 counter_monotonic_raw(void)
{
	struct timespec now;

	clock_gettime_syscall(CLOCK_MONOTONIC_RAW, &now);
	return (u64)now.tv_sec * NSEC_PER_SEC + (u64)now.tv_nsec;
}

/*
 * What the counter of this mode says now, in cycles of 63 bits; COUNTER_UNREADABLE when the mode is
 * none that user space can read, and the caller must fall back to the system call. `page` is the
 * data page as the reader sees it, never the time-namespace page. Any thread may call it.
 *
 * The paravirtual clock's is none that this function can read: counter_read can.
 */
static inline __attribute__((always_inline)) u64 counter_read_but_pvclock(
	s32 clock_mode, const struct vdso_time_data *page)
{
#if CONTEND_PROVE
	/* It stands still, and no instruction is needed. */
#elif SIM_HAS_ARCH_COUNTER
	if (likely(clock_mode == VDSO_CLOCKMODE_TSC))
		return counter_arch() & INT64_MAX;
#endif
#if (defined(__x86_64__) || defined(__i386__)) && !CONTEND_PROVE
	if (clock_mode == SIM_CLOCKMODE_TSC_LFENCE)
		return counter_lfence_rdtsc() & INT64_MAX;
#endif
	if (clock_mode == SIM_CLOCKMODE_MONOTONIC_RAW)
		return counter_monotonic_raw();
	if (clock_mode == SIM_CLOCKMODE_VIRTUAL)
		return READ_ONCE(*page_virtual_counter(page));
	return COUNTER_UNREADABLE;
}

/* The same for every mode. */
static inline __attribute__((always_inline)) u64 counter_read(s32 clock_mode,
							      const struct vdso_time_data *page)
{
	u64 cycles = counter_read_but_pvclock(clock_mode, page);

#if SIM_HAS_PVCLOCK && !CONTEND_PROVE
	if (unlikely(!counter_is_readable(cycles)) && clock_mode == VDSO_CLOCKMODE_PVCLOCK)
		return pvclock_read(page_pvclock(page));
#endif
	return cycles;
}

#endif /* SIM_COUNTER_H */
