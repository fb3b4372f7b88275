// SPDX-License-Identifier: GPL-2.0-or-later
#include <elf.h>
#include <string.h>

#include "measure/isa.h"

static const struct {
	u16 machine;
	cs_arch arch;
	cs_mode mode;
} decoders[] = {
	{EM_386, CS_ARCH_X86, CS_MODE_32},
	{EM_X86_64, CS_ARCH_X86, CS_MODE_64},
	{EM_PPC, CS_ARCH_PPC, CS_MODE_32},
	{EM_ARM, CS_ARCH_ARM, (cs_mode)(CS_MODE_THUMB | CS_MODE_V8)},
	{EM_AARCH64, CS_ARCH_ARM64, CS_MODE_ARM},
	{EM_S390, CS_ARCH_SYSZ, CS_MODE_LITTLE_ENDIAN},
};

int isa_open(struct isa *isa, u16 machine, bool is_big_endian, struct errmsg *err)
{
	const cs_mode order = is_big_endian ? CS_MODE_BIG_ENDIAN : CS_MODE_LITTLE_ENDIAN;

	*isa = (struct isa){.machine = machine, .is_big_endian = is_big_endian};
	if (machine == EM_RISCV)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(decoders); i++) {
		if (decoders[i].machine != machine)
			continue;
		if (cs_open(decoders[i].arch, (cs_mode)(decoders[i].mode | order),
			    &isa->capstone) != CS_ERR_OK)
			break;
		cs_option(isa->capstone, CS_OPT_DETAIL, CS_OPT_ON);
		isa->found = cs_malloc(isa->capstone);
		if (isa->found)
			return 0;
		cs_close(&isa->capstone);
		return errmsg_set(err, "no memory for the decoder");
	}
	return errmsg_set(err, "capstone has no decoder for machine %u", machine);
}

void isa_close(struct isa *isa)
{
	if (!isa->capstone)
		return;
	cs_free(isa->found, 1);
	cs_close(&isa->capstone);
}

static bool is_one_of(const char *mnemonic, const char *const *names)
{
	const size_t length = strcspn(mnemonic, "+-");

	for (; *names; names++)
		if (strncmp(mnemonic, *names, length) == 0 && !(*names)[length])
			return true;
	return false;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static enum isa_kind kind_of_powerpc(const cs_insn *found)
{
	static const char *const calls[] = {"bl", "bla", "blrl", "bctrl", "bcl", "bcla", NULL};
	static const char *const jumps[] = {"b", "ba", "bctr", NULL};

	if (strcmp(found->mnemonic, "sc") == 0)
		return ISA_SYSTEM;
	if (found->mnemonic[0] != 'b')
		return ISA_PLAIN;
	/* bcl 20, 31, to the next one: how code finds out where it lies. */
	if (memcmp(found->bytes, "\x42\x9f\x00\x05", 4) == 0)
		return ISA_JUMP;
	if (is_one_of(found->mnemonic, calls))
		return ISA_CALL;
	if (is_one_of(found->mnemonic, jumps))
		return ISA_JUMP;
	return strcmp(found->mnemonic, "blr") == 0 ? ISA_RETURN : ISA_BRANCH;
}

static bool loads_counter(const cs_arm *arm)
{
	for (u8 i = 0; i < arm->op_count; i++)
		if (arm->operands[i].type == ARM_OP_REG && arm->operands[i].reg == ARM_REG_PC)
			return true;
	return false;
}

static enum isa_kind kind_of_arm(const cs_insn *found)
{
	const cs_arm *arm = &found->detail->arm;
	const bool always = arm->cc == ARM_CC_AL || arm->cc == ARM_CC_INVALID;

	switch (found->id) {
	case ARM_INS_B:
		return always ? ISA_JUMP : ISA_BRANCH;
	case ARM_INS_CBZ:
	case ARM_INS_CBNZ:
		return ISA_BRANCH;
	case ARM_INS_BL:
	case ARM_INS_BLX:
		return ISA_CALL;
	case ARM_INS_BX:
		if (!always)
			return ISA_BRANCH;
		return arm->operands[0].reg == ARM_REG_LR ? ISA_RETURN : ISA_JUMP;
	case ARM_INS_POP:
	case ARM_INS_LDM:
	case ARM_INS_LDR:
		return loads_counter(arm) && (found->id != ARM_INS_LDR ||
					      arm->operands[0].reg == ARM_REG_PC)
			       ? ISA_RETURN
			       : ISA_PLAIN;
	case ARM_INS_TBB:
	case ARM_INS_TBH:
		return ISA_JUMP;
	case ARM_INS_SVC:
		return ISA_SYSTEM;
	default:
		return ISA_PLAIN;
	}
}

static enum isa_kind kind_of_aarch64(const cs_insn *found)
{
	const arm64_cc condition = found->detail->arm64.cc;

	switch (found->id) {
	case ARM64_INS_B:
		return condition == ARM64_CC_INVALID || condition == ARM64_CC_AL ? ISA_JUMP
										 : ISA_BRANCH;
	case ARM64_INS_CBZ:
	case ARM64_INS_CBNZ:
	case ARM64_INS_TBZ:
	case ARM64_INS_TBNZ:
		return ISA_BRANCH;
	case ARM64_INS_BL:
	case ARM64_INS_BLR:
		return ISA_CALL;
	case ARM64_INS_BR:
		return ISA_JUMP;
	case ARM64_INS_RET:
		return ISA_RETURN;
	case ARM64_INS_SVC:
		return ISA_SYSTEM;
	default:
		return ISA_PLAIN;
	}
}

/* Compare-and-jump begins with c; what counts down, with br. */
static enum isa_kind kind_of_s390(const cs_insn *found)
{
	static const char *const calls[] = {"brasl", "bras", "basr", "bas", NULL};
	static const char *const jumps[] = {"j", "jg", "b", NULL};
	static const char *const no_jumps[] = {"bcr", "bc", "bpp", "bprp", NULL};
	const char *mnemonic = found->mnemonic;

	if (strcmp(mnemonic, "svc") == 0)
		return ISA_SYSTEM;
	if (is_one_of(mnemonic, calls))
		return ISA_CALL;
	if (is_one_of(mnemonic, jumps))
		return ISA_JUMP;
	if (strcmp(mnemonic, "br") == 0)
		return strcmp(found->op_str, "%r14") == 0 ? ISA_RETURN : ISA_JUMP;
	if (is_one_of(mnemonic, no_jumps))
		return ISA_PLAIN;
	if (mnemonic[0] == 'j' || mnemonic[0] == 'b')
		return ISA_BRANCH;
	return mnemonic[0] == 'c' && strchr(mnemonic, 'j') && !begins(mnemonic, "cj") ? ISA_BRANCH
										      : ISA_PLAIN;
}

static bool is_in(const cs_insn *found, u8 group)
{
	for (u8 i = 0; i < found->detail->groups_count; i++)
		if (found->detail->groups[i] == group)
			return true;
	return false;
}

static enum isa_kind kind_of_x86(const cs_insn *found)
{
	if (found->id == X86_INS_INT || found->id == X86_INS_SYSCALL ||
	    found->id == X86_INS_SYSENTER)
		return ISA_SYSTEM;
	if (is_in(found, CS_GRP_CALL))
		return ISA_CALL;
	if (is_in(found, CS_GRP_RET))
		return ISA_RETURN;
	if (!is_in(found, CS_GRP_JUMP))
		return ISA_PLAIN;
	return found->id == X86_INS_JMP || found->id == X86_INS_LJMP ? ISA_JUMP : ISA_BRANCH;
}

static enum isa_kind kind_of(u16 machine, const cs_insn *found)
{
	switch (machine) {
	case EM_PPC:
		return kind_of_powerpc(found);
	case EM_ARM:
		return kind_of_arm(found);
	case EM_AARCH64:
		return kind_of_aarch64(found);
	case EM_S390:
		return kind_of_s390(found);
	default:
		return kind_of_x86(found);
	}
}

/* Where it leads to stands last. */
static bool find_target(u16 machine, const cs_insn *found, u64 *target)
{
	const cs_detail *detail = found->detail;
	u8 last;

	switch (machine) {
	case EM_PPC:
		last = (u8)(detail->ppc.op_count - 1);
		*target = detail->ppc.op_count ? (u32)detail->ppc.operands[last].imm : 0;
		return detail->ppc.op_count && detail->ppc.operands[last].type == PPC_OP_IMM;
	case EM_ARM:
		last = (u8)(detail->arm.op_count - 1);
		*target = detail->arm.op_count ? (u32)detail->arm.operands[last].imm : 0;
		return detail->arm.op_count && detail->arm.operands[last].type == ARM_OP_IMM;
	case EM_AARCH64:
		last = (u8)(detail->arm64.op_count - 1);
		*target = detail->arm64.op_count ? (u64)detail->arm64.operands[last].imm : 0;
		return detail->arm64.op_count && detail->arm64.operands[last].type == ARM64_OP_IMM;
	case EM_S390:
		last = (u8)(detail->sysz.op_count - 1);
		*target = detail->sysz.op_count ? (u64)detail->sysz.operands[last].imm : 0;
		return detail->sysz.op_count && detail->sysz.operands[last].type == SYSZ_OP_IMM;
	default:
		*target = detail->x86.op_count ? (u64)detail->x86.operands[0].imm : 0;
		return detail->x86.op_count && detail->x86.operands[0].type == X86_OP_IMM;
	}
}

/* What the first bytes say of the length, of those that are not known. */
static u32 length_of(u16 machine, const u8 *code, size_t bytes)
{
	u32 length = 4;

	if (machine == EM_S390)
		length = code[0] >> 6 == 0 ? 2 : code[0] >> 6 == 3 ? 6 : 4;
	else if (machine == EM_ARM)
		length = bytes > 1 && code[1] >> 3 >= 0x1d ? 4 : 2;
	else if (machine == EM_386 || machine == EM_X86_64)
		length = 1;
	return length <= bytes ? length : 0;
}

static s64 sign_extend(u64 value, unsigned int bits)
{
	return (s64)(value << (64 - bits)) >> (64 - bits);
}

/* Bits first to last of a word, moved to where they belong in a number. */
static u64 move_bits(u32 word, unsigned int first, unsigned int last, unsigned int to)
{
	return (u64)((word >> first) & ((1u << (last - first + 1)) - 1)) << to;
}

/* Unprivileged specification, chapters 2 and 16 (C extension). */
static void decode_riscv_16(u32 word, u64 address, struct isa_instruction *instruction)
{
	const u32 quadrant = word & 3, what = word >> 13 & 7;
	const u32 first = word >> 7 & 31, second = word >> 2 & 31;

	if (quadrant == 1 && what == 5) {
		instruction->kind = ISA_JUMP;
		instruction->has_target = true;
		instruction->target =
			address +
			(u64)sign_extend(
				move_bits(word, 12, 12, 11) | move_bits(word, 11, 11, 4) |
					move_bits(word, 9, 10, 8) | move_bits(word, 8, 8, 10) |
					move_bits(word, 7, 7, 6) | move_bits(word, 6, 6, 7) |
					move_bits(word, 3, 5, 1) | move_bits(word, 2, 2, 5),
				12);
	} else if (quadrant == 1 && what >= 6) {
		instruction->kind = ISA_BRANCH;
	} else if (quadrant == 2 && what == 4 && second == 0 && first != 0) {
		instruction->kind = word >> 12 & 1 ? ISA_CALL : first == 1 ? ISA_RETURN : ISA_JUMP;
	}
}

static void decode_riscv_32(u32 word, u64 address, struct isa_instruction *instruction)
{
	const u32 destination = word >> 7 & 31, source = word >> 15 & 31;

	switch (word & 0x7f) {
	case 0x63:
		instruction->kind = ISA_BRANCH;
		break;
	case 0x6f:
		instruction->kind = destination ? ISA_CALL : ISA_JUMP;
		instruction->has_target = true;
		instruction->target =
			address + (u64)sign_extend(move_bits(word, 31, 31, 20) |
							   move_bits(word, 21, 30, 1) |
							   move_bits(word, 20, 20, 11) |
							   move_bits(word, 12, 19, 12),
						   21);
		break;
	case 0x67:
		instruction->kind = destination ? ISA_CALL : source == 1 ? ISA_RETURN : ISA_JUMP;
		break;
	case 0x73:
		if (word == 0x73)
			instruction->kind = ISA_SYSTEM;
		break;
	default:
		break;
	}
}

static struct isa_instruction decode_riscv(const u8 *code, size_t bytes, u64 address)
{
	struct isa_instruction instruction = {.kind = ISA_PLAIN};
	const bool is_short = bytes >= 2 && (code[0] & 3) != 3;
	u32 word;

	if (bytes < 2 || (!is_short && bytes < 4))
		return instruction;
	word = (u32)code[0] | (u32)code[1] << 8;
	if (is_short) {
		instruction.bytes = 2;
		decode_riscv_16(word, address, &instruction);
		return instruction;
	}
	instruction.bytes = 4;
	decode_riscv_32(word | (u32)code[2] << 16 | (u32)code[3] << 24, address, &instruction);
	return instruction;
}

struct isa_instruction isa_decode(struct isa *isa, const u8 *code, size_t bytes, u64 address)
{
	struct isa_instruction instruction = {.kind = ISA_UNKNOWN};
	const u8 *at = code;
	size_t left = bytes;
	u64 next = address;

	if (!isa->capstone)
		return decode_riscv(code, bytes, address);
	if (!bytes || !cs_disasm_iter(isa->capstone, &at, &left, &next, isa->found)) {
		instruction.bytes = bytes ? length_of(isa->machine, code, bytes) : 0;
		/* svc, which capstone 4 leaves out. */
		if (bytes && isa->machine == EM_S390 && code[0] == 0x0a)
			instruction.kind = ISA_SYSTEM;
		return instruction;
	}
	instruction.bytes = isa->found->size;
	instruction.kind = kind_of(isa->machine, isa->found);
	if (instruction.kind == ISA_JUMP || instruction.kind == ISA_BRANCH ||
	    instruction.kind == ISA_CALL)
		instruction.has_target = find_target(isa->machine, isa->found, &instruction.target);
	return instruction;
}
