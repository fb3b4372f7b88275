/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader's machine code as a compiler made it: constants and instructions that hang on nothing
 * outside of them, so that copies of them work wherever they are put.
 *
 * It comes as an ELF file, linked by readers/path/code.lds as a static position-independent
 * executable whose entry is the reader.
 */
#ifndef READERS_MACHINE_CODE_H
#define READERS_MACHINE_CODE_H

#include <stdbool.h>

#include "sim/errmsg.h"
#include "sim/page.h"
#include "sim/types.h"

/* More is refused: no read path is of that size. */
#define MACHINE_CODE_MAX_BYTES (1u << 20)
/* Constants that want more than a page's are refused, too. */
#define MACHINE_CODE_MAX_STEP SIM_PAGE_BYTES

struct machine_code {
	const void *elf; /* the whole file, with its symbols and what debuggers want */
	size_t elf_bytes;
	const u8 *image;   /* in it: constants, then instructions */
	u32 bytes;	   /* of the image */
	u32 text;	   /* where in the image the instructions begin */
	u32 entry;	   /* the reader, an offset in the image */
	u32 step;	   /* a copy may be moved by multiples of this many bytes; a power of 2 */
	bool is_lock;	   /* its source ends with LOCK, see readers/lock.h */
	bool runs_here;	   /* it is for the machine that contend was built for */
	char compiler[96]; /* as it calls itself; empty if it does not */
};

/*
 * Takes the file of elf_bytes at `elf`, which stays the caller's, is not written to and must
 * outlive *code. Returns 0, or -1 with a sentence in *err: it is not such a file, it is damaged, or
 * it has state of its own, or addresses that would be wrong elsewhere. The instructions themselves
 * are not looked at. *code is then all zero. Thread-safe.
 */
int machine_code_open(struct machine_code *code, const void *elf, size_t elf_bytes,
		      struct errmsg *err);

/* Bytes of instructions. */
static inline u32 machine_code_text_bytes(const struct machine_code *code)
{
	return code->bytes - code->text;
}

#endif /* READERS_MACHINE_CODE_H */
