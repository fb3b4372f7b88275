/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An update that is stayed in: what a kind does in the middle of one, it does here.
 */
#ifndef WRITERS_MIDDLE_H
#define WRITERS_MIDDLE_H

#include "sim/publish.h"
#include "writers/writer.h"

/*
 * Publishes as the kernel does, and calls the kind's `middle` in the middle of what a reader of the
 * counter needs: a page half old, half new. What does not come back from there leaves the sequence
 * odd. For kinds, of a page without a lock.
 */
static inline void publish_with_middle(struct writer *writer, const struct tk_page *page)
{
	const struct timekeeper *tk = &writer->core->tk;
	const bool has_counter = tk->clock_mode != VDSO_CLOCKMODE_NONE;

	vdso_write_begin(page->page, page->layout);
	publish_coarse(page->page, page->layout, tk);
	if (has_counter)
		publish_counters(page->page, page->layout, tk);
	if (!writer->kind->middle(writer))
		return;
	if (has_counter)
		publish_hres_bases(page->page, page->layout, tk);
	vdso_write_end(page->page, page->layout);
}

#endif /* WRITERS_MIDDLE_H */
