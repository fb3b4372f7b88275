/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Executed instructions in words, and one way through code held against another. What depends on
 * where code lies is left out of the words, so that a copy of a function reads like the function;
 * what lies beside the code, and is not on pages of its own, need not be the same in both.
 */
#ifndef MEASURE_DISASSEMBLY_H
#define MEASURE_DISASSEMBLY_H

#include "measure/trace.h"
#include "sim/types.h"

struct instruction {
	uintptr_t address;
	bool calls_system; /* enters the kernel */
	bool is_branch;	   /* conditional */
	bool is_call;
	bool is_return;
	char mnemonic[16];
	/*
	 * As Intel writes them. Where it jumps to is only forwards or backwards, and of an address
	 * relative to the instruction only its byte of a page stays, as in [page + 0x98]: which
	 * page is not told. If executed code lies on that page, not even the byte: [page].
	 */
	char operands[80];
};

struct disassembly {
	size_t count;
	struct instruction instruction[TRACE_MAX];
};

/*
 * Decodes what was traced in this process, which must still have the code. Returns 0, or -1 with a
 * sentence in *err: no decoder for this machine, or an instruction that it does not know.
 */
int disassemble(const struct trace *trace, struct disassembly *disassembly, struct errmsg *err);

/*
 * Leaves of each loop its last pass alone: what a read executes that need not try again. Functions
 * that are called more than once are no loops.
 */
void disassembly_cut_loops(struct disassembly *disassembly);

/* Whether any of it enters the kernel. */
bool disassembly_calls_system(const struct disassembly *disassembly);

/*
 * How many instructions, from the first one on, read the same in both; and whether all do. They are
 * then the same code, but for where it lies.
 */
size_t disassembly_first_difference(const struct disassembly *a, const struct disassembly *b);
bool disassembly_same(const struct disassembly *a, const struct disassembly *b);

#endif /* MEASURE_DISASSEMBLY_H */
