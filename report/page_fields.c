// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "readers/readers.h"
#include "report/page_fields.h"

struct list {
	const struct page_layout *layout;
	struct page_field *field;
	size_t count;
};

static void add(struct list *list, const char *name, u32 offset, u32 bytes)
{
	struct page_field *field = &list->field[list->count];

	if (list->count == PAGE_FIELDS_MAX)
		return;
	list->count++;
	*field = (struct page_field){.offset = offset, .bytes = bytes};
	snprintf(field->name, sizeof(field->name), "%s", name);
}

static void add_if_there(struct list *list, const char *name, u32 base, u16 offset, u32 bytes)
{
	if (offset != LAYOUT_ABSENT)
		add(list, name, base + offset, bytes);
}

/* Whether the clock's base in this clock structure is ever read. */
static bool is_read(const struct page_layout *layout, clockid_t clock, bool second)
{
	const bool is_raw = clock == CLOCK_MONOTONIC_RAW;

	if (!clock_name(clock) || (is_raw && !layout->has_raw))
		return false;
	return layout->clock_bytes == LAYOUT_ABSENT || is_raw == second;
}

static void add_base(struct list *list, clockid_t clock, u32 offset)
{
	const struct page_layout *layout = list->layout;
	char name[48];

	snprintf(name, sizeof(name), "basetime[%d] %s", clock, clock_name(clock));
	add(list, name, offset, 2 * sizeof(u64));
	add_if_there(list, "  its mult", offset, layout->base_mult, sizeof(u32));
	add_if_there(list, "  its shift", offset, layout->base_shift, sizeof(u32));
}

/* Those that no clock of the vDSO has are one entry, as many as there are next to each other. */
static void add_bases(struct list *list, u32 base, bool second)
{
	const struct page_layout *layout = list->layout;

	for (int clock = 0; clock < VDSO_BASES; clock++) {
		const u32 offset = base + layout->basetime + (u32)clock * layout->base_bytes;
		int end = clock;
		char name[48];

		if (is_read(layout, clock, second)) {
			add_base(list, clock, offset);
			continue;
		}
		while (end + 1 < VDSO_BASES && !is_read(layout, end + 1, second))
			end++;
		snprintf(name, sizeof(name),
			 end > clock ? "basetime[%d..%d], not read" : "basetime[%d], not read",
			 clock, end);
		add(list, name, offset, (u32)(end + 1 - clock) * layout->base_bytes);
		clock = end;
	}
}

static void add_clock(struct list *list, u32 base, bool second)
{
	const struct page_layout *layout = list->layout;

	add(list, second ? "seq of the raw clock" : "seq", base, sizeof(u32));
	add(list, "clock_mode", base + 4, sizeof(s32));
	add_if_there(list, "cycle_last", base, layout->cycle_last, sizeof(u64));
	add_if_there(list, "max_cycles", base, layout->max_cycles, sizeof(u64));
	add_if_there(list, "mask", base, layout->mask, sizeof(u64));
	add_if_there(list, "mult", base, layout->mult, sizeof(u32));
	add_if_there(list, "shift", base, layout->shift, sizeof(u32));
	add_bases(list, base, second);
}

static void add_zone(struct list *list)
{
	const struct page_layout *layout = list->layout;

	add(list, "tz_minuteswest, tz_dsttime", layout->tz, 2 * sizeof(s32));
	add_if_there(list, "hrtimer_res", 0, layout->hrtimer_res, sizeof(u32));
}

size_t page_fields(const struct page_layout *layout, struct page_field field[PAGE_FIELDS_MAX])
{
	struct list list = {.layout = layout, .field = field};
	const bool has_second = layout->clock_bytes != LAYOUT_ABSENT;

	add_clock(&list, 0, false);
	/* Before the second clock structure, or behind it. */
	if (has_second && layout->tz < layout->clock_bytes)
		add_zone(&list);
	if (has_second) {
		const u32 end = 2u * layout->clock_bytes;

		add_clock(&list, layout->clock_bytes, true);
		if (layout->tz > end)
			add(&list, "auxiliary clocks, not read", end, layout->tz - end);
	}
	if (!has_second || layout->tz >= layout->clock_bytes)
		add_zone(&list);
	return list.count;
}
