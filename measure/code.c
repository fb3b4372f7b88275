// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/code.h"

/* The trace is some kilobytes that nobody else wants. */
static int trace_and_decode(const struct contestant *contestant, clockid_t clock,
			    struct disassembly *result, struct code *code)
{
	struct read_note note = {.on_cpu = NULL};
	struct timespec ts;
	const struct trace_call call = contestant_trace_call(contestant, clock, &ts, &note);
	struct trace trace;

	if (!trace_quiet_call(&call, &trace, &code->unavailable))
		return disassemble(&trace, result, &code->unavailable);
	code->call_fails = trace.call_fails;
	return -1;
}

int code_read(const struct contestant *contestant, clockid_t clock, struct disassembly *result,
	      struct code *code)
{
	int failed;

	*code = (struct code){.instructions = 0};
	if (contestant->unavailable.text[0])
		failed = errmsg_set(&code->unavailable, "%s", contestant->unavailable.text);
	else if (contestant->kind == CONTESTANT_SYSTEM)
		failed = errmsg_set(&code->unavailable, "the kernel's code cannot be traced");
	else
		failed = trace_and_decode(contestant, clock, result, code);
	/* The first half of a read, or an older one, is not this read. */
	if (failed)
		result->count = 0;
	disassembly_cut_loops(result);
	code->instructions = result->count;
	return failed;
}

static void put_line(const struct disassembly *disassembly, size_t i, struct code_line *line)
{
	const struct instruction *instruction;

	line->text[0] = '\0';
	if (i >= disassembly->count)
		return;
	instruction = &disassembly->instruction[i];
	snprintf(line->text, sizeof(line->text), "%s%s%s", instruction->mnemonic,
		 instruction->operands[0] ? " " : "", instruction->operands);
}

static int count_of(const struct disassembly *disassembly, const char *mnemonic)
{
	int count = 0;

	for (size_t i = 0; i < disassembly->count; i++)
		count += strcmp(disassembly->instruction[i].mnemonic, mnemonic) == 0;
	return count;
}

static bool is_first(const struct disassembly *disassembly, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (strcmp(disassembly->instruction[i].mnemonic,
			   disassembly->instruction[at].mnemonic) == 0)
			return false;
	return true;
}

/* Puts a surplus where it belongs by size; the smallest may fall out. */
static void insert(struct code *code, const char *mnemonic, int more)
{
	size_t at = code->surpluses;

	while (at && abs(code->surplus[at - 1].more) < abs(more))
		at--;
	if (at == CODE_SURPLUSES)
		return;
	if (code->surpluses < CODE_SURPLUSES)
		code->surpluses++;
	memmove(&code->surplus[at + 1], &code->surplus[at],
		(code->surpluses - at - 1) * sizeof(code->surplus[0]));
	code->surplus[at].more = more;
	snprintf(code->surplus[at].mnemonic, sizeof(code->surplus[at].mnemonic), "%s", mnemonic);
}

/* Each kind of instruction that is in the first, or in the second alone. */
static void find_surpluses(const struct disassembly *mine, const struct disassembly *other,
			   struct code *code)
{
	for (int second = 0; second < 2; second++) {
		const struct disassembly *in = second ? other : mine;

		for (size_t i = 0; i < in->count; i++) {
			const char *mnemonic = in->instruction[i].mnemonic;
			int more = count_of(mine, mnemonic) - count_of(other, mnemonic);

			if (more && is_first(in, i) && !(second && count_of(mine, mnemonic)))
				insert(code, mnemonic, more);
		}
	}
}

void code_compare(const struct disassembly *mine, const struct disassembly *other,
		  struct code *code)
{
	code->same = disassembly_same(mine, other);
	code->first_difference = disassembly_first_difference(mine, other);
	code->surpluses = 0;
	if (code->same)
		return;
	for (size_t i = 0; i < CODE_LINES; i++) {
		put_line(mine, code->first_difference + i, &code->line[i]);
		put_line(other, code->first_difference + i, &code->other_line[i]);
	}
	find_surpluses(mine, other, code);
}
