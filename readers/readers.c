// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "readers/compile.h"
#include "readers/image.h"
#include "readers/kinds.h"
#include "readers/readers.h"
#include "readers/trial.h"
#include "readers/variation.h"

/* Of a spec with a recipe, or with a file's name. */
#define LONGEST_TEXT (SPEC_MAX_TEXT + RECIPE_MAX_TEXT)

#define POINT_TO(kind) &kind,
const struct reader_kind *const reader_kinds[] = {READER_KINDS(POINT_TO) NULL};

static const struct {
	const char *name;
	clockid_t clock;
} clock_names[] = {
	{"realtime", CLOCK_REALTIME},
	{"monotonic", CLOCK_MONOTONIC},
	{"monotonic_raw", CLOCK_MONOTONIC_RAW},
	{"realtime_coarse", CLOCK_REALTIME_COARSE},
	{"monotonic_coarse", CLOCK_MONOTONIC_COARSE},
	{"boottime", CLOCK_BOOTTIME},
	{"tai", CLOCK_TAI},
};

const char *clock_name(clockid_t clock)
{
	for (size_t i = 0; i < ARRAY_SIZE(clock_names); i++)
		if (clock_names[i].clock == clock)
			return clock_names[i].name;
	return NULL;
}

clockid_t clock_by_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(clock_names); i++)
		if (strcmp(clock_names[i].name, name) == 0)
			return clock_names[i].clock;
	return -1;
}

bool clock_is_coarse(clockid_t clock)
{
	return clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE;
}

const struct reader_kind *reader_kind_find(const char *name, struct errmsg *err)
{
	char known[256] = "";
	size_t used = 0;

	for (const struct reader_kind *const *kind = reader_kinds; *kind; kind++) {
		if (strcmp((*kind)->name, name) == 0)
			return *kind;
		if (!(*kind)->fault && used < sizeof(known))
			used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
						 used ? ", " : "", (*kind)->name);
	}
	errmsg_set(err, "there is no reader '%s': there are %s", name, known);
	return NULL;
}

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

static void name_recipe(const struct recipe *recipe, struct reader *reader)
{
	size_t used = strlen(reader->variation);

	if (!recipe->given)
		return;
	used += (size_t)snprintf(reader->variation + used, sizeof(reader->variation) - used,
				 " @%s%s%s", recipe->cc ? recipe->cc : compile_default_cc,
				 recipe->cflags ? " " : "", recipe->cflags ? recipe->cflags : "");
	for (int i = 0; i < recipe->defines && used < sizeof(reader->variation); i++)
		used += (size_t)snprintf(reader->variation + used, sizeof(reader->variation) - used,
					 " %s", recipe->define[i]);
}

static int compile_path(struct compile_job *job, bool counted, struct machine_code *code,
			struct placement *placement, struct errmsg *err)
{
	job->counted = counted;
	return compile_reader(job, code, err) || placement_make(placement, code, 0, err) ? -1 : 0;
}

/* A lock's second entry is placed as a reader is, and called as what it is. */
static int compile_publisher(struct compile_job *job, struct reader *reader, struct errmsg *err)
{
	int failed;

	job->publishes = true;
	failed = compile_path(job, false, &reader->publish_code, &reader->publish_placement, err);
	job->publishes = false;
	reader->lock = (struct lock_operations){
		.publish = (lock_publish_fn *)(uintptr_t)reader->publish_placement.entry,
	};
	return failed;
}

/* All entries of a source, each put where it can be called. */
static int compile_all(struct compile_job *job, struct reader *reader, struct errmsg *err)
{
	struct errmsg why;

	if (!compile_path(job, true, &reader->counted_code, &reader->counted_placement, &why) &&
	    !compile_path(job, false, &reader->code, &reader->bare_placement, &why) &&
	    (!reader->code.is_lock || !compile_publisher(job, reader, &why))) {
		reader->counted = reader->counted_placement.entry;
		reader->bare = reader->bare_placement.entry;
		return 0;
	}
	if (!job->recipe->given)
		return errmsg_set(err, "reader '%.100s': %.390s", reader->path, why.text);
	return errmsg_set(err, "reader '%.100s' (%.100s): %.280s", reader->path, reader->variation,
			  why.text);
}

/* What a recipe or a source of the user's has made is strange code: it is tried first. */
static int compile_and_try(struct compile_job *job, struct reader *reader, struct errmsg *err)
{
	return compile_all(job, reader, err) || trial_run(reader, err) ? -1 : 0;
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
	name_recipe(recipe, reader);
	if (variation && !recipe->given) {
		reader->counted = variation->counted;
		reader->bare = variation->bare;
		return use_built_in(variation->elf, variation->elf_end, reader, err);
	}
	job.defines = variation_define(spec, keys, &definitions);
	memcpy(job.define, definitions.define, sizeof(definitions.define));
	return compile_and_try(&job, reader, err);
}

/* A path of its own. */
static int resolve_path(const struct recipe *recipe, struct reader *reader, struct errmsg *err)
{
	const struct reader_kind *kind = reader->kind;
	struct compile_job job = {.source = kind->source, .built_in = true, .recipe = recipe};

	snprintf(reader->variation, sizeof(reader->variation), "%s",
		 kind->fault ? "mutant" : "as written");
	name_recipe(recipe, reader);
	if (recipe->given)
		return compile_and_try(&job, reader, err);
	reader->counted = kind->counted;
	reader->bare = kind->bare;
	return use_built_in(kind->elf, kind->elf_end, reader, err);
}

const struct lock_source *lock_source_find(const struct spec *spec, const struct reader_kind *kind)
{
	const struct lock_source *lock = kind->locks;

	while (kind->lock_key &&
	       strcmp(lock->value, spec_value(spec, kind->keys, kind->lock_key)) != 0)
		lock++;
	return lock;
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
	name_recipe(recipe, reader);
	if (recipe->given && !lock->source)
		return errmsg_set(err,
				  "reader '%s': it calls a library, and is only what the build has "
				  "made of it: it has no @",
				  kind->name);
	if (recipe->given)
		return compile_and_try(&job, reader, err);
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
	name_recipe(recipe, reader);
	job.source = name;
	variation_define_layout(reader->layout, layout, sizeof(layout));
	job.define[job.defines++] = layout;
	reader->file = strdup(name);
	if (!reader->file)
		return errmsg_set(err, "no memory for a reader");
	if (check_layout(reader, err) || compile_all(&job, reader, err) ||
	    check_lock(&spec, reader, err))
		return -1;
	if (reader->code.is_lock) {
		snprintf(reader->variation, sizeof(reader->variation), "lock");
		name_recipe(recipe, reader);
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

void reader_release(struct reader *reader)
{
	placement_release(&reader->bare_placement);
	if (reader->counted_code.elf)
		compiled_release(&reader->code);
	compiled_release(&reader->counted_code);
	placement_release(&reader->counted_placement);
	compiled_release(&reader->publish_code);
	placement_release(&reader->publish_placement);
	free(reader->file);
	reader->file = NULL;
	if (!reader->image)
		return;
	vdso_image_close(reader->image);
	free(reader->image);
	reader->image = NULL;
}

const void *reader_foreign_code(const struct reader *reader, u64 *bytes)
{
	const struct machine_code *code = &reader->counted_code;

	*bytes = reader->image ? reader->image->size : code->bytes;
	if (reader->image)
		return reader->image->start;
	return code->elf ? (const u8 *)(uintptr_t)reader->counted - code->entry : NULL;
}

const void *reader_foreign_publisher(const struct reader *reader, u64 *bytes)
{
	const struct machine_code *code = &reader->publish_code;

	*bytes = code->bytes;
	return code->elf ? (const u8 *)(uintptr_t)reader->publish_placement.entry - code->entry
			 : NULL;
}

const char *reader_no_code(const struct reader *reader)
{
	if (reader->image)
		return "an image is more than this function";
	return reader_is_lock(reader) && !reader->code.bytes ? "its code calls a library" : NULL;
}

/* A lock's memory is its own, and is told one clock. */
bool readers_share_page(const struct reader *a, const struct reader *b)
{
	return a == b || (!reader_is_lock(a) && !reader_is_lock(b) && a->layout == b->layout &&
			  a->data_offset == b->data_offset);
}

int reader_map_page(const struct reader *reader, struct page_region *region, struct errmsg *err)
{
	if (page_region_map(region, reader->layout, reader->data_offset, err))
		return -1;
	if (reader_is_lock(reader))
		lock_page_begin(region, &reader->lock, reader->clock);
	return 0;
}

const struct vdso_time_data *reader_page(const struct reader *reader,
					 const struct page_region *region)
{
	if (reader_is_lock(reader))
		return page_for_writer(region);
	return reader->in_namespace ? page_for_namespace(region) : page_for_readers(region);
}
