/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests write into an image's pages, and what the image must make of it. The offsets are
 * those of sim/layout.c, which knows nothing of the image's, and the arithmetic is the oracle's.
 */
#ifndef TESTS_UNIT_IMAGE_PAGE_H
#define TESTS_UNIT_IMAGE_PAGE_H

#include <string.h>
#include <time.h>

#include "sim/layout.h"
#include "sim/oracle.h"
#include "tests/images/layouts.h"

/* Each word that is not a field's. */
#define NOBODYS 0xa4a4a4ull

/*
 * No clock has the same as another, nor as itself with another salt. All that is told is even, like
 * NOBODYS: code that takes a field of another layout for its sequence must not wait for ever. Nor
 * is that a large number, which for nanoseconds would be carried into seconds one by one.
 */
struct told {
	u32 seq;
	s32 mode;
	u64 cycle_last;
	u64 max_cycles;
	u32 salt; /* even */
};

#define TZ_MINUTESWEST(told) (-60 - (s32)(told)->salt)
#define TZ_DSTTIME(told)     (4 + (s32)(told)->salt)
#define HRTIMER_RES(told)    (1002 + (told)->salt)

static const clockid_t hres_clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_TAI};
static const clockid_t coarse_clocks[] = {CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE};
static const clockid_t page_clocks[] = {
	CLOCK_REALTIME,	       CLOCK_MONOTONIC,	       CLOCK_BOOTTIME,	   CLOCK_TAI,
	CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE, CLOCK_MONOTONIC_RAW};

static inline bool coarse(clockid_t clock)
{
	return clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE;
}

/* What the page says of a clock. Near the full second, so that there is something to carry. */
static inline struct oracle_update update_of(const struct page_layout *layout,
					     const struct told *told, clockid_t clock)
{
	struct oracle_update update = {
		.cycle_last = told->cycle_last,
		.max_cycles = told->max_cycles,
		.sec = 6 + told->salt * 1000 + (u32)clock * 18,
		.nsec = 900000000 + told->salt * 100 + (u32)clock * 1000002,
	};

	if (coarse(clock))
		return update;
	update.shift = 24;
	update.mult = 12345678;
	if (layout->mult == LAYOUT_ABSENT) {
		update.shift -= (u32)clock;
		update.mult = update.mult >> clock & ~1u;
	} else if (clock == CLOCK_MONOTONIC_RAW) {
		update.shift = 22;
		update.mult = 3086426;
	}
	/* Less than a nanosecond besides. */
	update.nsec = update.nsec << update.shift | 6;
	return update;
}

static inline void clear_page(char *page)
{
	u64 *words = (u64 *)(void *)page;

	for (size_t i = 0; i < IMAGE_PAGE_BYTES / sizeof(*words); i++)
		words[i] = NOBODYS;
}

static inline void tell_structure(const struct page_layout *layout, char *data,
				  enum vdso_clock_index index, const struct told *told)
{
	clockid_t any = index == CS_RAW ? CLOCK_MONOTONIC_RAW : CLOCK_MONOTONIC;
	struct oracle_update update = update_of(layout, told, any);
	void *clock = layout_clock(layout, data, index);

	*layout_u32(clock, 0) = told->seq;
	*layout_u32(clock, offsetof(struct vdso_clock, clock_mode)) = (u32)told->mode;
	*layout_u64(clock, layout->cycle_last) = told->cycle_last;
	*layout_u64(clock, layout->mask) = INT64_MAX;
	if (layout->max_cycles != LAYOUT_ABSENT)
		*layout_u64(clock, layout->max_cycles) = told->max_cycles;
	if (layout->mult != LAYOUT_ABSENT) {
		*layout_u32(clock, layout->mult) = update.mult;
		*layout_u32(clock, layout->shift) = update.shift;
	}
}

static inline void tell_base(const struct page_layout *layout, char *data, clockid_t clock,
			     const struct told *told)
{
	struct oracle_update update = update_of(layout, told, clock);
	u64 *base = layout_base(layout, data, clock);

	base[0] = update.sec;
	base[1] = update.nsec;
	if (layout->base_mult != LAYOUT_ABSENT && !coarse(clock)) {
		*layout_u32(base, layout->base_mult) = update.mult;
		*layout_u32(base, layout->base_shift) = update.shift;
	}
}

/* Writes a whole data page. */
static inline void tell(const struct page_layout *layout, char *page, const struct told *told)
{
	char *data = page + layout->data_offset;

	clear_page(page);
	tell_structure(layout, data, CS_HRES_COARSE, told);
	if (layout->clock_bytes != LAYOUT_ABSENT)
		tell_structure(layout, data, CS_RAW, told);
	for (size_t i = 0; i < ARRAY_SIZE(page_clocks); i++)
		if (page_clocks[i] != CLOCK_MONOTONIC_RAW || layout->has_raw)
			tell_base(layout, data, page_clocks[i], told);
	*layout_u32(data, layout->tz) = (u32)TZ_MINUTESWEST(told);
	*layout_u32(data, (u16)(layout->tz + 4)) = (u32)TZ_DSTTIME(told);
	if (layout->hrtimer_res != LAYOUT_ABSENT)
		*layout_u32(data, layout->hrtimer_res) = HRTIMER_RES(told);
}

static inline u64 told_ns(const struct page_layout *layout, const struct told *told,
			  clockid_t clock, u64 cycles)
{
	struct oracle_update update = update_of(layout, told, clock);

	return oracle_nanoseconds(&update, cycles);
}

/* What a namespace adds to a clock. */
static inline struct timens_offset offset_of(clockid_t clock)
{
	if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI)
		return (struct timens_offset){0, 0};
	return (struct timens_offset){clock % 2 ? -3 - clock : 1000 + clock,
				      500000000 + (u32)clock};
}

/* Writes a namespace's page: nothing of it but what stands here may be used. */
static inline void tell_namespace(const struct page_layout *layout, char *page)
{
	char *data = page + layout->data_offset;

	clear_page(page);
	for (int i = 0; i < CS_BASES; i++) {
		void *clock = layout_clock(layout, data, (enum vdso_clock_index)i);

		*layout_u32(clock, 0) = 1;
		*layout_u32(clock, offsetof(struct vdso_clock, clock_mode)) = VDSO_CLOCKMODE_TIMENS;
	}
	for (size_t i = 0; i < ARRAY_SIZE(page_clocks); i++) {
		struct timens_offset offset = offset_of(page_clocks[i]);
		u64 *base = layout_base(layout, data, page_clocks[i]);

		base[0] = (u64)offset.sec;
		base[1] = offset.nsec;
	}
}

/* The hypervisor's record, which is at the start of its page. */
struct pvclock_record {
	u32 version;
	u32 pad;
	u64 tsc_timestamp;
	u64 system_time;
	u32 mult;
	signed char shift;
	u8 flags;
};

#define PVCLOCK_STABLE 1

/* With a mult of 0 the counter stands still: it says `cycles` and nothing else. */
static inline void tell_pvclock(char *page, u64 cycles)
{
	struct pvclock_record record = {
		.version = 2,
		.tsc_timestamp = 1,
		.system_time = cycles,
		.flags = PVCLOCK_STABLE,
	};

	clear_page(page);
	memcpy(page, &record, sizeof(record));
}

#endif /* TESTS_UNIT_IMAGE_PAGE_H */
