// SPDX-License-Identifier: GPL-2.0-or-later
#include "writers/kinds.h"

static const struct spec_key stall_keys[] = {
	WRITER_KEY_HZ,
	WRITER_KEY_EVERY("100ms"),
	{"for", NULL, "10ms", "how long it stops, 1us to 1s, or forever"},
	{.name = NULL},
};

/* In the middle, with a page half old, half new; what stops for ever leaves the sequence odd. */
static void publish_with_stop(struct writer *writer, const struct tk_page *page)
{
	const struct timekeeper *tk = &writer->core->tk;

	vdso_write_begin(page->page, page->layout);
	publish_coarse(page->page, page->layout, tk);
	publish_counters(page->page, page->layout, tk);
	writer_pause(writer, writer->value[WRITER_FOR]);
	if (writer->value[WRITER_FOR] == WRITER_FOREVER)
		return;
	publish_hres_bases(page->page, page->layout, tk);
	vdso_write_end(page->page, page->layout);
}

/* When it is due. */
static bool middle(struct writer *writer)
{
	if ((s64)(writer_counter(writer) - writer->due) < 0)
		return true;
	writer_pause(writer, writer->value[WRITER_FOR]);
	writer->due = writer_counter(writer) + writer_cycles(writer, writer->value[WRITER_EVERY]);
	return writer->value[WRITER_FOR] != WRITER_FOREVER;
}

static void publish(struct writer *writer, const struct tk_page *page)
{
	const bool first = page == &writer->core->page[0];

	if (!first || (s64)(writer_counter(writer) - writer->due) < 0) {
		update_vsyscall(page->page, page->layout, &writer->core->tk);
		return;
	}
	publish_with_stop(writer, page);
	writer->due = writer_counter(writer) + writer_cycles(writer, writer->value[WRITER_EVERY]);
}

const struct writer_kind writer_stall = {
	.name = "stall",
	.summary =
		"a tick that stops in the middle of an update every so often, as if the host had "
		"taken its CPU away while the sequence is odd",
	.keys = stall_keys,
	.publish = publish,
	.middle = middle,
};
