/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where in a page a watcher looks, whatever its layout. All of it is inlined: a look is short.
 */
#ifndef MEASURE_WATCHED_PAGE_H
#define MEASURE_WATCHED_PAGE_H

#include "measure/observer.h"
#include "sim/barrier.h"
#include "sim/layout.h"

/* Pointers into the page, which stays its owner's; NULL: this layout has no such field. */
struct watched_page {
	const u32 *seq;
	const u32 *second_seq;
	const u32 *clock_mode;
	const u32 *mult;
	const u32 *raw_mult;
};

/* Looks at a second sequence that is being written until it is taken for what it shows. */
#define WATCHED_PAGE_PATIENCE 1000

static inline void watched_page_init(struct watched_page *watched, const void *data,
				     const struct page_layout *layout)
{
	/* Nothing is written through it. */
	void *page = (void *)(uintptr_t)data;
	bool has_second = layout->clock_bytes != LAYOUT_ABSENT;
	void *second = has_second ? layout_clock(layout, page, CS_RAW) : NULL;

	*watched = (struct watched_page){
		.seq = layout_u32(page, 0),
		.second_seq = second ? layout_u32(second, 0) : NULL,
		.clock_mode = layout_u32(page, offsetof(struct vdso_clock, clock_mode)),
	};
	if (layout->mult != LAYOUT_ABSENT) {
		watched->mult = layout_u32(page, layout->mult);
		watched->raw_mult = second ? layout_u32(second, layout->mult) : NULL;
	} else if (layout->base_mult != LAYOUT_ABSENT) {
		watched->mult =
			layout_u32(layout_base(layout, page, CLOCK_MONOTONIC), layout->base_mult);
		watched->raw_mult = layout_u32(layout_base(layout, page, CLOCK_MONOTONIC_RAW),
					       layout->base_mult);
	}
}

/* The second clock's sequence is raised after the first one's: it may take another moment. */
static inline u32 watched_page_second(const struct watched_page *watched, u32 seq, u32 distance)
{
	u32 second = READ_ONCE(*watched->second_seq);

	for (int i = 0; second - seq != distance && i < WATCHED_PAGE_PATIENCE; i++) {
		if (READ_ONCE(*watched->seq) != seq)
			break;
		second = READ_ONCE(*watched->second_seq);
	}
	return second;
}

/*
 * Reads the fields under `seq`, an even value of the sequence that was just read. `distance` is
 * what the second sequence is expected to be ahead of the first. False when the next update has
 * begun: *fields then means nothing.
 */
static inline bool watched_page_fields(const struct watched_page *watched, u32 seq, u32 distance,
				       struct observer_fields *fields)
{
	smp_rmb();
	fields->clock_mode = (s32)PLAIN_LOAD(*watched->clock_mode);
	fields->mult = watched->mult ? PLAIN_LOAD(*watched->mult) : 0;
	fields->raw_mult = watched->raw_mult ? PLAIN_LOAD(*watched->raw_mult) : 0;
	fields->has_second = watched->second_seq != NULL;
	fields->second_seq = fields->has_second ? watched_page_second(watched, seq, distance) : 0;
	smp_rmb();
	return READ_ONCE(*watched->seq) == seq;
}

#endif /* MEASURE_WATCHED_PAGE_H */
