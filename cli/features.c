// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/features.h"
#include "measure/cpus.h"
#include "measure/hw_counters.h"
#include "measure/offcpu.h"
#include "readers/compile.h"
#include "sim/clocksource.h"

/* All but the writer's usual one are as good. */
#define SOME_PRIORITY 50

struct feature {
	const char *name;
	const char *purpose;
	const char *(*lacks)(void); /* NULL: it is here; else why it is not */
};

static bool is_program(const char *folder, size_t length, const char *name)
{
	char path[PATH_MAX];
	struct stat file;

	if (snprintf(path, sizeof(path), "%.*s/%s", (int)length, length ? folder : ".", name) >=
	    (int)sizeof(path))
		return false;
	return !stat(path, &file) && S_ISREG(file.st_mode) && !access(path, X_OK);
}

static const char *lacks_program(const char *name)
{
	static char why[64];
	const char *folder = getenv("PATH");

	while (folder) {
		const size_t length = strcspn(folder, ":");

		if (is_program(folder, length, name))
			return NULL;
		folder = folder[length] ? folder + length + 1 : NULL;
	}
	snprintf(why, sizeof(why), "there is no %s in PATH", name);
	return why;
}

/* The one that built contend, unless a recipe says otherwise. */
static const char *lacks_compiler(void)
{
	return lacks_program(compile_default_cc);
}

static const char *lacks_clang(void)
{
	return lacks_program("clang");
}

static const char *lacks_gnuplot(void)
{
	return lacks_program("gnuplot");
}

static const char *lacks_urcu_headers(void)
{
	return access(BUILD_URCU_HEADER, R_OK) ? "there is no " BUILD_URCU_HEADER : NULL;
}

static const char *lacks_real_time(void)
{
	const int cause = cpus_try_real_time(SOME_PRIORITY);

	return cause ? strerror(cause) : NULL;
}

static const char *lacks_counters(void)
{
	const int cause = hw_counters_try();

	return cause ? hw_counters_reason(cause) : NULL;
}

static const char *lacks_off_cpu(void)
{
	const char *why;
	u64 mark;

	return offcpu_flag(&mark, &why) ? NULL : why;
}

static const char *lacks_ptrace(void)
{
#if defined(__x86_64__) || defined(__i386__)
	const pid_t child = fork();
	int status;

	if (child < 0)
		return strerror(errno);
	if (child == 0)
		_exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) ? errno : 0);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return strerror(errno);
	if (!WIFEXITED(status))
		return "a sandbox kills whoever asks for it";
	return WEXITSTATUS(status) ? strerror(WEXITSTATUS(status)) : NULL;
#else
	return "code is stepped through on x86 only";
#endif
}

static const char *lacks_vdso(void)
{
	return getauxval(AT_SYSINFO_EHDR) ? NULL : "the kernel has mapped none";
}

static const char *lacks_pvclock(void)
{
	const struct clocksource *pvclock = clocksource_find("pvclock");
	const char *why = "it is x86's";

	return pvclock && pvclock->usable(&why) ? NULL : why;
}

static const struct feature features[] = {
	{"cc", "sources of your own, recipes (@), prove", lacks_compiler},
	{"clang", "the same by it (@cc=clang)", lacks_clang},
	{"urcu headers", "what those sources include", lacks_urcu_headers},
	{"gnuplot", "pictures", lacks_gnuplot},
	{"real time", "a writer that nobody puts aside (SCHED_FIFO)", lacks_real_time},
	{"counters", "cycles and misses of a read (perf)", lacks_counters},
	{"off-CPU", "retries off-CPU told apart (rseq)", lacks_off_cpu},
	{"ptrace", "inspect, and which code calibrate has timed", lacks_ptrace},
	{"vDSO", "image:host, calibrate, observe", lacks_vdso},
	{"pvclock", "a paravirtual clock (--clocksource pvclock)", lacks_pvclock},
};

void features_print(void)
{
	printf("\nhere, and for what\n");
	/* A child must not print it again. */
	fflush(stdout);
	for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
		const struct feature *feature = &features[i];
		const char *why = feature->lacks();

		printf("  %-13s %s", feature->name, why ? "no: " : "yes: ");
		if (why)
			printf("%s; goes without: ", why);
		printf("%s\n", feature->purpose);
	}
}
