// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "sim/cpu_feature.h"

#if defined(__x86_64__) || defined(__i386__)

#define FEATURE(word, bit) ((word)*32 + (bit))

void cpu_id_read(struct cpu_id *cpu)
{
	unsigned int a, b, c, d;

	*cpu = (struct cpu_id){.leaf_1_edx = 0};
	if (__get_cpuid(0, &a, &b, &c, &d)) {
		memcpy(cpu->vendor, &b, 4);
		memcpy(cpu->vendor + 4, &d, 4);
		memcpy(cpu->vendor + 8, &c, 4);
	}
	if (__get_cpuid(1, &a, &b, &c, &d))
		cpu->leaf_1_edx = d;
	if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
		cpu->leaf_7_ecx = c;
	if (__get_cpuid(0x80000001, &a, &b, &c, &d))
		cpu->leaf_80000001_edx = d;
	if (__get_cpuid(0x80000021, &a, &b, &c, &d))
		cpu->leaf_80000021_eax = a;
}

static bool has_sse2(const struct cpu_id *cpu)
{
	return cpu->leaf_1_edx & (1u << 26);
}

static bool has_rdtscp(const struct cpu_id *cpu)
{
	return cpu->leaf_80000001_edx & (1u << 27);
}

static bool has_rdpid(const struct cpu_id *cpu)
{
	return cpu->leaf_7_ecx & (1u << 22);
}

/*
 * By the vendor rather than by the bit that newer AMD processors have for it: on the older ones of
 * these vendors lfence waits as well, or the kernel makes it wait.
 */
static bool has_lfence_rdtsc(const struct cpu_id *cpu)
{
	static const char *const vendors[] = {
		"GenuineIntel", "AuthenticAMD", "HygonGenuine", "CentaurHauls", "  Shanghai  ",
	};

	if (cpu->leaf_80000021_eax & (1u << 2))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(vendors); i++)
		if (strcmp(cpu->vendor, vendors[i]) == 0)
			return has_sse2(cpu);
	return false;
}

/* Kernels that knew mfence for this (before 5.3) took lfence wherever the function above finds it.
 */
#define LFENCE_INSTEAD "lfence is what kernels take on this CPU"

/* int 0x80 comes back to where it was executed, so a copy of an image keeps it. */
#define COMES_BACK_ELSEWHERE "from it the kernel returns to its own vDSO; int 0x80 is kept"

/*
 * 6.3 moved lfence_rdtsc, and kernels since have given both old numbers to features for which no
 * vDSO has instructions.
 */
static const struct cpu_feature features[] = {
	{FEATURE(1, 27), "rdtscp", has_rdtscp, NULL},
	{FEATURE(20, 2), "lfence_rdtsc", has_lfence_rdtsc, NULL},
	{FEATURE(3, 18), "lfence_rdtsc", has_lfence_rdtsc, NULL},
	{FEATURE(3, 17), "mfence_rdtsc", NULL, LFENCE_INSTEAD},
	{FEATURE(16, 22), "rdpid", has_rdpid, NULL},
	{FEATURE(0, 26), "sse2", has_sse2, NULL},
	{FEATURE(0, 11), "sep", NULL, COMES_BACK_ELSEWHERE},
	{FEATURE(3, 14), "syscall32", NULL, COMES_BACK_ELSEWHERE},
	/* The newest kernels mean sysenter or syscall by this number, and name it sysfast32. */
	{FEATURE(3, 15), "sysenter32", NULL, COMES_BACK_ELSEWHERE},
};

const struct cpu_feature *cpu_feature_find(u16 number)
{
	for (const struct cpu_feature *f = features; f < features + ARRAY_SIZE(features); f++)
		if (f->number == number)
			return f;
	return NULL;
}

#else

void cpu_id_read(struct cpu_id *cpu)
{
	*cpu = (struct cpu_id){.leaf_1_edx = 0};
}

/* Elsewhere the numbers mean other things, and other ones from one kernel to the next. */
const struct cpu_feature *cpu_feature_find(u16 number)
{
	(void)number;
	return NULL;
}

#endif
