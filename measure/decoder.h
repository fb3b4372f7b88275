/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This machine's instructions, taken apart by capstone, one at a time. x86 only. One thread owns a
 * decoder.
 */
#ifndef MEASURE_DECODER_H
#define MEASURE_DECODER_H

#include <capstone.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/errmsg.h"

struct decoder {
	csh capstone;
	cs_insn *found; /* what was decoded last */
};

/* 0, or -1 with a sentence in *err: no decoder for this machine, no memory. */
int decoder_open(struct decoder *decoder, struct errmsg *err);
void decoder_close(struct decoder *decoder);

/* Decodes what lies there in this process, and may be run. False: capstone does not know it. */
bool decoder_decode(struct decoder *decoder, uintptr_t address);

/* Decodes the first of these bytes, as if they lay at `address`. The same. */
bool decoder_decode_bytes(struct decoder *decoder, const uint8_t *code, size_t bytes,
			  uint64_t address);

/* Whether an instruction is in one of capstone's groups. */
bool decoder_is_in(const cs_insn *instruction, uint8_t group);

/* Every jump but the unconditional: it reads flags, or counts. */
bool decoder_is_branch(const cs_insn *instruction);

/* Whether it enters the kernel. */
bool decoder_calls_system(const cs_insn *instruction);

/* The operand of a jump or call that is an address; NULL: it is a register, memory, or no jump. */
const cs_x86_op *decoder_target(const cs_insn *instruction);

#endif /* MEASURE_DECODER_H */
