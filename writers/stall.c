// SPDX-License-Identifier: GPL-2.0-or-later
#include "writers/kinds.h"
#include "writers/middle.h"

static const struct spec_key stall_keys[] = {
	WRITER_KEY_HZ,
	WRITER_KEY_EVERY("100ms"),
	{"for", NULL, "10ms", "how long it stops, 1us to 1s, or forever"},
	{.name = NULL},
};

static bool is_due(const struct writer *writer)
{
	return (s64)(writer_counter(writer) - writer->due) >= 0;
}

static bool middle(struct writer *writer)
{
	if (!is_due(writer))
		return true;
	writer_pause(writer, writer->value[WRITER_FOR]);
	writer->due = writer_counter(writer) + writer_cycles(writer, writer->value[WRITER_EVERY]);
	return writer->value[WRITER_FOR] != WRITER_FOREVER;
}

static void publish(struct writer *writer, const struct tk_page *page)
{
	if (page == &writer->core->page[0] && is_due(writer))
		publish_with_middle(writer, page);
	else
		update_vsyscall(page->page, page->layout, &writer->core->tk);
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
