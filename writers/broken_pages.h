/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Updates of the page that are wrong on purpose: what the mutants among the writers publish by. In
 * a header of its own since it is also compiled to be explored, see prove/publish.c.
 */
#ifndef WRITERS_BROKEN_PAGES_H
#define WRITERS_BROKEN_PAGES_H

#include "sim/publish.h"

struct broken_update {
	void *page;
	const struct page_layout *layout;
	const struct timekeeper *tk;
	/* Where it takes its time, or seldom would anybody meet it; NULL: it does not. */
	void (*pause)(void *argument);
	void *argument;
};

typedef void broken_page_fn(const struct broken_update *update);

static inline void broken_pause(const struct broken_update *update)
{
	if (update->pause)
		update->pause(update->argument);
}

static inline void publish_fields(const struct broken_update *update)
{
	publish_coarse(update->page, update->layout, update->tk);
	publish_hres(update->page, update->layout, update->tk);
}

static inline void skip_sequence(const struct broken_update *update)
{
	vdso_set_sequences(update->page, update->layout, vdso_sequence(update->page) + 2);
}

/* One that is not. */
static inline void page_of_kernel(const struct broken_update *update)
{
	update_vsyscall(update->page, update->layout, update->tk);
}

static inline void page_never_odd(const struct broken_update *update)
{
	skip_sequence(update);
	smp_wmb();
	publish_fields(update);
}

static inline void page_late_sequence(const struct broken_update *update)
{
	publish_fields(update);
	smp_wmb();
	skip_sequence(update);
}

static inline void page_early_end(const struct broken_update *update)
{
	vdso_write_begin(update->page, update->layout);
	publish_coarse(update->page, update->layout, update->tk);
	vdso_write_end(update->page, update->layout);
	publish_hres(update->page, update->layout, update->tk);
}

/* What a compiler may make of a missing barrier: a store that leaves the section. */
static inline void page_store_early(const struct broken_update *update)
{
	publish_base(update->page, update->layout, update->tk, CLOCK_MONOTONIC);
	broken_pause(update);
	update_vsyscall(update->page, update->layout, update->tk);
}

static inline void page_store_late(const struct broken_update *update)
{
	u64 *base = layout_base(update->layout, update->page, CLOCK_MONOTONIC);
	const u64 before = *base;

	vdso_write_begin(update->page, update->layout);
	publish_fields(update);
	PLAIN_STORE(*base, before);
	vdso_write_end(update->page, update->layout);
	broken_pause(update);
	publish_base(update->page, update->layout, update->tk, CLOCK_MONOTONIC);
}

/* With barriers that hold back the compiler, and not the CPU. */
static inline void write_with(const struct broken_update *update, bool begin, bool end)
{
	const u32 seq = vdso_sequence(update->page);

	vdso_set_sequences(update->page, update->layout, seq + 1);
	if (begin)
		smp_wmb();
	barrier();
	publish_fields(update);
	barrier();
	if (end)
		smp_wmb();
	vdso_set_sequences(update->page, update->layout, seq + 2);
}

static inline void page_no_begin_wmb(const struct broken_update *update)
{
	write_with(update, false, true);
}

static inline void page_no_end_wmb(const struct broken_update *update)
{
	write_with(update, true, false);
}

static inline void page_release_late(const struct broken_update *update)
{
	write_with(update, true, false);
	smp_wmb();
}

static inline void page_raw_not_raised(const struct broken_update *update)
{
	const u32 seq = vdso_sequence(update->page);

	WRITE_ONCE(*layout_u32(update->page, 0), seq + 1);
	smp_wmb();
	publish_fields(update);
	smp_wmb();
	WRITE_ONCE(*layout_u32(update->page, 0), seq + 2);
}

/* The kernel's, but that it gives way in the middle, for another one to come in. */
static inline void page_no_lock(const struct broken_update *update)
{
	vdso_write_begin(update->page, update->layout);
	publish_coarse(update->page, update->layout, update->tk);
	broken_pause(update);
	publish_hres(update->page, update->layout, update->tk);
	vdso_write_end(update->page, update->layout);
}

#endif /* WRITERS_BROKEN_PAGES_H */
