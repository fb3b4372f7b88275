/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What may keep this process from having more threads, by name and value, for a message.
 */
#ifndef MEASURE_THREAD_LIMITS_H
#define MEASURE_THREAD_LIMITS_H

#include "sim/errmsg.h"
#include "sim/types.h"

struct thread_limits {
	char text[256];
};

/*
 * The limits that are set, as in "of the limits there are set ulimit -u 100, ulimit -v 300000", or
 * that none is. Which of them it was the kernel does not tell.
 */
struct thread_limits thread_limits_here(void);

/*
 * The least pids.max of the cgroup of a process and those above it; 0: none is set, or it cannot be
 * told. `groups` is the process's list of cgroups (cgroups(7), /proc/PID/cgroup), `mount` where
 * cgroups are mounted, which in version 1 has a directory "pids".
 */
u64 thread_limits_pids_max(const char *groups, const char *mount);

/* The same of the limit of their memory, in bytes. */
u64 thread_limits_memory_max(const char *groups, const char *mount);

/*
 * Refuses more readers than the cgroup's memory can hold, as the kernel would kill the process, and
 * say nothing: 0, or -1 with a sentence in *err. Where there is swap it is left to that.
 */
int thread_limits_check_memory(u32 readers, struct errmsg *err);

#endif /* MEASURE_THREAD_LIMITS_H */
