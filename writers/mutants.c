// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ticks that publish wrongly on purpose.
 */
#include "writers/kinds.h"

static const struct spec_key keys[] = {
	{"hz", NULL, "1000", "updates per second, 1 to 10000000"},
	{.name = NULL},
};

/* Updates that stops-odd makes properly before the one it never ends. */
#define UPDATES_BEFORE_STOP 100

static void publish_fields(struct writer *writer)
{
	publish_coarse(writer->page, writer->layout, &writer->tk);
	publish_hres(writer->page, writer->layout, &writer->tk);
}

static void skip_sequence(struct writer *writer)
{
	vdso_set_sequences(writer->page, writer->layout, vdso_sequence(writer->page) + 2);
}

static void publish_never_odd(struct writer *writer)
{
	skip_sequence(writer);
	smp_wmb();
	publish_fields(writer);
}

static void publish_late_sequence(struct writer *writer)
{
	publish_fields(writer);
	smp_wmb();
	skip_sequence(writer);
}

static void publish_early_end(struct writer *writer)
{
	vdso_write_begin(writer->page, writer->layout);
	publish_coarse(writer->page, writer->layout, &writer->tk);
	vdso_write_end(writer->page, writer->layout);
	publish_hres(writer->page, writer->layout, &writer->tk);
}

static void publish_stops_odd(struct writer *writer)
{
	const struct timespec pause = {0, 1000000};

	if (writer->number < UPDATES_BEFORE_STOP) {
		update_vsyscall(writer->page, writer->layout, &writer->tk);
		return;
	}
	vdso_write_begin(writer->page, writer->layout);
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
