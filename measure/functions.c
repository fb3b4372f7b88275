// SPDX-License-Identifier: GPL-2.0-or-later
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/functions.h"

static void take_outside(struct functions *functions, const char *name)
{
	if (*name && functions->outside < FUNCTIONS_MAX_OUTSIDE)
		snprintf(functions->outside_name[functions->outside++],
			 sizeof(functions->outside_name[0]), "%.63s", name);
}

/* Of Thumb code the lowest bit says that it is. */
static u64 address_of(const struct functions *functions, const GElf_Sym *symbol)
{
	return functions->machine == EM_ARM ? symbol->st_value & ~1ull : symbol->st_value;
}

static bool is_known(const struct functions *functions, u64 address)
{
	for (size_t i = 0; i < functions->count; i++)
		if (functions->function[i].address == address)
			return true;
	return false;
}

static void take_symbol(struct functions *functions, const GElf_Sym *symbol, const char *name)
{
	const int type = GELF_ST_TYPE(symbol->st_info);
	const u64 address = address_of(functions, symbol);

	if (symbol->st_shndx == SHN_UNDEF) {
		if (type != STT_SECTION && type != STT_FILE)
			take_outside(functions, name);
		return;
	}
	if (type != STT_FUNC || !symbol->st_size || functions->count == FUNCTIONS_MAX ||
	    is_known(functions, address))
		return;
	functions->function[functions->count] = (struct function){
		.address = address,
		.bytes = (u32)symbol->st_size,
	};
	snprintf(functions->function[functions->count++].name, sizeof(functions->function[0].name),
		 "%.63s", name);
}

static void take_symbols(struct functions *functions, Elf *elf, Elf_Scn *section,
			 const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;

	for (int i = 1; data && gelf_getsym(data, i, &symbol); i++) {
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);

		if (name)
			take_symbol(functions, &symbol, name);
	}
}

/* What the dynamic linker knows is all that a vDSO has. */
static void take_sections(struct functions *functions, Elf *elf, u32 table)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return;
	while ((section = elf_nextscn(elf, section))) {
		const char *name;

		if (!gelf_getshdr(section, &header))
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (name && strcmp(name, ".text") == 0)
			functions->text_bytes = (u32)header.sh_size;
		if (header.sh_type == table)
			take_symbols(functions, elf, section, &header);
	}
}

static int by_address(const void *a, const void *b)
{
	const struct function *of_a = a, *of_b = b;

	return (of_a->address > of_b->address) - (of_a->address < of_b->address);
}

static void add_inlining(struct functions *functions, const char *name, const char *into)
{
	struct inlining *inlining = functions->inlining;
	size_t i = 0;

	while (i < functions->inlinings && (strncmp(inlining[i].name, name, 63) != 0 ||
					    strncmp(inlining[i].into, into, 63) != 0))
		i++;
	if (i == FUNCTIONS_MAX_INLINED)
		return;
	if (i == functions->inlinings) {
		snprintf(inlining[i].name, sizeof(inlining[i].name), "%.63s", name);
		snprintf(inlining[i].into, sizeof(inlining[i].into), "%.63s", into);
		functions->inlinings++;
	}
	inlining[i].times++;
}

/* Scopes are as deep as the source; functions that are only described are left out. */
static void take_scope(struct functions *functions, Dwarf_Die *scope, const char *into)
{
	Dwarf_Die die;

	if (dwarf_child(scope, &die))
		return;
	do {
		const int tag = dwarf_tag(&die);
		const char *name = dwarf_diename(&die);
		const bool has_code =
			dwarf_hasattr(&die, DW_AT_low_pc) || dwarf_hasattr(&die, DW_AT_ranges);

		if (tag == DW_TAG_subprogram) {
			if (has_code && name)
				take_scope(functions, &die, name);
			continue;
		}
		if (tag == DW_TAG_inlined_subroutine && into && name)
			add_inlining(functions, name, into);
		if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block)
			take_scope(functions, &die, into);
	} while (!dwarf_siblingof(&die, &die));
}

static void take_inlinings(struct functions *functions, Elf *elf)
{
	Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	if (!dwarf) {
		errmsg_set(&functions->no_inlinings, "it has no debug information: %s",
			   dwarf_errmsg(-1));
		return;
	}
	while (!dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL))
		take_scope(functions, &die, NULL);
	dwarf_end(dwarf);
}

static int read_all(struct functions *functions, Elf *elf, struct errmsg *err)
{
	GElf_Ehdr header;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
		return errmsg_set(err, "it is no ELF file");
	functions->machine = header.e_machine;
	functions->is_big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
	functions->entry = functions->machine == EM_ARM ? header.e_entry & ~1ull : header.e_entry;
	take_sections(functions, elf, SHT_SYMTAB);
	if (!functions->count)
		take_sections(functions, elf, SHT_DYNSYM);
	if (!functions->text_bytes)
		return errmsg_set(err, "it has no code");
	qsort(functions->function, functions->count, sizeof(functions->function[0]), by_address);
	take_inlinings(functions, elf);
	return 0;
}

int functions_read(struct functions *functions, const void *elf, size_t elf_bytes,
		   struct errmsg *err)
{
	void *copy = malloc(elf_bytes ? elf_bytes : 1);
	Elf *handle;
	int failed;

	memset(functions, 0, sizeof(*functions));
	if (!copy)
		return errmsg_set(err, "no memory to look at code");
	/* Sections that are compressed are unpacked where the file lies. */
	if (elf_bytes)
		memcpy(copy, elf, elf_bytes);
	elf_version(EV_CURRENT);
	handle = elf_memory(copy, elf_bytes);
	if (handle)
		failed = read_all(functions, handle, err);
	else
		failed = errmsg_set(err, "it is no ELF file: %s", elf_errmsg(-1));
	elf_end(handle);
	free(copy);
	return failed;
}

const struct function *functions_at(const struct functions *functions, u64 address)
{
	for (size_t i = 0; i < functions->count; i++) {
		const struct function *function = &functions->function[i];

		if (address >= function->address && address - function->address < function->bytes)
			return function;
	}
	return NULL;
}

u32 functions_times_inlined(const struct functions *functions, const char *name)
{
	const size_t length = strcspn(name, ".");
	u32 times = 0;

	for (size_t i = 0; i < functions->inlinings; i++)
		if (strncmp(functions->inlining[i].name, name, length) == 0 &&
		    !functions->inlining[i].name[length])
			times += functions->inlining[i].times;
	return times;
}
