// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ticks that publish wrongly on purpose.
 */
#include <sched.h>

#include "writers/broken_pages.h"
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

static void hold(void *writer)
{
	tick_hold(writer);
}

static void give_way(void *writer)
{
	(void)writer;
	sched_yield();
}

static void publish_broken(struct writer *writer, const struct tk_page *page,
			   broken_page_fn *publish, void (*pause)(void *argument))
{
	const struct broken_update update = {
		.page = page->page,
		.layout = page->layout,
		.tk = &writer->core->tk,
		.pause = pause,
		.argument = writer,
	};

	publish(&update);
}

#define PUBLISH(name, pause)                                                          \
	static void publish_##name(struct writer *writer, const struct tk_page *page) \
	{                                                                             \
		publish_broken(writer, page, page_##name, pause);                     \
	}

PUBLISH(never_odd, NULL)
PUBLISH(late_sequence, NULL)
PUBLISH(early_end, NULL)
PUBLISH(store_early, hold)
PUBLISH(store_late, hold)
PUBLISH(no_begin_wmb, NULL)
PUBLISH(no_end_wmb, NULL)
PUBLISH(release_late, NULL)
PUBLISH(raw_not_raised, NULL)
PUBLISH(no_lock, give_way)

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
	.page = "page_never_odd",
};

const struct writer_kind mutant_early_end = {
	.name = "early-end",
	.summary = "goes even before it has written what readers of the counter need",
	.keys = keys,
	.fault = "the section ends before the last field",
	.publish = publish_early_end,
	.page = "page_early_end",
};

const struct writer_kind mutant_late_sequence = {
	.name = "late-sequence",
	.summary = "raises the sequence only when all is written",
	.keys = keys,
	.fault = "the sequence is raised only at the end",
	.publish = publish_late_sequence,
	.page = "page_late_sequence",
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
	.publish = publish_store_early,
	.page = "page_store_early",
};

const struct writer_kind mutant_store_late = {
	.name = "store-late",
	.summary = "stores MONOTONIC's base after the sequence has gone even",
	.keys = stray_keys,
	.fault = "no barrier before going even: the compiler may do this",
	.publish = publish_store_late,
	.page = "page_store_late",
};

const struct writer_kind mutant_no_begin_wmb = {
	.name = "no-begin-wmb",
	.summary = "goes odd with nothing that keeps the CPU from storing before it",
	.keys = keys,
	.fault = "no CPU barrier after going odd; x86 needs none",
	.publish = publish_no_begin_wmb,
	.page = "page_no_begin_wmb",
};

const struct writer_kind mutant_no_end_wmb = {
	.name = "no-end-wmb",
	.summary = "goes even with nothing that keeps the CPU from storing after it",
	.keys = keys,
	.fault = "no CPU barrier before going even; x86 needs none",
	.publish = publish_no_end_wmb,
	.page = "page_no_end_wmb",
};

const struct writer_kind mutant_release_late = {
	.name = "release-late",
	.summary = "has its release fence after the store that goes even",
	.keys = keys,
	.fault = "the fence is on the wrong side of the publishing store; x86 needs none",
	.publish = publish_release_late,
	.page = "page_release_late",
};

const struct writer_kind mutant_raw_not_raised = {
	.name = "raw-not-raised",
	.summary = "raises the first sequence counter and forgets the second, MONOTONIC_RAW's",
	.keys = keys,
	.fault = "the second clock's counter is not raised",
	.publish = publish_raw_not_raised,
	.page = "page_raw_not_raised",
};

const struct writer_kind mutant_no_lock = {
	.name = "no-lock",
	.summary = "a tick that does not take the lock; right as long as it is alone",
	.keys = keys,
	.fault = "two writers that nobody excludes",
	.takes_no_lock = true,
	.publish = publish_no_lock,
	.page = "page_no_lock",
};
