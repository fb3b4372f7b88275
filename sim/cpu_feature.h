/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processor features by which x86 kernels choose among alternative instructions in a vDSO, and
 * whether a kernel on this processor would find them.
 */
#ifndef SIM_CPU_FEATURE_H
#define SIM_CPU_FEATURE_H

#include "sim/types.h"

/* What CPUID says, as far as the features here depend on it. Registers of absent leaves are 0. */
struct cpu_id {
	char vendor[13];
	u32 leaf_1_edx;
	u32 leaf_7_ecx;
	u32 leaf_80000001_edx;
	u32 leaf_80000021_eax;
};

struct cpu_feature {
	u16 number; /* word * 32 + bit in the kernel's table */
	const char *name;
	bool (*present)(const struct cpu_id *cpu); /* NULL: see unfit */
	const char *unfit; /* why a copy of an image goes without it wherever it runs, or NULL */
};

/* Of the processor that this thread runs on; all zero on other architectures. Thread-safe. */
void cpu_id_read(struct cpu_id *cpu);

/*
 * The feature that has this number where it stands in a vDSO, in whatever kernel; NULL when it is
 * not known here.
 */
const struct cpu_feature *cpu_feature_find(u16 number);

#endif /* SIM_CPU_FEATURE_H */
