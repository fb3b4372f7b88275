// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Codes written down instruction by instruction, held against each other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "measure/code.h"

static struct disassembly mine, other;
static struct code code;

/* Instructions with '|' between them. */
static void write_down(struct disassembly *to, const char *text)
{
	char copy[1024], *rest, *word;

	to->count = 0;
	snprintf(copy, sizeof(copy), "%s", text);
	for (word = strtok_r(copy, "|", &rest); word; word = strtok_r(NULL, "|", &rest)) {
		struct instruction *instruction = &to->instruction[to->count++];
		size_t length = strcspn(word, " ");

		*instruction = (struct instruction){.address = 0};
		snprintf(instruction->mnemonic, sizeof(instruction->mnemonic), "%.*s", (int)length,
			 word);
		snprintf(instruction->operands, sizeof(instruction->operands), "%s",
			 word[length] ? word + length + 1 : "");
	}
}

static void compare(const char *mine_text, const char *other_text)
{
	write_down(&mine, mine_text);
	write_down(&other, other_text);
	code = (struct code){.instructions = mine.count};
	code_compare(&mine, &other, &code);
}

static void check_surplus(size_t i, const char *mnemonic, int more)
{
	assert_true(i < code.surpluses);
	assert_string_equal(code.surplus[i].mnemonic, mnemonic);
	assert_int_equal(code.surplus[i].more, more);
}

static void test_same(void **state)
{
	(void)state;
	compare("mov eax, 1|ret", "mov eax, 1|ret");
	assert_true(code.same);
	assert_int_equal(code.first_difference, 2);
	assert_int_equal(code.surpluses, 0);
	assert_string_equal(code.line[0].text, "");
}

static void test_other_operands(void **state)
{
	(void)state;
	compare("mov eax, 1|mov ecx, 2|ret", "mov eax, 1|mov ecx, 3|ret");
	assert_false(code.same);
	assert_int_equal(code.first_difference, 1);
	assert_string_equal(code.line[0].text, "mov ecx, 2");
	assert_string_equal(code.other_line[0].text, "mov ecx, 3");
	assert_string_equal(code.line[1].text, "ret");
	assert_string_equal(code.line[2].text, "");
	assert_int_equal(code.surpluses, 0);
}

static void test_one_is_longer(void **state)
{
	(void)state;
	compare("nop", "nop|nop|ret");
	assert_false(code.same);
	assert_int_equal(code.first_difference, 1);
	assert_string_equal(code.line[0].text, "");
	assert_string_equal(code.other_line[0].text, "nop");
	check_surplus(0, "nop", -1);
	check_surplus(1, "ret", -1);
	assert_int_equal(code.surpluses, 2);
	compare("nop|nop|ret", "");
	check_surplus(0, "nop", 2);
	check_surplus(1, "ret", 1);
	assert_int_equal(code.surpluses, 2);
}

static void test_the_largest_surpluses_first(void **state)
{
	(void)state;
	compare("a|a|b|b|b|b|c|d|d|d|e", "c|c|c|c|c|c|e|f|g|g|h|h|h");
	check_surplus(0, "c", -5);
	check_surplus(1, "b", 4);
	check_surplus(2, "d", 3);
	check_surplus(3, "h", -3);
	check_surplus(4, "a", 2);
	check_surplus(5, "g", -2);
	/* f, with one only, has fallen out; e is in both. */
	assert_int_equal(code.surpluses, CODE_SURPLUSES);
	assert_string_equal(code.line[CODE_LINES - 1].text, "b");
	assert_string_equal(code.other_line[CODE_LINES - 1].text, "c");
}

/* Nothing of it may be taken for a read's code, not even what an earlier one has left. */
static void read_fails(const struct contestant *contestant, const char *why, bool call_fails)
{
	write_down(&mine, "syscall");
	assert_int_equal(code_read(contestant, CLOCK_MONOTONIC, &mine, &code), -1);
	if (!strstr(code.unavailable.text, why))
		fail_msg("'%s' says nothing of '%s'", code.unavailable.text, why);
	assert_int_equal(code.call_fails, call_fails);
	assert_int_equal(code.instructions, 0);
	assert_int_equal(mine.count, 0);
	assert_false(disassembly_calls_system(&mine));
}

static void test_the_system_call_has_none(void **state)
{
	const struct contestant system = {.kind = CONTESTANT_SYSTEM};
	struct contestant unavailable = {.kind = CONTESTANT_IMAGE};

	(void)state;
	read_fails(&system, "cannot be traced", false);
	errmsg_set(&unavailable.unavailable, "it is not here");
	read_fails(&unavailable, "it is not here", false);
}

#if defined(__x86_64__) || defined(__i386__)

int crashes(clockid_t clock, struct timespec *ts);
int unknown(clockid_t clock, struct timespec *ts);

/* The second begins with what a decoder knows; then comes a no-op that ours does not. */
__asm__(".pushsection .text\n"
	".globl crashes\n"
	"crashes: ud2\n"
	".globl unknown\n"
	"unknown: xor %eax, %eax\n"
	".byte 0x0f, 0x1c, 0xc0\n"
	"ret\n"
	".popsection\n");

static bool can_trace(void)
{
	const struct trace_call call = {(void *)time, {0}};
	struct errmsg err;
	struct trace trace;

	return !trace_quiet_call(&call, &trace, &err);
}

static void test_calls_that_fail(void **state)
{
	const struct contestant contestant = {.kind = CONTESTANT_LIBC, .call = crashes};

	(void)state;
	read_fails(&contestant, "signal", true);
}

static void test_half_a_code_is_none(void **state)
{
	const struct contestant contestant = {.kind = CONTESTANT_LIBC, .call = unknown};

	(void)state;
	if (!can_trace())
		skip();
	read_fails(&contestant, "does not know instruction 2", false);
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_other_operands),
		cmocka_unit_test(test_one_is_longer),
		cmocka_unit_test(test_the_largest_surpluses_first),
		cmocka_unit_test(test_the_system_call_has_none),
#if defined(__x86_64__) || defined(__i386__)
		cmocka_unit_test(test_calls_that_fail),
		cmocka_unit_test(test_half_a_code_is_none),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
