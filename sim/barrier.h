/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one home of the kernel's primitives in user space: access once, barriers, pause and
 * branch hints, under the kernel's names, on top of liburcu's architecture headers; where a path is
 * only compiled for another machine, which has none, on top of sim/primitives.h.
 *
 * ThreadSanitizer sees neither volatile accesses nor barriers written in assembly. Under it the
 * same names become C11 atomics; no other file makes that choice.
 *
 * PLAIN_LOAD and PLAIN_STORE mark the accesses that the kernel leaves plain inside a section
 * guarded by a sequence counter. They race by design: the counter throws away what raced. They
 * compile to an ordinary access, which the compiler may fold into its user, and under
 * ThreadSanitizer to a relaxed atomic, so that only races nobody intended are reported.
 */
#ifndef SIM_BARRIER_H
#define SIM_BARRIER_H

#if CONTEND_WITHOUT_URCU
#include "sim/primitives.h"
#else
#include <urcu/arch.h>
#include <urcu/compiler.h>
#include <urcu/uatomic.h>
#endif

#if defined(__SANITIZE_THREAD__)
#define CONTEND_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CONTEND_TSAN 1
#endif
#endif
#ifndef CONTEND_TSAN
#define CONTEND_TSAN 0
#endif

#define likely(x)   caa_likely(x)
#define unlikely(x) caa_unlikely(x)
#define cpu_relax() caa_cpu_relax()
#define barrier()   cmm_barrier()

/* Explored (see prove/explore.h), it is as if under ThreadSanitizer, but that all is seen there. */
#ifndef CONTEND_PROVE
#define CONTEND_PROVE 0
#endif

#if CONTEND_PROVE

#define READ_ONCE(x)	  CMM_ACCESS_ONCE(x)
#define WRITE_ONCE(x, v)  ((void)(CMM_ACCESS_ONCE(x) = (v)))
#define PLAIN_LOAD(x)	  (x)
#define PLAIN_STORE(x, v) ((void)((x) = (v)))
#define smp_rmb()	  __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb()	  __atomic_thread_fence(__ATOMIC_RELEASE)
/* liburcu's, which sources may call by themselves, are assembly. */
#undef cmm_mb
#undef cmm_rmb
#undef cmm_wmb
#undef cmm_smp_mb
#undef cmm_smp_rmb
#undef cmm_smp_wmb
#define cmm_mb()      __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define cmm_rmb()     smp_rmb()
#define cmm_wmb()     smp_wmb()
#define cmm_smp_mb()  cmm_mb()
#define cmm_smp_rmb() smp_rmb()
#define cmm_smp_wmb() smp_wmb()

#elif CONTEND_TSAN

#define READ_ONCE(x)	  __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v)  __atomic_store_n(&(x), (v), __ATOMIC_RELAXED)
#define PLAIN_LOAD(x)	  __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define PLAIN_STORE(x, v) __atomic_store_n(&(x), (v), __ATOMIC_RELAXED)
#define smp_rmb()	  __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb()	  __atomic_thread_fence(__ATOMIC_RELEASE)

#else

#if CONTEND_WITHOUT_URCU && !defined(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_8)
/* A library would be called for what the machine cannot do at once; this is only looked at. */
#define WHOLE_64_BITS 0
#else
#define WHOLE_64_BITS 1
#endif

#if __SIZEOF_POINTER__ < 8 && WHOLE_64_BITS
/*
 * A volatile access to 64 bits is two of 32 here, and what threads share outside of the page must
 * not come in halves. The page's fields of 64 bits are plain: there they may, as in the kernel.
 */
#define READ_ONCE(x)                                                                     \
	__builtin_choose_expr(                                                           \
		sizeof(x) == 8,                                                          \
		__atomic_load_n((const volatile __typeof__(x) *)&(x), __ATOMIC_RELAXED), \
		CMM_ACCESS_ONCE(x))
#define WRITE_ONCE(x, v)                                                                 \
	((void)__builtin_choose_expr(                                                    \
		sizeof(x) == 8,                                                          \
		__atomic_store_n((volatile __typeof__(x) *)&(x), (v), __ATOMIC_RELAXED), \
		CMM_ACCESS_ONCE(x) = (v)))
#else
#define READ_ONCE(x)	 CMM_ACCESS_ONCE(x)
#define WRITE_ONCE(x, v) ((void)(CMM_ACCESS_ONCE(x) = (v)))
#endif
#define PLAIN_LOAD(x)	  (x)
#define PLAIN_STORE(x, v) ((void)((x) = (v)))
#if defined(__aarch64__)
/* liburcu's are full barriers here; the kernel's order loads, or stores, alone. */
#define smp_rmb() __asm__ __volatile__("dmb ishld" ::: "memory")
#define smp_wmb() __asm__ __volatile__("dmb ishst" ::: "memory")
#elif defined(__riscv)
#define smp_rmb() __asm__ __volatile__("fence r, r" ::: "memory")
#define smp_wmb() __asm__ __volatile__("fence w, w" ::: "memory")
#elif defined(__i386__)
/* liburcu's are locked, for processors of the 1990s; the kernel's are these on every x86. */
#define smp_rmb() cmm_barrier()
#define smp_wmb() cmm_barrier()
#else
#define smp_rmb() cmm_smp_rmb()
#define smp_wmb() cmm_smp_wmb()
#endif

#endif

#define smp_mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_load_acquire(p)	__atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)

#endif /* SIM_BARRIER_H */
