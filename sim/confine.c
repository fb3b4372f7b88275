// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "sim/confine.h"
#include "sim/types.h"

/* Numbers mean something else to another machine's calls, which a processor may offer as well. */
#if defined(__x86_64__)
#define OWN_MACHINE AUDIT_ARCH_X86_64
#elif defined(__i386__)
#define OWN_MACHINE AUDIT_ARCH_I386
#elif defined(__aarch64__) && defined(__AARCH64EL__)
#define OWN_MACHINE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define OWN_MACHINE AUDIT_ARCH_RISCV64
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define OWN_MACHINE AUDIT_ARCH_PPC64LE
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER
#endif

#if defined(OWN_MACHINE) && !defined(HAS_SANITIZER)

static const u16 allowed[] = {
	SYS_clock_gettime,
	SYS_clock_getres,
	SYS_gettimeofday,
#ifdef SYS_time
	SYS_time,
#endif
#ifdef SYS_clock_gettime64
	SYS_clock_gettime64,
	SYS_clock_getres_time64,
#endif
	/* Of whoever calls the code and cuts it short. */
	SYS_timer_settime,
#ifdef SYS_timer_settime64
	SYS_timer_settime64,
#endif
	SYS_rt_sigprocmask,
	SYS_rt_sigaction,
	SYS_rt_sigreturn,
#ifdef SYS_sigreturn
	SYS_sigreturn,
#endif
	SYS_exit,
	SYS_exit_group,
};

#define LOAD(field)                                                    \
	((struct sock_filter)BPF_STMT((u16)(BPF_LD | BPF_W | BPF_ABS), \
				      (u32)offsetof(struct seccomp_data, field)))
/* Skips so many instructions if what was loaded is not the value, or if it is. */
#define UNLESS(value, skip) \
	((struct sock_filter)BPF_JUMP((u16)(BPF_JMP | BPF_JEQ | BPF_K), value, 0, skip))
#define IF(value, skip) \
	((struct sock_filter)BPF_JUMP((u16)(BPF_JMP | BPF_JEQ | BPF_K), value, skip, 0))
#define RETURN(verdict) ((struct sock_filter)BPF_STMT((u16)(BPF_RET | BPF_K), verdict))

bool confine_to_clocks(void)
{
	struct sock_filter filter[ARRAY_SIZE(allowed) + 5];
	struct sock_fprog program = {.filter = filter};
	u8 left = ARRAY_SIZE(allowed);

	filter[program.len++] = LOAD(arch);
	filter[program.len++] = UNLESS(OWN_MACHINE, (u8)(ARRAY_SIZE(allowed) + 1));
	filter[program.len++] = LOAD(nr);
	for (size_t i = 0; i < ARRAY_SIZE(allowed); i++)
		filter[program.len++] = IF(allowed[i], left--);
	filter[program.len++] = RETURN(SECCOMP_RET_TRAP);
	filter[program.len++] = RETURN(SECCOMP_RET_ALLOW);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

#else

bool confine_to_clocks(void)
{
	return false;
}

#endif
