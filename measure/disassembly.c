// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "measure/decoder.h"
#include "measure/disassembly.h"
#include "sim/page.h"

/* The address that is given relative to the instruction; false if there is none. */
static bool relative_address(const cs_insn *found, uintptr_t *address)
{
	const cs_x86 *x86 = &found->detail->x86;

	for (uint8_t i = 0; i < x86->op_count; i++) {
		if (x86->operands[i].type != X86_OP_MEM || x86->operands[i].mem.base != X86_REG_RIP)
			continue;
		*address = (uintptr_t)(found->address + found->size +
				       (uint64_t)x86->operands[i].mem.disp);
		return true;
	}
	return false;
}

static bool is_beside_code(const struct trace *trace, uintptr_t address)
{
	for (size_t i = 0; i < trace->count; i++)
		if (trace->address[i] / SIM_PAGE_BYTES == address / SIM_PAGE_BYTES)
			return true;
	return false;
}

/* A linker puts code anywhere, and so what lies beside it; but the fields of a page stay in place.
 */
static void put_operands(const cs_insn *found, const struct trace *trace,
			 struct instruction *instruction)
{
	const char *begin = strstr(found->op_str, "[rip");
	const char *end = begin ? strchr(begin, ']') : NULL;
	char byte[16] = "";
	uintptr_t address;

	if (!end || !relative_address(found, &address)) {
		snprintf(instruction->operands, sizeof(instruction->operands), "%.79s",
			 found->op_str);
		return;
	}
	if (!is_beside_code(trace, address))
		snprintf(byte, sizeof(byte), " + 0x%x", (unsigned)(address % SIM_PAGE_BYTES));
	snprintf(instruction->operands, sizeof(instruction->operands), "%.*s[page%s%.20s",
		 (int)(begin - found->op_str), found->op_str, byte, end);
}

static void put_in_words(const cs_insn *found, const struct trace *trace,
			 struct instruction *instruction)
{
	const cs_x86_op *target = decoder_target(found);

	snprintf(instruction->mnemonic, sizeof(instruction->mnemonic), "%.15s", found->mnemonic);
	if (target)
		snprintf(instruction->operands, sizeof(instruction->operands), "%s",
			 (uint64_t)target->imm > found->address ? "forwards" : "backwards");
	else
		put_operands(found, trace, instruction);
}

static int decode_all(struct decoder *decoder, const struct trace *trace,
		      struct disassembly *disassembly, struct errmsg *err)
{
	const cs_insn *found = decoder->found;

	for (size_t i = 0; i < trace->count; i++) {
		struct instruction *instruction = &disassembly->instruction[i];

		if (!decoder_decode(decoder, trace->address[i]))
			return errmsg_set(err, "capstone does not know instruction %zu of the call",
					  i + 1);
		*instruction = (struct instruction){
			.address = trace->address[i],
			.calls_system = decoder_calls_system(found),
			.is_branch = decoder_is_branch(found),
			.is_call = decoder_is_in(found, CS_GRP_CALL),
			.is_return = decoder_is_in(found, CS_GRP_RET),
		};
		put_in_words(found, trace, instruction);
		disassembly->count++;
	}
	return 0;
}

int disassemble(const struct trace *trace, struct disassembly *disassembly, struct errmsg *err)
{
	struct decoder decoder;
	int failed;

	disassembly->count = 0;
	if (decoder_open(&decoder, err))
		return -1;
	failed = decode_all(&decoder, trace, disassembly, err);
	decoder_close(&decoder);
	return failed;
}

void disassembly_cut_loops(struct disassembly *disassembly)
{
	struct instruction *list = disassembly->instruction;
	size_t begin[TRACE_MAX + 1] = {0}; /* of the call at each depth */
	u16 depths[TRACE_MAX];		   /* of what is kept */
	size_t depth = 0, kept = 0;

	for (size_t i = 0; i < disassembly->count; i++) {
		const struct instruction instruction = list[i];
		size_t before = begin[depth];

		while (before < kept &&
		       (list[before].address != instruction.address || depths[before] != depth))
			before++;
		kept = before;
		depths[kept] = (u16)depth;
		list[kept++] = instruction;
		if (instruction.is_call)
			begin[++depth] = kept;
		else if (instruction.is_return && depth)
			depth--;
	}
	disassembly->count = kept;
}

bool disassembly_calls_system(const struct disassembly *disassembly)
{
	for (size_t i = 0; i < disassembly->count; i++)
		if (disassembly->instruction[i].calls_system)
			return true;
	return false;
}

static bool same_words(const struct instruction *a, const struct instruction *b)
{
	return strcmp(a->mnemonic, b->mnemonic) == 0 && strcmp(a->operands, b->operands) == 0;
}

size_t disassembly_first_difference(const struct disassembly *a, const struct disassembly *b)
{
	size_t i = 0;

	while (i < a->count && i < b->count && same_words(&a->instruction[i], &b->instruction[i]))
		i++;
	return i;
}

bool disassembly_same(const struct disassembly *a, const struct disassembly *b)
{
	return a->count == b->count && disassembly_first_difference(a, b) == a->count;
}
