// SPDX-License-Identifier: GPL-2.0-or-later
#include <libelf.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

#include "readers/machine_code.h"

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

static int take_constants(const GElf_Shdr *header, struct machine_code *code)
{
	code->image = (const u8 *)code->elf + header->sh_offset;
	code->step = header->sh_addralign > MOVES_WITH_CONSTANTS ? (u32)header->sh_addralign
								 : MOVES_WITH_CONSTANTS;
	return 0;
}

/* It follows the constants, in the file as in memory. */
static int take_text(const GElf_Shdr *header, struct machine_code *code, struct errmsg *err)
{
	const u8 *text = (const u8 *)code->elf + header->sh_offset;

	if (!code->image)
		code->image = text - header->sh_addr;
	if (header->sh_offset > code->elf_bytes ||
	    header->sh_size > code->elf_bytes - header->sh_offset ||
	    header->sh_addr + header->sh_size > MACHINE_CODE_MAX_BYTES ||
	    code->image != text - header->sh_addr)
		return errmsg_set(err, "its code is not where the linker script puts it");
	code->text = (u32)header->sh_addr;
	code->bytes = (u32)(header->sh_addr + header->sh_size);
	return 0;
}

static int take_section(Elf *elf, Elf_Scn *section, size_t names, struct machine_code *code,
			struct errmsg *err)
{
	const char *name;
	GElf_Shdr header;

	if (!gelf_getshdr(section, &header) || !(name = elf_strptr(elf, names, header.sh_name)))
		return errmsg_set(err, "it is no sound ELF file: %s", elf_errmsg(-1));
	if (is(name, ".comment"))
		take_compiler(section, code);
	if (!(header.sh_flags & SHF_ALLOC) || !header.sh_size || is(name, ".dynamic"))
		return 0;
	if (is(name, ".rodata"))
		return take_constants(&header, code);
	if (is(name, ".text"))
		return take_text(&header, code, err);
	if (is_of(name, ".rel"))
		return errmsg_set(err, "it holds addresses (a table of pointers?), which would be "
				       "wrong in a copy");
	if (is(name, ".data") || is(name, ".tdata") || is(name, ".tbss"))
		return errmsg_set(err, "it has variables of its own: a reader is called by many "
				       "threads at once, and keeps nothing");
	return errmsg_set(err, "it has a section %.40s, of which nothing can be made", name);
}

static int take_all(Elf *elf, struct machine_code *code, struct errmsg *err)
{
	Elf_Scn *section = NULL;
	GElf_Ehdr header;
	size_t names;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header) ||
	    elf_getshdrstrndx(elf, &names))
		return errmsg_set(err, "it is no ELF file");
	while ((section = elf_nextscn(elf, section)))
		if (take_section(elf, section, names, code, err))
			return -1;
	if (!code->bytes)
		return errmsg_set(err, "it has no code");
	if (header.e_entry < code->text || header.e_entry >= code->bytes)
		return errmsg_set(err, "its entry is not in its code");
	code->entry = (u32)header.e_entry;
	return 0;
}

int machine_code_open(struct machine_code *code, const void *elf, size_t elf_bytes,
		      struct errmsg *err)
{
	Elf *handle;
	int failed;

	*code = (struct machine_code){.elf = elf, .elf_bytes = elf_bytes, .step = LEAST_STEP};
	elf_version(EV_CURRENT);
	/* libelf only reads what it is given in this way. */
	handle = elf_memory((char *)(uintptr_t)elf, elf_bytes);
	if (!handle)
		return errmsg_set(err, "it is no ELF file: %s", elf_errmsg(-1));
	failed = take_all(handle, code, err);
	elf_end(handle);
	return failed;
}
