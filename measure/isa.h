/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What kinds of instructions other machines' code is made of, as far as control flow goes. By
 * capstone, but for RISC-V, which its version 4 does not know: there by the encoding.
 */
#ifndef MEASURE_ISA_H
#define MEASURE_ISA_H

#include <capstone.h>

#include "sim/errmsg.h"
#include "sim/types.h"

enum isa_kind {
	ISA_PLAIN,
	ISA_BRANCH, /* conditional */
	ISA_JUMP,   /* unconditional */
	ISA_CALL,
	ISA_RETURN,
	ISA_SYSTEM,  /* enters the kernel */
	ISA_UNKNOWN, /* capstone does not know it; its length is known all the same */
};

struct isa_instruction {
	u32 bytes;
	enum isa_kind kind;
	bool has_target;
	u64 target; /* of a jump, branch or call that names an address */
};

struct isa {
	u16 machine; /* as ELF numbers it */
	bool is_big_endian;
	csh capstone; /* 0: there is none */
	cs_insn *found;
};

/* 0, or -1 with a sentence in *err: no decoder for such a machine. Ended by isa_close. */
int isa_open(struct isa *isa, u16 machine, bool is_big_endian, struct errmsg *err);
void isa_close(struct isa *isa);

/* The instruction that begins these bytes, which lie at `address`; 0 bytes: it is cut off. */
struct isa_instruction isa_decode(struct isa *isa, const u8 *code, size_t bytes, u64 address);

#endif /* MEASURE_ISA_H */
