/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A vDSO image as an ELF file: where its code is and which functions it has. Nothing in the image
 * is trusted; what this header says of a parsed image has been checked.
 *
 * A vDSO image is a shared object of one read-and-execute segment that begins with the ELF header
 * and needs no relocation. Sources: the System V ABI (gabi 4.1, chapters 4 and 5), and for
 * DT_GNU_HASH, which no standard describes, what linkers write.
 */
#ifndef SIM_VDSO_ELF_H
#define SIM_VDSO_ELF_H

#include "sim/errmsg.h"
#include "sim/types.h"

#define VDSO_ELF_MAX_BYTES     (1u << 20) /* a larger image is refused; real ones have a few pages */
#define VDSO_ELF_MAX_FUNCTIONS 64

struct vdso_function {
	const char *name; /* in the image's bytes */
	u32 offset;	  /* from the start of the image, less than segment_bytes */
};

/* Offsets count from the start of the image, in the file and in memory alike. */
struct vdso_elf {
	const u8 *bytes;      /* the caller's */
	size_t segment_bytes; /* of the one segment: code and all that belongs to it; <= their size
			       */
	u32 alternatives;     /* offset of .altinstructions */
	u32 alternatives_bytes; /* 0: the image has none; all within the segment */
	size_t function_count;
	struct vdso_function function[VDSO_ELF_MAX_FUNCTIONS];
};

/*
 * Parses the image of `size` bytes at `bytes`, read from a file or from where the kernel has mapped
 * it; any alignment will do. The bytes stay the caller's, are not written to and must outlive *elf,
 * which owns nothing. Refuses what is not a vDSO image for the machine that this is built for.
 * Thread-safe.
 */
int vdso_elf_parse(const void *bytes, size_t size, struct vdso_elf *elf, struct errmsg *err);

/* Offset of the function of that name from the start of the image; -1 when there is none. */
s64 vdso_elf_function(const struct vdso_elf *elf, const char *name);

#endif /* SIM_VDSO_ELF_H */
