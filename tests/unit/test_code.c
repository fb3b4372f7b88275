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

static struct disassembly mine, host;
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

static void compare(const char *mine_text, const char *host_text)
{
	write_down(&mine, mine_text);
	write_down(&host, host_text);
	code = (struct code){.instructions = mine.count};
	code_compare(&mine, &host, &code);
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
	assert_string_equal(code.host_line[0].text, "mov ecx, 3");
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
	assert_string_equal(code.host_line[0].text, "nop");
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
	assert_string_equal(code.host_line[CODE_LINES - 1].text, "c");
}

static void test_the_system_call_has_none(void **state)
{
	const struct contestant system = {.kind = CONTESTANT_SYSTEM};
	struct contestant unavailable = {.kind = CONTESTANT_IMAGE};
	struct errmsg err;

	(void)state;
	assert_int_equal(code_read(&system, CLOCK_MONOTONIC, &mine, &err), -1);
	assert_non_null(strstr(err.text, "cannot be traced"));
	errmsg_set(&unavailable.unavailable, "it is not here");
	assert_int_equal(code_read(&unavailable, CLOCK_MONOTONIC, &mine, &err), -1);
	assert_string_equal(err.text, "it is not here");
	assert_int_equal(mine.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_other_operands),
		cmocka_unit_test(test_one_is_longer),
		cmocka_unit_test(test_the_largest_surpluses_first),
		cmocka_unit_test(test_the_system_call_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
