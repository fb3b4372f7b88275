// SPDX-License-Identifier: GPL-2.0-or-later
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "measure/static_code.h"

/* Where constants lie between instructions, as the symbols $d and $t, or $x, say. */
struct islands {
	size_t count;
	struct {
		u64 address;
		bool has_data;
	} mark[512];
};

/* What is read of a file while its functions are looked through. */
struct look {
	const u8 *text;
	u64 address; /* of the section */
	size_t bytes;
	struct islands islands;
	struct isa isa;
};

static void take_mark(struct islands *islands, const char *name, u64 address)
{
	if (name[0] != '$' || !strchr("dtxa", name[1]) || (name[2] && name[2] != '.') ||
	    islands->count == ARRAY_SIZE(islands->mark))
		return;
	islands->mark[islands->count].address = address;
	islands->mark[islands->count++].has_data = name[1] == 'd';
}

/* By the last mark at or before the address. */
static bool is_data(const struct islands *islands, u64 address)
{
	bool has_data = false;
	u64 last = 0;

	for (size_t i = 0; i < islands->count; i++) {
		if (islands->mark[i].address > address || islands->mark[i].address < last)
			continue;
		last = islands->mark[i].address;
		has_data = islands->mark[i].has_data;
	}
	return has_data;
}

static void take_section(struct look *look, Elf *elf, Elf_Scn *section, size_t names)
{
	const char *name;
	GElf_Shdr header;
	Elf_Data *data;
	GElf_Sym symbol;

	if (!gelf_getshdr(section, &header))
		return;
	name = elf_strptr(elf, names, header.sh_name);
	if (name && strcmp(name, ".text") == 0 && (data = elf_rawdata(section, NULL))) {
		look->text = data->d_buf;
		look->bytes = data->d_size;
		look->address = header.sh_addr;
	}
	if (header.sh_type != SHT_SYMTAB || !(data = elf_getdata(section, NULL)))
		return;
	for (int i = 1; gelf_getsym(data, i, &symbol); i++)
		if ((name = elf_strptr(elf, header.sh_link, symbol.st_name)))
			take_mark(&look->islands, name, symbol.st_value);
}

static void take_sections(struct look *look, Elf *elf)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return;
	while ((section = elf_nextscn(elf, section)))
		take_section(look, elf, section, names);
}

static void count(struct static_counts *counts, enum isa_kind kind)
{
	counts->instructions++;
	counts->branches += kind == ISA_BRANCH;
	counts->jumps += kind == ISA_JUMP;
	counts->calls += kind == ISA_CALL;
	counts->unknown += kind == ISA_UNKNOWN;
}

static void note_caller(struct static_code *code, size_t caller, u64 target)
{
	const struct function *callee = functions_at(&code->functions, target);
	const size_t number = callee ? (size_t)(callee - code->functions.function) : caller;

	if (number != caller)
		code->callers[number] |= 1ull << caller;
}

static void look_through(struct static_code *code, struct look *look, size_t number)
{
	const struct function *function = &code->functions.function[number];
	const u64 end = function->address + function->bytes;
	u64 at = function->address;

	while (at < end && at >= look->address && at - look->address < look->bytes) {
		const size_t offset = (size_t)(at - look->address);
		struct isa_instruction instruction;

		if (is_data(&look->islands, at)) {
			at += 2;
			continue;
		}
		instruction = isa_decode(&look->isa, look->text + offset, look->bytes - offset, at);
		if (!instruction.bytes)
			return;
		count(&code->of[number], instruction.kind);
		count(&code->total, instruction.kind);
		if (instruction.has_target)
			note_caller(code, number, instruction.target);
		at += instruction.bytes;
	}
}

/* The file could be read before. */
static void look_at_all(struct static_code *code, const void *elf_file, size_t elf_bytes,
			struct look *look)
{
	Elf *elf = elf_memory((char *)(uintptr_t)elf_file, elf_bytes);

	if (!elf)
		return;
	take_sections(look, elf);
	for (size_t i = 0; i < code->functions.count; i++)
		look_through(code, look, i);
	elf_end(elf);
}

int static_code_read(struct static_code *code, const void *elf, size_t elf_bytes,
		     struct errmsg *err)
{
	struct look *look = calloc(1, sizeof(*look));
	int failed;

	memset(code, 0, sizeof(*code));
	if (!look)
		return errmsg_set(err, "no memory to look at code");
	failed = functions_read(&code->functions, elf, elf_bytes, err);
	if (!failed && !isa_open(&look->isa, code->functions.machine, code->functions.is_big_endian,
				 &code->unavailable)) {
		look_at_all(code, elf, elf_bytes, look);
		isa_close(&look->isa);
	}
	free(look);
	return failed;
}
