// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An update in every layout, found by the offsets that the design's table gives, written here once
 * more as numbers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "sim/layout.h"
#include "sim/publish.h"
#include "sim/stamp.h"

#define NONE (-1)

struct row {
	const char *name;
	int data, cycle_last, max_cycles, mask, mult, shift, basetime, base_bytes, tz, stride, res;
};

static const struct row rows[] = {
	{"gtod", 128, 8, NONE, 16, 24, 28, 32, 16, 224, NONE, NONE},
	{"gtod-basemult", 128, 8, NONE, 16, NONE, NONE, 24, 24, 312, NONE, NONE},
	{"v5.3", 128, 8, NONE, 16, 24, 28, 32, 16, 224, 240, 232},
	{"v6.10", 128, 8, 16, 24, 32, 36, 40, 16, 232, 248, 240},
	{"v6.15", 0, 8, 16, 24, 32, 36, 40, 16, 464, 232, 472},
	{"v6.17", 0, 8, 16, 24, 32, 36, 40, 16, 2320, 232, 2328},
};

static u64 u64_at(const void *base, int offset)
{
	u64 value;

	memcpy(&value, (const char *)base + offset, sizeof(value));
	return value;
}

static u32 u32_at(const void *base, int offset)
{
	u32 value;

	memcpy(&value, (const char *)base + offset, sizeof(value));
	return value;
}

static void check_base(const struct row *row, const void *clock_data, const struct timekeeper *tk,
		       clockid_t clock)
{
	const int at = row->basetime + clock * row->base_bytes;
	struct vdso_timestamp base;

	timekeeper_base(tk, clock, &base);
	assert_int_equal(u64_at(clock_data, at), base.sec);
	assert_int_equal(u64_at(clock_data, at + 8), base.nsec);
	if (row->mult != NONE || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE)
		return;
	assert_int_equal(u32_at(clock_data, at + 16),
			 clock == CLOCK_MONOTONIC_RAW ? tk->nominal_mult : tk->mult);
	assert_int_equal(u32_at(clock_data, at + 20), tk->shift);
}

static void check_counter(const struct row *row, const void *clock_data,
			  const struct timekeeper *tk, u32 mult, u32 seq)
{
	assert_int_equal(u32_at(clock_data, 0), seq);
	assert_int_equal(u32_at(clock_data, 4), tk->clock_mode);
	assert_int_equal(u64_at(clock_data, row->cycle_last), tk->cycle_last);
	if (row->max_cycles != NONE)
		assert_int_equal(u64_at(clock_data, row->max_cycles), tk->max_cycles);
	assert_int_equal(u64_at(clock_data, row->mask), tk->mask);
	if (row->mult == NONE)
		return;
	assert_int_equal(u32_at(clock_data, row->mult), mult);
	assert_int_equal(u32_at(clock_data, row->shift), tk->shift);
}

static void check_update(const struct row *row, const char *data, const struct timekeeper *tk,
			 u32 seq)
{
	static const clockid_t first[] = {CLOCK_REALTIME,	 CLOCK_MONOTONIC,
					  CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE,
					  CLOCK_BOOTTIME,	 CLOCK_TAI};

	check_counter(row, data, tk, tk->mult, seq);
	for (size_t i = 0; i < ARRAY_SIZE(first); i++)
		check_base(row, data, tk, first[i]);
	if (row->stride != NONE) {
		check_counter(row, data + row->stride, tk, tk->nominal_mult, seq);
		check_base(row, data + row->stride, tk, CLOCK_MONOTONIC_RAW);
	} else if (row->mult == NONE) {
		check_base(row, data, tk, CLOCK_MONOTONIC_RAW);
	}
	if (row->res != NONE)
		assert_int_equal(u32_at(data, row->res), 1);
}

static void test_update_lands_where_the_table_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct page_layout *layout = page_layout_find(rows[i].name);
		struct timekeeper tk = {.mask = INT64_MAX, .clock_mode = VDSO_CLOCKMODE_TSC};
		struct page_region region;
		struct errmsg err;

		assert_non_null(layout);
		assert_int_equal(layout->data_offset, rows[i].data);
		assert_int_equal(layout->tz, rows[i].tz);
		assert_int_equal(page_region_map(&region, layout, layout->data_offset, &err), 0);
		for (u32 number = 1; number <= 3; number++) {
			timekeeper_stamp(&tk, number, 1ull << 40);
			update_vsyscall(page_for_writer(&region), layout, &tk);
			check_update(&rows[i],
				     (const char *)region.readonly + PAGE_DATA * SIM_PAGE_BYTES +
					     rows[i].data,
				     &tk, number * 2);
		}
		page_region_unmap(&region);
	}
}

static void test_every_layout_has_a_row_here(void **state)
{
	size_t count = 0;

	(void)state;
	while (page_layouts[count])
		count++;
	assert_int_equal(count, ARRAY_SIZE(rows));
	assert_null(page_layout_find("v9.9"));
}

/* A namespace's page: odd for ever, and the offsets where the bases would be. */
static void test_namespace(void **state)
{
	struct timens_offset offsets[VDSO_BASES];

	(void)state;
	for (int i = 0; i < VDSO_BASES; i++)
		offsets[i] = (struct timens_offset){1000 + i, (u64)(2000 + i)};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct page_layout *layout = page_layout_find(rows[i].name);
		bool expected = layout->has_namespace;
		struct page_region region;
		const char *data;
		struct errmsg err;

		assert_int_equal(page_region_map(&region, layout, layout->data_offset, &err), 0);
		page_set_namespace(&region, offsets);
		data = (const char *)region.readonly + PAGE_TIMENS * SIM_PAGE_BYTES + rows[i].data;
		for (int clock = 0; clock < 2; clock++) {
			const char *vc = data + clock * (expected ? rows[i].stride : 0);

			assert_int_equal(u32_at(vc, 0), expected ? 1 : 0);
			assert_int_equal(u32_at(vc, 4), expected ? VDSO_CLOCKMODE_TIMENS : 0);
			assert_int_equal(
				u64_at(vc, rows[i].basetime + CLOCK_BOOTTIME * rows[i].base_bytes),
				expected ? 1000 + CLOCK_BOOTTIME : 0);
		}
		page_region_unmap(&region);
	}
}

/* A page shown elsewhere is the same memory, and cannot be written. */
static void test_show(void **state)
{
	struct page_region region;
	struct errmsg err;
	char *elsewhere;

	(void)state;
	assert_int_equal(page_region_map(&region, &page_layout_current, 0, &err), 0);
	elsewhere = mmap(NULL, SIM_PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_int_equal(page_region_show(&region, PAGE_DATA, elsewhere, &err), 0);
	vdso_set_sequences(page_for_writer(&region), &page_layout_current, 42);
	assert_int_equal(vdso_sequence(elsewhere), 42);
	assert_int_equal(mprotect(elsewhere, SIM_PAGE_BYTES, PROT_READ), 0);
	assert_int_not_equal(page_region_show(&region, PAGE_DATA, elsewhere + 1, &err), 0);
	assert_non_null(strstr(err.text, "cannot map the page"));
	munmap(elsewhere, SIM_PAGE_BYTES);
	page_region_unmap(&region);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_update_lands_where_the_table_says),
		cmocka_unit_test(test_every_layout_has_a_row_here),
		cmocka_unit_test(test_namespace),
		cmocka_unit_test(test_show),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
