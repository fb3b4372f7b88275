// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/page_snapshot.h"
#include "sim/publish.h"

/* An update takes some hundred nanoseconds; one by a stopped virtual CPU, milliseconds. */
#define ATTEMPTS 1000000

static void *writable(const void *page)
{
	return (void *)(uintptr_t)page;
}

/* The clocks that have a base in the first structure, or in RAW's. */
static bool is_kept(const struct page_layout *layout, clockid_t clock)
{
	return clock != CLOCK_MONOTONIC_RAW || layout->has_raw;
}

static bool uses_rate(int clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME ||
	       clock == CLOCK_TAI || clock == CLOCK_MONOTONIC_RAW;
}

static u64 *base_of(const struct page_layout *layout, void *page, int clock)
{
	return layout_base(layout, page, (clockid_t)clock);
}

/* The clock whose base has the mult and shift of a structure, in layouts where bases have them. */
static clockid_t clock_with_rate(enum vdso_clock_index index)
{
	return index == CS_RAW ? CLOCK_MONOTONIC_RAW : CLOCK_MONOTONIC;
}

static u32 *mult_of(const struct page_layout *layout, void *page, int clock)
{
	if (layout->mult == LAYOUT_ABSENT)
		return layout_u32(base_of(layout, page, clock), layout->base_mult);
	return layout_u32(layout_clock_of(layout, page, (clockid_t)clock), layout->mult);
}

static u32 *shift_of(const struct page_layout *layout, void *page, int clock)
{
	if (layout->shift == LAYOUT_ABSENT)
		return layout_u32(base_of(layout, page, clock), layout->base_shift);
	return layout_u32(layout_clock_of(layout, page, (clockid_t)clock), layout->shift);
}

static void take_rate(const struct page_layout *layout, void *page, enum vdso_clock_index index,
		      struct page_rate *rate)
{
	clockid_t clock = clock_with_rate(index);
	void *vc = layout_clock_of(layout, page, clock);

	rate->cycle_last = PLAIN_LOAD(*layout_u64(vc, layout->cycle_last));
	rate->mask = PLAIN_LOAD(*layout_u64(vc, layout->mask));
	rate->mult = PLAIN_LOAD(*mult_of(layout, page, clock));
	rate->shift = PLAIN_LOAD(*shift_of(layout, page, clock));
	if (layout->max_cycles != LAYOUT_ABSENT)
		rate->max_cycles = PLAIN_LOAD(*layout_u64(vc, layout->max_cycles));
}

static void take_all(const struct page_layout *layout, void *page, struct page_snapshot *snapshot)
{
	snapshot->clock_mode =
		(s32)PLAIN_LOAD(*layout_u32(page, offsetof(struct vdso_clock, clock_mode)));
	snapshot->has_raw = layout->has_raw;
	for (int i = 0; i < (layout->has_raw ? CS_BASES : 1); i++)
		take_rate(layout, page, (enum vdso_clock_index)i, &snapshot->rate[i]);
	for (int clock = 0; clock < VDSO_BASES; clock++) {
		if (!is_kept(layout, clock))
			continue;
		snapshot->base[clock].sec = PLAIN_LOAD(base_of(layout, page, clock)[0]);
		snapshot->base[clock].nsec = PLAIN_LOAD(base_of(layout, page, clock)[1]);
	}
	snapshot->tz_minuteswest = (s32)PLAIN_LOAD(*layout_u32(page, layout->tz));
	snapshot->tz_dsttime = (s32)PLAIN_LOAD(*layout_u32(page, (u16)(layout->tz + 4)));
	snapshot->hrtimer_res = layout->hrtimer_res == LAYOUT_ABSENT
					? 1
					: PLAIN_LOAD(*layout_u32(page, layout->hrtimer_res));
}

/* Where the layout has none. The kernel's shifts are at most 32. */
static void compute_max_cycles(struct page_rate *rate)
{
	if (rate->mult && rate->shift <= 32)
		rate->max_cycles = (UINT64_MAX - ((u64)NSEC_PER_SEC << rate->shift)) / rate->mult;
}

/* False if the page was being updated. */
static bool try_once(const struct page_layout *layout, const void *page,
		     struct page_snapshot *snapshot)
{
	*snapshot = (struct page_snapshot){.seq = vdso_sequence(page)};
	if (snapshot->seq & 1) {
		cpu_relax();
		return false;
	}
	smp_rmb();
	take_all(layout, writable(page), snapshot);
	smp_rmb();
	return vdso_sequence(page) == snapshot->seq;
}

int page_snapshot_take(const struct page_layout *layout, const void *page,
		       struct page_snapshot *snapshot, struct errmsg *err)
{
	int attempt = 0;

	while (!try_once(layout, page, snapshot))
		if (++attempt == ATTEMPTS)
			return errmsg_set(err,
					  "the page was being updated at each of %d attempts to "
					  "read it",
					  ATTEMPTS);
	if (layout->max_cycles == LAYOUT_ABSENT)
		for (int i = 0; i < CS_BASES; i++)
			compute_max_cycles(&snapshot->rate[i]);
	return 0;
}

static void publish_rate(const struct page_layout *layout, void *page, enum vdso_clock_index index,
			 const struct page_rate *rate)
{
	void *vc = layout_clock_of(layout, page, clock_with_rate(index));

	PLAIN_STORE(*layout_u64(vc, layout->cycle_last), rate->cycle_last);
	PLAIN_STORE(*layout_u64(vc, layout->mask), rate->mask);
	if (layout->max_cycles != LAYOUT_ABSENT)
		PLAIN_STORE(*layout_u64(vc, layout->max_cycles), rate->max_cycles);
	if (layout->mult == LAYOUT_ABSENT)
		return;
	PLAIN_STORE(*layout_u32(vc, layout->mult), rate->mult);
	PLAIN_STORE(*layout_u32(vc, layout->shift), rate->shift);
}

/* RAW's readers must not take a base that nobody has for a time. */
static void publish_clock_mode(const struct page_snapshot *snapshot,
			       const struct page_layout *layout, void *page)
{
	const u16 at = offsetof(struct vdso_clock, clock_mode);
	const s32 raw = snapshot->has_raw ? snapshot->clock_mode : VDSO_CLOCKMODE_NONE;

	PLAIN_STORE(*layout_u32(page, at), (u32)snapshot->clock_mode);
	if (layout->clock_bytes != LAYOUT_ABSENT)
		PLAIN_STORE(*layout_u32(layout_clock(layout, page, CS_RAW), at), (u32)raw);
}

static void publish_snapshot_base(const struct page_snapshot *snapshot,
				  const struct page_layout *layout, void *page, int clock)
{
	const struct page_rate *rate =
		&snapshot->rate[clock == CLOCK_MONOTONIC_RAW ? CS_RAW : CS_HRES_COARSE];
	u64 *base = base_of(layout, page, clock);

	PLAIN_STORE(base[0], snapshot->base[clock].sec);
	PLAIN_STORE(base[1], snapshot->base[clock].nsec);
	if (layout->base_mult == LAYOUT_ABSENT || !uses_rate(clock))
		return;
	PLAIN_STORE(*layout_u32(base, layout->base_mult), rate->mult);
	PLAIN_STORE(*layout_u32(base, layout->base_shift), rate->shift);
}

void page_snapshot_publish(const struct page_snapshot *snapshot, const struct page_layout *layout,
			   void *page)
{
	const bool raw = snapshot->has_raw && layout->has_raw;

	vdso_write_begin(page, layout);
	publish_clock_mode(snapshot, layout, page);
	publish_rate(layout, page, CS_HRES_COARSE, &snapshot->rate[CS_HRES_COARSE]);
	if (raw && layout->clock_bytes != LAYOUT_ABSENT)
		publish_rate(layout, page, CS_RAW, &snapshot->rate[CS_RAW]);
	for (int clock = 0; clock < VDSO_BASES; clock++)
		if (clock != CLOCK_MONOTONIC_RAW || raw)
			publish_snapshot_base(snapshot, layout, page, clock);
	PLAIN_STORE(*layout_u32(page, layout->tz), (u32)snapshot->tz_minuteswest);
	PLAIN_STORE(*layout_u32(page, (u16)(layout->tz + 4)), (u32)snapshot->tz_dsttime);
	if (layout->hrtimer_res != LAYOUT_ABSENT)
		PLAIN_STORE(*layout_u32(page, layout->hrtimer_res), snapshot->hrtimer_res);
	vdso_write_end(page, layout);
}

bool page_snapshot_tells(const struct page_snapshot *snapshot, const struct page_layout *layout,
			 clockid_t clock)
{
	return clock != CLOCK_MONOTONIC_RAW || snapshot->has_raw || !layout->has_raw ||
	       layout->clock_bytes != LAYOUT_ABSENT;
}

void page_snapshot_namespace(const struct page_layout *layout, const void *page,
			     struct timens_offset offset[VDSO_BASES])
{
	for (int clock = 0; clock < VDSO_BASES; clock++) {
		const u64 *base = base_of(layout, writable(page), clock);

		offset[clock] = (struct timens_offset){(s64)base[0], base[1]};
	}
}
