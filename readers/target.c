// SPDX-License-Identifier: GPL-2.0-or-later
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "readers/source_choice.h"
#include "readers/target.h"

/* Debian's headers for x86-64 serve 32 bits; gcc without its other libraries does not look there.
 */
#define I386_FLAGS "-m32 -idirafter /usr/include/x86_64-linux-gnu"

const struct target targets[] = {
	{"powerpc-linux-gnu", "gcc-powerpc-linux-gnu", "libc6-dev-powerpc-cross",
	 "powerpc-linux-gnu-gcc", NULL, true, EM_PPC},
	{"arm-linux-gnueabihf", "gcc-arm-linux-gnueabihf", "libc6-dev-armhf-cross",
	 "arm-linux-gnueabihf-gcc", NULL, true, EM_ARM},
	{"aarch64-linux-gnu", "gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross",
	 "aarch64-linux-gnu-gcc", NULL, false, EM_AARCH64},
	{"riscv64-linux-gnu", "gcc-riscv64-linux-gnu", "libc6-dev-riscv64-cross",
	 "riscv64-linux-gnu-gcc", NULL, false, EM_RISCV},
	{"s390x-linux-gnu", "gcc-s390x-linux-gnu", "libc6-dev-s390x-cross", "s390x-linux-gnu-gcc",
	 NULL, false, EM_S390},
	{"i386", "gcc", "libc6-dev", "gcc", I386_FLAGS, true, EM_386},
	{.name = NULL},
};

const struct target *target_find(const char *name, struct errmsg *err)
{
	char known[256] = "";
	size_t used = 0;

	for (const struct target *target = targets; target->name; target++) {
		if (strcmp(target->name, name) == 0)
			return target;
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
					 used ? ", " : "", target->name);
	}
	errmsg_set(err, "there is no target '%.60s': there are %s", name, known);
	return NULL;
}

/* A compiler that a recipe names by its path may be another machine's. */
static int check_machine(const struct target_code *code, struct errmsg *err)
{
	GElf_Ehdr header;
	bool right = false;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory(code->elf, code->elf_bytes);
	if (elf)
		right = gelf_getehdr(elf, &header) && header.e_machine == code->target->machine;
	elf_end(elf);
	return right ? 0 : errmsg_set(err, "%s does not compile for it", code->compiler);
}

static int compile(struct compile_job *job, struct target_code *code, struct errmsg *err)
{
	const struct target *target = code->target;
	struct errmsg why;

	job->target = target;
	if (!compile_elf(job, &code->elf, &code->elf_bytes, &why) && !check_machine(code, &why))
		return 0;
	target_release(code);
	return errmsg_set(err, "%s, reader '%.80s': %.300s", target->name, code->path, why.text);
}

int target_compile(const struct target *target, const char *text, struct target_code *code,
		   struct errmsg *err)
{
	struct source_choice choice;

	*code = (struct target_code){.target = target};
	if (source_choose(text, "is not compiled, for no target", &choice, err))
		return -1;
	snprintf(code->path, sizeof(code->path), "%s", choice.path);
	snprintf(code->variation, sizeof(code->variation), "%s", choice.keys);
	compile_name(&choice.job, target, code->compiler, sizeof(code->compiler));
	if (!choice.job.source)
		return errmsg_set(
			err,
			"%s, reader '%.80s': it calls a library, and is compiled for no target",
			target->name, code->path);
	return compile(&choice.job, code, err);
}

void target_release(struct target_code *code)
{
	free(code->elf);
	code->elf = NULL;
}
