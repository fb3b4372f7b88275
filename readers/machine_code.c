// SPDX-License-Identifier: GPL-2.0-or-later
#include <libelf.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

#include "readers/machine_code.h"
#include "sim/bounds.h"
#include "sim/elf_machine.h"
#include "sim/page.h"

/* Instructions are moved as little as compilers would move them. */
#define LEAST_STEP 4

#if defined(__x86_64__) || defined(__i386__)
/* An address relative to the instruction stays right whatever it is moved by. */
#define MOVES_WITH_CONSTANTS LEAST_STEP
#else
/* Elsewhere constants may be found by the number of their page. */
#define MOVES_WITH_CONSTANTS 4096u
#endif

static bool is(const char *name, const char *what)
{
	return strcmp(name, what) == 0;
}

static bool is_of(const char *name, const char *prefix)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

static void take_compiler(Elf_Scn *section, struct machine_code *code)
{
	const Elf_Data *data = elf_rawdata(section, NULL);

	if (data && data->d_buf)
		snprintf(code->compiler, sizeof(code->compiler), "%.*s", (int)data->d_size,
			 (const char *)data->d_buf);
}

/* See LOCK_MARK of readers/lock.h. */
static void look_for_lock(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
			  struct machine_code *code)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;

	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);

		code->is_lock |= symbol.st_shndx == SHN_ABS && name && is(name, "contend_lock");
	}
}

/* Where the two sections that are taken say they lie. */
struct parts {
	GElf_Shdr constants;
	GElf_Shdr text;
};

/* Each may stand there once. */
static int take_part(GElf_Shdr *part, const GElf_Shdr *header, const char *name, struct errmsg *err)
{
	if (part->sh_size)
		return errmsg_set(err, "it has two sections %s", name);
	*part = *header;
	return 0;
}

/* The constants, if there are any, begin the image; the text ends it, in the file as in memory. */
static bool lie_right(const struct parts *parts, size_t elf_bytes)
{
	const GElf_Shdr *constants = &parts->constants, *text = &parts->text;

	return text->sh_type == SHT_PROGBITS && text->sh_addr <= text->sh_offset &&
	       text->sh_addr < MACHINE_CODE_MAX_BYTES &&
	       text->sh_size <= MACHINE_CODE_MAX_BYTES - text->sh_addr &&
	       lies_within(text->sh_offset, text->sh_size, elf_bytes) &&
	       (!constants->sh_size ||
		(constants->sh_type == SHT_PROGBITS && constants->sh_addr == 0 &&
		 constants->sh_offset == text->sh_offset - text->sh_addr &&
		 constants->sh_size <= text->sh_addr));
}

static int take_image(const struct parts *parts, struct machine_code *code, struct errmsg *err)
{
	const u64 align = parts->constants.sh_addralign;

	if (!parts->text.sh_size)
		return errmsg_set(err, "it has no code");
	if (!lie_right(parts, code->elf_bytes))
		return errmsg_set(err, "its code is not where the linker script puts it");
	if (align > MACHINE_CODE_MAX_STEP || (align & (align - 1)))
		return errmsg_set(err,
				  "its constants want to be aligned to %llu bytes: at most %u "
				  "can be done",
				  (unsigned long long)align, (unsigned int)MACHINE_CODE_MAX_STEP);
	code->image = (const u8 *)code->elf + (parts->text.sh_offset - parts->text.sh_addr);
	code->text = (u32)parts->text.sh_addr;
	code->bytes = (u32)(parts->text.sh_addr + parts->text.sh_size);
	code->step = LEAST_STEP;
	if (parts->constants.sh_size)
		code->step = align > MOVES_WITH_CONSTANTS ? (u32)align : MOVES_WITH_CONSTANTS;
	return 0;
}

/*
 * Linkers keep up to three words of a table of addresses for themselves, though no code looks
 * there. x86's are in .got.plt, so that a .got is one that is used.
 */
static bool is_reserved(Elf *elf, const char *name, u64 bytes)
{
	GElf_Ehdr header;

	if (!gelf_getehdr(elf, &header) ||
	    bytes > (header.e_ident[EI_CLASS] == ELFCLASS64 ? 24 : 12))
		return false;
	return is(name, ".got.plt") ||
	       (is(name, ".got") && header.e_machine != EM_X86_64 && header.e_machine != EM_386);
}

static int take_section(Elf *elf, Elf_Scn *section, size_t names, struct parts *parts,
			struct machine_code *code, struct errmsg *err)
{
	const char *name;
	GElf_Shdr header;

	if (!gelf_getshdr(section, &header) || !(name = elf_strptr(elf, names, header.sh_name)))
		return errmsg_set(err, "it is no sound ELF file: %s", elf_errmsg(-1));
	if (is(name, ".comment"))
		take_compiler(section, code);
	if (header.sh_type == SHT_SYMTAB)
		look_for_lock(elf, section, &header, code);
	if (!(header.sh_flags & SHF_ALLOC) || !header.sh_size || is(name, ".dynamic"))
		return 0;
	if (is(name, ".rodata"))
		return take_part(&parts->constants, &header, name, err);
	if (is(name, ".text"))
		return take_part(&parts->text, &header, name, err);
	if (is_reserved(elf, name, header.sh_size))
		return 0;
	if (is(name, ".data") || is(name, ".tdata") || is(name, ".tbss"))
		return errmsg_set(err, "it has variables of its own: a reader is called by many "
				       "threads at once, and keeps nothing");
	if (is_of(name, ".rel") || is_of(name, ".got") || is(name, ".data.rel.ro"))
		return errmsg_set(err, "it holds addresses (a table of pointers?), which would be "
				       "wrong in a copy");
	return errmsg_set(err, "it has a section %.40s, of which nothing can be made", name);
}

static int take_all(Elf *elf, struct machine_code *code, struct errmsg *err)
{
	struct parts parts = {.text = {.sh_size = 0}};
	Elf_Scn *section = NULL;
	GElf_Ehdr header;
	int failed = 0;
	size_t names;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header) ||
	    elf_getshdrstrndx(elf, &names))
		return errmsg_set(err, "it is no ELF file");
	if (header.e_type != ET_DYN)
		return errmsg_set(err, "it is not linked as a position-independent executable");
	/* What the source has comes last, and tells more than what the linker makes for it. */
	while ((section = elf_nextscn(elf, section)))
		failed |= take_section(elf, section, names, &parts, code, err);
	if (failed || take_image(&parts, code, err))
		return -1;
	if (header.e_entry < code->text || header.e_entry >= code->bytes)
		return errmsg_set(err, "its entry is not in its code");
	code->entry = (u32)header.e_entry;
	code->runs_here = (ELF_MACHINE == EM_NONE || header.e_machine == ELF_MACHINE) &&
			  header.e_ident[EI_CLASS] == ELF_MACHINE_CLASS &&
			  header.e_ident[EI_DATA] == ELF_MACHINE_BYTE_ORDER;
	return 0;
}

int machine_code_open(struct machine_code *code, const void *elf, size_t elf_bytes,
		      struct errmsg *err)
{
	struct machine_code opened = {.elf = elf, .elf_bytes = elf_bytes};
	Elf *handle;
	int failed;

	*code = (struct machine_code){.elf = NULL};
	elf_version(EV_CURRENT);
	/* libelf only reads what it is given in this way. */
	handle = elf_memory((char *)(uintptr_t)elf, elf_bytes);
	if (!handle)
		return errmsg_set(err, "it is no ELF file: %s", elf_errmsg(-1));
	failed = take_all(handle, &opened, err);
	elf_end(handle);
	if (!failed)
		*code = opened;
	return failed;
}
