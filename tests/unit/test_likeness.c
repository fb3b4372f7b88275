// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pairs of codes of which is known how much the one is the other, and pairs that look alike and
 * are not. In the registers of 64 bits; what is told apart is the same in 32.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "measure/likeness.h"

#if defined(__x86_64__)

#define CODE(name, text)                                                              \
	extern const u8 name[], name##_end[];                                         \
	__asm__(".pushsection .rodata\n.balign 64\n" #name ":\n" text #name "_end:\n" \
		".byte 0\n.popsection\n")

/* A sequence is read, and a field; again if it has changed. */
#define READER(sequence, field, pad)                             \
	"mov %rdi, %rcx\n" pad "1: mov (%rcx), %" sequence "d\n" \
	"test $1, %" sequence "b\n"                              \
	"jne 1b\n"                                               \
	"mov 8(%rcx), %" field "\n"                              \
	"cmp (%rcx), %" sequence "d\n"                           \
	"jne 1b\n"                                               \
	"mov %" field ", (%rdx)\n"                               \
	"xor %eax, %eax\n"                                       \
	"ret\n"

CODE(simple, READER("r8", "r9", ""));
CODE(other_registers, READER("r10", "r11", ""));
CODE(swapped_registers, READER("r9", "r8", ""));
CODE(padded, READER("r8", "r9", ".balign 16, 0x90\n"));

/* What a caller keeps may be saved, and come back. */
CODE(saves, "push %rbx\n mov (%rdi), %rbx\n mov %rbx, (%rdx)\n pop %rbx\n xor %eax, %eax\n ret\n");
CODE(saves_another,
     "push %r12\n mov (%rdi), %r12\n mov %r12, (%rdx)\n pop %r12\n xor %eax, %eax\n ret\n");
CODE(does_not_save,
     "push %r12\n mov (%rdi), %rbx\n mov %rbx, (%rdx)\n pop %r12\n xor %eax, %eax\n ret\n");

/* A register takes over from another on the way. */
CODE(hands_on, "mov (%rdi), %r8\n mov %r8, %r9\n mov (%rsi), %r8\n add %r9, %r8\n mov %r8, %rax\n"
	       "ret\n");
CODE(hands_on_renamed,
     "mov (%rdi), %r10\n mov %r10, %r11\n mov (%rsi), %rcx\n add %r11, %rcx\n mov %rcx, %rax\n"
     "ret\n");
CODE(hands_on_wrongly,
     "mov (%rdi), %r10\n mov %r10, %r11\n mov (%rsi), %rcx\n add %r10, %rcx\n mov %r11, %rax\n"
     "ret\n");

/* Arguments, results and sizes are no matter of names. */
CODE(argument, "mov (%rdi), %rax\n ret\n");
CODE(other_argument, "mov (%rsi), %rax\n ret\n");
CODE(no_result, "mov (%rdi), %rcx\n ret\n");
CODE(half, "mov (%rdi), %eax\n ret\n");
CODE(other_field, "mov 16(%rdi), %rax\n ret\n");

/* Not in every pass of the loop: two values change places. */
CODE(loop, "mov (%rdi), %r8\n mov 8(%rdi), %r9\n"
	   "1: add %r8, %r9\n xchg %r8, %r9\n dec %esi\n jnz 1b\n mov %r9, %rax\n ret\n");
CODE(loop_renamed, "mov (%rdi), %r10\n mov 8(%rdi), %r11\n"
		   "1: add %r10, %r11\n xchg %r10, %r11\n dec %esi\n jnz 1b\n mov %r11, %rax\n"
		   "ret\n");
CODE(loop_crossed, "mov (%rdi), %r8\n mov 8(%rdi), %r9\n"
		   "1: add %r8, %r9\n xchg %r8, %r10\n dec %esi\n jnz 1b\n mov %r9, %rax\n ret\n");

/* Of a register of which only a part was written the rest is what it was. */
CODE(part, "xor %ecx, %ecx\n test %esi, %esi\n sete %cl\n mov %ecx, %eax\n ret\n");
CODE(part_renamed, "xor %r8d, %r8d\n test %esi, %esi\n sete %r8b\n mov %r8d, %eax\n ret\n");
CODE(part_alone, "xor %r8d, %r8d\n test %esi, %esi\n sete %cl\n mov %ecx, %eax\n ret\n");

/* What a call leaves in other registers than its result is nobody's. */
CODE(calls, "call 1f\n mov %rax, (%rdx)\n xor %eax, %eax\n ret\n1: mov (%rdi), %rax\n ret\n");
CODE(calls_for_another,
     "call 1f\n mov %rcx, (%rdx)\n xor %eax, %eax\n ret\n1: mov (%rdi), %rcx\n ret\n");

/* What the call has overwritten is not what went into it. */
CODE(clobbered, "mov (%rdi), %r8\n call 1f\n mov %r8, %rax\n ret\n1: mov $1, %r8d\n ret\n");
CODE(not_clobbered, "mov (%rdi), %r9\n call 1f\n mov %r9, %rax\n ret\n1: mov $1, %r8d\n ret\n");

/* Of sizes that no register tells. */
CODE(byte, "movzbl (%rdi), %eax\n ret\n");
CODE(word, "movzwl (%rdi), %eax\n ret\n");

/* The same branches, one of which goes elsewhere. */
CODE(forks, "test %edi, %edi\n jz 1f\n xor %eax, %eax\n ret\n1: mov %esi, %eax\n ret\n");
CODE(forks_elsewhere, "test %edi, %edi\n jz 1f\n xor %eax, %eax\n 1: ret\n mov %esi, %eax\n ret\n");
CODE(forks_otherwise, "test %edi, %edi\n jnz 1f\n xor %eax, %eax\n ret\n1: mov %esi, %eax\n ret\n");

/* Beside constants: the first has two, of which the code reads the second. */
CODE(constants, ".quad 1, 2\n1: mov 1b-8(%rip), %rax\n ret\n");
CODE(other_constants, ".quad 1, 3\n1: mov 1b-8(%rip), %rax\n ret\n");
CODE(other_constant, ".quad 1, 2\n1: mov 1b-16(%rip), %rax\n ret\n");

#define CONSTANTS 16

static struct machine_code code_of(const u8 *code, const u8 *end, u32 text)
{
	return (struct machine_code){
		.image = code,
		.bytes = (u32)(end - code),
		.text = text,
		.entry = text,
		.step = 4,
		.runs_here = true,
	};
}

static struct likeness likeness_of(const u8 *a, const u8 *a_end, const u8 *b, const u8 *b_end,
				   u32 text)
{
	const struct machine_code of_a = code_of(a, a_end, text), of_b = code_of(b, b_end, text);
	struct likeness likeness;

	likeness_of_codes(&likeness, &of_a, &of_b);
	assert_string_equal(likeness.unavailable.text, "");
	return likeness;
}

#define LIKENESS(a, b)	   likeness_of(a, a##_end, b, b##_end, 0)
#define ARE(a, b, kind_is) assert_int_equal(LIKENESS(a, b).kind, LIKENESS_##kind_is)

static void test_same(void **state)
{
	static u8 copy[128];
	struct machine_code a = code_of(simple, simple_end, 0), b = a;
	struct likeness likeness;

	(void)state;
	ARE(simple, simple, SAME);
	memcpy(copy, simple, a.bytes);
	b.image = copy;
	likeness_of_codes(&likeness, &a, &b);
	assert_int_equal(likeness.kind, LIKENESS_SAME);
	assert_int_equal(likeness.count[0], 10);
	assert_int_equal(likeness.first, 10);
}

/* Where a loop is aligned it lies elsewhere, and jumps are of other lengths. */
static void test_same_but_for_place(void **state)
{
	(void)state;
	ARE(simple, padded, PLACE);
	ARE(padded, simple, PLACE);
}

static void test_same_but_for_registers(void **state)
{
	(void)state;
	ARE(simple, other_registers, REGISTERS);
	ARE(simple, swapped_registers, REGISTERS);
	ARE(padded, other_registers, REGISTERS);
	ARE(saves, saves_another, REGISTERS);
	ARE(hands_on, hands_on_renamed, REGISTERS);
	ARE(loop, loop_renamed, REGISTERS);
	ARE(part, part_renamed, REGISTERS);
}

static void registers_are_not_all(const struct likeness likeness)
{
	assert_int_equal(likeness.kind, LIKENESS_DIFFERENT);
	assert_true(likeness.same_shape);
}

/* Each names other registers throughout, and computes something else. */
static void test_registers_alone_do_not_explain(void **state)
{
	(void)state;
	registers_are_not_all(LIKENESS(argument, other_argument));
	registers_are_not_all(LIKENESS(argument, no_result));
	registers_are_not_all(LIKENESS(saves, does_not_save));
	registers_are_not_all(LIKENESS(hands_on, hands_on_wrongly));
	registers_are_not_all(LIKENESS(loop, loop_crossed));
	registers_are_not_all(LIKENESS(part, part_alone));
	registers_are_not_all(LIKENESS(calls, calls_for_another));
	registers_are_not_all(LIKENESS(clobbered, not_clobbered));
}

static void is_another(const struct likeness likeness, size_t first, const char *a, const char *b)
{
	assert_int_equal(likeness.kind, LIKENESS_DIFFERENT);
	assert_false(likeness.same_shape);
	assert_int_equal(likeness.first, first);
	assert_string_equal(likeness.words[0].text, a);
	assert_string_equal(likeness.words[1].text, b);
}

static void test_different(void **state)
{
	(void)state;
	is_another(LIKENESS(argument, half), 0, "mov rax, qword ptr [rdi]",
		   "mov eax, dword ptr [rdi]");
	is_another(LIKENESS(argument, other_field), 0, "mov rax, qword ptr [rdi]",
		   "mov rax, qword ptr [rdi + 0x10]");
	is_another(LIKENESS(byte, word), 0, "movzx eax, byte ptr [rdi]",
		   "movzx eax, word ptr [rdi]");
	is_another(LIKENESS(forks, forks_otherwise), 1, "je", "jne");
	is_another(LIKENESS(forks, forks_elsewhere), 1, "je", "je");
	is_another(LIKENESS(argument, calls), 0, "mov rax, qword ptr [rdi]", "call");
}

static void test_one_ends_sooner(void **state)
{
	const struct machine_code a = code_of(simple, simple_end, 0);
	struct machine_code b = a;
	struct likeness likeness;

	(void)state;
	b.bytes--;
	likeness_of_codes(&likeness, &a, &b);
	is_another(likeness, 9, "ret", "");
}

static void test_constants(void **state)
{
	(void)state;
	assert_int_equal(
		likeness_of(constants, constants_end, constants, constants_end, CONSTANTS).kind,
		LIKENESS_SAME);
	assert_int_equal(likeness_of(constants, constants_end, other_constants, other_constants_end,
				     CONSTANTS)
				 .kind,
			 LIKENESS_DIFFERENT);
	assert_int_equal(
		likeness_of(constants, constants_end, other_constant, other_constant_end, CONSTANTS)
			.kind,
		LIKENESS_DIFFERENT);
}

static void test_what_is_not_known(void **state)
{
	static const u8 unknown[] = {0x90, 0x0f, 0x1c, 0xc0, 0xc3};
	const struct machine_code none = {.bytes = 0};
	const struct machine_code a = code_of(simple, simple_end, 0);
	const struct machine_code b = code_of(unknown, unknown + sizeof(unknown), 0);
	struct likeness likeness;

	(void)state;
	likeness_of_codes(&likeness, &a, &none);
	assert_non_null(strstr(likeness.unavailable.text, "image"));
	likeness_of_codes(&likeness, &a, &b);
	assert_non_null(strstr(likeness.unavailable.text, "byte 1"));
}

/* What is executed, and nothing else. */
static struct walk walk_of(const u8 *code, const u8 *end, struct reader *reader)
{
	struct errmsg err;
	struct walk walk;

	*reader = (struct reader){.clock = CLOCK_MONOTONIC,
				  .layout = &page_layout_current,
				  .code = code_of(code, end, 0)};
	if (walk_make(&walk, reader, CLOCK_MONOTONIC, WALK_FAST, &err)) {
		printf("calls cannot be traced here: %s\n", err.text);
		skip();
	}
	return walk;
}

static struct likeness likeness_of_walked(const u8 *a, const u8 *a_end, const u8 *b,
					  const u8 *b_end)
{
	struct reader reader;
	struct walk of_a = walk_of(a, a_end, &reader), of_b = walk_of(b, b_end, &reader);
	struct likeness likeness;

	likeness_of_walks(&likeness, &of_a, &of_b);
	walk_release(&of_a);
	walk_release(&of_b);
	return likeness;
}

#define WALKED(a, b) likeness_of_walked(a, a##_end, b, b##_end)

static void test_paths(void **state)
{
	(void)state;
	assert_int_equal(WALKED(simple, simple).kind, LIKENESS_SAME);
	assert_int_equal(WALKED(simple, padded).kind, LIKENESS_DIFFERENT);
	assert_int_equal(WALKED(simple, other_registers).kind, LIKENESS_REGISTERS);
	assert_int_equal(WALKED(saves, saves_another).kind, LIKENESS_REGISTERS);
	assert_int_equal(WALKED(simple, saves).kind, LIKENESS_DIFFERENT);
	registers_are_not_all(WALKED(argument, no_result));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_same_but_for_place),
		cmocka_unit_test(test_same_but_for_registers),
		cmocka_unit_test(test_registers_alone_do_not_explain),
		cmocka_unit_test(test_different),
		cmocka_unit_test(test_one_ends_sooner),
		cmocka_unit_test(test_constants),
		cmocka_unit_test(test_what_is_not_known),
		cmocka_unit_test(test_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void test_elsewhere(void **state)
{
	struct likeness likeness;
	struct reader reader;
	struct errmsg err;

	(void)state;
	assert_int_equal(reader_resolve("hres", &reader, &err), 0);
	likeness_of_codes(&likeness, &reader.code, &reader.code);
#if defined(__i386__)
	assert_string_equal(likeness.unavailable.text, "");
	assert_int_equal(likeness.kind, LIKENESS_SAME);
#else
	assert_non_null(strstr(likeness.unavailable.text, "x86 only"));
#endif
	reader_release(&reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_elsewhere)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
