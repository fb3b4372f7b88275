// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "readers/image.h"
#include "readers/kinds.h"
#include "readers/on_demand.h"
#include "readers/readers.h"
#include "readers/trial.h"
#include "readers/variation.h"

/* Of a spec with a recipe, or with a file's name. */
#define LONGEST_TEXT (SPEC_MAX_TEXT + RECIPE_MAX_TEXT)

static void name_variation(const struct spec *spec, struct reader *reader)
{
	const struct spec_key *keys = reader->kind->keys;
	const char *hint = spec_value(spec, keys, "hint");
	const char *inlining = spec_value(spec, keys, "inline");
	const char *retry = spec_value(spec, keys, "retry");
	const bool current = reader->layout == &page_layout_current;

	if (strcmp(retry, "unlikely") == 0)
		retry = "";
	snprintf(reader->variation, sizeof(reader->variation), "%s%s%s, %s%s%s%s",
		 strcmp(hint, "none") == 0 ? "no hint" : hint, *retry ? ", retry " : "", retry,
		 strcmp(inlining, "always") == 0  ? "inlined"
		 : strcmp(inlining, "never") == 0 ? "not inlined"
						  : "inline=auto",
		 strcmp(spec_value(spec, keys, "callers"), "2") == 0 ? ", 2 callers" : "",
		 current ? "" : ", page of ", current ? "" : reader->layout->name);
}

/* Not every page can tell every clock, or stand behind a time namespace's. */
static int check_layout(const struct reader *reader, struct errmsg *err)
{
	if (reader->clock == CLOCK_MONOTONIC_RAW && !reader->layout->has_raw)
		return errmsg_set(err, "reader '%s': a page of %s does not tell monotonic_raw",
				  reader->kind->name, reader->layout->name);
	if (reader->in_namespace && !reader->layout->has_namespace)
		return errmsg_set(err,
				  "reader '%s': kernels with pages of %s know no time namespaces",
				  reader->kind->name, reader->layout->name);
	return 0;
}

static int use_built_in(const u8 *elf, const u8 *elf_end, struct reader *reader, struct errmsg *err)
{
	return machine_code_open(&reader->code, elf, (size_t)(elf_end - elf), err);
}

static int resolve_variation(const struct spec *spec, const struct recipe *recipe,
			     struct reader *reader, struct errmsg *err)
{
	const struct spec_key *keys = reader->kind->keys;
	const struct variation *variation = variation_find(spec, keys);
	struct variation_definitions definitions;
	struct compile_job job = {.source = VARIATION_SOURCE, .built_in = true, .recipe = recipe};

	reader->layout = page_layout_find(spec_value(spec, keys, "layout"));
	reader->data_offset = reader->layout->data_offset;
	if (check_layout(reader, err))
		return -1;
	name_variation(spec, reader);
	on_demand_name(recipe, reader);
	if (variation && !recipe->given) {
		reader->counted = variation->counted;
		reader->bare = variation->bare;
		return use_built_in(variation->elf, variation->elf_end, reader, err);
	}
	job.defines = variation_define(spec, keys, &definitions);
	memcpy(job.define, definitions.define, sizeof(definitions.define));
	return on_demand_make(&job, reader, err);
}

/* A path of its own. */
static int resolve_path(const struct recipe *recipe, struct reader *reader, struct errmsg *err)
{
	const struct reader_kind *kind = reader->kind;
	struct compile_job job = {.source = kind->source, .built_in = true, .recipe = recipe};

	snprintf(reader->variation, sizeof(reader->variation), "%s",
		 kind->fault ? "mutant" : "as written");
	on_demand_name(recipe, reader);
	if (recipe->given)
		return on_demand_make(&job, reader, err);
	reader->counted = kind->counted;
	reader->bare = kind->bare;
	return use_built_in(kind->elf, kind->elf_end, reader, err);
}

static int resolve_lock(const struct spec *spec, const struct recipe *recipe, struct reader *reader,
			struct errmsg *err)
{
	const struct reader_kind *kind = reader->kind;
	const struct lock_source *lock = lock_source_find(spec, kind);
	struct compile_job job = {.source = lock->source, .built_in = true, .recipe = recipe};

	snprintf(reader->variation, sizeof(reader->variation), "%s%s%s%s",
		 kind->fault ? "mutant lock" : "lock", lock->value ? ", " : "",
		 lock->value ? lock->value : "", lock->source ? "" : ", library");
	reader->no_retries = lock->no_retries;
	on_demand_name(recipe, reader);
	if (recipe->given && !lock->source)
		return errmsg_set(err,
				  "reader '%s': it calls a library, and is only what the build has "
				  "made of it: it has no @",
				  kind->name);
	if (recipe->given)
		return on_demand_make(&job, reader, err);
	reader->counted = lock->counted;
	reader->bare = lock->bare;
	reader->lock = lock->operations;
	return lock->elf ? use_built_in(lock->elf, lock->elf_end, reader, err) : 0;
}

static bool is_image(const char *text)
{
	return strncmp(text, READER_IMAGE_PREFIX, strlen(READER_IMAGE_PREFIX)) == 0;
}

/* A name with a slash is a file's. */
static bool is_file(const char *text)
{
	return memchr(text, '/', (size_t)(spec_find_keys(text) - text)) != NULL;
}

/* A lock's page is its own, and tells what is asked for most. */
static int check_lock(const struct spec *spec, const struct reader *reader, struct errmsg *err)
{
	if (!reader->code.is_lock)
		return 0;
	if (spec_given(spec, "layout"))
		return errmsg_set(err,
				  "reader '%.100s': it is a lock, whose page is laid out as the "
				  "lock says: it has no layout=",
				  reader->path);
	if (!reader->uses_counter || reader->clock == CLOCK_MONOTONIC_RAW)
		return errmsg_set(err,
				  "reader '%.100s': it is a lock, and locks are told one of the "
				  "clocks realtime, monotonic, boottime, tai",
				  reader->path);
	return 0;
}

/* What is put to the front of the name for the sake of the spec's rules. */
static int resolve_file(char *text, const struct recipe *recipe, struct reader *reader,
			struct errmsg *err)
{
	const char *key_part = spec_find_keys(text);
	const struct spec_key *keys = reader_file.keys;
	struct compile_job job = {.built_in = false, .recipe = recipe};
	char layout[96], name[LONGEST_TEXT];
	const char *slash;
	struct spec spec;

	snprintf(name, sizeof(name), "%.*s", (int)(key_part - text), text);
	if (spec_parse_keys("source", key_part, &spec, err))
		return -1;
	spec.name = name;
	if (spec_check(&spec, keys, "reader", err))
		return -1;
	slash = strrchr(name, '/');
	*reader = (struct reader){
		.kind = &reader_file,
		.clock = clock_by_name(spec_value(&spec, keys, "clock")),
		.layout = page_layout_find(spec_value(&spec, keys, "layout")),
	};
	reader->uses_counter = !clock_is_coarse(reader->clock);
	reader->data_offset = reader->layout->data_offset;
	snprintf(reader->path, sizeof(reader->path), "%.80s/%s", slash + 1,
		 clock_name(reader->clock));
	snprintf(reader->variation, sizeof(reader->variation), "page of %s", reader->layout->name);
	on_demand_name(recipe, reader);
	job.source = name;
	variation_define_layout(reader->layout, layout, sizeof(layout));
	job.define[job.defines++] = layout;
	reader->file = strdup(name);
	if (!reader->file)
		return errmsg_set(err, "no memory for a reader");
	if (check_layout(reader, err) || on_demand_compile(&job, reader, err) ||
	    check_lock(&spec, reader, err))
		return -1;
	if (reader->code.is_lock) {
		snprintf(reader->variation, sizeof(reader->variation), "lock");
		on_demand_name(recipe, reader);
	}
	return trial_run(reader, err);
}

static int resolve_kind(const char *text, const struct recipe *recipe, struct reader *reader,
			struct errmsg *err)
{
	const struct reader_kind *kind;
	const char *clock;
	struct spec spec;

	if (spec_parse(text, &spec, err))
		return -1;
	kind = reader_kind_find(spec.name, err);
	if (!kind || spec_check(&spec, kind->keys, "reader", err))
		return -1;
	if (kind == &reader_image)
		return errmsg_set(err, "reader 'image': of what? image:host or image:FILE");

	clock = spec_value(&spec, kind->keys, "clock");
	*reader = (struct reader){
		.kind = kind,
		.clock = clock_by_name(clock),
		.in_namespace = kind->in_namespace,
		.layout = &page_layout_current,
		.tells = true,
	};
	reader->uses_counter = !clock_is_coarse(reader->clock);
	snprintf(reader->path, sizeof(reader->path), "%s/%s", kind->name, clock);
	if (kind->locks)
		return resolve_lock(&spec, recipe, reader, err);
	return kind->source ? resolve_path(recipe, reader, err)
			    : resolve_variation(&spec, recipe, reader, err);
}

/* Its name is a file's, and may be as long. */
static int resolve_image(const char *text, struct reader *reader, struct errmsg *err)
{
	if (recipe_stands_in(text))
		return errmsg_set(err, "'%.100s': an image is not compiled: it has no @", text);
	return reader_resolve_image(text, reader, err);
}

static int resolve(char *text, struct reader *reader, struct errmsg *err)
{
	struct recipe recipe;

	if (recipe_cut(text, &recipe, err))
		return -1;
	return is_file(text) ? resolve_file(text, &recipe, reader, err)
			     : resolve_kind(text, &recipe, reader, err);
}

int reader_resolve(const char *text, struct reader *reader, struct errmsg *err)
{
	char copy[LONGEST_TEXT];

	*reader = (struct reader){.kind = NULL};
	if (is_image(text))
		return resolve_image(text, reader, err);
	if (strlen(text) >= sizeof(copy))
		return errmsg_set(err, "'%.40s...' is longer than %zu characters", text,
				  sizeof(copy) - 1);
	strcpy(copy, text);
	if (!resolve(copy, reader, err))
		return 0;
	reader_release(reader);
	return -1;
}
