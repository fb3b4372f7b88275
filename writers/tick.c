// SPDX-License-Identifier: GPL-2.0-or-later
#include "writers/kinds.h"

static const struct spec_key tick_keys[] = {
	{"hz", NULL, "1000", "updates per second, 1 to 10000000"},
	{"hold", NULL, "0",
	 "least time that an update keeps the sequence odd, 0 to 1ms, as in 300ns"},
	{.name = NULL},
};

/*
 * A longer hold than the stores take, for those who ask what it would do. The wait lies in the
 * middle of what a reader of the counter needs: a page half old, half new.
 */
static void publish_slowly(struct writer *writer)
{
	const struct pace *pace = &writer->pace;
	u64 start = clocksource_read(pace->clock_mode, pace->page);

	vdso_write_begin(writer->page, writer->layout);
	publish_coarse(writer->page, writer->layout, &writer->tk);
	publish_counters(writer->page, writer->layout, &writer->tk);
	while (clocksource_read(pace->clock_mode, pace->page) - start < writer->hold_cycles)
		cpu_relax();
	publish_hres_bases(writer->page, writer->layout, &writer->tk);
	vdso_write_end(writer->page, writer->layout);
}

static void publish(struct writer *writer)
{
	/* A counter that cannot be read cannot tell how long to wait. */
	if (unlikely(writer->hold_cycles) && writer->tk.clock_mode != VDSO_CLOCKMODE_NONE)
		publish_slowly(writer);
	else
		update_vsyscall(writer->page, writer->layout, &writer->tk);
}

const struct writer_kind writer_tick = {
	.name = "tick",
	.summary = "the periodic tick: accumulates what passed and publishes it",
	.keys = tick_keys,
	.publish = publish,
};
