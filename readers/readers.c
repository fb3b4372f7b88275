// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "readers/compile.h"
#include "readers/kinds.h"
#include "readers/readers.h"

#define POINT_TO(kind) &kind,
const struct reader_kind *const reader_kinds[] = {READER_KINDS(POINT_TO) NULL};

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

const struct lock_source *lock_source_find(const struct spec *spec, const struct reader_kind *kind)
{
	const struct lock_source *lock = kind->locks;

	while (kind->lock_key &&
	       strcmp(lock->value, spec_value(spec, kind->keys, kind->lock_key)) != 0)
		lock++;
	return lock;
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
