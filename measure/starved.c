// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "measure/starved.h"

/* What it takes to find that it cannot run; whatever has a CPU gets more in 20 ms. */
#define RAN_NS 10000

/* R in proc_pid_stat(5): it runs, or waits in the queue of a CPU. */
static bool is_ready(pid_t tid)
{
	char path[64], line[512];
	const char *name_end;
	FILE *file;
	bool ready = false;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (fgets(line, sizeof(line), file)) {
		name_end = strrchr(line, ')');
		ready = name_end && !strncmp(name_end, ") R", 3);
	}
	fclose(file);
	return ready;
}

bool starved_look(pthread_t thread, pid_t tid, u64 *ran_ns)
{
	const u64 before = *ran_ns;
	struct timespec ran;
	clockid_t clock;

	if (!tid || pthread_getcpuclockid(thread, &clock) || clock_gettime(clock, &ran))
		return false;
	*ran_ns = (u64)ran.tv_sec * NSEC_PER_SEC + (u64)ran.tv_nsec;
	return before && *ran_ns - before < RAN_NS && is_ready(tid);
}
