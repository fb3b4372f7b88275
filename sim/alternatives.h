/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An x86 vDSO image holds, next to some instructions, better ones for processors that have them,
 * and a table of these, .altinstructions. The kernel puts them in place at boot; here it is done to
 * a copy of an image that no kernel has touched. Done to a copy of one that has been touched, it
 * changes nothing.
 *
 * Source of the table's layouts and of what becomes of them: Linux, arch/x86/kernel/alternative.c
 * and its headers, 4.1 to 6.18.
 */
#ifndef SIM_ALTERNATIVES_H
#define SIM_ALTERNATIVES_H

#include "sim/cpu_feature.h"
#include "sim/errmsg.h"
#include "sim/vdso_elf.h"

#define ALTERNATIVES_MAX 64

/* What became of one entry of the table. */
struct alternative {
	u32 offset;	  /* of the place, from the start of the image */
	u8 bytes;	  /* of the place, padding included */
	bool applied;	  /* the place holds this entry's instructions now */
	char feature[24]; /* by which it is chosen: "rdtscp", "not rdtscp", "feature 9*32+3" */
	const char *why;  /* it was applied or was not; static */
};

struct alternatives {
	size_t count;
	struct alternative list[ALTERNATIVES_MAX]; /* in the order of the table */
};

/*
 * Puts in place, in `image`, what a kernel on this processor would: per place the last entry whose
 * feature is there, the rest of the place filled with NOPs as long as possible. An entry is left
 * alone where its feature is not known here or unfit for a copy, or where its instructions are a
 * jump.
 *
 * elf is the parsed image, and `image` a writable copy of its first segment_bytes bytes. *done
 * tells of every entry, the left ones included. Refuses a table of no known layout or of more than
 * one, and one of more than ALTERNATIVES_MAX entries; the copy is then as it was. An image without
 * a table is fine. Thread-safe.
 */
int alternatives_apply(const struct vdso_elf *elf, const struct cpu_id *cpu, u8 *image,
		       struct alternatives *done, struct errmsg *err);

#endif /* SIM_ALTERNATIVES_H */
