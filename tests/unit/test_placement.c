// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Copies of each built-in reader's code, at every place in a line and across pages: where they lie,
 * that they are copies, and that they compute what the original does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "readers/readers.h"
#include "readers/variation.h"
#include "sim/publish.h"
#include "tests/unit/process_maps.h"
#include "tests/unit/updates.h"

#define UPDATES	   3
#define LINE_BYTES 64

/* A page with the last of the updates on it. */
struct shown {
	struct page_region region;
	const struct page_layout *layout;
};

static struct timekeeper told[UPDATES + 1];
static struct errmsg err;

static void show(struct shown *shown, const struct page_layout *layout)
{
	shown->layout = layout;
	assert_int_equal(page_region_map(&shown->region, layout, layout->data_offset, &err), 0);
	for (u64 number = 1; number <= UPDATES; number++)
		update_vsyscall(page_for_writer(&shown->region), layout, &told[number]);
}

/* What the original and the copy say, at the update and long after it; the stack is not compared.
 */
static void check_reads(const char *name, reader_fn *original, reader_fn *copied,
			const struct shown *shown)
{
	static const u64 later[] = {0, 1, 4711, PERIOD, 1ull << 33, 1ull << 45};
	const struct vdso_time_data *page = page_for_readers(&shown->region);

	for (size_t i = 0; i < ARRAY_SIZE(clocks) * ARRAY_SIZE(later); i++) {
		const clockid_t clock = clocks[i % ARRAY_SIZE(clocks)];
		struct timespec wanted = {-1, -1}, is = {-1, -1};

		/* That call would go to the system, whose time does not stand still. */
		if (clock == CLOCK_MONOTONIC_RAW && !shown->layout->has_raw)
			continue;
		page_set_virtual_counter(&shown->region,
					 told[UPDATES].cycle_last + later[i / ARRAY_SIZE(clocks)]);
		assert_int_equal(original(page, clock, &wanted, NULL), 0);
		assert_int_equal(copied(page, clock, &is, NULL), 0);
		if (wanted.tv_sec != is.tv_sec || wanted.tv_nsec != is.tv_nsec)
			fail_msg("%s: the copy tells another time of clock %d", name, (int)clock);
	}
}

static const u8 *bytes_of(reader_fn *function)
{
	return (const u8 *)(uintptr_t)function;
}

static void check_place(const struct placement *placement, const struct machine_code *code,
			u32 offset)
{
	const u8 *entry = bytes_of(placement->entry), *image = entry - code->entry;
	const u8 *pages = placement->pages;

	assert_int_equal((uintptr_t)entry % SIM_PAGE_BYTES, offset % SIM_PAGE_BYTES);
	assert_true(image >= pages && image + code->bytes <= pages + placement->bytes);
	assert_memory_equal(image, code->image, code->bytes);
}

/* First byte and last are executed, and neither is ever to be written. */
static void check_access(const struct placement *placement)
{
	static struct process_maps maps;
	const u8 *pages = placement->pages;

	assert_true(process_maps_read(&maps));
	assert_true(process_maps_none_writable_and_executable(&maps));
	assert_string_equal(process_maps_access(&maps, pages), "r-xp");
	assert_string_equal(process_maps_access(&maps, pages + placement->bytes - 1), "r-xp");
}

static void check_copy(const char *name, reader_fn *original, const struct machine_code *code,
		       u32 offset, const struct shown *shown)
{
	struct placement placement;

	if (placement_make(&placement, code, offset, &err))
		fail_msg("%s at %u: %s", name, offset, err.text);
	check_place(&placement, code, offset);
	check_reads(name, original, placement.entry, shown);
	if (offset % LINE_BYTES == 0)
		check_access(&placement);
	placement_release(&placement);
	assert_null(placement.pages);
	placement_release(&placement);
}

static void check_copies(const char *name, reader_fn *original, const struct machine_code *code,
			 const struct shown *shown)
{
	const u32 text = machine_code_text_bytes(code);

	assert_true(text > LINE_BYTES && text < 4 * SIM_PAGE_BYTES);
	for (u32 offset = 0; offset < LINE_BYTES; offset += code->step)
		check_copy(name, original, code, offset, shown);
	/* Across pages: the first instruction, the middle, and what is beyond a page. */
	check_copy(name, original, code, SIM_PAGE_BYTES - 4, shown);
	check_copy(name, original, code, 4 * SIM_PAGE_BYTES - text / 2 / 4 * 4, shown);
	check_copy(name, original, code, 3 * SIM_PAGE_BYTES + 8, shown);
}

static void test_variations(void **state)
{
	(void)state;
	for (int i = 0; i < variation_count; i++) {
		const struct variation *v = &variations[i];
		struct machine_code code;
		struct shown shown;

		show(&shown, page_layout_find(v->layout));
		if (machine_code_open(&code, v->elf, (size_t)(v->elf_end - v->elf), &err))
			fail_msg("%s", err.text);
		check_copies(v->layout, v->bare, &code, &shown);
		page_region_unmap(&shown.region);
	}
}

static void test_mutants(void **state)
{
	struct shown shown;

	(void)state;
	show(&shown, &page_layout_current);
	for (const struct reader_kind *const *kind = reader_kinds; *kind; kind++) {
		struct machine_code code;

		if (!(*kind)->elf)
			continue;
		assert_int_equal(machine_code_open(&code, (*kind)->elf,
						   (size_t)((*kind)->elf_end - (*kind)->elf), &err),
				 0);
		check_copies((*kind)->name, (*kind)->bare, &code, &shown);
	}
	page_region_unmap(&shown.region);
}

/* One that can be moved by whole steps only lies as near below as it can. */
static void test_large_step(void **state)
{
	const struct variation *v = &variations[0];
	struct placement placement;
	struct machine_code code;

	(void)state;
	assert_int_equal(machine_code_open(&code, v->elf, (size_t)(v->elf_end - v->elf), &err), 0);
	for (code.step = 4; code.step <= MACHINE_CODE_MAX_STEP; code.step *= 2) {
		for (u32 offset = 0; offset < 2 * SIM_PAGE_BYTES; offset += 60) {
			const u8 *entry;
			uintptr_t lower;

			assert_int_equal(placement_make(&placement, &code, offset, &err), 0);
			entry = bytes_of(placement.entry);
			lower = (offset - (uintptr_t)entry) % SIM_PAGE_BYTES;
			assert_true(lower < code.step);
			assert_int_equal((uintptr_t)(entry - code.entry) % code.step, 0);
			placement_release(&placement);
		}
	}
}

/* What was copied is not needed any more. */
static void test_the_original_is_given_back(void **state)
{
	const struct variation *v = &variations[0];
	const size_t bytes = (size_t)(v->elf_end - v->elf);
	u8 *elf = malloc(bytes);
	struct placement placement;
	struct machine_code code;
	struct shown shown;

	(void)state;
	assert_non_null(elf);
	memcpy(elf, v->elf, bytes);
	assert_int_equal(machine_code_open(&code, elf, bytes, &err), 0);
	assert_int_equal(placement_make(&placement, &code, 20, &err), 0);
	memset(elf, 0, bytes);
	free(elf);
	show(&shown, page_layout_find(v->layout));
	check_reads("the copy of what is gone", v->bare, placement.entry, &shown);
	page_region_unmap(&shown.region);
	placement_release(&placement);
}

static int tell(void **state)
{
	(void)state;
	make_time(told, UPDATES, SIM_CLOCKMODE_VIRTUAL);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_variations),
		cmocka_unit_test(test_mutants),
		cmocka_unit_test(test_large_step),
		cmocka_unit_test(test_the_original_is_given_back),
	};

	return cmocka_run_group_tests(tests, tell, NULL);
}
