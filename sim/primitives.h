/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What sim/barrier.h takes from liburcu, for a path that is compiled for a machine for which its
 * headers are not here. Nothing else includes this; contend itself is always built on liburcu.
 *
 * Of each architecture: the weakest instruction that orders loads, or stores, among each other, and
 * what the processor is told of a loop that waits.
 */
#ifndef SIM_PRIMITIVES_H
#define SIM_PRIMITIVES_H

#define caa_likely(x)	   __builtin_expect(!!(x), 1)
#define caa_unlikely(x)	   __builtin_expect(!!(x), 0)
#define cmm_barrier()	   __asm__ __volatile__("" ::: "memory")
#define CMM_ACCESS_ONCE(x) (*(volatile __typeof__(x) *)&(x))

#define PRIMITIVE(instruction) __asm__ __volatile__(instruction ::: "memory")

#if defined(__x86_64__) || defined(__i386__)
#define caa_cpu_relax() PRIMITIVE("pause")
#elif defined(__aarch64__) || defined(__arm__)
#define caa_cpu_relax() PRIMITIVE("yield")
#elif defined(__powerpc__)
/* Low priority of the thread, and medium again. */
#define caa_cpu_relax() PRIMITIVE("or 1, 1, 1\n\tor 2, 2, 2")
#elif defined(__riscv)
/* pause, which assemblers know only since Zihintpause; elsewhere a fence of nothing. */
#define caa_cpu_relax() PRIMITIVE(".4byte 0x0100000f")
#else
#define caa_cpu_relax() cmm_barrier()
#endif

#if defined(__powerpc__) && !defined(__NO_LWSYNC__)
#define cmm_smp_rmb() PRIMITIVE("lwsync")
#define cmm_smp_wmb() PRIMITIVE("lwsync")
#elif defined(__powerpc__)
#define cmm_smp_rmb() PRIMITIVE("sync")
#define cmm_smp_wmb() PRIMITIVE("sync")
#elif defined(__arm__)
/* Before version 8 there is none of loads alone. */
#define cmm_smp_rmb() PRIMITIVE("dmb ish")
#define cmm_smp_wmb() PRIMITIVE("dmb ishst")
#elif defined(__x86_64__) || defined(__i386__) || defined(__s390x__)
/* Loads are ordered among each other, and so are stores. */
#define cmm_smp_rmb() cmm_barrier()
#define cmm_smp_wmb() cmm_barrier()
#elif defined(__aarch64__) || defined(__riscv)
/* sim/barrier.h has its own. */
#else
#error "no barriers are known for this architecture: add them here"
#endif

#endif /* SIM_PRIMITIVES_H */
