// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>

#include "measure/listing.h"

/* Beyond the offsets in an image, so that no two of these are taken for each other. */
#define FAR_PAGE(slot) (((u64)(slot) + 1) << 32)
#define FAR_ELSEWHERE  (~0ull)

static int begin(struct listing *listing, size_t most, bool is_walk, struct errmsg *err)
{
	*listing = (struct listing){.line = calloc(most ? most : 1, sizeof(*listing->line)),
				    .is_walk = is_walk};
	return listing->line ? 0 : errmsg_set(err, "no memory for a code's listing");
}

void listing_release(struct listing *listing)
{
	free(listing->line);
	*listing = (struct listing){.line = NULL};
}

static struct listing_line *add(struct listing *listing, const struct decoder *decoder)
{
	struct listing_line *line = &listing->line[listing->count++];

	line->found = *decoder->found;
	line->detail = *decoder->found->detail;
	line->found.detail = &line->detail;
	line->target = LISTING_NOWHERE;
	return line;
}

/* The address that is given relative to the instruction; 0 if there is none. */
static u64 relative_address(const struct listing_line *line)
{
	const cs_x86 *x86 = &line->detail.x86;

	for (u8 i = 0; i < x86->op_count; i++)
		if (x86->operands[i].type == X86_OP_MEM && x86->operands[i].mem.base == X86_REG_RIP)
			return line->found.address + line->found.size +
			       (u64)x86->operands[i].mem.disp;
	return 0;
}

/* A field of a page is the same wherever the page is; what else there is lies beside the code. */
static u64 far_of_walk(const struct walk *walk, u64 address)
{
	for (u64 slot = 0; slot < PAGE_SLOTS; slot++)
		if (walk->page[slot] && address - walk->page[slot] < SIM_PAGE_BYTES)
			return FAR_PAGE(slot) + address - walk->page[slot];
	return address ? FAR_ELSEWHERE : 0;
}

int listing_of_walk(struct listing *listing, const struct walk *walk, struct errmsg *err)
{
	struct decoder decoder;

	if (decoder_open(&decoder, err))
		return -1;
	if (begin(listing, walk->count, true, err)) {
		decoder_close(&decoder);
		return -1;
	}
	for (size_t i = 0; i < walk->count; i++) {
		const struct step *step = &walk->step[i];
		struct listing_line *line;

		/* It could be decoded before. */
		decoder_decode_bytes(&decoder, step->code, step->bytes, step->address);
		line = add(listing, &decoder);
		line->taken = step->taken;
		line->far = far_of_walk(walk, relative_address(line));
	}
	decoder_close(&decoder);
	return 0;
}

/* The first line at or behind an offset. */
static size_t line_at(const struct listing *listing, u64 offset)
{
	for (size_t i = 0; i < listing->count; i++)
		if (listing->line[i].found.address >= offset)
			return i;
	return LISTING_NOWHERE;
}

static void find_targets(struct listing *listing, const struct machine_code *code)
{
	for (size_t i = 0; i < listing->count; i++) {
		struct listing_line *line = &listing->line[i];
		const cs_x86_op *target = decoder_target(&line->found);
		const u64 relative = relative_address(line);

		if (target && (u64)target->imm < code->bytes)
			line->target = line_at(listing, (u64)target->imm);
		/* Constants come before the code. */
		line->far = relative >= code->text && relative < code->bytes
				    ? FAR_PAGE(0) + line_at(listing, relative)
				    : relative;
	}
}

static int add_all(struct listing *listing, struct decoder *decoder,
		   const struct machine_code *code, struct errmsg *err)
{
	for (u32 at = code->text; at < code->bytes; at += decoder->found->size) {
		if (!decoder_decode_bytes(decoder, code->image + at, code->bytes - at, at))
			return errmsg_set(
				err,
				"capstone does not know the instruction at byte %u of its code",
				at);
		if (decoder->found->id != X86_INS_NOP && decoder->found->id != X86_INS_INT3)
			add(listing, decoder);
	}
	find_targets(listing, code);
	return 0;
}

int listing_of_code(struct listing *listing, const struct machine_code *code, struct errmsg *err)
{
	struct decoder decoder;
	int failed;

	if (decoder_open(&decoder, err))
		return -1;
	if (begin(listing, machine_code_text_bytes(code), false, err)) {
		decoder_close(&decoder);
		return -1;
	}
	failed = add_all(listing, &decoder, code, err);
	decoder_close(&decoder);
	if (failed)
		listing_release(listing);
	return failed;
}

struct listing_words listing_words(const struct listing *listing, size_t line)
{
	const cs_insn *found = &listing->line[line].found;
	const bool leads = decoder_target(found) != NULL;
	struct listing_words words;

	snprintf(words.text, sizeof(words.text), "%s%s%s%s", found->mnemonic,
		 leads || !found->op_str[0] ? "" : " ", leads ? "" : found->op_str,
		 listing->line[line].taken ? " (taken)" : "");
	return words;
}
