// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Snapshots over all pairs of layouts, held against what the writer makes of the same update; and
 * what becomes of one that an update falls into, which the barriers here make happen.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void between_loads(void);
static void pause_once(void);

#define SIM_BARRIER_H
#define likely(x)	  (x)
#define unlikely(x)	  (x)
#define READ_ONCE(x)	  (*(volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v)  ((void)(READ_ONCE(x) = (v)))
#define PLAIN_LOAD(x)	  (x)
#define PLAIN_STORE(x, v) ((void)((x) = (v)))
#define smp_rmb()	  between_loads()
#define smp_wmb()	  ((void)0)
#define cpu_relax()	  pause_once()

/* Defines what the library's copy of it does; the linker takes the one here. */
#include "sim/page_snapshot.c"

#include "sim/stamp.h"

#define ZONE_WEST (-60)
#define ZONE_DST  7

/* What the barriers and pauses of a snapshot are to do. */
static struct {
	void *page; /* NULL: nothing */
	const struct page_layout *layout;
	int updates; /* that are still to fall into it, one at each barrier */
	int pauses;  /* seen; the update under way ends at the third */
	u64 number;  /* of the last update */
} writer;

static struct timekeeper stamp(u64 number)
{
	struct timekeeper tk = {.mask = INT64_MAX, .clock_mode = VDSO_CLOCKMODE_TSC};

	timekeeper_stamp(&tk, number, 1ull << 40);
	return tk;
}

static void publish_stamp(const struct page_layout *layout, void *page, u64 number)
{
	struct timekeeper tk = stamp(number);

	update_vsyscall(page, layout, &tk);
}

static void between_loads(void)
{
	if (writer.page && writer.updates) {
		writer.updates--;
		publish_stamp(writer.layout, writer.page, ++writer.number);
	}
}

static void pause_once(void)
{
	struct timekeeper tk = stamp(writer.number);

	if (++writer.pauses != 3)
		return;
	publish_coarse(writer.page, writer.layout, &tk);
	publish_hres(writer.page, writer.layout, &tk);
	vdso_write_end(writer.page, writer.layout);
}

/* Room for a page in memory, zeroed. */
union data {
	u64 words[SIM_PAGE_BYTES / sizeof(u64)];
	u8 bytes[SIM_PAGE_BYTES];
};

/* What stands outside the sections, and is no writer's. */
static void set_the_rest(const struct page_layout *layout, void *page)
{
	*layout_u32(page, layout->tz) = (u32)ZONE_WEST;
	*layout_u32(page, (u16)(layout->tz + 4)) = ZONE_DST;
}

static struct page_snapshot take(const struct page_layout *layout, const void *page)
{
	struct page_snapshot snapshot;
	struct errmsg err;

	assert_int_equal(page_snapshot_take(layout, page, &snapshot, &err), 0);
	return snapshot;
}

/* What must come out of a page of layout `to` if the update has been through one of `from`. */
static void expect(const struct page_layout *from, const struct page_layout *to, union data *page)
{
	struct timekeeper tk = stamp(1);

	memset(page, 0, sizeof(*page));
	update_vsyscall(page, to, &tk);
	set_the_rest(to, page);
	if (from->max_cycles == LAYOUT_ABSENT && to->max_cycles != LAYOUT_ABSENT)
		for (int i = 0; i < CS_BASES; i++) {
			u32 mult = i == CS_RAW ? tk.nominal_mult : tk.mult;
			void *vc = layout_clock(to, page, (enum vdso_clock_index)i);

			*layout_u64(vc, to->max_cycles) =
				(UINT64_MAX - ((u64)NSEC_PER_SEC << tk.shift)) / mult;
		}
	if (from->has_raw || !to->has_raw)
		return;
	/* RAW stays as it was, which is zero and mode NONE, but for the sequence. */
	if (to->clock_bytes != LAYOUT_ABSENT)
		memset((char *)layout_clock(to, page, CS_RAW) + 4, 0, (size_t)to->clock_bytes - 4);
	else
		memset(layout_base(to, page, CLOCK_MONOTONIC_RAW), 0, to->base_bytes);
	/* A structure may reach over what follows the clocks. */
	set_the_rest(to, page);
	if (to->hrtimer_res != LAYOUT_ABSENT)
		*layout_u32(page, to->hrtimer_res) = 1;
}

static void test_every_layout_into_every_other(void **state)
{
	static union data from_page, to_page, expected;

	(void)state;
	for (const struct page_layout *const *from = page_layouts; *from; from++)
		for (const struct page_layout *const *to = page_layouts; *to; to++) {
			struct page_snapshot snapshot;

			memset(&from_page, 0, sizeof(from_page));
			memset(&to_page, 0, sizeof(to_page));
			publish_stamp(*from, &from_page, 1);
			set_the_rest(*from, &from_page);
			snapshot = take(*from, &from_page);
			assert_int_equal(snapshot.seq, 2);
			assert_int_equal(snapshot.has_raw, (*from)->has_raw);
			page_snapshot_publish(&snapshot, *to, &to_page);
			expect(*from, *to, &expected);
			for (size_t i = 0; i < ARRAY_SIZE(to_page.words); i++)
				if (to_page.words[i] != expected.words[i])
					fail_msg("%s into %s: bytes from %zu are %llx, not %llx",
						 (*from)->name, (*to)->name, i * sizeof(u64),
						 (unsigned long long)to_page.words[i],
						 (unsigned long long)expected.words[i]);
		}
}

/* Told right is what comes back, or what sends a reader to the system. */
static void test_which_clocks_are_told(void **state)
{
	static union data page;

	(void)state;
	for (const struct page_layout *const *from = page_layouts; *from; from++)
		for (const struct page_layout *const *to = page_layouts; *to; to++) {
			struct page_snapshot snapshot;
			struct vdso_timestamp base;
			struct timekeeper tk = stamp(1);
			bool tells, is_there, asks_system;

			memset(&page, 0, sizeof(page));
			publish_stamp(*from, &page, 1);
			snapshot = take(*from, &page);
			memset(&page, 0, sizeof(page));
			page_snapshot_publish(&snapshot, *to, &page);
			timekeeper_base(&tk, CLOCK_MONOTONIC_RAW, &base);
			tells = page_snapshot_tells(&snapshot, *to, CLOCK_MONOTONIC_RAW);
			asks_system = !(*to)->has_raw ||
				      *layout_u32(layout_clock_of(*to, &page, CLOCK_MONOTONIC_RAW),
						  4) == VDSO_CLOCKMODE_NONE;
			is_there = !asks_system &&
				   *layout_base(*to, &page, CLOCK_MONOTONIC_RAW) == base.sec;
			if (tells != (asks_system || is_there))
				fail_msg("RAW of %s in %s is%s said to be told", (*from)->name,
					 (*to)->name, tells ? "" : " not");
			assert_true(page_snapshot_tells(&snapshot, *to, CLOCK_MONOTONIC));
		}
	assert_false(page_snapshot_tells(&(struct page_snapshot){.has_raw = false},
					 page_layout_find("gtod-basemult"), CLOCK_MONOTONIC_RAW));
}

static void test_no_mult_no_max_cycles(void **state)
{
	const struct page_layout *layout = page_layout_find("v5.3");
	static union data page;

	(void)state;
	memset(&page, 0, sizeof(page));
	assert_int_equal(take(layout, &page).rate[CS_HRES_COARSE].max_cycles, 0);
	*layout_u32(&page, layout->mult) = 1;
	*layout_u32(&page, layout->shift) = 99;
	assert_int_equal(take(layout, &page).rate[CS_HRES_COARSE].max_cycles, 0);
}

static void check_is_stamp(const struct page_snapshot *snapshot, u64 number)
{
	struct timekeeper tk = stamp(number);
	struct vdso_timestamp base;

	assert_int_equal(snapshot->seq, 2 * number);
	assert_int_equal(snapshot->rate[CS_HRES_COARSE].cycle_last, tk.cycle_last);
	assert_int_equal(snapshot->rate[CS_RAW].mult, tk.nominal_mult);
	timekeeper_base(&tk, CLOCK_TAI, &base);
	assert_int_equal(snapshot->base[CLOCK_TAI].nsec, base.nsec);
	timekeeper_base(&tk, CLOCK_MONOTONIC_RAW, &base);
	assert_int_equal(snapshot->base[CLOCK_MONOTONIC_RAW].sec, base.sec);
}

/* At the first barrier, at the second, or at both of the first attempt and of the next. */
static void test_updated_meanwhile(void **state)
{
	const struct page_layout *layout = &page_layout_current;
	static union data page;

	(void)state;
	for (int updates = 1; updates <= 4; updates++) {
		struct page_snapshot snapshot;

		memset(&page, 0, sizeof(page));
		publish_stamp(layout, &page, 1);
		writer.page = &page;
		writer.layout = layout;
		writer.updates = updates;
		writer.number = 1;
		snapshot = take(layout, &page);
		assert_int_equal(writer.updates, 0);
		check_is_stamp(&snapshot, (u64)updates + 1);
	}
	writer.page = NULL;
}

static void test_waits_while_odd(void **state)
{
	const struct page_layout *layout = &page_layout_current;
	struct page_snapshot snapshot;
	static union data page;

	(void)state;
	memset(&page, 0, sizeof(page));
	publish_stamp(layout, &page, 1);
	writer.page = &page;
	writer.layout = layout;
	writer.updates = writer.pauses = 0;
	writer.number = 2;
	vdso_write_begin(&page, layout);
	snapshot = take(layout, &page);
	assert_int_equal(writer.pauses, 3);
	check_is_stamp(&snapshot, 2);
	writer.page = NULL;
}

/* Updated at every attempt, or odd for ever: it gives up, and says so. */
static void test_gives_up(void **state)
{
	const struct page_layout *layout = &page_layout_current;
	struct page_snapshot snapshot;
	static union data page;
	struct errmsg err;

	(void)state;
	memset(&page, 0, sizeof(page));
	writer.page = &page;
	writer.layout = layout;
	writer.updates = INT_MAX;
	assert_int_equal(page_snapshot_take(layout, &page, &snapshot, &err), -1);
	assert_non_null(strstr(err.text, "was being updated"));
	writer.updates = 0;
	writer.pauses = 3;
	vdso_write_begin(&page, layout);
	assert_int_equal(page_snapshot_take(layout, &page, &snapshot, &err), -1);
	assert_int_equal(writer.pauses, ATTEMPTS + 3);
	writer.page = NULL;
}

static void test_namespace(void **state)
{
	struct timens_offset offset[VDSO_BASES], taken[VDSO_BASES];
	struct page_region region;
	struct errmsg err;

	(void)state;
	for (int i = 0; i < VDSO_BASES; i++)
		offset[i] = (struct timens_offset){-1000 - i, (u64)(2000 + i)};
	for (const struct page_layout *const *layout = page_layouts; *layout; layout++) {
		if (!(*layout)->has_namespace)
			continue;
		assert_int_equal(page_region_map(&region, *layout, (*layout)->data_offset, &err),
				 0);
		page_set_namespace(&region, offset);
		page_snapshot_namespace(*layout, page_for_namespace(&region), taken);
		assert_memory_equal(taken, offset, sizeof(offset));
		page_region_unmap(&region);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_layout_into_every_other),
		cmocka_unit_test(test_which_clocks_are_told),
		cmocka_unit_test(test_no_mult_no_max_cycles),
		cmocka_unit_test(test_updated_meanwhile),
		cmocka_unit_test(test_waits_while_odd),
		cmocka_unit_test(test_gives_up),
		cmocka_unit_test(test_namespace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
