// SPDX-License-Identifier: GPL-2.0-or-later
#include "writers/middle.h"
#include "writers/tick.h"

static const struct spec_key tick_keys[] = {TICK_KEYS, {.name = NULL}};

/* A longer hold than the stores take, for those who ask what it would do. */
void tick_publish(struct writer *writer, const struct tk_page *page)
{
	if (unlikely(writer->hold_cycles))
		publish_with_middle(writer, page);
	else
		update_vsyscall(page->page, page->layout, &writer->core->tk);
}

/* A counter that cannot be read cannot tell how long to wait. */
bool tick_middle(struct writer *writer)
{
	if (writer->core->tk.clock_mode != VDSO_CLOCKMODE_NONE)
		tick_hold(writer);
	return true;
}

int tick_check(const struct writer_choice *choice, struct errmsg *err)
{
	if (choice->value[WRITER_ARRIVALS] != PACE_POISSON)
		return 0;
	if (choice->value[WRITER_JITTER])
		return errmsg_set(err, "jitter: what arrives at random has none; leave it out, or "
				       "say arrivals=periodic");
	if (choice->value[WRITER_NOHZ])
		return errmsg_set(err, "nohz: only a periodic tick can stop; leave it out, or say "
				       "arrivals=periodic");
	return 0;
}

const struct writer_kind writer_tick = {
	.name = "tick",
	.summary = "the periodic tick: accumulates what passed and publishes it",
	.keys = tick_keys,
	.check = tick_check,
	.publish = tick_publish,
	.page = "page_of_kernel",
	.middle = tick_middle,
};
