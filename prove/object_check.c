// SPDX-License-Identifier: GPL-2.0-or-later
#include <capstone.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>

#include "prove/object_check.h"

/* What is said of functions that sources call, and that are not there. */
static const struct {
	const char *begins;
	const char *what;
} known_functions[] = {
	{"malloc", "allocates memory"},
	{"calloc", "allocates memory"},
	{"realloc", "allocates memory"},
	{"aligned_alloc", "allocates memory"},
	{"posix_memalign", "allocates memory"},
	{"free", "gives back memory"},
	{"pthread_create", "starts threads"},
	{"pthread_", "uses threads"},
	{"thrd_", "uses threads"},
	{"sem_", "uses threads"},
	{"mtx_", "uses threads"},
	{"printf", "prints"},
	{"puts", "prints"},
	{"putchar", "prints"},
	{"fprintf", "prints"},
	{"fwrite", "prints"},
	{"__printf", "prints"},
	{"syscall", "calls the system"},
	{"sched_yield", "calls the system"},
	{"usleep", "calls the system"},
	{"clock_gettime", "calls the system"},
	{"__tsan_atomic128", "has an atomic access of 16 bytes"},
	{"__atomic_", "has an atomic access of 16 bytes"},
};

#define ORDERS	     "orders memory by assembly"
#define ACCESSES     "accesses memory by assembly"
#define CALLS_SYSTEM "calls the system by assembly"
#define DIFFERS	     "is told by the processor what differs from one time to the next"
#define NOT_SEEN     "is not seen: C11 atomics, the __atomic builtins and the kernel's names are"
#define NOT_EXPLORED "cannot be explored"

/*
 * Instructions that order memory, leave the program, or do not do the same whenever they are run,
 * and stand in assembly of the source's.
 */
static const struct {
	const char *name;
	const char *what;
	const char *why;
} hidden_instructions[] = {
	{"mfence", ORDERS, NOT_SEEN},
	{"lfence", ORDERS, NOT_SEEN},
	{"sfence", ORDERS, NOT_SEEN},
	{"lock ", ACCESSES, NOT_SEEN},
	{"xchg", ACCESSES, NOT_SEEN},
	{"cmpxchg", ACCESSES, NOT_SEEN},
	{"dmb", ORDERS, NOT_SEEN},
	{"dsb", ORDERS, NOT_SEEN},
	{"ldar", ACCESSES, NOT_SEEN},
	{"stlr", ACCESSES, NOT_SEEN},
	{"ldaxr", ACCESSES, NOT_SEEN},
	{"ldxr", ACCESSES, NOT_SEEN},
	{"syscall", CALLS_SYSTEM, NOT_EXPLORED},
	{"sysenter", CALLS_SYSTEM, NOT_EXPLORED},
	{"int", CALLS_SYSTEM, NOT_EXPLORED},
	{"svc", CALLS_SYSTEM, NOT_EXPLORED},
	{"rdtsc", DIFFERS, NOT_EXPLORED},
	{"rdpmc", DIFFERS, NOT_EXPLORED},
	{"rdrand", DIFFERS, NOT_EXPLORED},
	{"rdseed", DIFFERS, NOT_EXPLORED},
	{"cpuid", DIFFERS, NOT_EXPLORED},
};

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static int refuse_function(const char *name, struct errmsg *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(known_functions); i++)
		if (begins(name, known_functions[i].begins))
			return errmsg_set(err, "it %s (%.80s), which cannot be explored",
					  known_functions[i].what, name);
	return errmsg_set(err,
			  "it calls or uses '%.80s', which is outside of it and cannot be explored",
			  name);
}

/* Addresses in constants are written by whoever loads them, and then no more. */
static bool is_of_variables(Elf *elf, size_t index)
{
	static const char *const sections[] = {".data", ".bss", ".tdata", ".tbss"};
	Elf_Scn *section = elf_getscn(elf, index);
	const char *name;
	GElf_Shdr header;
	size_t names;

	if (!section || !gelf_getshdr(section, &header) || elf_getshdrstrndx(elf, &names) ||
	    !(name = elf_strptr(elf, names, header.sh_name)) || begins(name, ".data.rel.ro"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
		if (begins(name, sections[i]))
			return true;
	return false;
}

static bool is_variable(Elf *elf, const GElf_Sym *symbol, const char *name)
{
	const u8 type = GELF_ST_TYPE(symbol->st_info);

	return (type == STT_OBJECT || type == STT_TLS) && symbol->st_shndx < SHN_LORESERVE &&
	       is_of_variables(elf, symbol->st_shndx) && strcmp(name, PROVE_HEAD) != 0;
}

static int look_at_symbol(Elf *elf, const GElf_Sym *symbol, const char *name, struct object *object,
			  struct errmsg *err)
{
	if (!name || !name[0])
		return 0;
	if (strcmp(name, "contend_lock") == 0)
		object->is_lock = true;
	if (symbol->st_shndx == SHN_UNDEF)
		return GELF_ST_BIND(symbol->st_info) == STB_WEAK ? 0 : refuse_function(name, err);
	if (is_variable(elf, symbol, name))
		return errmsg_set(err,
				  "it has a variable, '%.80s': what threads share is in the lock, "
				  "and all else is a function's own",
				  name);
	return 0;
}

static int look_at_symbols(Elf *elf, struct object *object, struct errmsg *err)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		Elf_Data *data;
		GElf_Sym symbol;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(section, NULL);
		for (int i = 1; data && gelf_getsym(data, i, &symbol); i++)
			if (look_at_symbol(elf, &symbol,
					   elf_strptr(elf, header.sh_link, symbol.st_name), object,
					   err))
				return -1;
	}
	return 0;
}

static int refuse_instruction(const cs_insn *insn, struct errmsg *err)
{
	char text[sizeof(insn->mnemonic) + 1];

	snprintf(text, sizeof(text), "%s", insn->mnemonic);
	for (size_t i = 0; i < ARRAY_SIZE(hidden_instructions); i++)
		if (begins(text, hidden_instructions[i].name) &&
		    !(begins(text, "xchg") && !strchr(insn->op_str, '[')))
			return errmsg_set(err, "it %s (%s), which %s", hidden_instructions[i].what,
					  text, hidden_instructions[i].why);
	return 0;
}

static bool open_decoder(csh *decoder)
{
#if defined(__x86_64__)
	return cs_open(CS_ARCH_X86, CS_MODE_64, decoder) == CS_ERR_OK;
#elif defined(__aarch64__)
	return cs_open(CS_ARCH_ARM64, CS_MODE_ARM, decoder) == CS_ERR_OK;
#else
	(void)decoder;
	return false;
#endif
}

static int look_at_code(Elf *elf, struct errmsg *err)
{
	Elf_Scn *section = NULL;
	int failed = 0;
	csh decoder;

	if (!open_decoder(&decoder))
		return 0;
	cs_option(decoder, CS_OPT_SKIPDATA, CS_OPT_ON);
	while (!failed && (section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		Elf_Data *data;
		cs_insn *insn;
		size_t count;

		if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR))
			continue;
		data = elf_getdata(section, NULL);
		count = data ? cs_disasm(decoder, data->d_buf, data->d_size, 0, 0, &insn) : 0;
		for (size_t i = 0; !failed && i < count; i++)
			failed = refuse_instruction(&insn[i], err);
		if (count)
			cs_free(insn, count);
	}
	cs_close(&decoder);
	return failed;
}

int object_check(struct object *object, struct errmsg *err)
{
	Elf *elf;
	int failed;

	elf_version(EV_CURRENT);
	elf = elf_memory(object->elf, object->elf_bytes);
	if (!elf)
		return errmsg_set(err, "the compiler made no ELF file: %s", elf_errmsg(-1));
	failed = look_at_symbols(elf, object, err) || look_at_code(elf, err);
	elf_end(elf);
	return failed ? -1 : 0;
}
