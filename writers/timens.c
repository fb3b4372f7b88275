// SPDX-License-Identifier: GPL-2.0-or-later
#include "writers/kinds.h"

static const struct spec_key timens_keys[] = {
	WRITER_KEY_EVERY("10ms"),
	{.name = NULL},
};

/* Out of the one namespace, into the other, and so on; once for all pages. */
static void publish(struct writer *writer, const struct tk_page *page)
{
	if (page == &writer->core->page[0])
		smp_store_release(&writer->core->view, (enum tk_view)(++writer->turn % TK_VIEWS));
}

const struct writer_kind writer_timens = {
	.name = "timens",
	.summary =
		"readers enter a time namespace, then another, and leave: between two reads each "
		"is given another page, with other offsets",
	.keys = timens_keys,
	.no_update = true,
	.exchanges = true,
	.publish = publish,
};
