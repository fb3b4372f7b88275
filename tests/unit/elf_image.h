/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small vDSO image, put together field by field, for tests that then break one of them. It is of
 * the class and for the machine that the test is built for. Its code does nothing.
 */
#ifndef TESTS_UNIT_ELF_IMAGE_H
#define TESTS_UNIT_ELF_IMAGE_H

#include <link.h>
#include <string.h>

#include "sim/types.h"

#if defined(__x86_64__)
#define ELF_IMAGE_MACHINE EM_X86_64
#elif defined(__i386__)
#define ELF_IMAGE_MACHINE EM_386
#elif defined(__aarch64__)
#define ELF_IMAGE_MACHINE EM_AARCH64
#elif defined(__arm__)
#define ELF_IMAGE_MACHINE EM_ARM
#elif defined(__riscv)
#define ELF_IMAGE_MACHINE EM_RISCV
#elif defined(__powerpc64__)
#define ELF_IMAGE_MACHINE EM_PPC64
#endif

#define ELF_IMAGE_SYMBOLS      80 /* room; the hash tables tell of ELF_IMAGE_FEW of them */
#define ELF_IMAGE_FEW	       5
#define ELF_IMAGE_CLOCK	       16 /* offsets of the two functions within the code */
#define ELF_IMAGE_GETCPU       32
#define ELF_IMAGE_NAMES	       "\0__vdso_clock_gettime\0__vdso_getcpu\0LINUX_2.6\0imported"
#define ELF_IMAGE_NAME_GETCPU  22
#define ELF_IMAGE_NAME_VERSION 36
#define ELF_IMAGE_NAME_IMPORT  46

/* Entries of the dynamic section, and sections, by their index. */
enum elf_image_dynamic {
	ELF_IMAGE_SYMTAB,
	ELF_IMAGE_STRTAB,
	ELF_IMAGE_STRSZ,
	ELF_IMAGE_HASH,
	ELF_IMAGE_GNU_HASH,
	ELF_IMAGE_OTHER,
	ELF_IMAGE_DYNAMICS = ELF_IMAGE_OTHER + 2 /* and the end */
};

enum elf_image_section {
	ELF_IMAGE_TEXT = 1,
	ELF_IMAGE_ALTERNATIVES,
	ELF_IMAGE_SECTION_NAMES,
	ELF_IMAGE_SECTIONS
};

struct elf_image {
	ElfW(Ehdr) header;
	ElfW(Phdr) load, dynamic, spare;
	ElfW(Dyn) entry[ELF_IMAGE_DYNAMICS];
	ElfW(Sym) symbol[ELF_IMAGE_SYMBOLS];
	struct {
		u32 buckets, symbols, bucket[1], chain[ELF_IMAGE_FEW];
	} hash;
	struct {
		u32 buckets, first_symbol, bloom_words, bloom_shift;
		ElfW(Addr) bloom[1];
		u32 bucket[2], chain[ELF_IMAGE_FEW - 1];
	} gnu_hash;
	char names[sizeof(ELF_IMAGE_NAMES)];
	u8 code[64];
	u8 alternatives[14];
	u8 replacements[16];
	/* The segment ends here; the rest is in the file alone. */
	char section_names[32];
	ElfW(Shdr) section[ELF_IMAGE_SECTIONS];
};

#define ELF_IMAGE_OFFSET(field) offsetof(struct elf_image, field)
#define ELF_IMAGE_SEGMENT_BYTES ELF_IMAGE_OFFSET(section_names)

static inline void elf_image_headers(struct elf_image *image, ElfW(Addr) base)
{
	memcpy(image->header.e_ident, ELFMAG, SELFMAG);
	image->header.e_ident[EI_CLASS] = sizeof(base) == 8 ? ELFCLASS64 : ELFCLASS32;
	image->header.e_ident[EI_DATA] =
		__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	image->header.e_ident[EI_VERSION] = EV_CURRENT;
	image->header.e_type = ET_DYN;
	image->header.e_machine = ELF_IMAGE_MACHINE;
	image->header.e_version = EV_CURRENT;
	image->header.e_ehsize = sizeof(image->header);
	image->header.e_phoff = ELF_IMAGE_OFFSET(load);
	image->header.e_phentsize = sizeof(image->load);
	image->header.e_phnum = 3;
	image->header.e_shoff = ELF_IMAGE_OFFSET(section);
	image->header.e_shentsize = sizeof(image->section[0]);
	image->header.e_shnum = ELF_IMAGE_SECTIONS;
	image->header.e_shstrndx = ELF_IMAGE_SECTION_NAMES;

	image->load.p_type = PT_LOAD;
	image->load.p_flags = PF_R | PF_X;
	image->load.p_vaddr = base;
	image->load.p_filesz = ELF_IMAGE_SEGMENT_BYTES;
	image->load.p_memsz = ELF_IMAGE_SEGMENT_BYTES;
	image->dynamic.p_type = PT_DYNAMIC;
	image->dynamic.p_offset = ELF_IMAGE_OFFSET(entry);
	image->dynamic.p_vaddr = base + ELF_IMAGE_OFFSET(entry);
	image->dynamic.p_filesz = sizeof(image->entry);
	image->spare.p_type = PT_NOTE;
}

static inline void elf_image_dynamic(struct elf_image *image, ElfW(Addr) base)
{
	const ElfW(Dyn) entries[ELF_IMAGE_DYNAMICS] = {
		[ELF_IMAGE_SYMTAB] = {DT_SYMTAB, {base + ELF_IMAGE_OFFSET(symbol)}},
		[ELF_IMAGE_STRTAB] = {DT_STRTAB, {base + ELF_IMAGE_OFFSET(names)}},
		[ELF_IMAGE_STRSZ] = {DT_STRSZ, {sizeof(image->names)}},
		[ELF_IMAGE_HASH] = {DT_HASH, {base + ELF_IMAGE_OFFSET(hash)}},
		[ELF_IMAGE_GNU_HASH] = {DT_GNU_HASH, {base + ELF_IMAGE_OFFSET(gnu_hash)}},
		[ELF_IMAGE_OTHER] = {DT_FLAGS, {DF_SYMBOLIC}},
	};

	memcpy(image->entry, entries, sizeof(entries));
}

/* Of the symbols told of, two are functions; one is a version, one comes from elsewhere. */
static inline void elf_image_symbols(struct elf_image *image, ElfW(Addr) base)
{
	u8 function = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);

	for (size_t i = 0; i < ELF_IMAGE_SYMBOLS; i++) {
		image->symbol[i].st_name = 1;
		image->symbol[i].st_info = function;
		image->symbol[i].st_shndx = ELF_IMAGE_TEXT;
		image->symbol[i].st_value = base + ELF_IMAGE_OFFSET(code) + ELF_IMAGE_CLOCK;
	}
	memset(&image->symbol[0], 0, sizeof(image->symbol[0]));
	image->symbol[2].st_name = ELF_IMAGE_NAME_VERSION;
	image->symbol[2].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
	image->symbol[2].st_shndx = SHN_ABS;
	image->symbol[2].st_value = 0;
	image->symbol[3].st_name = ELF_IMAGE_NAME_GETCPU;
	image->symbol[3].st_value = base + ELF_IMAGE_OFFSET(code) + ELF_IMAGE_GETCPU;
	image->symbol[4].st_name = ELF_IMAGE_NAME_IMPORT;
	image->symbol[4].st_shndx = SHN_UNDEF;
	image->symbol[4].st_value = 0;
	memcpy(image->names, ELF_IMAGE_NAMES, sizeof(image->names));

	image->hash.buckets = 1;
	image->hash.symbols = ELF_IMAGE_FEW;
	/* Two buckets of two symbols each, the second one first. */
	image->gnu_hash.buckets = 2;
	image->gnu_hash.first_symbol = 1;
	image->gnu_hash.bloom_words = 1;
	image->gnu_hash.bucket[0] = 3;
	image->gnu_hash.bucket[1] = 1;
	image->gnu_hash.chain[1] = 1;
	image->gnu_hash.chain[3] = 1;
}

static inline void elf_image_sections(struct elf_image *image, ElfW(Addr) base)
{
	static const char names[] = "\0.text\0.altinstructions";

	memcpy(image->section_names, names, sizeof(names));
	image->section[ELF_IMAGE_TEXT].sh_name = 1;
	image->section[ELF_IMAGE_TEXT].sh_type = SHT_PROGBITS;
	image->section[ELF_IMAGE_TEXT].sh_offset = ELF_IMAGE_OFFSET(code);
	image->section[ELF_IMAGE_TEXT].sh_size = sizeof(image->code);
	image->section[ELF_IMAGE_ALTERNATIVES].sh_name = 7;
	image->section[ELF_IMAGE_ALTERNATIVES].sh_type = SHT_PROGBITS;
	image->section[ELF_IMAGE_ALTERNATIVES].sh_addr = base + ELF_IMAGE_OFFSET(alternatives);
	image->section[ELF_IMAGE_ALTERNATIVES].sh_offset = ELF_IMAGE_OFFSET(alternatives);
	image->section[ELF_IMAGE_ALTERNATIVES].sh_size = sizeof(image->alternatives);
	image->section[ELF_IMAGE_SECTION_NAMES].sh_type = SHT_STRTAB;
	image->section[ELF_IMAGE_SECTION_NAMES].sh_offset = ELF_IMAGE_OFFSET(section_names);
	image->section[ELF_IMAGE_SECTION_NAMES].sh_size = sizeof(image->section_names);
}

/* One entry: rdtsc in the code becomes rdtscp. */
static inline void elf_image_alternatives(struct elf_image *image)
{
	static const u8 rdtsc[] = {0x0f, 0x31, 0x90, 0x90, 0x90};
	static const u8 rdtscp[] = {0x0f, 0x01, 0xf9};
	s32 place = (s32)(ELF_IMAGE_OFFSET(code) - ELF_IMAGE_OFFSET(alternatives));
	s32 replacement =
		(s32)(ELF_IMAGE_OFFSET(replacements) - ELF_IMAGE_OFFSET(alternatives) - 4);
	u16 feature = 1 * 32 + 27;

	memcpy(image->code, rdtsc, sizeof(rdtsc));
	memcpy(image->replacements, rdtscp, sizeof(rdtscp));
	memcpy(image->alternatives, &place, sizeof(place));
	memcpy(image->alternatives + 4, &replacement, sizeof(replacement));
	memcpy(image->alternatives + 8, &feature, sizeof(feature));
	image->alternatives[12] = sizeof(rdtsc);
	image->alternatives[13] = sizeof(rdtscp);
}

/* A good image whose first byte has the address `base`. */
static inline void elf_image_make(struct elf_image *image, ElfW(Addr) base)
{
	memset(image, 0, sizeof(*image));
	elf_image_headers(image, base);
	elf_image_dynamic(image, base);
	elf_image_symbols(image, base);
	elf_image_sections(image, base);
	elf_image_alternatives(image);
}

#endif /* TESTS_UNIT_ELF_IMAGE_H */
