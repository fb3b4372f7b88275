// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/alternatives.h"
#include "sim/vdso_elf.h"
#include "tests/unit/elf_image.h"
#include "tests/unit/host_image.h"

#define BASE ((ElfW(Addr))0x7fff0000)

static struct elf_image image;
static struct vdso_elf elf;
static struct errmsg err;

/* A mapping that ends where nothing may be read: libelf too is caught when it reads too far. */
#define FENCED_BYTES 65536
static u8 *fence;

static int raise_fence(void **state)
{
	u8 *start = mmap(NULL, 2 * FENCED_BYTES, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	if (start == MAP_FAILED)
		return -1;
	fence = start + FENCED_BYTES;
	return mprotect(fence, FENCED_BYTES, PROT_NONE);
}

static u8 *before_fence(const void *bytes, size_t size)
{
	return memcpy(fence - size, bytes, size);
}

/* Whatever the image is: everything that is said of it must be so, and nothing else be read. */
static int parse_and_use(const u8 *bytes, size_t size)
{
	struct cpu_id cpu;
	struct alternatives done;
	u8 *copy;

	memset(&err, 0, sizeof(err));
	if (vdso_elf_parse(bytes, size, &elf, &err) != 0) {
		assert_int_not_equal(err.text[0], 0);
		return -1;
	}
	assert_true(elf.segment_bytes <= size);
	for (size_t i = 0; i < elf.function_count; i++) {
		assert_true(elf.function[i].offset < elf.segment_bytes);
		assert_true(vdso_elf_function(&elf, elf.function[i].name) >= 0);
	}
	assert_int_equal(vdso_elf_function(&elf, "no such function"), -1);

	copy = malloc(elf.segment_bytes);
	assert_non_null(copy);
	memcpy(copy, bytes, elf.segment_bytes);
	cpu_id_read(&cpu);
	if (alternatives_apply(&elf, &cpu, copy, &done, &err) != 0)
		assert_int_not_equal(err.text[0], 0);
	free(copy);
	return 0;
}

static int parse(void)
{
	return parse_and_use(before_fence(&image, sizeof(image)), sizeof(image));
}

static void assert_good(void)
{
	if (parse() != 0)
		fail_msg("%s", err.text);
	assert_int_equal(elf.function_count, 2);
	assert_string_equal(elf.function[0].name, "__vdso_clock_gettime");
	assert_string_equal(elf.function[1].name, "__vdso_getcpu");
	assert_int_equal(vdso_elf_function(&elf, "__vdso_clock_gettime"),
			 ELF_IMAGE_OFFSET(code) + ELF_IMAGE_CLOCK);
	assert_int_equal(vdso_elf_function(&elf, "__vdso_getcpu"),
			 ELF_IMAGE_OFFSET(code) + ELF_IMAGE_GETCPU);
	assert_int_equal(vdso_elf_function(&elf, "__vdso_clock_gettim"), -1);
	assert_int_equal(vdso_elf_function(&elf, "imported"), -1);
	assert_int_equal(vdso_elf_function(&elf, "LINUX_2.6"), -1);
	assert_int_equal(elf.segment_bytes, ELF_IMAGE_SEGMENT_BYTES);
}

static void test_good_image(void **state)
{
	(void)state;
	elf_image_make(&image, 0);
	assert_good();
	assert_int_equal(elf.alternatives, ELF_IMAGE_OFFSET(alternatives));
	assert_int_equal(elf.alternatives_bytes, sizeof(image.alternatives));
}

/* Older 32-bit images are linked to an address of their own. */
static void test_base_that_is_not_0(void **state)
{
	(void)state;
	elf_image_make(&image, BASE);
	assert_good();
	assert_int_equal(elf.alternatives, ELF_IMAGE_OFFSET(alternatives));
}

static void test_either_hash_table_will_do(void **state)
{
	(void)state;
	elf_image_make(&image, BASE);
	image.entry[ELF_IMAGE_HASH].d_tag = DT_DEBUG;
	assert_good();
	elf_image_make(&image, BASE);
	image.entry[ELF_IMAGE_GNU_HASH].d_tag = DT_DEBUG;
	assert_good();
}

/* Then there are no symbols but those before the first one that is hashed. */
static void test_gnu_hash_of_nothing(void **state)
{
	(void)state;
	elf_image_make(&image, 0);
	image.entry[ELF_IMAGE_HASH].d_tag = DT_DEBUG;
	image.gnu_hash.bucket[0] = image.gnu_hash.bucket[1] = 0;
	image.gnu_hash.first_symbol = ELF_IMAGE_FEW;
	assert_good();
}

static void test_functions_without_a_type(void **state)
{
	(void)state;
	elf_image_make(&image, 0);
	image.symbol[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE);
	assert_good();
}

static void test_data_is_no_function(void **state)
{
	(void)state;
	elf_image_make(&image, 0);
	image.symbol[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
	assert_int_equal(parse(), 0);
	assert_int_equal(elf.function_count, 1);
	assert_int_equal(vdso_elf_function(&elf, "__vdso_clock_gettime"), -1);
}

static void test_without_sections(void **state)
{
	(void)state;
	elf_image_make(&image, 0);
	image.header.e_shoff = 0;
	image.header.e_shnum = 0;
	assert_good();
	assert_int_equal(elf.alternatives_bytes, 0);
}

static void test_without_alternatives(void **state)
{
	(void)state;
	elf_image_make(&image, 0);
	image.section[ELF_IMAGE_ALTERNATIVES].sh_name = 1;
	assert_good();
	assert_int_equal(elf.alternatives_bytes, 0);
}

/* Relocation tables of no size are what some linkers leave. */
static void test_empty_relocations(void **state)
{
	(void)state;
	elf_image_make(&image, 0);
	image.entry[ELF_IMAGE_OTHER].d_tag = DT_RELASZ;
	image.entry[ELF_IMAGE_OTHER].d_un.d_val = 0;
	assert_good();
}

static void test_most_functions(void **state)
{
	(void)state;
	elf_image_make(&image, 0);
	/* All but the first, the version and the imported one are functions. */
	image.hash.symbols = VDSO_ELF_MAX_FUNCTIONS + 3;
	assert_int_equal(parse(), 0);
	assert_int_equal(elf.function_count, VDSO_ELF_MAX_FUNCTIONS);
}

/* At every alignment the same; the address sanitizer sees to the byte behind each copy. */
static void test_any_alignment(void **state)
{
	(void)state;
	elf_image_make(&image, 0);
	for (size_t shift = 0; shift < 16; shift++) {
		u8 *room = malloc(shift + sizeof(image));

		assert_non_null(room);
		memcpy(room + shift, &image, sizeof(image));
		assert_int_equal(parse_and_use(room + shift, sizeof(image)), 0);
		assert_ptr_equal(elf.bytes, room + shift);
		free(room);
	}
}

#define PAGE_AND_A_HALF ((ElfW(Addr))sysconf(_SC_PAGESIZE) * 3 / 2)

/* Each breaks a good image in one place. */
static void not_elf(void)
{
	image.header.e_ident[EI_MAG3] = 'E';
}

static void other_class(void)
{
	image.header.e_ident[EI_CLASS] = sizeof(BASE) == 8 ? ELFCLASS32 : ELFCLASS64;
}

static void other_byte_order(void)
{
	image.header.e_ident[EI_DATA] ^= ELFDATA2LSB ^ ELFDATA2MSB;
}

static void other_machine(void)
{
	image.header.e_machine = EM_SPARCV9;
}

static void program(void)
{
	image.header.e_type = ET_EXEC;
}

static void program_headers_of_another_size(void)
{
	image.header.e_phentsize++;
}

static void program_headers_outside(void)
{
	image.header.e_phoff = sizeof(image) - 3 * sizeof(image.load) + 1;
}

static void program_headers_far_outside(void)
{
	image.header.e_phoff = (ElfW(Off)) - 1;
}

static void too_many_program_headers(void)
{
	image.header.e_phnum = 0xffff;
}

static void no_program_headers(void)
{
	image.header.e_phnum = 0;
}

static void nothing_to_load(void)
{
	image.load.p_type = PT_NULL;
}

static void two_segments(void)
{
	image.spare = image.load;
}

static void writable(void)
{
	image.load.p_flags |= PF_W;
}

static void not_executable(void)
{
	image.load.p_flags = PF_R;
}

static void not_readable(void)
{
	image.load.p_flags = PF_X;
}

static void segment_without_header(void)
{
	image.load.p_offset = 64;
}

static void segment_smaller_than_header(void)
{
	image.load.p_filesz = image.load.p_memsz = sizeof(image.header) - 1;
}

static void base_within_a_page(void)
{
	elf_image_make(&image, PAGE_AND_A_HALF);
}

static void segment_larger_than_file(void)
{
	image.load.p_filesz = image.load.p_memsz = sizeof(image) + 1;
}

static void segment_of_any_size(void)
{
	image.load.p_filesz = image.load.p_memsz = (ElfW(Addr)) - 1;
}

static void more_memory_than_file(void)
{
	image.load.p_memsz++;
}

static void no_dynamic_section(void)
{
	elf_image_make(&image, BASE);
	image.dynamic.p_type = PT_NULL;
}

static void empty_dynamic_section(void)
{
	image.dynamic.p_filesz = 0;
}

static void dynamic_section_outside(void)
{
	image.dynamic.p_vaddr = image.load.p_filesz - 8;
}

static void dynamic_section_before_base(void)
{
	elf_image_make(&image, BASE);
	image.dynamic.p_vaddr = BASE - sizeof(image.entry[0]);
}

static void dynamic_section_too_long(void)
{
	image.dynamic.p_filesz = image.load.p_filesz;
}

static void no_symbol_table(void)
{
	image.entry[ELF_IMAGE_SYMTAB].d_tag = DT_DEBUG;
}

static void no_string_table(void)
{
	image.entry[ELF_IMAGE_STRTAB].d_tag = DT_DEBUG;
}

static void no_hash_table(void)
{
	image.entry[ELF_IMAGE_HASH].d_tag = DT_DEBUG;
	image.entry[ELF_IMAGE_GNU_HASH].d_tag = DT_DEBUG;
}

static void ends_before_hash_table(void)
{
	image.entry[ELF_IMAGE_HASH].d_tag = DT_NULL;
}

static void add_other(s32 tag)
{
	image.entry[ELF_IMAGE_OTHER].d_tag = tag;
	image.entry[ELF_IMAGE_OTHER].d_un.d_val = sizeof(BASE);
}

static void rel(void)
{
	add_other(DT_RELSZ);
}

static void rela(void)
{
	add_other(DT_RELASZ);
}

static void relr(void)
{
	add_other(DT_RELRSZ);
}

static void jmprel(void)
{
	add_other(DT_PLTRELSZ);
}

static void hash_outside(void)
{
	image.entry[ELF_IMAGE_HASH].d_un.d_ptr = ELF_IMAGE_SEGMENT_BYTES - 7;
}

static void hash_tells_of_too_many(void)
{
	image.hash.symbols = UINT32_MAX;
}

static void symbol_table_ends_outside(void)
{
	image.entry[ELF_IMAGE_SYMTAB].d_un.d_ptr =
		ELF_IMAGE_SEGMENT_BYTES - ELF_IMAGE_FEW * sizeof(image.symbol[0]) + 1;
}

static void use_gnu_hash(void)
{
	image.entry[ELF_IMAGE_HASH].d_tag = DT_DEBUG;
}

static void gnu_hash_outside(void)
{
	use_gnu_hash();
	image.entry[ELF_IMAGE_GNU_HASH].d_un.d_ptr = ELF_IMAGE_SEGMENT_BYTES - 15;
}

static void gnu_hash_with_a_long_filter(void)
{
	use_gnu_hash();
	image.gnu_hash.bloom_words = UINT32_MAX;
}

static void gnu_hash_with_many_buckets(void)
{
	use_gnu_hash();
	image.gnu_hash.buckets = UINT32_MAX;
}

static void gnu_hash_with_a_far_bucket(void)
{
	use_gnu_hash();
	image.gnu_hash.bucket[1] = UINT32_MAX;
}

/* From the table's last entry on no word in the segment is odd, so the chain leads out of it. */
static void gnu_hash_without_an_end(void)
{
	use_gnu_hash();
	image.gnu_hash.chain[3] = 0;
	memset(image.names, 2, ELF_IMAGE_SEGMENT_BYTES - ELF_IMAGE_OFFSET(names));
}

static void names_outside(void)
{
	image.entry[ELF_IMAGE_STRTAB].d_un.d_ptr =
		ELF_IMAGE_SEGMENT_BYTES - sizeof(image.names) + 1;
}

static void names_without_an_end(void)
{
	image.entry[ELF_IMAGE_STRSZ].d_un.d_val = (ElfW(Addr)) - 1;
}

static void name_outside(void)
{
	image.symbol[3].st_name = sizeof(image.names);
}

static void name_cut_off(void)
{
	image.entry[ELF_IMAGE_STRSZ].d_un.d_val = ELF_IMAGE_NAME_VERSION - 1;
}

static void function_outside(void)
{
	image.symbol[1].st_value = ELF_IMAGE_SEGMENT_BYTES;
}

static void function_before_base(void)
{
	elf_image_make(&image, BASE);
	image.symbol[1].st_value = BASE - 1;
}

static void one_function_too_many(void)
{
	image.hash.symbols = VDSO_ELF_MAX_FUNCTIONS + 4;
}

static void no_functions(void)
{
	image.hash.symbols = 1;
}

static void sections_outside(void)
{
	image.header.e_shoff++;
}

static void sections_far_outside(void)
{
	image.header.e_shoff = (ElfW(Off)) - 8;
}

static void sections_uncounted(void)
{
	image.header.e_shnum = 0;
}

static void sections_of_another_size(void)
{
	image.header.e_shentsize--;
}

static void no_section_names(void)
{
	image.header.e_shstrndx = SHN_UNDEF;
}

static void section_names_from_nowhere(void)
{
	image.header.e_shstrndx = ELF_IMAGE_SECTIONS;
}

static void section_name_outside(void)
{
	image.section[ELF_IMAGE_TEXT].sh_name = sizeof(image.section_names);
}

static void section_names_outside(void)
{
	image.section[ELF_IMAGE_SECTION_NAMES].sh_offset = sizeof(image) - 8;
}

static void alternatives_behind_segment(void)
{
	image.section[ELF_IMAGE_ALTERNATIVES].sh_addr =
		ELF_IMAGE_SEGMENT_BYTES - sizeof(image.alternatives) + 1;
}

static void alternatives_before_base(void)
{
	elf_image_make(&image, BASE);
	image.section[ELF_IMAGE_ALTERNATIVES].sh_addr = 0;
}

static void alternatives_of_any_size(void)
{
	image.section[ELF_IMAGE_ALTERNATIVES].sh_size = (ElfW(Addr)) - 1;
}

static void alternatives_that_are_not_there(void)
{
	image.section[ELF_IMAGE_ALTERNATIVES].sh_type = SHT_NOBITS;
}

static const struct {
	const char *name;
	void (*spoil)(void);
	const char *sentence;
} refusals[] = {
#define REFUSAL(spoil, sentence)        \
	{                               \
#spoil, spoil, sentence \
	}
	REFUSAL(not_elf, "is no ELF file"),
	REFUSAL(other_class, "-bit one, as this build of contend is"),
	REFUSAL(other_byte_order, "byte order is not this machine's"),
	REFUSAL(other_machine, "is for machine number 43, not for "),
	REFUSAL(program, "is no shared object"),
	REFUSAL(program_headers_of_another_size, "program headers point outside"),
	REFUSAL(program_headers_outside, "program headers point outside"),
	REFUSAL(program_headers_far_outside, "program headers point outside"),
	REFUSAL(too_many_program_headers, "program headers point outside"),
	REFUSAL(no_program_headers, "has 0 segments to load, a vDSO has one"),
	REFUSAL(nothing_to_load, "has 0 segments to load, a vDSO has one"),
	REFUSAL(two_segments, "has 2 segments to load, a vDSO has one"),
	REFUSAL(writable, "segment is writable"),
	REFUSAL(not_executable, "segment is not readable and executable"),
	REFUSAL(not_readable, "segment is not readable and executable"),
	REFUSAL(segment_without_header, "segment does not begin with the ELF header"),
	REFUSAL(segment_smaller_than_header, "segment does not begin with the ELF header"),
	REFUSAL(base_within_a_page, "segment does not begin with the ELF header"),
	REFUSAL(segment_larger_than_file, "is cut short: its segment ends outside of it"),
	REFUSAL(segment_of_any_size, "is cut short: its segment ends outside of it"),
	REFUSAL(more_memory_than_file, "segment needs memory that is not in it"),
	REFUSAL(no_dynamic_section, "has no dynamic symbols"),
	REFUSAL(empty_dynamic_section, "has no dynamic symbols"),
	REFUSAL(dynamic_section_outside, "dynamic section points outside"),
	REFUSAL(dynamic_section_before_base, "dynamic section points outside"),
	REFUSAL(dynamic_section_too_long, "dynamic section points outside"),
	REFUSAL(no_symbol_table, "has no dynamic symbols"),
	REFUSAL(no_string_table, "has no dynamic symbols"),
	REFUSAL(no_hash_table, "has no dynamic symbols"),
	REFUSAL(ends_before_hash_table, "has no dynamic symbols"),
	REFUSAL(rel, "needs relocations"),
	REFUSAL(rela, "needs relocations"),
	REFUSAL(relr, "needs relocations"),
	REFUSAL(jmprel, "needs relocations"),
	REFUSAL(hash_outside, "symbol tables point outside"),
	REFUSAL(hash_tells_of_too_many, "symbol tables point outside"),
	REFUSAL(symbol_table_ends_outside, "symbol tables point outside"),
	REFUSAL(gnu_hash_outside, "symbol tables point outside"),
	REFUSAL(gnu_hash_with_a_long_filter, "symbol tables point outside"),
	REFUSAL(gnu_hash_with_many_buckets, "symbol tables point outside"),
	REFUSAL(gnu_hash_with_a_far_bucket, "symbol tables point outside"),
	REFUSAL(gnu_hash_without_an_end, "symbol tables point outside"),
	REFUSAL(names_outside, "symbol tables point outside"),
	REFUSAL(names_without_an_end, "symbol tables point outside"),
	REFUSAL(name_outside, "symbols point outside"),
	REFUSAL(name_cut_off, "symbols point outside"),
	REFUSAL(function_outside, "symbols point outside"),
	REFUSAL(function_before_base, "symbols point outside"),
	REFUSAL(one_function_too_many, "has more than 64 functions"),
	REFUSAL(no_functions, "has no functions"),
	REFUSAL(sections_outside, "section headers point outside"),
	REFUSAL(sections_far_outside, "section headers point outside"),
	REFUSAL(sections_uncounted, "section headers point outside"),
	REFUSAL(sections_of_another_size, "section headers point outside"),
	REFUSAL(no_section_names, "section names point outside"),
	REFUSAL(section_names_from_nowhere, "section names point outside"),
	REFUSAL(section_name_outside, "section names point outside"),
	REFUSAL(section_names_outside, "section names point outside"),
	REFUSAL(alternatives_behind_segment, ".altinstructions lie outside"),
	REFUSAL(alternatives_before_base, ".altinstructions lie outside"),
	REFUSAL(alternatives_of_any_size, ".altinstructions lie outside"),
	REFUSAL(alternatives_that_are_not_there, ".altinstructions lie outside"),
#undef REFUSAL
};

static void test_refusals(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		elf_image_make(&image, 0);
		refusals[i].spoil();
		if (parse() == 0)
			fail_msg("%s is not refused", refusals[i].name);
		if (strncmp(err.text, "the image", 9) != 0 ||
		    !strstr(err.text, refusals[i].sentence) || strchr(err.text, '\n'))
			fail_msg("%s is refused like this: %s", refusals[i].name, err.text);
	}
}

static void test_too_large(void **state)
{
	size_t size = VDSO_ELF_MAX_BYTES + 1;
	u8 *large = calloc(1, size);

	(void)state;
	assert_non_null(large);
	elf_image_make(&image, 0);
	memcpy(large, &image, sizeof(image));
	assert_int_equal(parse_and_use(large, size - 1), 0);
	assert_int_equal(parse_and_use(large, size), -1);
	assert_non_null(strstr(err.text, "has 1048577 bytes, and a vDSO image at most 1048576"));
	free(large);
}

/* Cut at each byte: with sections, which come last, no part will do; without, the segment will. */
static void test_truncated(void **state)
{
	(void)state;
	for (int sections = 0; sections < 2; sections++) {
		elf_image_make(&image, 0);
		if (!sections)
			image.header.e_shoff = 0;
		for (size_t size = 0; size < sizeof(image); size++) {
			bool whole = !sections && size >= ELF_IMAGE_SEGMENT_BYTES;
			u8 *exact = malloc(size ? size : 1);

			assert_non_null(exact);
			memcpy(exact, &image, size);
			assert_int_equal(parse_and_use(exact, size), whole ? 0 : -1);
			assert_int_equal(parse_and_use(before_fence(&image, size), size),
					 whole ? 0 : -1);
			free(exact);
		}
	}
	elf_image_make(&image, 0);
	assert_int_equal(parse_and_use(before_fence(&image, 0), 0), -1);
	assert_non_null(strstr(err.text, "is no ELF file"));
	assert_int_equal(parse_and_use(before_fence(&image, SELFMAG), SELFMAG), -1);
	assert_non_null(strstr(err.text, "ends within its ELF header"));
}

/* Each byte of a good image in turn becomes each of these. Refused or not, nothing else is read. */
static void test_any_byte_may_be_wrong(void **state)
{
	static const u8 wrong[] = {0x00, 0x01, 0x02, 0x7f, 0x80, 0xff};
	size_t refused = 0, parsed = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		for (size_t at = 0; at < sizeof(image); at++) {
			elf_image_make(&image, BASE);
			if (at % 2)
				use_gnu_hash();
			((u8 *)&image)[at] = wrong[i];
			if (parse() == 0)
				parsed++;
			else
				refused++;
		}
	}
	/* Most bytes are of no consequence, but hundreds are. */
	assert_true(parsed > 0);
	assert_true(refused > 500);
}

#if defined(__x86_64__) || defined(__i386__)
#define HOST_FUNCTION "__vdso_clock_gettime"
#else
#define HOST_FUNCTION "__kernel_clock_gettime"
#endif

/* And what is said to be its clock_gettime is that. */
static void test_host_image(void **state)
{
	int (*host_clock_gettime)(clockid_t, struct timespec *);
	struct timespec before = {0, 0}, now = {0, 0};
	const u8 *bytes = NULL;
	size_t size = 0;

	(void)state;
	if (!find_host_image(&bytes, &size))
		skip();
	if (vdso_elf_parse(bytes, size, &elf, &err) != 0)
		fail_msg("%s", err.text);
	assert_true(elf.segment_bytes <= size);
	assert_true(vdso_elf_function(&elf, HOST_FUNCTION) > 0);

	host_clock_gettime = (int (*)(clockid_t, struct timespec *))(
		uintptr_t)(bytes + vdso_elf_function(&elf, HOST_FUNCTION));
	assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &before), 0);
	assert_int_equal(host_clock_gettime(CLOCK_MONOTONIC, &now), 0);
	assert_true(now.tv_sec > before.tv_sec ||
		    (now.tv_sec == before.tv_sec && now.tv_nsec >= before.tv_nsec));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_image),
		cmocka_unit_test(test_base_that_is_not_0),
		cmocka_unit_test(test_either_hash_table_will_do),
		cmocka_unit_test(test_gnu_hash_of_nothing),
		cmocka_unit_test(test_functions_without_a_type),
		cmocka_unit_test(test_data_is_no_function),
		cmocka_unit_test(test_without_sections),
		cmocka_unit_test(test_without_alternatives),
		cmocka_unit_test(test_empty_relocations),
		cmocka_unit_test(test_most_functions),
		cmocka_unit_test(test_any_alignment),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_any_byte_may_be_wrong),
		cmocka_unit_test(test_host_image),
	};

	return cmocka_run_group_tests(tests, raise_fence, NULL);
}
