/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One update of the page, in the kernel's order and with the kernel's barriers, in the pieces
 * that a broken writer may put together wrongly. All of it is inlined: the section is timed.
 *
 * One thread at a time may publish. `page` is the writer's view of the data of a page, which is
 * laid out as `layout` says.
 */
#ifndef SIM_PUBLISH_H
#define SIM_PUBLISH_H

#include "sim/barrier.h"
#include "sim/layout.h"
#include "sim/timekeeper.h"

static inline void vdso_set_sequences(void *page, const struct page_layout *layout, u32 seq)
{
	WRITE_ONCE(*layout_u32(page, 0), seq);
	if (layout->clock_bytes != LAYOUT_ABSENT)
		WRITE_ONCE(*layout_u32(layout_clock(layout, page, CS_RAW), 0), seq);
}

/* The sequence: twice the number of the last update, and odd within one. Only the writer may ask.
 */
static inline u32 vdso_sequence(const void *page)
{
	return READ_ONCE(*(const u32 *)page);
}

static inline void vdso_write_begin(void *page, const struct page_layout *layout)
{
	vdso_set_sequences(page, layout, vdso_sequence(page) + 1);
	smp_wmb();
}

static inline void vdso_write_end(void *page, const struct page_layout *layout)
{
	smp_wmb();
	vdso_set_sequences(page, layout, vdso_sequence(page) + 1);
}

static inline void publish_base(void *page, const struct page_layout *layout,
				const struct timekeeper *tk, clockid_t clock)
{
	u64 *base = layout_base(layout, page, clock);
	struct vdso_timestamp time;

	timekeeper_base(tk, clock, &time);
	PLAIN_STORE(base[0], time.sec);
	PLAIN_STORE(base[1], time.nsec);
}

/* What is published even if user space cannot read the counter. */
static inline void publish_coarse(void *page, const struct page_layout *layout,
				  const struct timekeeper *tk)
{
	const u16 clock_mode = offsetof(struct vdso_clock, clock_mode);

	PLAIN_STORE(*layout_u32(page, clock_mode), (u32)tk->clock_mode);
	if (layout->clock_bytes != LAYOUT_ABSENT)
		PLAIN_STORE(*layout_u32(layout_clock(layout, page, CS_RAW), clock_mode),
			    (u32)tk->clock_mode);
	publish_base(page, layout, tk, CLOCK_REALTIME);
	publish_base(page, layout, tk, CLOCK_REALTIME_COARSE);
	publish_base(page, layout, tk, CLOCK_MONOTONIC_COARSE);
	if (layout->hrtimer_res != LAYOUT_ABSENT)
		PLAIN_STORE(*layout_u32(page, layout->hrtimer_res), 1u);
}

static inline void publish_counter(void *clock, const struct page_layout *layout,
				   const struct timekeeper *tk, u32 mult)
{
	PLAIN_STORE(*layout_u64(clock, layout->cycle_last), tk->cycle_last);
	if (layout->max_cycles != LAYOUT_ABSENT)
		PLAIN_STORE(*layout_u64(clock, layout->max_cycles), tk->max_cycles);
	PLAIN_STORE(*layout_u64(clock, layout->mask), tk->mask);
	if (layout->mult == LAYOUT_ABSENT)
		return;
	PLAIN_STORE(*layout_u32(clock, layout->mult), mult);
	PLAIN_STORE(*layout_u32(clock, layout->shift), tk->shift);
}

/* What only a reader of the counter needs: the first half of it, and the second. */
static inline void publish_counters(void *page, const struct page_layout *layout,
				    const struct timekeeper *tk)
{
	publish_counter(page, layout, tk, tk->mult);
	if (layout->clock_bytes != LAYOUT_ABSENT)
		publish_counter(layout_clock(layout, page, CS_RAW), layout, tk, tk->nominal_mult);
}

/* mult and shift of one base, where each has its own. */
static inline void publish_base_mult(void *page, const struct page_layout *layout,
				     const struct timekeeper *tk, clockid_t clock)
{
	u64 *base = layout_base(layout, page, clock);

	if (layout->base_mult == LAYOUT_ABSENT)
		return;
	PLAIN_STORE(*layout_u32(base, layout->base_mult),
		    clock == CLOCK_MONOTONIC_RAW ? tk->nominal_mult : tk->mult);
	PLAIN_STORE(*layout_u32(base, layout->base_shift), tk->shift);
}

static inline void publish_hres_bases(void *page, const struct page_layout *layout,
				      const struct timekeeper *tk)
{
	publish_base_mult(page, layout, tk, CLOCK_REALTIME);
	publish_base_mult(page, layout, tk, CLOCK_MONOTONIC);
	publish_base(page, layout, tk, CLOCK_MONOTONIC);
	publish_base_mult(page, layout, tk, CLOCK_BOOTTIME);
	publish_base(page, layout, tk, CLOCK_BOOTTIME);
	if (layout->has_raw) {
		publish_base_mult(page, layout, tk, CLOCK_MONOTONIC_RAW);
		publish_base(page, layout, tk, CLOCK_MONOTONIC_RAW);
	}
	publish_base_mult(page, layout, tk, CLOCK_TAI);
	publish_base(page, layout, tk, CLOCK_TAI);
}

static inline void publish_hres(void *page, const struct page_layout *layout,
				const struct timekeeper *tk)
{
	if (tk->clock_mode == VDSO_CLOCKMODE_NONE)
		return;
	publish_counters(page, layout, tk);
	publish_hres_bases(page, layout, tk);
}

/* The whole update. */
static inline void update_vsyscall(void *page, const struct page_layout *layout,
				   const struct timekeeper *tk)
{
	vdso_write_begin(page, layout);
	publish_coarse(page, layout, tk);
	publish_hres(page, layout, tk);
	vdso_write_end(page, layout);
}

#endif /* SIM_PUBLISH_H */
