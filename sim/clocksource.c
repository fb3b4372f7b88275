// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#elif defined(__arm__)
#include <sys/auxv.h>
#include <asm/hwcap.h>
#endif

#include "sim/clocksource.h"
#include "sim/value.h"
#include "sim/wide.h"

static bool always_usable(const char **why)
{
	(void)why;
	return true;
}

static u64 one_ghz(void)
{
	return NSEC_PER_SEC;
}

#if SIM_HAS_ARCH_COUNTER
/* A counter reading and the raw clock's time at the same moment, as near as can be had. */
struct moment {
	u64 cycles;
	u64 ns;
};

static struct moment take_moment(u64 (*read)(void))
{
	struct moment best = {0, 0};
	u64 narrowest = UINT64_MAX;

	/* The system call between the readings that took least time was interrupted least. */
	for (int i = 0; i < 32; i++) {
		u64 before = read();
		u64 ns = counter_monotonic_raw();
		u64 after = read();

		if (after - before < narrowest) {
			narrowest = after - before;
			best = (struct moment){before + (after - before) / 2, ns};
		}
	}
	return best;
}

/* To a few millionths, since a moment is known to some tens of nanoseconds. */
static u64 measure_frequency(u64 (*read)(void))
{
	const struct timespec pause = {0, 20000000};
	struct moment start = take_moment(read);
	struct moment end;

	nanosleep(&pause, NULL);
	end = take_moment(read);
	return wide_mul_div(end.cycles - start.cycles, NSEC_PER_SEC, end.ns - start.ns);
}
#endif

#if defined(__x86_64__) || defined(__i386__)

/* A kernel that has found its TSC wanting does not offer it; true too where nothing is said. */
static bool kernel_offers_tsc(const char **why)
{
	char offered[256];
	FILE *file =
		fopen("/sys/devices/system/clocksource/clocksource0/available_clocksource", "r");
	bool offers = true;

	if (!file)
		return true;
	if (fgets(offered, sizeof(offered), file))
		offers = strncmp(offered, "tsc", 3) == 0 || strstr(offered, " tsc") != NULL;
	fclose(file);
	if (!offers)
		*why = "the kernel does not offer the TSC as a clock source: it has found it "
		       "unstable";
	return offers;
}

/* CPUID 0x80000007, EDX bit 8: the TSC runs at one rate in all states of the processor. */
static bool tsc_is_invariant(const char **why)
{
	unsigned int a, b, c, d;

	if (__get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8)))
		return kernel_offers_tsc(why);
	*why = "the processor does not state that its TSC runs at one rate";
	return false;
}

static bool tsc_usable(const char **why)
{
	unsigned int a, b, c, d;

	if (!tsc_is_invariant(why))
		return false;
	/* CPUID 0x80000001, EDX bit 27. */
	if (__get_cpuid(0x80000001, &a, &b, &c, &d) && (d & (1u << 27)))
		return true;
	*why = "the processor has no rdtscp";
	return false;
}

#define STRING_(x) #x
#define STRING(x)  STRING_(x)

static const struct spec_key pvclock_keys[] = {
	{"hz", NULL, STRING(CLOCKSOURCE_DEFAULT_HZ),
	 "updates of the record per second, 0 to " STRING(
		 CLOCKSOURCE_MAX_HZ) "; 0: it is written only once"},
	{.name = NULL},
};

static u64 tsc_frequency(void)
{
	return measure_frequency(counter_lfence_rdtsc);
}

#elif SIM_HAS_ARCH_COUNTER

#if defined(__arm__)
/* Not every such machine has it. Kernels wake waiters by it where it can be used. */
static bool arch_usable(const char **why)
{
	*why = "no architected timer";
	return getauxval(AT_HWCAP) & HWCAP_EVTSTRM;
}
#else
#define arch_usable always_usable
#endif

static u64 arch_frequency(void)
{
#if defined(__aarch64__)
	u64 hz;

	__asm__("mrs %0, cntfrq_el0" : "=r"(hz));
	if (hz)
		return hz;
#endif
	return measure_frequency(counter_arch);
}

#endif

#if defined(__riscv)
#define ARCH_COUNTER_NAME "riscv-time"
#elif defined(__powerpc__)
#define ARCH_COUNTER_NAME "timebase"
#elif defined(__s390x__)
#define ARCH_COUNTER_NAME "tod"
#else
#define ARCH_COUNTER_NAME "arch_sys_counter"
#endif

const struct clocksource clocksources[] = {
#if defined(__x86_64__) || defined(__i386__)
	{
		.name = "tsc",
		.summary = "time stamp counter, read by rdtscp",
		.clock_mode = VDSO_CLOCKMODE_TSC,
		.mask = INT64_MAX,
		.selectable = true,
		.usable = tsc_usable,
		.frequency_hz = tsc_frequency,
	},
	{
		.name = "tsc-lfence",
		.summary = "time stamp counter, read by lfence and rdtsc",
		.clock_mode = SIM_CLOCKMODE_TSC_LFENCE,
		.mask = INT64_MAX,
		.selectable = true,
		.usable = tsc_is_invariant,
		.frequency_hz = tsc_frequency,
	},
	{
		.name = "pvclock",
		.summary = "nanoseconds by the TSC and a record that a hypervisor keeps in memory",
		.keys = pvclock_keys,
		.clock_mode = VDSO_CLOCKMODE_PVCLOCK,
		.mask = INT64_MAX,
		.selectable = true,
		.has_record = true,
		.usable = tsc_usable,
		.frequency_hz = one_ghz,
	},
#elif SIM_HAS_ARCH_COUNTER
	{
		.name = ARCH_COUNTER_NAME,
		.summary = "the architecture's own counter",
		.clock_mode = VDSO_CLOCKMODE_TSC,
		.mask = INT64_MAX,
		.selectable = true,
		.usable = arch_usable,
		.frequency_hz = arch_frequency,
	},
#endif
	{
		.name = "monotonic_raw",
		.summary = "CLOCK_MONOTONIC_RAW by system call, in nanoseconds; works anywhere",
		.clock_mode = SIM_CLOCKMODE_MONOTONIC_RAW,
		.mask = INT64_MAX,
		.selectable = true,
		.usable = always_usable,
		.frequency_hz = one_ghz,
	},
	{
		.name = "virtual",
		.summary = "a word in memory that a test moves by hand",
		.clock_mode = SIM_CLOCKMODE_VIRTUAL,
		.mask = INT64_MAX,
		.selectable = false,
		.usable = always_usable,
		.frequency_hz = one_ghz,
	},
	{.name = NULL},
};

const struct clocksource *clocksource_find(const char *name)
{
	for (const struct clocksource *cs = clocksources; cs->name; cs++)
		if (strcmp(cs->name, name) == 0)
			return cs;
	return NULL;
}

const struct clocksource *clocksource_default(void)
{
	const struct clocksource *cs = clocksources;
	const char *why;

	while (!cs->selectable || !cs->usable(&why))
		cs++;
	return cs;
}

static const struct spec_key no_keys[] = {{.name = NULL}};

int clocksource_resolve(const char *text, struct clocksource_choice *choice, struct errmsg *err)
{
	const struct clocksource *cs;
	const struct spec_key *keys;
	struct errmsg why;
	struct spec spec;
	const char *hz;

	if (spec_parse(text, &spec, err))
		return -1;
	cs = clocksource_find(spec.name);
	if (!cs)
		return errmsg_set(err,
				  "there is no clock source '%.60s', see contend list clocksources",
				  spec.name);
	keys = cs->keys ? cs->keys : no_keys;
	if (spec_check(&spec, keys, "clock source", err))
		return -1;
	*choice = (struct clocksource_choice){.clocksource = cs};
	hz = spec_value(&spec, keys, "hz");
	if (hz && parse_count(hz, 0, CLOCKSOURCE_MAX_HZ, &choice->hz, &why))
		return errmsg_set(err, "clock source '%s': hz: %s", spec.name, why.text);
	return 0;
}

static u64 greatest_common_divisor(u64 a, u64 b)
{
	while (b) {
		u64 rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The record turns the steps of the TSC into nanoseconds, now more of them, now fewer. */
static u64 pvclock_step(const struct vdso_time_data *page)
{
	const struct pvclock_vcpu_time_info *record = page_pvclock(page);
	u64 step =
		pvclock_scale(clocksource_step(VDSO_CLOCKMODE_TSC, page),
			      READ_ONCE(record->tsc_to_system_mul), READ_ONCE(record->tsc_shift));

	return step ? step : 1;
}

u64 clocksource_step(s32 clock_mode, const struct vdso_time_data *page)
{
	u64 last = clocksource_read(clock_mode, page);
	u64 step = 0;

	if (clock_mode == VDSO_CLOCKMODE_PVCLOCK)
		return pvclock_step(page);
	for (int i = 0; i < 20000; i++) {
		u64 now = clocksource_read(clock_mode, page);

		step = greatest_common_divisor(step, now - last);
		last = now;
	}
	return step ? step : 1;
}

double clocksource_cost(s32 clock_mode, const struct vdso_time_data *page)
{
	const int readings = 1000, runs = 10;
	u64 least = UINT64_MAX;

	for (int run = 0; run < runs; run++) {
		u64 start = clocksource_read(clock_mode, page);
		u64 end = start;

		for (int i = 0; i < readings; i++)
			end = clocksource_read(clock_mode, page);
		if (end - start < least)
			least = end - start;
	}
	return (double)least / readings;
}
