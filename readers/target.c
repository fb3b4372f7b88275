// SPDX-License-Identifier: GPL-2.0-or-later
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "readers/compile.h"
#include "readers/image.h"
#include "readers/kinds.h"
#include "readers/target.h"
#include "readers/variation.h"
#include "sim/layout.h"

#define LONGEST_TEXT (SPEC_MAX_TEXT + RECIPE_MAX_TEXT)

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

static void name_it(struct target_code *code, const char *name, const char *clock, const char *keys)
{
	snprintf(code->path, sizeof(code->path), "%.80s/%s", name, clock);
	snprintf(code->variation, sizeof(code->variation), "%.191s", keys);
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

static int compile_lock(const struct spec *spec, const struct reader_kind *kind,
			struct compile_job *job, struct target_code *code, struct errmsg *err)
{
	job->source = lock_source_find(spec, kind)->source;
	if (!job->source)
		return errmsg_set(
			err,
			"%s, reader '%.80s': it calls a library, and is compiled for no target",
			code->target->name, code->path);
	return compile(job, code, err);
}

static int compile_kind(const char *text, const char *keys_given, struct compile_job *job,
			struct target_code *code, struct errmsg *err)
{
	const struct reader_kind *kind;
	struct variation_definitions definitions;
	struct spec spec;

	if (spec_parse(text, &spec, err))
		return -1;
	kind = reader_kind_find(spec.name, err);
	if (!kind || spec_check(&spec, kind->keys, "reader", err))
		return -1;
	if (kind == &reader_image)
		return errmsg_set(err, "reader 'image': of what? image:host or image:FILE");
	name_it(code, kind->name, spec_value(&spec, kind->keys, "clock"), keys_given);
	job->built_in = true;
	if (kind->locks)
		return compile_lock(&spec, kind, job, code, err);
	job->source = kind->source ? kind->source : VARIATION_SOURCE;
	if (!kind->source) {
		job->defines = variation_define(&spec, kind->keys, &definitions);
		memcpy(job->define, definitions.define, sizeof(definitions.define));
	}
	return compile(job, code, err);
}

static int compile_file(const char *text, const char *keys_given, struct compile_job *job,
			struct target_code *code, struct errmsg *err)
{
	const char *key_part = spec_find_keys(text);
	const struct page_layout *layout;
	char layout_text[96], name[LONGEST_TEXT];
	struct spec spec;

	snprintf(name, sizeof(name), "%.*s", (int)(key_part - text), text);
	if (spec_parse_keys("source", key_part, &spec, err) ||
	    spec_check(&spec, reader_file.keys, "reader", err))
		return -1;
	name_it(code, strrchr(name, '/') + 1, spec_value(&spec, reader_file.keys, "clock"),
		keys_given);
	layout = page_layout_find(spec_value(&spec, reader_file.keys, "layout"));
	variation_define_layout(layout, layout_text, sizeof(layout_text));
	job->source = name;
	job->define[job->defines++] = layout_text;
	return compile(job, code, err);
}

/* A name with a slash is a file's. */
static bool is_file(const char *text)
{
	return memchr(text, '/', (size_t)(spec_find_keys(text) - text)) != NULL;
}

/* What stands behind the name: keys, recipe or both; `spec` is the text without the recipe. */
static const char *keys_of(const char *text, const char *spec)
{
	const char *rest = text + (spec_find_keys(spec) - spec);

	return rest + (*rest == ':');
}

int target_compile(const struct target *target, const char *text, struct target_code *code,
		   struct errmsg *err)
{
	char copy[LONGEST_TEXT];
	struct recipe recipe;
	struct compile_job job = {.recipe = &recipe};

	*code = (struct target_code){.target = target};
	if (strlen(text) >= sizeof(copy))
		return errmsg_set(err, "'%.40s...' is longer than %zu characters", text,
				  sizeof(copy) - 1);
	strcpy(copy, text);
	if (recipe_cut(copy, &recipe, err))
		return -1;
	if (strncmp(text, READER_IMAGE_PREFIX, strlen(READER_IMAGE_PREFIX)) == 0)
		return errmsg_set(err, "'%.100s': an image is not compiled, for no target", text);
	compile_name(&job, target, code->compiler, sizeof(code->compiler));
	return is_file(copy) ? compile_file(copy, keys_of(text, copy), &job, code, err)
			     : compile_kind(copy, keys_of(text, copy), &job, code, err);
}

void target_release(struct target_code *code)
{
	free(code->elf);
	code->elf = NULL;
}
