// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "readers/image.h"
#include "readers/kinds.h"
#include "readers/readers.h"
#include "readers/variation.h"

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

static const struct reader_kind *find_kind(const char *name, struct errmsg *err)
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

static void name_variation(const struct variation *variation, struct reader *reader)
{
	const char *inlining = strcmp(variation->inlining, "always") == 0  ? "inlined"
			       : strcmp(variation->inlining, "never") == 0 ? "not inlined"
									   : "inline=auto";
	const char *retry = strcmp(variation->retry, "unlikely") == 0 ? "" : variation->retry;
	const bool current = reader->layout == &page_layout_current;

	snprintf(reader->variation, sizeof(reader->variation), "%s%s%s, %s%s%s%s",
		 strcmp(variation->hint, "none") == 0 ? "no hint" : variation->hint,
		 *retry ? ", retry " : "", retry, inlining,
		 strcmp(variation->callers, "2") == 0 ? ", 2 callers" : "",
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

static int resolve_variation(const struct spec *spec, struct reader *reader, struct errmsg *err)
{
	const struct spec_key *keys = reader->kind->keys;
	const struct variation *variation = variation_find(spec, keys);

	reader->layout = page_layout_find(spec_value(spec, keys, "layout"));
	reader->data_offset = reader->layout->data_offset;
	if (check_layout(reader, err))
		return -1;
	reader->counted = variation->counted;
	reader->bare = variation->bare;
	name_variation(variation, reader);
	return 0;
}

int reader_resolve(const char *text, struct reader *reader, struct errmsg *err)
{
	const struct reader_kind *kind;
	const char *clock;
	struct spec spec;

	*reader = (struct reader){.kind = NULL};
	if (strncmp(text, READER_IMAGE_PREFIX, strlen(READER_IMAGE_PREFIX)) == 0)
		return reader_resolve_image(text, reader, err);
	if (spec_parse(text, &spec, err))
		return -1;
	kind = find_kind(spec.name, err);
	if (!kind || spec_check(&spec, kind->keys, "reader", err))
		return -1;
	if (kind == &reader_image)
		return errmsg_set(err, "reader 'image': of what? image:host or image:FILE");

	clock = spec_value(&spec, kind->keys, "clock");
	*reader = (struct reader){
		.kind = kind,
		.clock = clock_by_name(clock),
		.counted = kind->counted,
		.bare = kind->bare,
		.layout = &page_layout_current,
		.in_namespace = kind->in_namespace,
	};
	reader->uses_counter = !clock_is_coarse(reader->clock);
	snprintf(reader->path, sizeof(reader->path), "%s/%s", kind->name, clock);
	snprintf(reader->variation, sizeof(reader->variation), "mutant");
	if (!kind->fault)
		snprintf(reader->variation, sizeof(reader->variation), "as written");
	return kind->counted ? 0 : resolve_variation(&spec, reader, err);
}

void reader_release(struct reader *reader)
{
	if (!reader->image)
		return;
	vdso_image_close(reader->image);
	free(reader->image);
	reader->image = NULL;
}
