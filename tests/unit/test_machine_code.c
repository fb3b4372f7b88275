// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ELF file of one reader: a sound one, broken in one place at a time. Nothing that a file says
 * of itself is believed: the copy that is opened ends where no memory is.
 */
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "readers/machine_code.h"
#include "readers/placement.h"
#include "readers/variation.h"
#include "sim/bounds.h"

#define ROOM (64 * SIM_PAGE_BYTES)

static u8 *room;    /* ROOM bytes, then a page that nobody may touch */
static u8 *file;    /* in it: the copy at hand */
static size_t size; /* of the sound one, with zeros behind it, for all of it to be aligned */
static struct machine_code code;
static struct errmsg err;

static size_t bytes_of(const struct variation *v)
{
	return (size_t)(v->elf_end - v->elf);
}

static size_t aligned_bytes(const struct variation *v)
{
	return (bytes_of(v) + 7) & ~(size_t)7;
}

static int make_room(void **state)
{
	(void)state;
	room = mmap(NULL, ROOM + SIM_PAGE_BYTES, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (room == MAP_FAILED)
		return -1;
	size = aligned_bytes(&variations[0]);
	return mprotect(room + ROOM, SIM_PAGE_BYTES, PROT_NONE) || size > ROOM ? -1 : 0;
}

/* The first `bytes` of a sound file. */
static void copy_of(const struct variation *v, size_t bytes)
{
	file = room + ROOM - bytes;
	memset(file, 0, bytes);
	memcpy(file, v->elf, bytes < bytes_of(v) ? bytes : bytes_of(v));
}

static void copy(size_t bytes)
{
	copy_of(&variations[0], bytes);
}

static ElfW(Ehdr) * header(void)
{
	return (ElfW(Ehdr) *)(void *)file;
}

static ElfW(Shdr) * section_by_number(unsigned int number)
{
	return (ElfW(Shdr) *)(void *)(file + header()->e_shoff) + number;
}

static char *name_of(const ElfW(Shdr) * section)
{
	return (char *)file + section_by_number(header()->e_shstrndx)->sh_offset + section->sh_name;
}

/* NULL: there is none. */
static ElfW(Shdr) * find_section(const char *name)
{
	for (unsigned int number = 1; number < header()->e_shnum; number++)
		if (strcmp(name_of(section_by_number(number)), name) == 0)
			return section_by_number(number);
	return NULL;
}

static ElfW(Shdr) * section(const char *name)
{
	ElfW(Shdr) *found = find_section(name);

	assert_non_null(found);
	return found;
}

/* Whatever was opened lies within the file. */
static void check_bounds(size_t bytes)
{
	assert_true(code.image >= file);
	assert_true(lies_within((u64)(code.image - file), code.bytes, bytes));
	assert_true(code.bytes > 0 && code.bytes <= MACHINE_CODE_MAX_BYTES);
	assert_true(code.text <= code.entry && code.entry < code.bytes);
	assert_true(code.step >= 4 && code.step <= MACHINE_CODE_MAX_STEP);
	assert_int_equal(code.step & (code.step - 1), 0);
	assert_true(strlen(code.compiler) < sizeof(code.compiler));
}

static void check_accepted(void)
{
	if (machine_code_open(&code, file, size, &err))
		fail_msg("refused: %s", err.text);
	check_bounds(size);
}

static void check_refused(const char *why)
{
	static const struct machine_code none;

	memset(&err, 0, sizeof(err));
	memset(&code, 0x5a, sizeof(code));
	if (machine_code_open(&code, file, size, &err) != -1)
		fail_msg("accepted, where it says \"%s\"", why);
	if (!strstr(err.text, why))
		fail_msg("\"%s\" does not say \"%s\"", err.text, why);
	/* Nobody may come to give back the file by it. */
	assert_memory_equal(&code, &none, sizeof(none));
}

static void test_sound(void **state)
{
	(void)state;
	for (int i = 0; i < variation_count; i++) {
		size = aligned_bytes(&variations[i]);
		copy_of(&variations[i], size);
		check_accepted();
		assert_int_equal(code.step, 4);
		assert_int_equal(machine_code_text_bytes(&code), section(".text")->sh_size);
		assert_ptr_equal(code.image + code.text, file + section(".text")->sh_offset);
		assert_true(code.runs_here);
		assert_true(strstr(code.compiler, "GCC") || strstr(code.compiler, "clang"));
	}
	size = aligned_bytes(&variations[0]);
}

static void test_no_elf(void **state)
{
	const size_t sound = size;

	(void)state;
	copy(size);
	file[0] = 'x';
	check_refused("no ELF file");
	copy(size);
	memcpy(file, "!<arch>\n", 8);
	check_refused("no ELF file");
	size = 5;
	file = room + ROOM - size;
	memcpy(file, "int x", size);
	check_refused("no ELF file");
	size = 0;
	file = room + ROOM;
	check_refused("no ELF file");
	size = sound;
}

static void test_kind_of_file(void **state)
{
	static const ElfW(Half) types[] = {ET_NONE, ET_REL, ET_EXEC, ET_CORE};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		copy(size);
		header()->e_type = types[i];
		check_refused("position-independent executable");
	}
	copy(size);
	header()->e_shnum = 0;
	header()->e_shoff = 0;
	check_refused("it");
}

/* It can be looked at, but not run. */
static void test_other_machine(void **state)
{
	struct placement placement;

	(void)state;
	copy(size);
	header()->e_machine = header()->e_machine == EM_SPARC ? EM_MIPS : EM_SPARC;
	check_accepted();
	assert_false(code.runs_here);
	assert_int_equal(placement_make(&placement, &code, 0, &err), -1);
	assert_non_null(strstr(err.text, "for another machine"));
}

/* A section of that name, as if a compiler had made it. */
static ElfW(Shdr) * add_section(const char *name, ElfW(Xword) bytes)
{
	ElfW(Shdr) * added;

	copy(size);
	added = section(".comment");
	assert_true(strlen(name) <= strlen(".comment"));
	strcpy(name_of(added), name);
	added->sh_flags = SHF_ALLOC;
	added->sh_size = (__typeof__(added->sh_size))bytes;
	return added;
}

static void test_what_a_copy_would_not_have(void **state)
{
	static const struct {
		const char *section, *why;
	} wrong[] = {
		{".data", "variables of its own"},  {".tdata", "variables of its own"},
		{".tbss", "variables of its own"},  {".rel.dyn", "holds addresses"},
		{".rela.x", "holds addresses"},	    {".got", "holds addresses"},
		{".got.plt", "holds addresses"},    {".bss", "a section .bss"},
		{".init", "a section .init"},	    {".plt", "a section .plt"},
		{".text", "two sections .text"},    {"", "a section "},
		{".lrodata", "a section .lrodata"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		add_section(wrong[i].section, 28);
		check_refused(wrong[i].why);
		/* What is not loaded, or is empty, is nobody's. */
		add_section(wrong[i].section, 28)->sh_flags = 0;
		check_accepted();
		add_section(wrong[i].section, 0);
		check_accepted();
	}
}

/* Words that the linker keeps for itself in a table that is not used. */
static void test_reserved_words(void **state)
{
	const ElfW(Xword) words = 3 * sizeof(ElfW(Addr));

	(void)state;
	add_section(".got.plt", words);
	check_accepted();
	add_section(".got.plt", words + 1);
	check_refused("holds addresses");
#if defined(__x86_64__) || defined(__i386__)
	add_section(".got", sizeof(ElfW(Addr)));
	check_refused("holds addresses");
#endif
}

static void test_text_elsewhere(void **state)
{
	/* What is added to where it lies, in the file and in memory, and how long it is. */
	static const struct {
		u64 offset, address, bytes;
	} wrong[] = {
		{ROOM, 0, 0},
		{UINT64_MAX / 2, 0, 0},
		{0, 0, ROOM},
		{0, 0, UINT64_MAX - 4096},
		{0, 0, UINT64_MAX / 2},
		{0, 4096, 0}, /* the image would begin before the file */
		{0, MACHINE_CODE_MAX_BYTES, 0},
		{0, UINT64_MAX - 63, 0},
		{0, UINT32_MAX + 1ull, 0},
		{MACHINE_CODE_MAX_BYTES, MACHINE_CODE_MAX_BYTES, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		ElfW(Shdr) * text;

		/* Not all of them can be said in 32 bits. */
		if ((wrong[i].offset | wrong[i].address | wrong[i].bytes) > (ElfW(Addr)) - 1)
			continue;
		copy(size);
		text = section(".text");
		text->sh_offset += (__typeof__(text->sh_offset))wrong[i].offset;
		text->sh_addr += (__typeof__(text->sh_addr))wrong[i].address;
		text->sh_size += (__typeof__(text->sh_size))wrong[i].bytes;
		check_refused("not where the linker script puts it");
	}
	copy(size);
	section(".text")->sh_type = SHT_NOBITS;
	check_refused("not where the linker script puts it");
	copy(size);
	section(".text")->sh_size = 0;
	check_refused("no code");
	copy(size);
	section(".text")->sh_flags = 0;
	check_refused("no code");
}

/* A file with constants: those that it has, or the first part of its text. */
static ElfW(Shdr) * make_constants(void)
{
	ElfW(Shdr) * constants, *text;

	copy(size);
	if (find_section(".rodata"))
		return section(".rodata");
	constants = add_section(".rodata", 32);
	text = section(".text");
	constants->sh_offset = text->sh_offset;
	constants->sh_addr = text->sh_addr;
	text->sh_offset += 32;
	text->sh_addr += 32;
	text->sh_size -= 32;
	header()->e_entry += header()->e_entry < 32 ? 32 : 0;
	return constants;
}

static void test_constants(void **state)
{
	ElfW(Shdr) * constants;

	(void)state;
	make_constants();
	check_accepted();
	assert_int_equal(code.text, section(".text")->sh_addr);
	for (u32 align = 1; align <= MACHINE_CODE_MAX_STEP; align *= 2) {
		make_constants()->sh_addralign = align;
		check_accepted();
		assert_true(code.step >= align);
	}
	make_constants()->sh_addralign = 2 * MACHINE_CODE_MAX_STEP;
	check_refused("aligned to 8192 bytes");
	make_constants()->sh_addralign = 48;
	check_refused("aligned to 48 bytes");
	make_constants()->sh_offset += 8;
	check_refused("not where the linker script puts it");
	make_constants()->sh_addr += 8;
	check_refused("not where the linker script puts it");
	constants = make_constants();
	constants->sh_size = section(".text")->sh_addr + 1;
	check_refused("not where the linker script puts it");
	make_constants()->sh_type = SHT_NOBITS;
	check_refused("not where the linker script puts it");
	make_constants()->sh_offset = (__typeof__(header()->e_shoff))UINT64_MAX;
	check_refused("not where the linker script puts it");
}

static void test_entry_outside(void **state)
{
	const u64 end = (copy(size), section(".text")->sh_addr + section(".text")->sh_size);

	(void)state;
	header()->e_entry = (__typeof__(header()->e_entry))(end - 1);
	check_accepted();
	header()->e_entry = (__typeof__(header()->e_entry))end;
	check_refused("entry is not in its code");
	header()->e_entry = (__typeof__(header()->e_entry))UINT64_MAX;
	check_refused("entry is not in its code");
	make_constants();
	header()->e_entry = section(".text")->sh_addr - 1;
	check_refused("entry is not in its code");
}

static void test_truncated_at_every_length(void **state)
{
	const size_t sound = size;

	(void)state;
	for (size_t bytes = 0; bytes < sound; bytes++) {
		copy(bytes);
		memset(&err, 0, sizeof(err));
		if (!machine_code_open(&code, file, bytes, &err))
			check_bounds(bytes);
		else
			assert_true(err.text[0] && !strchr(err.text, '\n'));
	}
}

static void check_damaged(size_t from, size_t bytes)
{
	static const u8 masks[] = {0x01, 0x02, 0x08, 0x40, 0x80, 0xff};

	for (size_t i = from; i < from + bytes; i++) {
		for (size_t j = 0; j < ARRAY_SIZE(masks); j++) {
			copy(size);
			file[i] ^= masks[j];
			if (!machine_code_open(&code, file, size, &err))
				check_bounds(size);
		}
	}
}

/* All that is looked at: the header, the sections' headers, their names. */
static void test_every_byte_damaged(void **state)
{
	const ElfW(Shdr) * names;

	(void)state;
	copy(size);
	names = section_by_number(header()->e_shstrndx);
	check_damaged(names->sh_offset, names->sh_size);
	check_damaged(0, sizeof(ElfW(Ehdr)));
	copy(size);
	check_damaged(header()->e_shoff, header()->e_shnum * sizeof(ElfW(Shdr)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sound),
		cmocka_unit_test(test_no_elf),
		cmocka_unit_test(test_kind_of_file),
		cmocka_unit_test(test_other_machine),
		cmocka_unit_test(test_what_a_copy_would_not_have),
		cmocka_unit_test(test_reserved_words),
		cmocka_unit_test(test_text_elsewhere),
		cmocka_unit_test(test_constants),
		cmocka_unit_test(test_entry_outside),
		cmocka_unit_test(test_truncated_at_every_length),
		cmocka_unit_test(test_every_byte_damaged),
	};

	return cmocka_run_group_tests(tests, make_room, NULL);
}
