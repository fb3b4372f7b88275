// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/decoder.h"
#include "sim/page.h"

#define LONGEST 15 /* bytes that an instruction may have */

#if defined(__x86_64__)
#define MODE	   CS_MODE_64
#define IS_DECODED 1
#elif defined(__i386__)
#define MODE	   CS_MODE_32
#define IS_DECODED 1
#else
#define MODE	   CS_MODE_64
#define IS_DECODED 0
#endif

int decoder_open(struct decoder *decoder, struct errmsg *err)
{
	if (!IS_DECODED)
		return errmsg_set(err, "instructions can be decoded on x86 only");
	if (cs_open(CS_ARCH_X86, MODE, &decoder->capstone) != CS_ERR_OK)
		return errmsg_set(err, "capstone has no decoder for this machine");
	cs_option(decoder->capstone, CS_OPT_DETAIL, CS_OPT_ON);
	decoder->found = cs_malloc(decoder->capstone);
	if (decoder->found)
		return 0;
	cs_close(&decoder->capstone);
	return errmsg_set(err, "no memory for the decoder");
}

void decoder_close(struct decoder *decoder)
{
	cs_free(decoder->found, 1);
	cs_close(&decoder->capstone);
}

bool decoder_decode_bytes(struct decoder *decoder, const uint8_t *code, size_t bytes,
			  uint64_t address)
{
	return cs_disasm_iter(decoder->capstone, &code, &bytes, &address, decoder->found);
}

/*
 * What lies behind the end of a page may not be mapped, unless the instruction reaches over it.
 */
bool decoder_decode(struct decoder *decoder, uintptr_t address)
{
	const size_t in_page = SIM_PAGE_BYTES - address % SIM_PAGE_BYTES;
	const uint8_t *code = (const uint8_t *)address;

	if (decoder_decode_bytes(decoder, code, in_page < LONGEST ? in_page : LONGEST, address))
		return true;
	return in_page < LONGEST && decoder_decode_bytes(decoder, code, LONGEST, address);
}

bool decoder_is_in(const cs_insn *instruction, uint8_t group)
{
	const cs_detail *detail = instruction->detail;

	for (uint8_t i = 0; i < detail->groups_count; i++)
		if (detail->groups[i] == group)
			return true;
	return false;
}

bool decoder_is_branch(const cs_insn *instruction)
{
	return decoder_is_in(instruction, CS_GRP_JUMP) && instruction->id != X86_INS_JMP &&
	       instruction->id != X86_INS_LJMP;
}

bool decoder_calls_system(const cs_insn *instruction)
{
	return instruction->id == X86_INS_SYSCALL || instruction->id == X86_INS_SYSENTER ||
	       instruction->id == X86_INS_INT;
}

const cs_x86_op *decoder_target(const cs_insn *instruction)
{
	const cs_x86 *x86 = &instruction->detail->x86;

	if (!decoder_is_in(instruction, CS_GRP_JUMP) && !decoder_is_in(instruction, CS_GRP_CALL))
		return NULL;
	return x86->op_count == 1 && x86->operands[0].type == X86_OP_IMM ? &x86->operands[0] : NULL;
}
