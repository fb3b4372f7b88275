// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Instructions of other machines, by the encodings that their manuals give, and the functions of
 * our own file.
 */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "measure/static_code.h"
#include "readers/readers.h"

#define AT 0x1000

/* The bytes as they lie in memory. */
struct vector {
	const char *words;
	u8 code[6];
	u32 bytes;
	enum isa_kind kind;
	s64 target; /* from the instruction on; 0: none */
};

static const struct vector of_powerpc[] = {
	{"bl .+0x40", {0x48, 0, 0, 0x41}, 4, ISA_CALL, 0x40},
	{"b .-0x20", {0x4b, 0xff, 0xff, 0xe0}, 4, ISA_JUMP, -0x20},
	{"blr", {0x4e, 0x80, 0, 0x20}, 4, ISA_RETURN, 0},
	{"beq .+8", {0x41, 0x82, 0, 0x08}, 4, ISA_BRANCH, 8},
	{"bne- .+8", {0x40, 0x82, 0, 0x08}, 4, ISA_BRANCH, 8},
	{"bdnz .-8", {0x42, 0, 0xff, 0xf8}, 4, ISA_BRANCH, -8},
	{"beqlr", {0x4d, 0x82, 0, 0x20}, 4, ISA_BRANCH, 0},
	{"bctr", {0x4e, 0x80, 0x04, 0x20}, 4, ISA_JUMP, 0},
	{"bctrl", {0x4e, 0x80, 0x04, 0x21}, 4, ISA_CALL, 0},
	{"bcl 20,31,.+4", {0x42, 0x9f, 0, 0x05}, 4, ISA_JUMP, 4},
	{"sc", {0x44, 0, 0, 0x02}, 4, ISA_SYSTEM, 0},
	{"lwsync", {0x7c, 0x20, 0x04, 0xac}, 4, ISA_PLAIN, 0},
	{"addi", {0x38, 0x60, 0, 0x01}, 4, ISA_PLAIN, 0},
};

static const struct vector of_arm[] = {
	{"bl .+4", {0x00, 0xf0, 0x00, 0xf8}, 4, ISA_CALL, 4},
	{"b.n .+4", {0x00, 0xe0}, 2, ISA_JUMP, 4},
	{"beq.n .+4", {0x00, 0xd0}, 2, ISA_BRANCH, 4},
	{"bne.w .+4", {0x40, 0xf0, 0x00, 0x80}, 4, ISA_BRANCH, 4},
	{"cbz r0, .+4", {0x00, 0xb1}, 2, ISA_BRANCH, 4},
	{"bx lr", {0x70, 0x47}, 2, ISA_RETURN, 0},
	{"bx r3", {0x18, 0x47}, 2, ISA_JUMP, 0},
	{"blx r3", {0x98, 0x47}, 2, ISA_CALL, 0},
	{"pop {r4, pc}", {0x10, 0xbd}, 2, ISA_RETURN, 0},
	{"pop {r4}", {0x10, 0xbc}, 2, ISA_PLAIN, 0},
	{"svc 0", {0x00, 0xdf}, 2, ISA_SYSTEM, 0},
	{"dmb ish", {0xbf, 0xf3, 0x5b, 0x8f}, 4, ISA_PLAIN, 0},
};

static const struct vector of_aarch64[] = {
	{"bl .+0x40", {0x10, 0, 0, 0x94}, 4, ISA_CALL, 0x40},
	{"b .-4", {0xff, 0xff, 0xff, 0x17}, 4, ISA_JUMP, -4},
	{"b.ne .+8", {0x41, 0, 0, 0x54}, 4, ISA_BRANCH, 8},
	{"cbz x0, .+8", {0x40, 0, 0, 0xb4}, 4, ISA_BRANCH, 8},
	{"tbnz w1, #0, .+8", {0x41, 0, 0, 0x37}, 4, ISA_BRANCH, 8},
	{"ret", {0xc0, 0x03, 0x5f, 0xd6}, 4, ISA_RETURN, 0},
	{"br x1", {0x20, 0, 0x1f, 0xd6}, 4, ISA_JUMP, 0},
	{"blr x1", {0x20, 0, 0x3f, 0xd6}, 4, ISA_CALL, 0},
	{"svc #0", {0x01, 0, 0, 0xd4}, 4, ISA_SYSTEM, 0},
	{"dmb ishld", {0xbf, 0x39, 0x03, 0xd5}, 4, ISA_PLAIN, 0},
};

static const struct vector of_riscv[] = {
	{"jal ra, .+0x40", {0xef, 0, 0, 0x04}, 4, ISA_CALL, 0x40},
	{"j .-4", {0x6f, 0xf0, 0xdf, 0xff}, 4, ISA_JUMP, -4},
	{"beq a0, a1, .+8", {0x63, 0x04, 0xb5, 0}, 4, ISA_BRANCH, 0},
	{"jalr ra", {0xe7, 0x80, 0, 0}, 4, ISA_CALL, 0},
	{"ret, uncompressed", {0x67, 0x80, 0, 0}, 4, ISA_RETURN, 0},
	{"jr a5, uncompressed", {0x67, 0x80, 0x07, 0}, 4, ISA_JUMP, 0},
	{"ret", {0x82, 0x80}, 2, ISA_RETURN, 0},
	{"c.jr a5", {0x82, 0x87}, 2, ISA_JUMP, 0},
	{"c.jalr a5", {0x82, 0x97}, 2, ISA_CALL, 0},
	{"c.j .+8", {0x21, 0xa0}, 2, ISA_JUMP, 8},
	{"c.j .-2", {0xfd, 0xbf}, 2, ISA_JUMP, -2},
	{"c.beqz a0, .+8", {0x01, 0xc5}, 2, ISA_BRANCH, 0},
	{"c.bnez a0, .+8", {0x01, 0xe5}, 2, ISA_BRANCH, 0},
	{"c.mv a0, a1", {0x2e, 0x85}, 2, ISA_PLAIN, 0},
	{"c.ebreak", {0x02, 0x90}, 2, ISA_PLAIN, 0},
	{"ecall", {0x73, 0, 0, 0}, 4, ISA_SYSTEM, 0},
	{"rdtime a0", {0x73, 0x25, 0x10, 0xc0}, 4, ISA_PLAIN, 0},
	{"fence r, r", {0x0f, 0, 0x20, 0x02}, 4, ISA_PLAIN, 0},
};

static const struct vector of_s390[] = {
	{"brasl %r14, .+0x40", {0xc0, 0xe5, 0, 0, 0, 0x20}, 6, ISA_CALL, 0x40},
	{"j .+8", {0xa7, 0xf4, 0, 0x04}, 4, ISA_JUMP, 8},
	{"je .+8", {0xa7, 0x84, 0, 0x04}, 4, ISA_BRANCH, 8},
	{"br %r14", {0x07, 0xfe}, 2, ISA_RETURN, 0},
	{"br %r1", {0x07, 0xf1}, 2, ISA_JUMP, 0},
	{"basr %r14, %r1", {0x0d, 0xe1}, 2, ISA_CALL, 0},
	{"svc 0", {0x0a, 0}, 2, ISA_SYSTEM, 0},
	{"brct %r1, .-4", {0xa7, 0x16, 0xff, 0xfe}, 4, ISA_BRANCH, -4},
	{"cgrje %r1, %r2, .+8", {0xec, 0x12, 0, 0x04, 0x80, 0x64}, 6, ISA_BRANCH, 8},
	{"lgr %r1, %r2", {0xb9, 0x04, 0, 0x12}, 4, ISA_PLAIN, 0},
	{"what there is none of", {0x00, 0x01}, 2, ISA_UNKNOWN, 0},
};

static const struct vector of_i386[] = {
	{"call .+0x40", {0xe8, 0x3b, 0, 0, 0}, 5, ISA_CALL, 0x40},
	{"jmp .+2", {0xeb, 0}, 2, ISA_JUMP, 2},
	{"jne .+4", {0x75, 2}, 2, ISA_BRANCH, 4},
	{"ret", {0xc3}, 1, ISA_RETURN, 0},
	{"int 0x80", {0xcd, 0x80}, 2, ISA_SYSTEM, 0},
	{"call *%eax", {0xff, 0xd0}, 2, ISA_CALL, 0},
	{"nop", {0x90}, 1, ISA_PLAIN, 0},
};

static void check_vector(struct isa *isa, const struct vector *vector)
{
	const struct isa_instruction found =
		isa_decode(isa, vector->code, sizeof(vector->code), AT);

	if (found.bytes != vector->bytes || found.kind != vector->kind)
		fail_msg("%s: %u bytes of kind %d", vector->words, found.bytes, (int)found.kind);
	if (vector->target && (!found.has_target || found.target != (u64)(AT + vector->target)))
		fail_msg("%s leads to %#llx", vector->words, (unsigned long long)found.target);
	if (!vector->target && vector->kind != ISA_BRANCH && found.has_target)
		fail_msg("%s leads nowhere", vector->words);
}

static void check_vectors(u16 machine, bool is_big_endian, const struct vector *vectors,
			  size_t count)
{
	struct errmsg err;
	struct isa isa;

	if (isa_open(&isa, machine, is_big_endian, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < count; i++)
		check_vector(&isa, &vectors[i]);
	assert_int_equal(isa_decode(&isa, vectors[0].code, 0, AT).bytes, 0);
	isa_close(&isa);
}

#define CHECK(machine, order, vectors) check_vectors(machine, order, vectors, ARRAY_SIZE(vectors))

static void test_instructions(void **state)
{
	(void)state;
	CHECK(EM_PPC, true, of_powerpc);
	CHECK(EM_ARM, false, of_arm);
	CHECK(EM_AARCH64, false, of_aarch64);
	CHECK(EM_RISCV, false, of_riscv);
	CHECK(EM_S390, true, of_s390);
	CHECK(EM_386, false, of_i386);
}

static void test_no_decoder(void **state)
{
	struct errmsg err;
	struct isa isa;

	(void)state;
	assert_int_equal(isa_open(&isa, EM_VAX, false, &err), -1);
	assert_non_null(strstr(err.text, "no decoder for machine 75"));
}

static struct static_code code;

static void read_reader(const char *spec, struct reader *reader)
{
	struct errmsg err;

	if (reader_resolve(spec, reader, &err) ||
	    static_code_read(&code, reader->code.elf, reader->code.elf_bytes, &err))
		fail_msg("%s", err.text);
}

static const struct function *find(const char *name)
{
	for (size_t i = 0; i < code.functions.count; i++) {
		const struct function *function = &code.functions.function[i];

		if (strncmp(function->name, name, strcspn(function->name, ".")) == 0 &&
		    !name[strcspn(function->name, ".")])
			return function;
	}
	return NULL;
}

/* A function is either put into others, or there, and then called. */
static void test_inlined_or_not(void **state)
{
	const struct function *common;
	struct reader reader;

	(void)state;
	read_reader("hres:inline=always", &reader);
	assert_string_equal(code.functions.no_inlinings.text, "");
	assert_int_equal(code.functions.text_bytes, machine_code_text_bytes(&reader.code));
	assert_null(find("clock_gettime_common"));
	assert_int_equal(functions_times_inlined(&code.functions, "clock_gettime_common"), 1);
	/* For two clock structures. */
	assert_int_equal(functions_times_inlined(&code.functions, "do_hres"), 2);
	reader_release(&reader);

	read_reader("hres:inline=always,callers=2", &reader);
	assert_int_equal(functions_times_inlined(&code.functions, "clock_gettime_common"), 2);
	reader_release(&reader);

	read_reader("hres:inline=never,callers=2", &reader);
	common = find("clock_gettime_common");
	assert_non_null(common);
	assert_int_equal(functions_times_inlined(&code.functions, common->name), 0);
	if (!code.unavailable.text[0])
		assert_int_equal(
			__builtin_popcountll(code.callers[common - code.functions.function]), 2);
	reader_release(&reader);
}

static void test_entry(void **state)
{
	const struct function *entry;
	struct reader reader;

	(void)state;
	read_reader("hres", &reader);
	entry = functions_at(&code.functions, reader.code.entry);
	assert_non_null(entry);
	assert_int_equal(entry->address, reader.code.entry);
	assert_ptr_equal(functions_at(&code.functions, entry->address + entry->bytes - 1), entry);
	assert_ptr_not_equal(functions_at(&code.functions, entry->address + entry->bytes), entry);
	assert_null(functions_at(&code.functions, 1u << 30));
	reader_release(&reader);
}

static void test_sums(void **state)
{
	struct static_counts sum = {.instructions = 0};
	struct reader reader;

	(void)state;
	read_reader("hres:inline=never", &reader);
	for (size_t i = 0; i < code.functions.count; i++) {
		sum.instructions += code.of[i].instructions;
		sum.branches += code.of[i].branches;
		sum.calls += code.of[i].calls;
		sum.jumps += code.of[i].jumps;
		sum.unknown += code.of[i].unknown;
	}
	assert_memory_equal(&sum, &code.total, sizeof(sum));
	reader_release(&reader);
}

static void test_no_file(void **state)
{
	static const char text[] =
		"this is no ELF file, and long enough to be one all the same: ...";
	struct errmsg err;

	(void)state;
	assert_int_equal(static_code_read(&code, text, sizeof(text), &err), -1);
	assert_non_null(strstr(err.text, "no ELF file"));
	assert_int_equal(static_code_read(&code, text, 0, &err), -1);
	assert_int_equal(static_code_read(&code, ELFMAG, SELFMAG, &err), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_instructions),   cmocka_unit_test(test_no_decoder),
		cmocka_unit_test(test_inlined_or_not), cmocka_unit_test(test_entry),
		cmocka_unit_test(test_sums),	       cmocka_unit_test(test_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
