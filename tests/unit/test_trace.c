// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls whose instructions are known, since they are written down here.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/disassembly.h"
#include "sim/page.h"

static struct trace trace;
static struct disassembly disassembly[2];

#if defined(__x86_64__) || defined(__i386__)

/* In 64 bits the first argument is in rdi, in 32 on the stack. */
#if defined(__x86_64__)
#define COUNT_TO_CX "mov %rdi, %rcx\n"
#define COUNT_WORDS "rcx, rdi"
#define SYSTEM_CALL "syscall\n"
#define COUNT_DOWN  "dec %rcx\n"
/* Without what it calls it has CALLS_TWICE instructions. */
#define CALLS_TWICE 3
#define PASS_COUNT  ""
#define DROP_COUNT  ""
#else
#define COUNT_TO_CX "mov 4(%esp), %ecx\n"
#define COUNT_WORDS "ecx, dword ptr [esp + 4]"
#define SYSTEM_CALL "int $0x80\n"
#define COUNT_DOWN  "dec %ecx\n"
#define CALLS_TWICE 5
#define PASS_COUNT  "pushl 4(%esp)\n"
#define DROP_COUNT  "pop %ecx\n"
#endif

long loop(long count);
long no_call(void);
long illegal(void);
long process_id(void);
long jumps(long count);
long calls_twice(long count);
long calls_itself(long count);
long spins(void);
extern char jumps_end[];

/* loop: 2 + 3 * count instructions and count branches, the last one not taken. */
__asm__(".pushsection .text\n"
	".globl loop\n"
	"loop:\n" COUNT_TO_CX "1: nop\n" COUNT_DOWN "jnz 1b\n"
	"ret\n"
	".globl no_call\n"
	"no_call: xor %eax, %eax\n"
	"ret\n"
	".globl illegal\n"
	"illegal: nop\n"
	"ud2\n"
	".globl process_id\n"
	"process_id:\n"
#if defined(__x86_64__)
	"mov $39, %eax\n" /* getpid */
#else
	"mov $20, %eax\n"
#endif
	SYSTEM_CALL "ret\n"
	/* What depends on where it lies: a jump forwards, a branch backwards, an address. */
	".globl jumps\n"
	"jumps:\n" COUNT_TO_CX "1: jmp 2f\n"
	"ud2\n"
	"2:\n"
#if defined(__x86_64__)
	"lea 1b(%rip), %rax\n"
#endif
	COUNT_DOWN "jnz 1b\n"
	"ret\n"
	".globl jumps_end\n"
	"jumps_end: nop\n"
	".globl calls_twice\n"
	"calls_twice:\n" PASS_COUNT "call loop\n"
	"call loop\n" DROP_COUNT "ret\n"
	".globl calls_itself\n"
	"calls_itself:\n"
#if defined(__x86_64__)
	"dec %rdi\n"
	"jz 1f\n"
	"call calls_itself\n"
#else
	"mov 4(%esp), %ecx\n"
	"dec %ecx\n"
	"jz 1f\n"
	"push %ecx\n"
	"call calls_itself\n"
	"pop %ecx\n"
#endif
	"1: ret\n"
	".globl spins\n"
	"spins: jmp spins\n"
	".popsection\n");

static void trace_well(void *function, long argument)
{
	const struct trace_call call = {function, {argument}};
	struct errmsg err;

	if (trace_quiet_call(&call, &trace, &err))
		fail_msg("%s", err.text);
	assert_true(trace.address[0] == (uintptr_t)function);
}

static void disassemble_well(void *function, long argument, struct disassembly *result)
{
	struct errmsg err;

	trace_well(function, argument);
	if (disassemble(&trace, result, &err))
		fail_msg("%s", err.text);
	assert_int_equal(result->count, trace.count);
}

/* By its own doing. */
static void trace_fails(void *function, long argument, const char *why)
{
	const struct trace_call call = {function, {argument}};
	struct errmsg err;

	assert_int_equal(trace_quiet_call(&call, &trace, &err), -1);
	if (!strstr(err.text, why))
		fail_msg("'%s' says nothing of '%s'", err.text, why);
	assert_true(trace.call_fails);
	assert_int_equal(trace.count, 0);
}

static void test_every_instruction(void **state)
{
	(void)state;
	for (long count = 1; count < 40; count += 19) {
		trace_well(loop, count);
		assert_int_equal(trace.count, 2 + 3 * count);
		for (size_t i = 1; i + 1 < trace.count; i++)
			assert_true(trace.address[i] == trace.address[1 + (i - 1) % 3]);
	}
	trace_well(no_call, 0);
	assert_int_equal(trace.count, 2);
}

static void check_words(size_t i, const char *mnemonic, const char *operands, bool branch)
{
	const struct instruction *found = &disassembly[0].instruction[i];

	assert_string_equal(found->mnemonic, mnemonic);
	assert_string_equal(found->operands, operands);
	assert_int_equal(found->is_branch, branch);
	assert_false(found->calls_system);
}

static void test_in_words(void **state)
{
	(void)state;
	disassemble_well(loop, 2, &disassembly[0]);
	check_words(0, "mov", COUNT_WORDS, false);
	check_words(1, "nop", "", false);
	check_words(3, "jne", "backwards", true);
	check_words(4, "nop", "", false);
	check_words(6, "jne", "backwards", true);
	check_words(7, "ret", "", false);
	disassemble_well(jumps, 1, &disassembly[0]);
	check_words(1, "jmp", "forwards", false);
#if defined(__x86_64__)
	check_words(2, "lea", "rax, [page]", false);
#endif
}

static void test_call_of_the_system(void **state)
{
	(void)state;
	disassemble_well(process_id, 0, &disassembly[0]);
	assert_int_equal(disassembly[0].count, 3);
	assert_true(disassembly_calls_system(&disassembly[0]));
	assert_true(disassembly[0].instruction[1].calls_system);
	disassemble_well(loop, 2, &disassembly[0]);
	assert_false(disassembly_calls_system(&disassembly[0]));
}

/* Room for code, and behind it memory that nobody may touch. */
static char *code_room(void)
{
	char *room = mmap(NULL, 2 * SIM_PAGE_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(room != MAP_FAILED);
	assert_int_equal(mprotect(room + SIM_PAGE_BYTES, SIM_PAGE_BYTES, PROT_NONE), 0);
	return room;
}

static void *copy_code(char *room, size_t at, const void *code, size_t bytes)
{
	memcpy(room + at, code, bytes);
	assert_int_equal(mprotect(room, SIM_PAGE_BYTES, PROT_READ | PROT_EXEC), 0);
	return room + at;
}

/* A copy at another place reads the same, and one that takes another way does not. */
static void test_copies(void **state)
{
	const size_t bytes = (size_t)(jumps_end - (char *)(void *)jumps);
	char *room = code_room();
	/* Up to the very end of what may be read. */
	void *copy = copy_code(room, SIM_PAGE_BYTES - bytes, (void *)jumps, bytes);

	(void)state;
	disassemble_well(jumps, 2, &disassembly[0]);
	disassemble_well(copy, 2, &disassembly[1]);
	assert_true(disassembly_same(&disassembly[0], &disassembly[1]));
	assert_int_equal(disassembly_first_difference(&disassembly[0], &disassembly[1]),
			 disassembly[0].count);
	disassemble_well(copy, 3, &disassembly[1]);
	assert_false(disassembly_same(&disassembly[0], &disassembly[1]));
	assert_int_equal(disassembly_first_difference(&disassembly[0], &disassembly[1]),
			 disassembly[0].count - 1);
	disassemble_well(loop, 2, &disassembly[1]);
	assert_int_equal(disassembly_first_difference(&disassembly[0], &disassembly[1]), 1);
	munmap(room, 2 * SIM_PAGE_BYTES);
}

static void test_instruction_over_a_page_boundary(void **state)
{
	/* nop; mov eax, 0x12345678; ret */
	static const u8 code[] = {0x90, 0xb8, 0x78, 0x56, 0x34, 0x12, 0xc3};
	char *room = code_room();
	char *start = room + SIM_PAGE_BYTES - 3;

	(void)state;
	assert_int_equal(mprotect(room, 2 * SIM_PAGE_BYTES, PROT_READ | PROT_WRITE), 0);
	memcpy(start, code, sizeof(code));
	assert_int_equal(mprotect(room, 2 * SIM_PAGE_BYTES, PROT_READ | PROT_EXEC), 0);
	disassemble_well(start, 0, &disassembly[0]);
	assert_int_equal(disassembly[0].count, 3);
	check_words(1, "mov", "eax, 0x12345678", false);
	munmap(room, 2 * SIM_PAGE_BYTES);
}

static void test_refusals(void **state)
{
	(void)state;
	trace_fails(loop, TRACE_MAX, "longer than");
	trace_fails(illegal, 0, "signal");
	trace_fails(_exit, 3, "ended its process");
	trace_fails(NULL, 0, "signal");
}

/* Whoever started this may have children ignored; then nobody hears how they end. */
static void test_ends_are_heard(void **state)
{
	(void)state;
	assert_ptr_not_equal(signal(SIGCHLD, SIG_IGN), SIG_ERR);
	trace_fails(illegal, 0, "signal");
	assert_ptr_equal(signal(SIGCHLD, SIG_DFL), SIG_IGN);
}

/* Counts its calls, of which the first two are not traced. */
static volatile long calls;

static long fails_when_traced(long function)
{
	if (calls++ > 1)
		((void (*)(void))function)();
	return 0;
}

static void test_calls_that_do_not_return(void **state)
{
	(void)state;
	trace_fails((void *)spins, 0, "1 s of CPU time");
	trace_fails((void *)pause, 0, "within 10 s");
	calls = 0;
	trace_fails((void *)fails_when_traced, (long)spins, "longer than");
	trace_fails((void *)fails_when_traced, (long)illegal, "signal");
}

static long end_itself(long number)
{
	return kill(getpid(), (int)number);
}

/* What somebody else may have sent says nothing of the call. */
static void test_signals_of_others(void **state)
{
	const struct trace_call call = {(void *)end_itself, {SIGKILL}};
	struct errmsg err;

	(void)state;
	assert_int_equal(trace_quiet_call(&call, &trace, &err), -1);
	assert_non_null(strstr(err.text, "Killed"));
	assert_false(trace.call_fails);
}

/* Keys reach the child too, at any time; they are for the parent. */
static void test_keys(void **state)
{
	static const int keys[] = {SIGINT, SIGQUIT, SIGTSTP, SIGTTOU, SIGHUP, SIGTERM};
	size_t quiet;

	(void)state;
	trace_well((void *)end_itself, 0);
	quiet = trace.count;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		trace_well((void *)end_itself, keys[i]);
		assert_int_equal(trace.count, quiet);
	}
}

/* The parent is as it was. */
static void test_own_signals(void **state)
{
	sigset_t before, after;

	(void)state;
	sigprocmask(SIG_SETMASK, NULL, &before);
	trace_well((void *)no_call, 0);
	sigprocmask(SIG_SETMASK, NULL, &after);
	for (int number = 1; number < NSIG; number++)
		assert_int_equal(sigismember(&before, number), sigismember(&after, number));
}

/* Now and then it takes longer, as a read does into which an update falls. */
static long sometimes_longer(long most)
{
	const long call = calls++ - 2;

	return loop(call % 3 == 1 ? 5 : 5 + most);
}

static void test_the_shortest_of_some(void **state)
{
	size_t quiet;

	(void)state;
	calls = 0;
	trace_well((void *)sometimes_longer, 0);
	quiet = trace.count;
	trace_well((void *)sometimes_longer, 100);
	assert_int_equal(trace.count, quiet);
}

/* A read that tries again twice: of its loop the last pass counts, of what it calls every one. */
static void test_loops_are_cut(void **state)
{
	(void)state;
	disassemble_well(loop, 3, &disassembly[0]);
	disassemble_well(loop, 1, &disassembly[1]);
	disassembly_cut_loops(&disassembly[0]);
	assert_true(disassembly_same(&disassembly[0], &disassembly[1]));
	disassembly_cut_loops(&disassembly[1]);
	assert_true(disassembly_same(&disassembly[0], &disassembly[1]));
	disassemble_well(jumps, 7, &disassembly[0]);
	disassemble_well(jumps, 1, &disassembly[1]);
	disassembly_cut_loops(&disassembly[0]);
	assert_true(disassembly_same(&disassembly[0], &disassembly[1]));
}

static void test_calls_are_not_cut(void **state)
{
	size_t whole;

	(void)state;
	disassemble_well(calls_twice, 2, &disassembly[0]);
	whole = disassembly[0].count;
	disassembly_cut_loops(&disassembly[0]);
	/* Each call loops twice, and loses three instructions of its own. */
	assert_int_equal(disassembly[0].count, whole - 6);
	assert_int_equal(whole - 6, CALLS_TWICE + 2 * 5);
}

/* However deep it goes, nothing of it is a loop. */
static void test_deep_calls_are_not_cut(void **state)
{
	size_t whole;

	(void)state;
	disassemble_well((void *)calls_itself, 150, &disassembly[0]);
	whole = disassembly[0].count;
	assert_true(whole >= 4 * 149);
	disassembly_cut_loops(&disassembly[0]);
	assert_int_equal(disassembly[0].count, whole);
}

#if defined(__x86_64__)

/* mov eax, [rip + distance]; ret, at the start of one page, and a page that it reads. */
static void *reader_of_page(char *room, u8 byte)
{
	u8 code[] = {0x8b, 0x05, (u8)(byte - 6), 0x10, 0, 0, 0xc3};

	if (byte < 6)
		code[3]--;
	memcpy(room, code, sizeof(code));
	assert_int_equal(mprotect(room, SIM_PAGE_BYTES, PROT_READ | PROT_EXEC), 0);
	assert_int_equal(mprotect(room + SIM_PAGE_BYTES, SIM_PAGE_BYTES, PROT_READ), 0);
	return room;
}

/* Code that reads another field of its page is other code, though it is nearly the same. */
static void test_fields_of_a_page(void **state)
{
	char *room[3];

	(void)state;
	for (size_t i = 0; i < 3; i++)
		room[i] = code_room();
	disassemble_well(reader_of_page(room[0], 0x98), 0, &disassembly[0]);
	check_words(0, "mov", "eax, dword ptr [page + 0x98]", false);
	disassemble_well(reader_of_page(room[1], 0x98), 0, &disassembly[1]);
	assert_true(disassembly_same(&disassembly[0], &disassembly[1]));
	disassemble_well(reader_of_page(room[2], 0), 0, &disassembly[1]);
	assert_false(disassembly_same(&disassembly[0], &disassembly[1]));
	assert_int_equal(disassembly_first_difference(&disassembly[0], &disassembly[1]), 0);
	for (size_t i = 0; i < 3; i++)
		munmap(room[i], 2 * SIM_PAGE_BYTES);
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_instruction),
		cmocka_unit_test(test_in_words),
		cmocka_unit_test(test_call_of_the_system),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_instruction_over_a_page_boundary),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_ends_are_heard),
		cmocka_unit_test(test_calls_that_do_not_return),
		cmocka_unit_test(test_signals_of_others),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_own_signals),
		cmocka_unit_test(test_the_shortest_of_some),
		cmocka_unit_test(test_loops_are_cut),
		cmocka_unit_test(test_calls_are_not_cut),
		cmocka_unit_test(test_deep_calls_are_not_cut),
#if defined(__x86_64__)
		cmocka_unit_test(test_fields_of_a_page),
#endif
	};
	const struct trace_call call = {(void *)no_call, {0}};
	struct errmsg err;

	if (trace_quiet_call(&call, &trace, &err)) {
		printf("calls cannot be traced here: %s\n", err.text);
		return strstr(err.text, "may not be traced") ? 0 : 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void test_elsewhere(void **state)
{
	const struct trace_call call = {(void *)getpid, {0}};
	struct errmsg err;

	(void)state;
	assert_int_equal(trace_quiet_call(&call, &trace, &err), -1);
	assert_non_null(strstr(err.text, "x86 only"));
	assert_int_equal(disassemble(&trace, &disassembly[0], &err), -1);
	assert_non_null(strstr(err.text, "x86 only"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_elsewhere)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
