// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "readers/image.h"
#include "readers/kinds.h"
#include "readers/source_choice.h"
#include "sim/layout.h"

static void name_it(struct source_choice *choice, const char *name, const char *clock)
{
	snprintf(choice->path, sizeof(choice->path), "%.80s/%s", name, clock);
	choice->clock = clock_by_name(clock);
}

static int choose_kind(const char *text, struct source_choice *choice, struct errmsg *err)
{
	struct compile_job *job = &choice->job;
	const struct reader_kind *kind;
	struct spec spec;

	if (spec_parse(text, &spec, err))
		return -1;
	kind = reader_kind_find(spec.name, err);
	if (!kind || spec_check(&spec, kind->keys, "reader", err))
		return -1;
	if (kind == &reader_image)
		return errmsg_set(err, "reader 'image': of what? image:host or image:FILE");
	choice->kind = kind;
	choice->layout = &page_layout_current;
	name_it(choice, kind->name, spec_value(&spec, kind->keys, "clock"));
	job->built_in = true;
	if (kind->locks) {
		choice->lock = lock_source_find(&spec, kind);
		job->source = choice->lock->source;
		return 0;
	}
	job->source = kind->source ? kind->source : VARIATION_SOURCE;
	if (kind->source)
		return 0;
	choice->layout = page_layout_find(spec_value(&spec, kind->keys, "layout"));
	job->defines = variation_define(&spec, kind->keys, &choice->definitions);
	memcpy(job->define, choice->definitions.define, sizeof(choice->definitions.define));
	return 0;
}

static int choose_file(const char *text, struct source_choice *choice, struct errmsg *err)
{
	const char *key_part = spec_find_keys(text);
	struct compile_job *job = &choice->job;
	struct spec spec;

	snprintf(choice->name, sizeof(choice->name), "%.*s", (int)(key_part - text), text);
	if (spec_parse_keys("source", key_part, &spec, err) ||
	    spec_check(&spec, reader_file.keys, "reader", err))
		return -1;
	choice->kind = &reader_file;
	name_it(choice, strrchr(choice->name, '/') + 1,
		spec_value(&spec, reader_file.keys, "clock"));
	choice->layout = page_layout_find(spec_value(&spec, reader_file.keys, "layout"));
	variation_define_layout(choice->layout, choice->layout_definition,
				sizeof(choice->layout_definition));
	job->source = choice->name;
	job->define[job->defines++] = choice->layout_definition;
	return 0;
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

int source_choose(const char *text, const char *purpose, struct source_choice *choice,
		  struct errmsg *err)
{
	char copy[SOURCE_CHOICE_MAX_TEXT];

	*choice = (struct source_choice){.kind = NULL};
	choice->job.recipe = &choice->recipe;
	if (strlen(text) >= sizeof(copy))
		return errmsg_set(err, "'%.40s...' is longer than %zu characters", text,
				  sizeof(copy) - 1);
	strcpy(copy, text);
	if (recipe_cut(copy, &choice->recipe, err))
		return -1;
	if (strncmp(text, READER_IMAGE_PREFIX, strlen(READER_IMAGE_PREFIX)) == 0)
		return errmsg_set(err, "'%.100s': an image %s", text, purpose);
	snprintf(choice->keys, sizeof(choice->keys), "%.191s", keys_of(text, copy));
	return is_file(copy) ? choose_file(copy, choice, err) : choose_kind(copy, choice, err);
}
