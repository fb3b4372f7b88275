// SPDX-License-Identifier: GPL-2.0-or-later
#include "writers/kinds.h"

static const struct spec_key tz_keys[] = {
	WRITER_KEY_EVERY("1ms"),
	{.name = NULL},
};

/* What is west of Greenwich in whole hours, round the world. */
#define HOURS 24

/* As the kernel does: no sequence guards it, and the two words may be read one old, one new. */
static void publish(struct writer *writer, const struct tk_page *page)
{
	char *words = (char *)page->page + page->layout->tz;

	WRITE_ONCE(*(s32 *)(void *)words, (s32)(writer->turn % HOURS * 60) - 60 * HOURS / 2);
	WRITE_ONCE(*(s32 *)(void *)(words + sizeof(s32)), (s32)(writer->turn % 2));
	if (page == &writer->core->page[writer->core->pages - 1])
		writer->turn++;
}

const struct writer_kind writer_tz = {
	.name = "tz",
	.summary = "the time zone is set, outside of the sequence as the kernel does: no read of a "
		   "clock may notice, but for a line that was taken away",
	.keys = tz_keys,
	.no_update = true,
	.publish = publish,
};
