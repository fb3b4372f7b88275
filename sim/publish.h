/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One update of the page, in the kernel's order and with the kernel's barriers, in the pieces
 * that a broken writer may put together wrongly. All of it is inlined: the section is timed.
 *
 * One thread at a time may publish. `page` is the writer's view of the data page.
 */
#ifndef SIM_PUBLISH_H
#define SIM_PUBLISH_H

#include "sim/barrier.h"
#include "sim/page.h"
#include "sim/timekeeper.h"

static inline void vdso_set_sequences(struct vdso_time_data *page, u32 seq)
{
	WRITE_ONCE(page->clock_data[CS_HRES_COARSE].seq, seq);
	WRITE_ONCE(page->clock_data[CS_RAW].seq, seq);
}

/* The sequence: twice the number of the last update, and odd within one. Only the writer may ask.
 */
static inline u32 vdso_sequence(const struct vdso_time_data *page)
{
	return READ_ONCE(page->clock_data[CS_HRES_COARSE].seq);
}

static inline void vdso_write_begin(struct vdso_time_data *page)
{
	vdso_set_sequences(page, vdso_sequence(page) + 1);
	smp_wmb();
}

static inline void vdso_write_end(struct vdso_time_data *page)
{
	smp_wmb();
	vdso_set_sequences(page, vdso_sequence(page) + 1);
}

static inline void publish_base(struct vdso_clock *vc, const struct timekeeper *tk, clockid_t clock)
{
	struct vdso_timestamp base;

	timekeeper_base(tk, clock, &base);
	PLAIN_STORE(vc->basetime[clock].sec, base.sec);
	PLAIN_STORE(vc->basetime[clock].nsec, base.nsec);
}

/* What is published even if user space cannot read the counter. */
static inline void publish_coarse(struct vdso_time_data *page, const struct timekeeper *tk)
{
	struct vdso_clock *vc = page->clock_data;

	PLAIN_STORE(vc[CS_HRES_COARSE].clock_mode, tk->clock_mode);
	PLAIN_STORE(vc[CS_RAW].clock_mode, tk->clock_mode);
	publish_base(&vc[CS_HRES_COARSE], tk, CLOCK_REALTIME);
	publish_base(&vc[CS_HRES_COARSE], tk, CLOCK_REALTIME_COARSE);
	publish_base(&vc[CS_HRES_COARSE], tk, CLOCK_MONOTONIC_COARSE);
	PLAIN_STORE(page->hrtimer_res, 1u);
}

static inline void publish_counter(struct vdso_clock *vc, const struct timekeeper *tk, u32 mult)
{
	PLAIN_STORE(vc->cycle_last, tk->cycle_last);
	PLAIN_STORE(vc->max_cycles, tk->max_cycles);
	PLAIN_STORE(vc->mask, tk->mask);
	PLAIN_STORE(vc->mult, mult);
	PLAIN_STORE(vc->shift, tk->shift);
}

/* What only a reader of the counter needs: the first half of it, and the second. */
static inline void publish_counters(struct vdso_time_data *page, const struct timekeeper *tk)
{
	publish_counter(&page->clock_data[CS_HRES_COARSE], tk, tk->mult);
	publish_counter(&page->clock_data[CS_RAW], tk, tk->nominal_mult);
}

static inline void publish_hres_bases(struct vdso_time_data *page, const struct timekeeper *tk)
{
	struct vdso_clock *vc = page->clock_data;

	publish_base(&vc[CS_HRES_COARSE], tk, CLOCK_MONOTONIC);
	publish_base(&vc[CS_HRES_COARSE], tk, CLOCK_BOOTTIME);
	publish_base(&vc[CS_RAW], tk, CLOCK_MONOTONIC_RAW);
	publish_base(&vc[CS_HRES_COARSE], tk, CLOCK_TAI);
}

static inline void publish_hres(struct vdso_time_data *page, const struct timekeeper *tk)
{
	if (tk->clock_mode == VDSO_CLOCKMODE_NONE)
		return;
	publish_counters(page, tk);
	publish_hres_bases(page, tk);
}

/* The whole update. */
static inline void update_vsyscall(struct vdso_time_data *page, const struct timekeeper *tk)
{
	vdso_write_begin(page);
	publish_coarse(page, tk);
	publish_hres(page, tk);
	vdso_write_end(page);
}

#endif /* SIM_PUBLISH_H */
