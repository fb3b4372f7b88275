// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/offcpu.h"

#if defined(__has_include)
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif
#endif

#ifdef RSEQ_SIG

/* The kernel wants an abort address with the signature before it, even if it never goes there. */
static const struct {
	u32 signature;
	u32 abort;
} nowhere = {RSEQ_SIG, 0};

u64 *offcpu_flag(u64 *mark, const char **why)
{
	/* The empty range lies at address 1, where nothing ever runs. */
	static struct rseq_cs no_code __attribute__((aligned(32))) = {
		.start_ip = 1,
		.post_commit_offset = 1,
	};
	struct rseq *area;

	if (__rseq_size == 0) {
		*why = "the C library has not registered restartable sequences (rseq)";
		return NULL;
	}
	/* Every thread writes the same value. */
	__atomic_store_n(&no_code.abort_ip, (u64)(uintptr_t)&nowhere.abort, __ATOMIC_RELAXED);
	*mark = (u64)(uintptr_t)&no_code;
	area = (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);
	return (u64 *)&area->rseq_cs;
}

#else

u64 *offcpu_flag(u64 *mark, const char **why)
{
	(void)mark;
	*why = "the C library that contend was built with has no <sys/rseq.h>";
	return NULL;
}

#endif
