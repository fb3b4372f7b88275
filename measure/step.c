// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "measure/step.h"

#define WORD ((u32)sizeof(void *))

/* x86's numbers of the registers that addresses are made of. */
static int number_of(unsigned int reg)
{
	static const unsigned int wide[16] = {X86_REG_RAX, X86_REG_RCX, X86_REG_RDX, X86_REG_RBX,
					      X86_REG_RSP, X86_REG_RBP, X86_REG_RSI, X86_REG_RDI,
					      X86_REG_R8,  X86_REG_R9,	X86_REG_R10, X86_REG_R11,
					      X86_REG_R12, X86_REG_R13, X86_REG_R14, X86_REG_R15};
	static const unsigned int half[16] = {
		X86_REG_EAX,  X86_REG_ECX,  X86_REG_EDX,  X86_REG_EBX, X86_REG_ESP,  X86_REG_EBP,
		X86_REG_ESI,  X86_REG_EDI,  X86_REG_R8D,  X86_REG_R9D, X86_REG_R10D, X86_REG_R11D,
		X86_REG_R12D, X86_REG_R13D, X86_REG_R14D, X86_REG_R15D};

	for (int i = 0; i < 16; i++)
		if (wide[i] == reg || half[i] == reg)
			return i;
	return -1;
}

static u64 value_of(unsigned int reg, const struct trace_registers *registers)
{
	const int number = number_of(reg);

	return number < 0 ? 0 : registers->general[number];
}

/* Where a segment begins; false if nobody says. Those that are not named begin at 0. */
static bool segment_base(unsigned int segment, const struct trace_registers *registers, u64 *base)
{
	*base = segment == X86_REG_FS	? registers->fs_base
		: segment == X86_REG_GS ? registers->gs_base
					: 0;
	return (segment != X86_REG_FS && segment != X86_REG_GS) || *base;
}

static uintptr_t address_of(const cs_insn *found, const x86_op_mem *mem,
			    const struct trace_registers *registers)
{
	u64 base;
	u64 address = (u64)mem->disp;

	if (!segment_base(mem->segment, registers, &base))
		return 0;
	address += base + value_of(mem->index, registers) * (u64)mem->scale;
	if (mem->base == X86_REG_RIP)
		address += found->address + found->size;
	else
		address += value_of(mem->base, registers);
	return (uintptr_t)address;
}

static void add(struct step *step, uintptr_t address, u32 bytes, bool stores)
{
	if (step->accesses < STEP_MAX_ACCESSES)
		step->access[step->accesses++] = (struct step_access){address, bytes, stores};
}

/* An operand that is only an address, or that nothing depends on. */
static bool touches_nothing(const cs_insn *found)
{
	switch (found->id) {
	case X86_INS_LEA:
	case X86_INS_NOP:
	case X86_INS_PREFETCH:
	case X86_INS_PREFETCHW:
	case X86_INS_PREFETCHNTA:
	case X86_INS_PREFETCHT0:
	case X86_INS_PREFETCHT1:
	case X86_INS_PREFETCHT2:
		return true;
	default:
		return false;
	}
}

/*
 * Capstone 4 takes many a store for a load, vector moves above all, and test with a constant for
 * both. Where what comes first of two operands is memory, few only read it.
 */
static u8 access_of(const cs_insn *found, u8 operand)
{
	const cs_x86 *x86 = &found->detail->x86;

	switch (found->id) {
	case X86_INS_CMP:
	case X86_INS_TEST:
	case X86_INS_BT:
		return CS_AC_READ;
	case X86_INS_CMPXCHG:
	case X86_INS_CMPXCHG8B:
	case X86_INS_CMPXCHG16B:
		return CS_AC_READ | CS_AC_WRITE;
	case X86_INS_FST:
	case X86_INS_FSTP:
	case X86_INS_STMXCSR:
		return CS_AC_WRITE;
	default:
		break;
	}
	if (operand == 0 && x86->op_count > 1 && x86->operands[0].access == CS_AC_READ)
		return CS_AC_WRITE;
	return x86->operands[operand].access ? x86->operands[operand].access : CS_AC_READ;
}

static void add_operands(const cs_insn *found, const struct trace_registers *registers,
			 struct step *step)
{
	const cs_x86 *x86 = &found->detail->x86;

	if (touches_nothing(found))
		return;
	for (u8 i = 0; i < x86->op_count; i++) {
		const cs_x86_op *operand = &x86->operands[i];
		uintptr_t address;

		if (operand->type != X86_OP_MEM)
			continue;
		address = address_of(found, &operand->mem, registers);
		if (access_of(found, i) & CS_AC_READ)
			add(step, address, operand->size, false);
		if (access_of(found, i) & CS_AC_WRITE)
			add(step, address, operand->size, true);
	}
}

/* What an instruction does to the stack without an operand that says so. */
static void add_stack(const cs_insn *found, const struct trace_registers *registers,
		      struct step *step)
{
	const uintptr_t top = (uintptr_t)registers->general[4];
	const cs_x86 *x86 = &found->detail->x86;
	const u32 bytes = x86->op_count && x86->operands[0].size == 2 ? 2 : WORD;

	switch (found->id) {
	case X86_INS_PUSH:
		add(step, top - bytes, bytes, true);
		break;
	case X86_INS_POP:
		add(step, top, bytes, false);
		break;
	case X86_INS_CALL:
	case X86_INS_PUSHF:
	case X86_INS_PUSHFD:
	case X86_INS_PUSHFQ:
		add(step, top - WORD, WORD, true);
		break;
	case X86_INS_RET:
	case X86_INS_POPF:
	case X86_INS_POPFD:
	case X86_INS_POPFQ:
		add(step, top, WORD, false);
		break;
	case X86_INS_LEAVE:
		add(step, (uintptr_t)registers->general[5], WORD, false);
		break;
	default:
		break;
	}
}

static enum step_kind kind_of(const cs_insn *found)
{
	if (decoder_calls_system(found))
		return STEP_SYSTEM;
	if (decoder_is_in(found, CS_GRP_CALL))
		return STEP_CALL;
	if (decoder_is_in(found, CS_GRP_RET))
		return STEP_RETURN;
	if (decoder_is_branch(found))
		return STEP_BRANCH;
	return decoder_is_in(found, CS_GRP_JUMP) ? STEP_JUMP : STEP_PLAIN;
}

int step_decode(struct decoder *decoder, uintptr_t address, const struct trace_registers *registers,
		struct step *step, struct errmsg *err)
{
	const cs_insn *found = decoder->found;
	const cs_x86_op *target;

	if (!decoder_decode(decoder, address))
		return errmsg_set(err, "capstone does not know the instruction at %p",
				  (void *)address);
	*step = (struct step){
		.address = address,
		.bytes = found->size,
		.kind = kind_of(found),
	};
	memcpy(step->code, found->bytes, sizeof(step->code));
	target = decoder_target(found);
	if (target)
		step->target = (uintptr_t)target->imm;
	snprintf(step->words, sizeof(step->words), "%s%s%s", found->mnemonic,
		 target || !found->op_str[0] ? "" : " ", target ? "" : found->op_str);
	add_operands(found, registers, step);
	add_stack(found, registers, step);
	return 0;
}
