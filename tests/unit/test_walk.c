// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Readers written down instruction by instruction, so that everything that inspect counts of them
 * is known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "measure/path.h"
#include "sim/layout.h"

#if defined(__x86_64__) || defined(__i386__)

/* Two instructions that put the page into cx and the timespec into dx, in either calling way. */
#if defined(__x86_64__)
#define TAKE_ARGUMENTS "mov %rdi, %rcx\n mov %rdx, %rdx\n"
#define ARGUMENT_LOADS 0
#define CX	       "(%rcx)"
#define DX	       "(%rdx)"
#define AT_CX(offset)  #offset "(%rcx)"
#define PUSH_POP       "push %rbx\n pop %rbx\n"
#else
#define TAKE_ARGUMENTS "mov 4(%esp), %ecx\n mov 12(%esp), %edx\n"
#define ARGUMENT_LOADS 2
#define CX	       "(%ecx)"
#define DX	       "(%edx)"
#define AT_CX(offset)  #offset "(%ecx)"
#define PUSH_POP       "push %ebx\n pop %ebx\n"
#endif
#define ARGUMENTS 2 /* instructions */
/* Every one of them ends by these two. */
#define LEAVE	"xor %eax, %eax\n ret\n"
#define LEAVING 2

#define CODE(name, text)                                                                   \
	extern const u8 name[], name##_end[];                                              \
	__asm__(".pushsection .rodata\n.balign 64\n" #name ":\n" TAKE_ARGUMENTS text #name \
		"_end:\n"                                                                  \
		".byte 0\n.popsection\n")

/* Three loads of the page, of which the last lies in two lines; two stores; a push and a pop. */
CODE(touches, "mov " CX ", %eax\n"
	      "cmpl $0, " AT_CX(200) "\n"
				     "test %eax, " AT_CX(62) "\n"
							     "mov %eax, " DX "\n"
							     "addl $1, " DX "\n" PUSH_POP LEAVE);

/* What capstone 4 takes for loads: vector stores; and for a store: a test with a constant. */
CODE(vectors, "pxor %xmm0, %xmm0\n"
	      "movups %xmm0, " DX "\n"
	      "movq %xmm0, " DX "\n"
	      "movups " CX ", %xmm0\n"
	      "testb $1, " CX "\n" LEAVE);

/* Two branches taken, three not; two jumps; a call, and what it calls begins a line. */
CODE(branches, "xor %eax, %eax\n"
	       "jz 1f\n"
	       "nop\n"
	       "1: jnz 1b\n"
	       "js 1b\n"
	       "jmp 2f\n"
	       "ud2\n"
	       "2: test %eax, %eax\n"
	       "je 3f\n"
	       "ud2\n"
	       "3: jc 1b\n"
	       "jmp 4f\n"
	       ".balign 64\n"
	       "5: nop\n"
	       "ret\n"
	       "4: call 5b\n" LEAVE);

/* From one line of code to the fourth, and one instruction that lies in two. */
CODE(long_way, "jmp 1f\n"
	       ".skip 128, 0xcc\n"
	       ".balign 64\n"
	       "1: jmp 2f\n"
	       ".skip 58, 0xcc\n"
	       "2: movl $0x12345678, %eax\n" LEAVE);

/* The reader of a sequence, as short as can be. */
CODE(sequence, "1: mov " CX ", %eax\n"
	       "test $1, %al\n"
	       "jnz 1b\n"
	       "testb $1, " AT_CX(8) "\n"
				     "cmp " CX ", %eax\n"
				     "jne 1b\n" LEAVE);
CODE(never_retries, "1: mov " CX ", %eax\n"
		    "test $1, %al\n"
		    "jnz 1b\n" LEAVE);
CODE(never_waits, "1: mov " CX ", %eax\n"
		  "testb $1, " AT_CX(8) "\n"
					"mov " CX ", %eax\n" LEAVE);
CODE(only_retries, "1: mov " CX ", %eax\n"
		   "testb $1, " AT_CX(8) "\n"
					 "cmp " CX ", %eax\n"
					 "jne 1b\n" LEAVE);
CODE(never_looks, "mov " AT_CX(8) ", %eax\n" LEAVE);
CODE(crashes, "ud2\n" LEAVE);

static struct reader reader_of(const u8 *code, const u8 *end)
{
	return (struct reader){
		.clock = CLOCK_MONOTONIC,
		.layout = &page_layout_current,
		.code = {.image = code, .bytes = (u32)(end - code), .step = 4, .runs_here = true},
	};
}

static struct path_figures figures_of(const u8 *code, const u8 *end, enum walk_kind kind)
{
	const struct reader reader = reader_of(code, end);
	struct path_figures figures;
	struct errmsg err;
	struct walk walk;

	if (walk_make(&walk, &reader, CLOCK_MONOTONIC, kind, &err))
		fail_msg("%s", err.text);
	path_of_walk(&figures, &walk);
	walk_release(&walk);
	assert_int_equal(figures.entry_byte, 0);
	assert_int_equal(figures.system_calls, 0);
	return figures;
}

#define WALKED(name, kind) figures_of(name, name##_end, kind)

/* What a call pushes, its return loads. */
static void check_memory(const struct path_memory *memory, u32 page, u32 stack, u32 elsewhere)
{
	assert_int_equal(memory->page, page);
	assert_int_equal(memory->stack, stack);
	assert_int_equal(memory->elsewhere, elsewhere);
}

static void test_loads_and_stores(void **state)
{
	const struct path_figures figures = WALKED(touches, WALK_FAST);

	(void)state;
	assert_int_equal(figures.instructions, ARGUMENTS + 7 + LEAVING);
	/* add is a load as well; the pop, and the return. */
	check_memory(&figures.loads, 3, ARGUMENT_LOADS + 2, 1);
	check_memory(&figures.stores, 0, 1, 2);
	/* At 0, at 200, and from 62 to 65. */
	assert_int_equal(figures.page_lines[PAGE_DATA], 1 | 1 << 3 | 1 << 1);
	assert_int_equal(figures.page_lines[PAGE_TIMENS], 0);
	assert_int_equal(figures.page_lines[PAGE_COUNTER], 0);
}

static void test_what_capstone_takes_for_loads(void **state)
{
	const struct path_figures figures = WALKED(vectors, WALK_FAST);

	(void)state;
	check_memory(&figures.loads, 2, ARGUMENT_LOADS + 1, 0);
	check_memory(&figures.stores, 0, 0, 2);
}

static void test_branches(void **state)
{
	const struct path_figures figures = WALKED(branches, WALK_FAST);

	(void)state;
	assert_int_equal(figures.branches_taken, 2);
	assert_int_equal(figures.branches_not_taken, 3);
	assert_int_equal(figures.jumps, 2);
	assert_int_equal(figures.calls, 1);
	assert_int_equal(figures.instructions, ARGUMENTS + 10 + 2 + LEAVING);
	check_memory(&figures.stores, 0, 1, 0);
	check_memory(&figures.loads, 0, ARGUMENT_LOADS + 2, 0);
	assert_int_equal(figures.code_lines, 2);
}

static void test_lines_of_code(void **state)
{
	const struct path_figures figures = WALKED(long_way, WALK_FAST);

	(void)state;
	/* The first, the third, or wherever 128 bytes later a line begins, and both of the mov. */
	assert_int_equal(figures.code_lines, 3);
	assert_int_equal(figures.jumps, 2);
}

static void test_one_retry(void **state)
{
	const struct path_figures fast = WALKED(sequence, WALK_FAST);
	const struct path_figures retry = WALKED(sequence, WALK_RETRY);

	(void)state;
	assert_int_equal(fast.instructions, ARGUMENTS + 6 + LEAVING);
	assert_int_equal(fast.branches_taken, 0);
	assert_int_equal(fast.branches_not_taken, 2);
	assert_int_equal(fast.loads.page, 3);
	assert_int_equal(retry.instructions, fast.instructions + 6);
	assert_int_equal(retry.branches_taken, 1);
	assert_int_equal(retry.branches_not_taken, 3);
	assert_int_equal(retry.loads.page, 6);
}

static void test_odd_wait(void **state)
{
	const struct path_figures fast = WALKED(sequence, WALK_FAST);
	const struct path_figures odd = WALKED(sequence, WALK_ODD);

	(void)state;
	assert_int_equal(odd.instructions, fast.instructions + 3);
	assert_int_equal(odd.branches_taken, 1);
	assert_int_equal(odd.branches_not_taken, 2);
	assert_int_equal(odd.loads.page, 4);
}

static void walk_fails(const u8 *code, const u8 *end, enum walk_kind kind, const char *why)
{
	const struct reader reader = reader_of(code, end);
	struct errmsg err;
	struct walk walk;

	assert_int_equal(walk_make(&walk, &reader, CLOCK_MONOTONIC, kind, &err), -1);
	if (!strstr(err.text, why))
		fail_msg("'%s' says nothing of '%s'", err.text, why);
	assert_null(walk.step);
}

/* Broken readers are found by the way that they do not take. */
static void test_mutants(void **state)
{
	(void)state;
	walk_fails(never_retries, never_retries_end, WALK_RETRY, "does not try again");
	walk_fails(never_waits, never_waits_end, WALK_RETRY, "does not try again");
	walk_fails(never_waits, never_waits_end, WALK_ODD, "does not wait");
	walk_fails(only_retries, only_retries_end, WALK_ODD, "does not wait");
	walk_fails(never_looks, never_looks_end, WALK_ODD, "does not look");
	walk_fails(never_looks, never_looks_end, WALK_RETRY, "does not look");
	walk_fails(crashes, crashes_end, WALK_FAST, "signal");
	/* A way that they have is walked. */
	WALKED(never_retries, WALK_ODD);
	WALKED(only_retries, WALK_RETRY);
	WALKED(never_looks, WALK_FAST);
}

/* What is said when there is no way is said in place of figures. */
static void test_unavailable(void **state)
{
	const struct reader reader = reader_of(crashes, crashes_end);
	struct path_figures figures;

	(void)state;
	path_fill(&figures, &reader, CLOCK_MONOTONIC);
	assert_non_null(strstr(figures.unavailable.text, "signal"));
	assert_int_equal(figures.instructions, 0);
}

static bool has_field_lines(const struct path_figures *figures, u32 offset, u32 bytes)
{
	const u32 first = (figures->data_offset + offset) / CACHE_LINE;
	const u32 last = (figures->data_offset + offset + bytes - 1) / CACHE_LINE;
	const u64 both = 1ull << first | 1ull << last;

	return (figures->page_lines[PAGE_DATA] & both) == both;
}

static u64 lines_of(u32 data_offset, u32 offset, u32 bytes)
{
	return 1ull << (data_offset + offset) / CACHE_LINE |
	       1ull << (data_offset + offset + bytes - 1) / CACHE_LINE;
}

/* Every layout's own reader touches the sequence, the base, and no line without a field of its. */
static void check_layout(const char *name, clockid_t clock)
{
	const struct page_layout *layout = page_layout_find(name);
	static u64 page[SIM_PAGE_BYTES / sizeof(u64)];
	const u32 base = (u32)((char *)layout_base(layout, page, clock) - (char *)page);
	const u32 at = (u32)((char *)layout_clock_of(layout, page, clock) - (char *)page);
	struct path_figures figures;
	struct reader reader;
	struct errmsg err;
	char spec[64];
	u64 may;

	snprintf(spec, sizeof(spec), "hres:layout=%s", name);
	if (reader_resolve(spec, &reader, &err))
		fail_msg("%s", err.text);
	path_fill(&figures, &reader, clock);
	assert_string_equal(figures.unavailable.text, "");
	assert_int_equal(figures.data_offset, layout->data_offset);
	assert_true(has_field_lines(&figures, at, 8));
	assert_true(has_field_lines(&figures, base, 16));
	may = lines_of(layout->data_offset, at, layout->basetime) |
	      lines_of(layout->data_offset, base, layout->base_bytes);
	assert_int_equal(figures.page_lines[PAGE_DATA] & ~may, 0);
	reader_release(&reader);
}

static void test_layouts(void **state)
{
	static const char *const names[] = {"v6.17", "v6.15",	      "v6.10",	     "v5.3",
					    "gtod",  "gtod-basemult", "raw-separate"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		check_layout(names[i], CLOCK_REALTIME);
		check_layout(names[i], CLOCK_MONOTONIC);
		check_layout(names[i], CLOCK_TAI);
		check_layout(names[i], CLOCK_MONOTONIC_COARSE);
		if (page_layout_find(names[i])->has_raw)
			check_layout(names[i], CLOCK_MONOTONIC_RAW);
	}
}

/* mult and shift in each base put MONOTONIC's on two lines; REALTIME's stay on one. */
static void test_the_argument_about_the_layout(void **state)
{
	struct path_figures realtime, monotonic;
	struct reader reader;
	struct errmsg err;

	(void)state;
	assert_int_equal(reader_resolve("hres:layout=gtod-basemult", &reader, &err), 0);
	path_fill(&realtime, &reader, CLOCK_REALTIME);
	path_fill(&monotonic, &reader, CLOCK_MONOTONIC);
	assert_int_equal(__builtin_popcountll(realtime.page_lines[PAGE_DATA]), 1);
	assert_int_equal(__builtin_popcountll(monotonic.page_lines[PAGE_DATA]), 2);
	reader_release(&reader);
}

/* A reader in a namespace reads two pages, and a retry is one of the page behind. */
static void test_namespace(void **state)
{
	struct path_figures figures;
	struct reader reader;
	struct errmsg err;
	struct walk walk;

	(void)state;
	assert_int_equal(reader_resolve("timens", &reader, &err), 0);
	path_fill(&figures, &reader, CLOCK_MONOTONIC);
	assert_true(figures.page_lines[PAGE_TIMENS] & 1);
	assert_true(figures.page_lines[PAGE_DATA] & 1);
	assert_int_equal(walk_make(&walk, &reader, CLOCK_MONOTONIC, WALK_RETRY, &err), 0);
	assert_true(walk.count > figures.instructions);
	walk_release(&walk);
	reader_release(&reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loads_and_stores),
		cmocka_unit_test(test_what_capstone_takes_for_loads),
		cmocka_unit_test(test_branches),
		cmocka_unit_test(test_lines_of_code),
		cmocka_unit_test(test_one_retry),
		cmocka_unit_test(test_odd_wait),
		cmocka_unit_test(test_mutants),
		cmocka_unit_test(test_unavailable),
		cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_the_argument_about_the_layout),
		cmocka_unit_test(test_namespace),
	};
	const struct reader reader = reader_of(never_looks, never_looks_end);
	struct path_figures figures;

	path_fill(&figures, &reader, CLOCK_MONOTONIC);
	if (strstr(figures.unavailable.text, "may not be traced")) {
		printf("calls cannot be traced here: %s\n", figures.unavailable.text);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void test_elsewhere(void **state)
{
	struct path_figures figures;
	struct reader reader;
	struct errmsg err;

	(void)state;
	assert_int_equal(reader_resolve("hres", &reader, &err), 0);
	path_fill(&figures, &reader, CLOCK_MONOTONIC);
	assert_non_null(strstr(figures.unavailable.text, "x86 only"));
	reader_release(&reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_elsewhere)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
