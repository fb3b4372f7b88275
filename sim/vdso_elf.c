// SPDX-License-Identifier: GPL-2.0-or-later
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

#include "sim/bounds.h"
#include "sim/elf_machine.h"
#include "sim/vdso_elf.h"

/* What is known half way through. Addresses are the image's own until `base` is taken off. */
struct parse {
	Elf *elf;
	size_t size;
	GElf_Ehdr header;
	u64 base; /* address of the image's first byte, for older images not 0 */
	u64 dynamic, dynamic_bytes;
	u64 symbols, names, names_bytes, hash, gnu_hash;
	struct vdso_elf *result;
	struct errmsg *err;
};

/* A part of the segment, as libelf's values of `type`; NULL unless all of it is inside. */
static void *segment_part(struct parse *p, u64 offset, u64 bytes, Elf_Type type)
{
	Elf_Data *data;

	if (!lies_within(offset, bytes, p->result->segment_bytes))
		return NULL;
	data = elf_getdata_rawchunk(p->elf, (s64)offset, (size_t)bytes, type);
	return data ? data->d_buf : NULL;
}

static int check_ident(const u8 *ident, size_t size, struct errmsg *err)
{
	if (size > VDSO_ELF_MAX_BYTES)
		return errmsg_set(err, "the image has %zu bytes, and a vDSO image at most %u", size,
				  VDSO_ELF_MAX_BYTES);
	if (size < SELFMAG || memcmp(ident, ELFMAG, SELFMAG) != 0)
		return errmsg_set(err, "the image is no ELF file");
	if (size < sizeof(ElfW(Ehdr)))
		return errmsg_set(err, "the image ends within its ELF header");
	if (ident[EI_CLASS] != ELF_MACHINE_CLASS)
		return errmsg_set(err, "the image is no %u-bit one, as this build of contend is",
				  ELF_MACHINE_BITS);
	if (ident[EI_DATA] != ELF_MACHINE_BYTE_ORDER)
		return errmsg_set(err, "the image's byte order is not this machine's");
	return 0;
}

static int check_header(struct parse *p)
{
	const GElf_Ehdr *header = &p->header;

	if (!gelf_getehdr(p->elf, &p->header))
		return errmsg_set(p->err, "the image's ELF header is damaged");
	if (header->e_machine != ELF_MACHINE)
		return errmsg_set(p->err, "the image is for machine number %u, not for %s (%u)",
				  header->e_machine, ELF_MACHINE_NAME, ELF_MACHINE);
	if (header->e_type != ET_DYN)
		return errmsg_set(p->err, "the image is no shared object");
	if (header->e_phentsize != sizeof(ElfW(Phdr)) ||
	    !lies_within(header->e_phoff, (u64)header->e_phnum * sizeof(ElfW(Phdr)), p->size))
		return errmsg_set(p->err, "the image's program headers point outside of it");
	return 0;
}

static int take_segment(struct parse *p, const GElf_Phdr *segment)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (segment->p_flags & PF_W)
		return errmsg_set(p->err, "the image's segment is writable, a vDSO's is not");
	if ((segment->p_flags & (PF_R | PF_X)) != (PF_R | PF_X))
		return errmsg_set(p->err, "the image's segment is not readable and executable");
	if (segment->p_offset != 0 || segment->p_filesz < sizeof(ElfW(Ehdr)) ||
	    segment->p_vaddr % page != 0)
		return errmsg_set(p->err, "the image's segment does not begin with the ELF header");
	if (segment->p_filesz > p->size)
		return errmsg_set(p->err, "the image is cut short: its segment ends outside of it");
	if (segment->p_memsz != segment->p_filesz)
		return errmsg_set(p->err, "the image's segment needs memory that is not in it");
	p->base = segment->p_vaddr;
	p->result->segment_bytes = (size_t)segment->p_filesz;
	return 0;
}

static int take_segments(struct parse *p)
{
	GElf_Phdr segment, to_load = {.p_type = PT_NULL};
	int loads = 0;

	for (int i = 0; i < p->header.e_phnum; i++) {
		if (!gelf_getphdr(p->elf, i, &segment))
			return errmsg_set(p->err, "the image's program headers are damaged");
		if (segment.p_type == PT_LOAD) {
			to_load = segment;
			loads++;
		}
		if (segment.p_type == PT_DYNAMIC) {
			p->dynamic = segment.p_vaddr;
			p->dynamic_bytes = segment.p_filesz;
		}
	}
	if (loads != 1)
		return errmsg_set(p->err, "the image has %d segments to load, a vDSO has one",
				  loads);
	if (!p->dynamic_bytes)
		return errmsg_set(p->err, "the image has no dynamic symbols");
	return take_segment(p, &to_load);
}

static int take_dynamic_entry(struct parse *p, const ElfW(Dyn) * entry)
{
	u64 value = entry->d_un.d_val;

	switch (entry->d_tag) {
	case DT_SYMTAB:
		p->symbols = value - p->base;
		break;
	case DT_STRTAB:
		p->names = value - p->base;
		break;
	case DT_STRSZ:
		p->names_bytes = value;
		break;
	case DT_HASH:
		p->hash = value - p->base;
		break;
	case DT_GNU_HASH:
		p->gnu_hash = value - p->base;
		break;
	case DT_RELSZ:
	case DT_RELASZ:
	case DT_RELRSZ:
	case DT_PLTRELSZ:
		if (value)
			return errmsg_set(p->err,
					  "the image needs relocations, a vDSO does without");
		break;
	default:
		break;
	}
	return 0;
}

static int take_dynamic(struct parse *p)
{
	const ElfW(Dyn) *entry = segment_part(p, p->dynamic - p->base, p->dynamic_bytes, ELF_T_DYN);
	u64 count = p->dynamic_bytes / sizeof(*entry);

	if (!entry)
		return errmsg_set(p->err, "the image's dynamic section points outside of it");
	for (u64 i = 0; i < count && entry[i].d_tag != DT_NULL; i++)
		if (take_dynamic_entry(p, &entry[i]) != 0)
			return -1;
	/* The ELF header lies at offset 0, so nothing else does. */
	if (!p->symbols || !p->names || (!p->hash && !p->gnu_hash))
		return errmsg_set(p->err, "the image has no dynamic symbols");
	return 0;
}

/* Symbols are sorted by bucket; the last one ends the chain of the bucket that begins last. */
static int count_by_gnu_hash(struct parse *p, u64 *count)
{
	const u32 *head = segment_part(p, p->gnu_hash, 4 * sizeof(u32), ELF_T_WORD);
	const u32 *buckets, *chain;
	u64 buckets_at, chain_at, last = 0;

	if (!head)
		return -1;
	buckets_at = p->gnu_hash + 4 * sizeof(u32) + (u64)head[2] * sizeof(ElfW(Addr));
	chain_at = buckets_at + (u64)head[0] * sizeof(u32);
	buckets = segment_part(p, buckets_at, chain_at - buckets_at, ELF_T_WORD);
	if (!buckets)
		return -1;
	for (u32 i = 0; i < head[0]; i++)
		last = buckets[i] > last ? buckets[i] : last;
	if (last < head[1]) {
		*count = head[1];
		return 0;
	}
	do {
		chain = segment_part(p, chain_at + (last - head[1]) * sizeof(u32), sizeof(u32),
				     ELF_T_WORD);
		last++;
	} while (chain && !(*chain & 1));
	*count = last;
	return chain ? 0 : -1;
}

static int count_symbols(struct parse *p, u64 *count)
{
	const u32 *head;

	if (!p->hash)
		return count_by_gnu_hash(p, count);
	head = segment_part(p, p->hash, 2 * sizeof(u32), ELF_T_WORD);
	if (!head)
		return -1;
	*count = head[1];
	return 0;
}

/* A name of the string table; NULL unless it ends inside. */
static const char *symbol_name(const struct parse *p, u32 name)
{
	const char *text = (const char *)p->result->bytes + p->names;

	if (name >= p->names_bytes || !memchr(text + name, 0, (size_t)p->names_bytes - name))
		return NULL;
	return text + name;
}

static int take_function(struct parse *p, const char *name, u64 offset)
{
	struct vdso_elf *result = p->result;

	if (!name || offset >= result->segment_bytes)
		return errmsg_set(p->err, "the image's symbols point outside of it");
	if (result->function_count == VDSO_ELF_MAX_FUNCTIONS)
		return errmsg_set(p->err, "the image has more than %d functions, too many",
				  VDSO_ELF_MAX_FUNCTIONS);
	result->function[result->function_count++] = (struct vdso_function){name, (u32)offset};
	return 0;
}

static int take_functions(struct parse *p)
{
	const ElfW(Sym) * symbol;
	u64 count;

	if (count_symbols(p, &count) != 0 ||
	    !lies_within(p->names, p->names_bytes, p->result->segment_bytes))
		return errmsg_set(p->err, "the image's symbol tables point outside of it");
	symbol = segment_part(p, p->symbols, count * sizeof(*symbol), ELF_T_SYM);
	if (!symbol)
		return errmsg_set(p->err, "the image's symbol tables point outside of it");
	for (u64 i = 0; i < count; i++) {
		/* Assembly leaves functions without a type on some machines. */
		unsigned int type = ELF64_ST_TYPE(symbol[i].st_info);
		bool code = type == STT_FUNC || type == STT_NOTYPE;

		if (!code || symbol[i].st_shndx == SHN_UNDEF || symbol[i].st_shndx >= SHN_LORESERVE)
			continue;
		if (take_function(p, symbol_name(p, symbol[i].st_name),
				  symbol[i].st_value - p->base) != 0)
			return -1;
	}
	if (!p->result->function_count)
		return errmsg_set(p->err, "the image has no functions");
	return 0;
}

static int take_alternatives(struct parse *p, const GElf_Shdr *section)
{
	u64 offset = section->sh_addr - p->base;

	if (section->sh_type != SHT_PROGBITS ||
	    !lies_within(offset, section->sh_size, p->result->segment_bytes))
		return errmsg_set(p->err,
				  "the image's .altinstructions lie outside of its segment");
	p->result->alternatives = (u32)offset;
	p->result->alternatives_bytes = (u32)section->sh_size;
	return 0;
}

/* Only sections tell where the alternatives are. An image without sections is taken to have none.
 */
static int take_sections(struct parse *p)
{
	const GElf_Ehdr *header = &p->header;
	Elf_Scn *section = NULL;
	GElf_Shdr shdr;
	const char *name;

	if (!header->e_shoff)
		return 0;
	if (header->e_shnum == 0 || header->e_shentsize != sizeof(ElfW(Shdr)) ||
	    !lies_within(header->e_shoff, (u64)header->e_shnum * sizeof(ElfW(Shdr)), p->size))
		return errmsg_set(p->err, "the image's section headers point outside of it");
	while ((section = elf_nextscn(p->elf, section))) {
		name = gelf_getshdr(section, &shdr)
			       ? elf_strptr(p->elf, header->e_shstrndx, shdr.sh_name)
			       : NULL;
		if (!name)
			return errmsg_set(p->err, "the image's section names point outside of it");
		if (strcmp(name, ".altinstructions") == 0)
			return take_alternatives(p, &shdr);
	}
	return 0;
}

int vdso_elf_parse(const void *bytes, size_t size, struct vdso_elf *elf, struct errmsg *err)
{
	struct parse p = {.size = size, .result = elf, .err = err};
	int failed;

	*elf = (struct vdso_elf){.bytes = bytes};
	if (check_ident(bytes, size, err) != 0)
		return -1;
	elf_version(EV_CURRENT);
	/* Opened for reading alone, whatever the type of its parameter says. */
	p.elf = elf_memory((char *)(uintptr_t)bytes, size);
	if (!p.elf)
		return errmsg_set(err, "the image cannot be read: %s", elf_errmsg(-1));
	failed = check_header(&p) || take_segments(&p) || take_dynamic(&p) || take_functions(&p) ||
		 take_sections(&p);
	elf_end(p.elf);
	return failed ? -1 : 0;
}

s64 vdso_elf_function(const struct vdso_elf *elf, const char *name)
{
	for (size_t i = 0; i < elf->function_count; i++)
		if (strcmp(elf->function[i].name, name) == 0)
			return elf->function[i].offset;
	return -1;
}
