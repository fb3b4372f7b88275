/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One executed instruction: what kind it is, and which memory it touches. x86 only.
 */
#ifndef MEASURE_STEP_H
#define MEASURE_STEP_H

#include "measure/decoder.h"
#include "measure/trace.h"
#include "sim/types.h"

enum step_kind {
	STEP_PLAIN,
	STEP_BRANCH, /* conditional */
	STEP_JUMP,   /* unconditional */
	STEP_CALL,
	STEP_RETURN,
	STEP_SYSTEM, /* enters the kernel */
};

/* push of memory has the most: one load and one store. */
#define STEP_MAX_ACCESSES 4
#define STEP_MAX_BYTES	  16

struct step_access {
	uintptr_t address; /* 0: of an address that cannot be told, relative to gs for instance */
	u32 bytes;
	bool stores; /* or loads; what is changed is both, and has two entries */
};

struct step {
	uintptr_t address;
	u32 bytes;
	u8 code[STEP_MAX_BYTES];
	enum step_kind kind;
	bool taken; /* of a branch; for whoever knows what comes next to fill in */
	u32 accesses;
	struct step_access access[STEP_MAX_ACCESSES];
	uintptr_t target; /* of a jump, branch or call that names an address; else 0 */
	char words[192];  /* as Intel writes it, without its target */
};

/*
 * Decodes the instruction at `address` in this process, before which the registers were these.
 * Returns 0, or -1 with a sentence in *err: capstone does not know it.
 */
int step_decode(struct decoder *decoder, uintptr_t address, const struct trace_registers *registers,
		struct step *step, struct errmsg *err);

#endif /* MEASURE_STEP_H */
