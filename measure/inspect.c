// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "measure/inspect.h"

const clockid_t inspect_clocks[INSPECT_CLOCKS] = {
	CLOCK_REALTIME,		CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_REALTIME_COARSE,
	CLOCK_MONOTONIC_COARSE, CLOCK_BOOTTIME,	 CLOCK_TAI,
};

/* Without a counter that user space can read every way calls the system, for the counter. */
static void fill_clock(struct path_figures *figures, const struct reader *reader, clockid_t clock)
{
	struct path_figures own;

	path_fill(figures, reader, clock);
	if (figures->unavailable.text[0] || !figures->system_calls)
		return;
	path_fill(&own, reader, reader->clock);
	if (clock != reader->clock && !own.system_calls)
		errmsg_set(&figures->unavailable, "it calls the system for it");
}

static void fill_clocks(struct path_figures *clocks, const struct reader *reader)
{
	for (size_t i = 0; i < INSPECT_CLOCKS; i++) {
		clocks[i] = (struct path_figures){.instructions = 0};
		if (reader->image && reader->call != VDSO_CLOCK_GETTIME &&
		    inspect_clocks[i] != reader->clock)
			errmsg_set(&clocks[i].unavailable, "what it calls answers for %s only",
				   clock_name(reader->clock));
		else
			fill_clock(&clocks[i], reader, inspect_clocks[i]);
	}
}

static void find_functions(struct inspect_reader *result)
{
	const struct reader *reader = result->reader;
	const bool is_image = reader->image != NULL;

	if (functions_read(&result->functions, is_image ? reader->image->bytes : reader->code.elf,
			   is_image ? reader->image->size : reader->code.elf_bytes,
			   &result->no_functions))
		return;
	result->entry = functions_at(&result->functions,
				     is_image ? (u64)reader->image->function[reader->call]
					      : result->functions.entry);
}

void inspect_reader(struct inspect_reader *result, const struct reader *reader)
{
	memset(result, 0, sizeof(*result));
	result->reader = reader;
	find_functions(result);
	for (int kind = 0; kind < WALK_KINDS; kind++) {
		struct path_figures *path = &result->path[kind];
		struct errmsg why;

		if (walk_make(&result->walk[kind], reader, reader->clock, (enum walk_kind)kind,
			      &why))
			path->unavailable = why;
		else
			path_of_walk(path, &result->walk[kind]);
	}
	fill_clocks(result->clock, reader);
}

void inspect_reader_release(struct inspect_reader *result)
{
	for (int kind = 0; kind < WALK_KINDS; kind++)
		walk_release(&result->walk[kind]);
}

void inspect_difference(struct inspect_difference *result, const struct inspect_reader *a,
			const struct inspect_reader *b)
{
	const struct errmsg *why = &a->path[WALK_FAST].unavailable;

	memset(result, 0, sizeof(*result));
	if (!why->text[0])
		why = &b->path[WALK_FAST].unavailable;
	if (why->text[0])
		result->path.unavailable = *why;
	else
		likeness_of_walks(&result->path, &a->walk[WALK_FAST], &b->walk[WALK_FAST]);
	likeness_of_codes(&result->text, &a->reader->code, &b->reader->code);
}

/* That of all sources is a form, and says nothing. */
static const char *name_of(const struct reader *reader)
{
	return reader->file ? reader->file : reader->kind->name;
}

static void name_reader(struct inspect_page *result, const struct reader *reader)
{
	snprintf(result->reader, sizeof(result->reader), "%s (%s)", name_of(reader),
		 reader->variation);
}

/* The clock in its spec is one of those that it is asked for. */
int inspect_page_of_layout(struct inspect_page *result, const struct page_layout *layout,
			   struct errmsg *err)
{
	struct reader reader;
	char spec[64];

	snprintf(spec, sizeof(spec), "hres:layout=%.40s", layout->name);
	if (reader_resolve(spec, &reader, err))
		return -1;
	*result = (struct inspect_page){.layout = layout, .data_offset = reader.data_offset};
	name_reader(result, &reader);
	fill_clocks(result->clock, &reader);
	reader_release(&reader);
	return 0;
}

void inspect_page_of_reader(struct inspect_page *result, const struct inspect_reader *reader)
{
	*result = (struct inspect_page){.layout = reader->reader->layout,
					.data_offset = reader->reader->data_offset};
	name_reader(result, reader->reader);
	memcpy(result->clock, reader->clock, sizeof(result->clock));
}
