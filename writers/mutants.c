// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ticks that publish wrongly on purpose.
 */
#include <sched.h>

#include "writers/tick.h"

static const struct spec_key keys[] = {
	WRITER_KEY_HZ,
	{.name = NULL},
};

/* Those that store outside of the section take their time about it, or seldom would it be met. */
static const struct spec_key stray_keys[] = {
	WRITER_KEY_HZ,
	{"hold", NULL, "200ns", "how long between that store and the section, 0 to 1ms"},
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

/* What a compiler may make of a missing barrier: a store that leaves the section. */
static void store_early(struct writer *writer, const struct tk_page *page)
{
	publish_base(page->page, page->layout, &writer->core->tk, CLOCK_MONOTONIC);
	tick_hold(writer);
	update_vsyscall(page->page, page->layout, &writer->core->tk);
}

static void store_late(struct writer *writer, const struct tk_page *page)
{
	u64 *base = layout_base(page->layout, page->page, CLOCK_MONOTONIC);
	const u64 before = *base;

	vdso_write_begin(page->page, page->layout);
	publish_fields(writer, page);
	PLAIN_STORE(*base, before);
	vdso_write_end(page->page, page->layout);
	tick_hold(writer);
	publish_base(page->page, page->layout, &writer->core->tk, CLOCK_MONOTONIC);
}

/* With barriers that hold back the compiler, and not the CPU. */
static void write_with(struct writer *writer, const struct tk_page *page, bool begin, bool end)
{
	const u32 seq = vdso_sequence(page->page);

	vdso_set_sequences(page->page, page->layout, seq + 1);
	if (begin)
		smp_wmb();
	barrier();
	publish_fields(writer, page);
	barrier();
	if (end)
		smp_wmb();
	vdso_set_sequences(page->page, page->layout, seq + 2);
}

static void publish_no_begin_wmb(struct writer *writer, const struct tk_page *page)
{
	write_with(writer, page, false, true);
}

static void publish_no_end_wmb(struct writer *writer, const struct tk_page *page)
{
	write_with(writer, page, true, false);
}

static void publish_release_late(struct writer *writer, const struct tk_page *page)
{
	write_with(writer, page, true, false);
	smp_wmb();
}

static void publish_raw_not_raised(struct writer *writer, const struct tk_page *page)
{
	const u32 seq = vdso_sequence(page->page);

	WRITE_ONCE(*layout_u32(page->page, 0), seq + 1);
	smp_wmb();
	publish_fields(writer, page);
	smp_wmb();
	WRITE_ONCE(*layout_u32(page->page, 0), seq + 2);
}

/* Gives way in the middle, for the other one to come in. */
static void publish_unlocked(struct writer *writer, const struct tk_page *page)
{
	vdso_write_begin(page->page, page->layout);
	publish_coarse(page->page, page->layout, &writer->core->tk);
	sched_yield();
	publish_hres(page->page, page->layout, &writer->core->tk);
	vdso_write_end(page->page, page->layout);
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

const struct writer_kind mutant_store_early = {
	.name = "store-early",
	.summary = "stores MONOTONIC's base before the sequence goes odd",
	.keys = stray_keys,
	.fault = "no barrier after going odd: the compiler may do this",
	.publish = store_early,
};

const struct writer_kind mutant_store_late = {
	.name = "store-late",
	.summary = "stores MONOTONIC's base after the sequence has gone even",
	.keys = stray_keys,
	.fault = "no barrier before going even: the compiler may do this",
	.publish = store_late,
};

const struct writer_kind mutant_no_begin_wmb = {
	.name = "no-begin-wmb",
	.summary = "goes odd with nothing that keeps the CPU from storing before it",
	.keys = keys,
	.fault = "no CPU barrier after going odd; x86 needs none",
	.publish = publish_no_begin_wmb,
};

const struct writer_kind mutant_no_end_wmb = {
	.name = "no-end-wmb",
	.summary = "goes even with nothing that keeps the CPU from storing after it",
	.keys = keys,
	.fault = "no CPU barrier before going even; x86 needs none",
	.publish = publish_no_end_wmb,
};

const struct writer_kind mutant_release_late = {
	.name = "release-late",
	.summary = "has its release fence after the store that goes even",
	.keys = keys,
	.fault = "the fence is on the wrong side of the publishing store; x86 needs none",
	.publish = publish_release_late,
};

const struct writer_kind mutant_raw_not_raised = {
	.name = "raw-not-raised",
	.summary = "raises the first sequence counter and forgets the second, MONOTONIC_RAW's",
	.keys = keys,
	.fault = "the second clock's counter is not raised",
	.publish = publish_raw_not_raised,
};

const struct writer_kind mutant_no_lock = {
	.name = "no-lock",
	.summary = "a tick that does not take the lock; right as long as it is alone",
	.keys = keys,
	.fault = "two writers that nobody excludes",
	.takes_no_lock = true,
	.publish = publish_unlocked,
};
