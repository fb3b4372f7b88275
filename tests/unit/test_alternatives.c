// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/alternatives.h"
#include "tests/unit/host_image.h"

#define FEATURE(word, bit) ((u16)((word)*32 + (bit)))
#define RDTSCP		   FEATURE(1, 27)
#define RDPID		   FEATURE(16, 22)
#define SSE2		   FEATURE(0, 26)
#define LFENCE_BEFORE_6_3  FEATURE(3, 18)
#define LFENCE_SINCE_6_3   FEATURE(20, 2)
#define MFENCE		   FEATURE(3, 17)
#define SYSCALL32	   FEATURE(3, 14)
#define SYSENTER32	   FEATURE(3, 15)
#define SEP		   FEATURE(0, 11)
#define INVERTED	   0x8000 /* in entries of 12 and 13 bytes */

/* The parts of an image that matter here: places at 0, replacements at 256, the table at 512. */
#define REPLACEMENTS 256
#define TABLE	     512
#define IMAGE_BYTES  2048
static u8 image[IMAGE_BYTES];
static u8 *patched; /* of the same size, allocated so that a sanitizer sees its end */
static size_t entry_bytes, table_bytes, replacement_bytes;

static struct alternatives done;
static struct errmsg err;

/* Processors, as far as this matters. */
static const struct cpu_id full = {"GenuineIntel", 1u << 26 | 1u << 11, 1u << 22, 1u << 27, 0};
static const struct cpu_id amd = {"AuthenticAMD", 1u << 26, 0, 1u << 27, 1u << 2};
static const struct cpu_id no_rdtscp = {"HygonGenuine", 1u << 26, 0, 0, 0};
static const struct cpu_id unknown_vendor = {"GenuineTest ", 1u << 26, 0, 0, 0};
static const struct cpu_id bare = {"GenuineIntel", 0, 0, 0, 0};

#define LFENCE_RDTSC_CODE "\x0f\xae\xe8\x0f\x31"
#define RDTSCP_CODE	  "\x0f\x01\xf9"
#define RDTSC_PLACE	  "\x0f\x31\x90\x90\x90"

static int allocate(void **state)
{
	(void)state;
	patched = malloc(IMAGE_BYTES);
	return patched ? 0 : -1;
}

static int release(void **state)
{
	(void)state;
	free(patched);
	return 0;
}

static void begin(size_t bytes_of_an_entry)
{
	memset(image, 0xcc, sizeof(image));
	entry_bytes = bytes_of_an_entry;
	table_bytes = replacement_bytes = 0;
}

static void put(u32 at, const void *code, size_t bytes)
{
	memcpy(image + at, code, bytes);
}

static void append(const void *field, size_t bytes)
{
	memcpy(image + TABLE + table_bytes, field, bytes);
	table_bytes += bytes;
}

/* An entry in all its fields; `control` has the feature and whatever its layout keeps with it. */
static void add_entry(s64 place, s64 replacement, u32 control, u8 place_length, u8 length)
{
	s32 to_place = (s32)(place - (s64)(TABLE + table_bytes));
	s32 to_replacement = (s32)(replacement - (s64)(TABLE + table_bytes + 4));
	u8 padding = 0;

	append(&to_place, 4);
	append(&to_replacement, 4);
	append(&control, entry_bytes == 14 ? 4 : 2);
	append(&place_length, 1);
	append(&length, 1);
	if (entry_bytes == 13)
		append(&padding, 1);
}

static void add(u32 place, u32 control, u8 place_length, const void *code, size_t length)
{
	u32 replacement = (u32)(REPLACEMENTS + replacement_bytes);

	put(replacement, code, length);
	replacement_bytes += length;
	add_entry(place, replacement, control, place_length, (u8)length);
}

static int apply(const struct cpu_id *cpu)
{
	const struct vdso_elf elf = {
		.bytes = image,
		.segment_bytes = sizeof(image),
		.alternatives = TABLE,
		.alternatives_bytes = (u32)table_bytes,
	};

	memcpy(patched, image, sizeof(image));
	memset(&err, 0, sizeof(err));
	return alternatives_apply(&elf, cpu, patched, &done, &err);
}

static void assert_applies(const struct cpu_id *cpu)
{
	if (apply(cpu) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(done.count, table_bytes / entry_bytes);
}

/* Nothing but the place may have changed. */
static void assert_code(u32 place, const void *code, size_t bytes)
{
	assert_memory_equal(patched + place, code, bytes);
	assert_memory_equal(patched, image, place);
	assert_memory_equal(patched + place + bytes, image + place + bytes,
			    sizeof(image) - place - bytes);
}

static void assert_shown(size_t i, const char *feature, bool applied, const char *why)
{
	assert_string_equal(done.list[i].feature, feature);
	assert_int_equal(done.list[i].applied, applied);
	assert_string_equal(done.list[i].why, why);
}

static u16 lfence_number(void)
{
	return entry_bytes == 14 ? LFENCE_SINCE_6_3 : LFENCE_BEFORE_6_3;
}

static void begin_counter_read(size_t bytes_of_an_entry)
{
	begin(bytes_of_an_entry);
	put(100, RDTSC_PLACE, 5);
	add(100, lfence_number(), 5, LFENCE_RDTSC_CODE, 5);
	add(100, RDTSCP, 5, RDTSCP_CODE, 3);
}

#define HAS	"this CPU has it"
#define HAS_NOT "this CPU has it not"
#define LATER	"a later one of the same place applies"

static const size_t layouts[] = {12, 13, 14};

static void test_counter_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		begin_counter_read(layouts[i]);

		assert_applies(&full);
		assert_code(100, RDTSCP_CODE "\x66\x90", 5);
		assert_shown(0, "lfence_rdtsc", false, LATER);
		assert_shown(1, "rdtscp", true, HAS);
		assert_int_equal(done.list[1].offset, 100);
		assert_int_equal(done.list[1].bytes, 5);

		assert_applies(&no_rdtscp);
		assert_code(100, LFENCE_RDTSC_CODE, 5);
		assert_shown(0, "lfence_rdtsc", true, HAS);
		assert_shown(1, "rdtscp", false, HAS_NOT);

		/* Neither: the padding becomes one NOP all the same. */
		assert_applies(&bare);
		assert_code(100, "\x0f\x31\x0f\x1f\x00", 5);
		assert_shown(0, "lfence_rdtsc", false, HAS_NOT);
		assert_shown(1, "rdtscp", false, HAS_NOT);

		/* A kernel does not know of this one's lfence that it holds rdtsc back. */
		assert_applies(&unknown_vendor);
		assert_shown(0, "lfence_rdtsc", false, HAS_NOT);
	}
}

static void test_getcpu(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		begin(layouts[i]);
		put(40, "\x0f\x03\xc0\x90", 4);
		add(40, RDPID, 4, "\xf3\x0f\xc7\xf8", 4);
		assert_applies(&full);
		assert_code(40, "\xf3\x0f\xc7\xf8", 4);
		assert_shown(0, "rdpid", true, HAS);
		assert_applies(&amd);
		assert_code(40, "\x0f\x03\xc0\x90", 4);
		assert_shown(0, "rdpid", false, HAS_NOT);
	}
}

/* Before 5.0 the fence was a place of its own in front of rdtsc. */
static void test_fence_alone(void **state)
{
	(void)state;
	begin(13);
	put(8, "\x90\x90\x90\x0f\x31", 5);
	add(8, MFENCE, 3, "\x0f\xae\xf0", 3);
	add(8, LFENCE_BEFORE_6_3, 3, "\x0f\xae\xe8", 3);
	assert_applies(&amd);
	assert_code(8, "\x0f\xae\xe8", 3);
	assert_shown(0, "mfence_rdtsc", false, "lfence is what kernels take on this CPU");
	assert_shown(1, "lfence_rdtsc", true, HAS);
	assert_applies(&unknown_vendor);
	assert_code(8, "\x0f\x1f\x00", 3);
}

/* Distributions carry changes back to older kernels: the number does not go with the layout. */
static void test_either_number_in_any_layout(void **state)
{
	static const u16 numbers[] = {LFENCE_BEFORE_6_3, LFENCE_SINCE_6_3};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts) * ARRAY_SIZE(numbers); i++) {
		begin(layouts[i / ARRAY_SIZE(numbers)]);
		put(100, RDTSC_PLACE, 5);
		add(100, numbers[i % ARRAY_SIZE(numbers)], 5, LFENCE_RDTSC_CODE, 5);
		assert_applies(&full);
		assert_code(100, LFENCE_RDTSC_CODE, 5);
		assert_shown(0, "lfence_rdtsc", true, HAS);
	}
}

static void test_inverted(void **state)
{
	static const struct {
		size_t layout;
		u32 mark;
	} marks[] = {{12, INVERTED}, {13, INVERTED}, {14, 1u << 16}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		begin(marks[i].layout);
		put(0, "\x0f\xae\xf0", 3);
		add(0, SSE2 | marks[i].mark, 3, "\xf0\x90", 2);
		assert_applies(&full);
		assert_code(0, "\x0f\xae\xf0", 3);
		assert_shown(0, "not sse2", false, HAS);
		assert_applies(&bare);
		assert_code(0, "\xf0\x90\x90", 3);
		assert_shown(0, "not sse2", true, HAS_NOT);
	}
	begin(14);
	add(0, FEATURE(31, 31) | 1u << 16, 3, "", 0);
	assert_applies(&full);
	assert_shown(0, "not feature 31*32+31", false, "what this feature is, is not known here");
}

/* A copy of an image is not where the kernel comes back to from these. */
static void test_unfit_for_a_copy(void **state)
{
	static const u8 call[] = {0xe8, 0, 0, 0, 0};
	static const u8 int80[] = {0x3e, 0x3e, 0x3e, 0xcd, 0x80};
	const char *why = "from it the kernel returns to its own vDSO; int 0x80 is kept";

	(void)state;
	begin(12);
	put(16, "\x90\x90\x90\x90\xcd\x80", 6);
	add(16, SYSENTER32, 4, "\x89\xe5\x0f\x34", 4);
	add(16, SYSCALL32, 4, "\x89\xcd\x0f\x05", 4);
	assert_applies(&full);
	assert_code(16, "\x0f\x1f\x40\x00", 4);
	assert_shown(0, "sysenter32", false, why);
	assert_shown(1, "syscall32", false, why);

	begin(14);
	put(16, int80, sizeof(int80));
	add(16, SYSENTER32, 5, call, sizeof(call));
	add(80, SEP, 2, "", 0);
	assert_applies(&full);
	assert_code(16, int80, sizeof(int80));
	assert_shown(0, "sysenter32", false, why);
	assert_shown(1, "sep", false, why);
}

static void test_jumps_are_left(void **state)
{
	static const u8 jumps[] = {0xe8, 0xe9, 0xeb};
	u8 jump[5] = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(jumps); i++) {
		begin(14);
		put(100, RDTSC_PLACE, 5);
		jump[0] = jumps[i];
		add(100, RDTSCP, 5, jump, sizeof(jump));
		assert_applies(&full);
		assert_code(100, "\x0f\x31\x0f\x1f\x00", 5);
		assert_shown(0, "rdtscp", false, "its instructions are a jump");
	}
	/* A call that the kernel would make a direct one. */
	begin(14);
	put(100, "\xff\x15\x00\x00\x00\x00", 6);
	add(100, RDTSCP | 2u << 16, 6, RDTSCP_CODE, 3);
	assert_applies(&full);
	assert_code(100, "\xff\x15\x00\x00\x00\x00", 6);
	assert_shown(0, "rdtscp", false, "its instructions are a jump");
}

/* Of several for one place, wherever their own lengths end, the last one stays. */
static void test_order_and_nesting(void **state)
{
	(void)state;
	begin(14);
	put(100, RDTSC_PLACE "\x90\x90\x90", 8);
	add(100, RDTSCP, 5, RDTSCP_CODE, 3);
	add(100, LFENCE_SINCE_6_3, 8, LFENCE_RDTSC_CODE, 5);
	assert_applies(&full);
	assert_code(100, LFENCE_RDTSC_CODE "\x0f\x1f\x00", 8);
	assert_shown(0, "rdtscp", false, LATER);
	assert_shown(1, "lfence_rdtsc", true, HAS);

	begin(14);
	put(100, RDTSC_PLACE "\x90\x90\x90", 8);
	add(100, RDTSCP, 5, RDTSCP_CODE, 3);
	add(100, RDPID, 8, LFENCE_RDTSC_CODE, 5);
	assert_applies(&amd);
	assert_code(100, RDTSCP_CODE "\x0f\x1f\x44\x00\x00", 8);
	assert_int_equal(done.list[0].bytes, 8);
	assert_int_equal(done.list[1].bytes, 8);

	begin(14);
	put(100, RDTSC_PLACE "\x90\x90\x90", 8);
	add(100, RDPID, 8, LFENCE_RDTSC_CODE, 5);
	add(100, RDTSCP, 5, RDTSCP_CODE, 3);
	assert_applies(&amd);
	assert_code(100, RDTSCP_CODE "\x0f\x1f\x44\x00\x00", 8);
}

/* Places that lie over each other are patched one after the other. */
static void test_overlap(void **state)
{
	(void)state;
	begin(14);
	add(100, RDTSCP, 4, "\x01\x02\x03\x04", 4);
	add(102, RDTSCP, 4, "\x05\x06\x07\x08", 4);
	assert_applies(&full);
	assert_code(100, "\x01\x02\x05\x06\x07\x08", 6);
}

static void test_padding(void **state)
{
	static const char *const nops[] = {
		"",
		"\x90",
		"\x66\x90",
		"\x0f\x1f\x00",
		"\x0f\x1f\x40\x00",
		"\x0f\x1f\x44\x00\x00",
		"\x66\x0f\x1f\x44\x00\x00",
		"\x0f\x1f\x80\x00\x00\x00\x00",
		"\x0f\x1f\x84\x00\x00\x00\x00\x00",
	};
	u8 expected[32], ones[32];

	(void)state;
	memset(ones, 0x90, sizeof(ones));
	for (u8 bytes = 1; bytes <= 32; bytes++) {
		size_t rest = bytes % 8;

		for (u8 at = 0; at < bytes - rest; at = (u8)(at + 8))
			memcpy(expected + at, nops[8], 8);
		memcpy(expected + bytes - rest, nops[rest], rest);

		/* A replacement of nothing, and nothing replaced. */
		begin(14);
		add(100, RDTSCP, bytes, "", 0);
		assert_applies(&full);
		assert_code(100, expected, bytes);
		put(100, ones, bytes);
		assert_applies(&bare);
		assert_code(100, expected, bytes);
	}
}

/* A byte of 0x90 at the end of an instruction is no padding; unless certain, nothing is touched. */
static void test_what_is_no_padding(void **state)
{
	(void)state;
	begin(12);
	put(100, "\xb8\x90\x90\x90\x90", 5);
	add(100, RDTSCP, 5, RDTSCP_CODE, 3);
	assert_applies(&bare);
	assert_code(100, "\xb8\x90\x90\x90\x90", 5);

	/* Nor is anything touched for the sake of a feature that is not known. */
	begin(12);
	put(100, RDTSC_PLACE, 5);
	add(100, FEATURE(9, 3), 5, RDTSCP_CODE, 3);
	assert_applies(&full);
	assert_code(100, RDTSC_PLACE, 5);
	assert_shown(0, "feature 9*32+3", false, "what this feature is, is not known here");
}

/* Each of these makes an entry that no layout can have. */
static void test_entries_that_cannot_be(void **state)
{
	static const struct {
		s64 place, replacement;
		u32 control;
		u8 place_length, length;
	} impossible[] = {
		{-1, REPLACEMENTS, RDTSCP, 5, 3},
		{IMAGE_BYTES - 4, REPLACEMENTS, RDTSCP, 5, 3},
		{INT32_MAX, REPLACEMENTS, RDTSCP, 5, 3},
		{INT32_MIN + TABLE, REPLACEMENTS, RDTSCP, 5, 3},
		{0, -1, RDTSCP, 5, 3},
		{0, IMAGE_BYTES - 2, RDTSCP, 5, 3},
		{0, REPLACEMENTS, RDTSCP, 0, 0},
		{0, REPLACEMENTS, RDTSCP, 33, 3},
		{0, REPLACEMENTS, RDTSCP, 5, 6},
		{0, REPLACEMENTS, FEATURE(32, 0), 5, 3},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts) * ARRAY_SIZE(impossible); i++) {
		size_t k = i / ARRAY_SIZE(layouts);

		begin_counter_read(layouts[i % ARRAY_SIZE(layouts)]);
		add_entry(impossible[k].place, impossible[k].replacement, impossible[k].control,
			  impossible[k].place_length, impossible[k].length);
		assert_int_equal(apply(&full), -1);
		assert_string_equal(err.text,
				    "the image's .altinstructions have no layout known here");
		assert_int_equal(done.count, 0);
		assert_memory_equal(patched, image, sizeof(image));
	}

	begin(14);
	add(0, RDTSCP | 4u << 16, 5, RDTSCP_CODE, 3);
	assert_int_equal(apply(&full), -1);
	begin(14);
	add(0, RDTSCP | INVERTED, 5, RDTSCP_CODE, 3);
	assert_int_equal(apply(&full), -1);
	begin(13);
	add(0, RDTSCP, 5, RDTSCP_CODE, 3);
	assert_int_equal(apply(&full), 0);
	image[TABLE + 12] = 6; /* padding */
	assert_int_equal(apply(&full), -1);
}

static void test_last_byte_of_the_image(void **state)
{
	(void)state;
	begin(14);
	put(IMAGE_BYTES - 5, RDTSC_PLACE, 5);
	add(IMAGE_BYTES - 5, RDTSCP, 5, RDTSCP_CODE, 3);
	assert_applies(&full);
	assert_code(IMAGE_BYTES - 5, RDTSCP_CODE "\x66\x90", 5);
	/* A replacement of nothing may lie anywhere, behind the last byte too. */
	begin(14);
	add_entry(100, IMAGE_BYTES, RDTSCP, 1, 0);
	assert_applies(&full);
	assert_code(100, "\x90", 1);
	/* One byte cannot be rdtsc, whatever it is. */
	begin(14);
	put(IMAGE_BYTES - 1, "\x0f", 1);
	add(IMAGE_BYTES - 1, RDTSCP, 1, "\x90", 1);
	assert_applies(&bare);
	assert_memory_equal(patched, image, sizeof(image));
}

static void test_table_of_another_size(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		begin_counter_read(layouts[i]);
		table_bytes--;
		assert_int_equal(apply(&full), -1);
		table_bytes += 2;
		assert_int_equal(apply(&full), -1);
	}
}

static void test_no_table(void **state)
{
	(void)state;
	begin(14);
	assert_applies(&full);
	assert_memory_equal(patched, image, sizeof(image));
}

/* Some of these tables are as long as one of another layout with another number of entries. */
static void test_number_of_entries(void **state)
{
	(void)state;
	for (size_t i = 0; i < 14 * ARRAY_SIZE(layouts); i++) {
		begin(layouts[i % ARRAY_SIZE(layouts)]);
		put(100, RDTSC_PLACE, 5);
		for (size_t entry = 0; entry <= i / ARRAY_SIZE(layouts); entry++)
			add(100, RDTSCP, 5, RDTSCP_CODE, 3);
		assert_applies(&full);
		assert_code(100, RDTSCP_CODE "\x66\x90", 5);
	}
}

static void test_most_entries(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		begin(layouts[i]);
		put(100, RDTSC_PLACE, 5);
		for (int entry = 0; entry < ALTERNATIVES_MAX; entry++)
			add(100, RDTSCP, 5, RDTSCP_CODE, 3);
		assert_applies(&full);
		assert_code(100, RDTSCP_CODE "\x66\x90", 5);

		/* Too many, and so many that it shows whatever the layout. */
		add(100, RDTSCP, 5, RDTSCP_CODE, 3);
		assert_int_equal(apply(&full), -1);
		for (int entry = 0; entry < 16; entry++)
			add_entry(100, REPLACEMENTS, RDTSCP, 5, 3);
		assert_int_equal(apply(&full), -1);
		assert_string_equal(err.text, "the image has more than 64 alternatives, too many");
	}
}

/*
 * Seven entries of 12 bytes are as long as six of 14. In an image large enough offsets can be such
 * that both make sense: each of these bytes is a length by one of the two layouts.
 */
static void test_two_layouts_fit(void **state)
{
	static const u8 ones[] = {10, 12, 22, 26, 34, 40, 46, 54, 58, 68, 70, 82};
	struct vdso_elf elf = {.segment_bytes = 1u << 17, .alternatives_bytes = 7 * 12};
	u8 *large = calloc(1, elf.segment_bytes);

	(void)state;
	assert_non_null(large);
	elf.bytes = large;
	for (size_t i = 0; i < ARRAY_SIZE(ones); i++)
		large[ones[i]] = 1;
	assert_int_equal(alternatives_apply(&elf, &full, large, &done, &err), -1);
	assert_string_equal(err.text, "the image's .altinstructions fit more than one layout");
	/* In half of it neither does. */
	elf.segment_bytes = 1u << 16;
	assert_int_equal(alternatives_apply(&elf, &full, large, &done, &err), -1);
	assert_string_equal(err.text, "the image's .altinstructions have no layout known here");
	free(large);
}

static void assert_present(const struct cpu_id *cpu, u16 number, bool present)
{
	assert_int_equal(cpu_feature_find(number)->present(cpu), present);
}

static void test_features(void **state)
{
	static const char *const vendors[] = {"GenuineIntel", "AuthenticAMD", "HygonGenuine",
					      "CentaurHauls", "  Shanghai  "};
	struct cpu_id cpu = unknown_vendor;

	(void)state;
	assert_present(&full, RDTSCP, true);
	assert_present(&bare, RDTSCP, false);
	assert_present(&full, RDPID, true);
	assert_present(&bare, RDPID, false);
	assert_present(&full, SSE2, true);
	assert_present(&bare, SSE2, false);
	assert_present(&cpu, LFENCE_SINCE_6_3, false);
	for (size_t i = 0; i < ARRAY_SIZE(vendors); i++) {
		memcpy(cpu.vendor, vendors[i], sizeof(cpu.vendor));
		assert_present(&cpu, LFENCE_SINCE_6_3, true);
	}
	/* The processor's own word counts, whoever makes it. */
	cpu = unknown_vendor;
	cpu.leaf_80000021_eax = 1u << 2;
	assert_present(&cpu, LFENCE_SINCE_6_3, true);
	assert_null(cpu_feature_find(0));
	assert_null(cpu_feature_find(0xffff));
}

/* Whether /proc/cpuinfo, in which the kernel says what it found, has this flag. */
static bool kernel_says(const char *flag)
{
	FILE *cpuinfo = fopen("/proc/cpuinfo", "r");
	char line[8192], word[64];
	bool found = false;

	snprintf(word, sizeof(word), " %s ", flag);
	while (cpuinfo && !found && fgets(line, sizeof(line), cpuinfo)) {
		line[strcspn(line, "\n")] = ' ';
		found = strncmp(line, "flags", 5) == 0 && strstr(line, word);
	}
	if (cpuinfo)
		fclose(cpuinfo);
	return found;
}

/* Features that have flags there; a kernel may be told to do without one that the processor has. */
static const struct {
	u16 number;
	const char *flag;
} flags[] = {{SSE2, "sse2"}, {RDTSCP, "rdtscp"}, {RDPID, "rdpid"}};

static void test_this_processor(void **state)
{
	struct cpu_id cpu;

	(void)state;
	cpu_id_read(&cpu);
	assert_int_equal(strlen(cpu.vendor), 12);
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (kernel_says(flags[i].flag))
			assert_present(&cpu, flags[i].number, true);
}

/* The kernel has done to it what is done here, so it stays as it is: byte for byte the same. */
static void test_host_image(void **state)
{
	struct vdso_elf elf;
	struct cpu_id cpu;
	const u8 *bytes = NULL;
	size_t size = 0;
	u8 *copy;

	(void)state;
	cpu_id_read(&cpu);
	if (!find_host_image(&bytes, &size))
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (cpu_feature_find(flags[i].number)->present(&cpu) != kernel_says(flags[i].flag))
			skip();
	assert_int_equal(vdso_elf_parse(bytes, size, &elf, &err), 0);
	copy = malloc(elf.segment_bytes);
	assert_non_null(copy);
	memcpy(copy, bytes, elf.segment_bytes);
	if (alternatives_apply(&elf, &cpu, copy, &done, &err) != 0)
		fail_msg("%s", err.text);
	assert_memory_equal(copy, bytes, elf.segment_bytes);
	free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counter_read),
		cmocka_unit_test(test_getcpu),
		cmocka_unit_test(test_fence_alone),
		cmocka_unit_test(test_either_number_in_any_layout),
		cmocka_unit_test(test_inverted),
		cmocka_unit_test(test_unfit_for_a_copy),
		cmocka_unit_test(test_jumps_are_left),
		cmocka_unit_test(test_order_and_nesting),
		cmocka_unit_test(test_overlap),
		cmocka_unit_test(test_padding),
		cmocka_unit_test(test_what_is_no_padding),
		cmocka_unit_test(test_entries_that_cannot_be),
		cmocka_unit_test(test_last_byte_of_the_image),
		cmocka_unit_test(test_table_of_another_size),
		cmocka_unit_test(test_no_table),
		cmocka_unit_test(test_number_of_entries),
		cmocka_unit_test(test_most_entries),
		cmocka_unit_test(test_two_layouts_fit),
		cmocka_unit_test(test_features),
		cmocka_unit_test(test_this_processor),
		cmocka_unit_test(test_host_image),
	};

	if (!cpu_feature_find(RDTSCP)) {
		puts("skipped: no alternatives are known on this architecture");
		return 0;
	}

	return cmocka_run_group_tests(tests, allocate, release);
}
