// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ticks that publish wrongly on purpose.
 */
#include "writers/kinds.h"

static const struct spec_key keys[] = {
	WRITER_KEY_HZ,
	{.name = NULL},
};

/* Updates that stops-odd makes properly before the one it never ends. */
#define UPDATES_BEFORE_STOP 100

static void publish_fields(struct writer *writer, const struct tk_page *page)
{
	publish_coarse(page->page, page->layout, &writer->core->tk);
	publish_hres(page->page, page->layout, &writer->core->tk);
}

static void skip_sequence(const struct tk_page *page)
{
	vdso_set_sequences(page->page, page->layout, vdso_sequence(page->page) + 2);
}

static void publish_never_odd(struct writer *writer, const struct tk_page *page)
{
	skip_sequence(page);
	smp_wmb();
	publish_fields(writer, page);
}

static void publish_late_sequence(struct writer *writer, const struct tk_page *page)
{
	publish_fields(writer, page);
	smp_wmb();
	skip_sequence(page);
}

static void publish_early_end(struct writer *writer, const struct tk_page *page)
{
	vdso_write_begin(page->page, page->layout);
	publish_coarse(page->page, page->layout, &writer->core->tk);
	vdso_write_end(page->page, page->layout);
	publish_hres(page->page, page->layout, &writer->core->tk);
}

static void publish_stops_odd(struct writer *writer, const struct tk_page *page)
{
	const struct timespec pause = {0, 1000000};

	if (writer->core->number < UPDATES_BEFORE_STOP) {
		update_vsyscall(page->page, page->layout, &writer->core->tk);
		return;
	}
	vdso_write_begin(page->page, page->layout);
	while (!READ_ONCE(*writer->pace.stop))
		nanosleep(&pause, NULL);
}

const struct writer_kind mutant_never_odd = {
	.name = "never-odd",
	.summary = "raises the sequence by two before it writes",
	.keys = keys,
	.fault = "the sequence never goes odd",
	.publish = publish_never_odd,
};

const struct writer_kind mutant_early_end = {
	.name = "early-end",
	.summary = "goes even before it has written what readers of the counter need",
	.keys = keys,
	.fault = "the section ends before the last field",
	.publish = publish_early_end,
};

const struct writer_kind mutant_late_sequence = {
	.name = "late-sequence",
	.summary = "raises the sequence only when all is written",
	.keys = keys,
	.fault = "the sequence is raised only at the end",
	.publish = publish_late_sequence,
};

const struct writer_kind mutant_stops_odd = {
	.name = "stops-odd",
	.summary = "goes odd at its 101st update and stays so",
	.keys = keys,
	.fault = "the writer dies within an update",
	.publish = publish_stops_odd,
};
