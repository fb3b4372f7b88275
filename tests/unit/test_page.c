// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/barrier.h"
#include "sim/page.h"
#include "sim/publish.h"

#define REGION_BYTES ((size_t)PAGE_SLOTS * SIM_PAGE_BYTES)

static struct page_region region;

static int map_region(void **state)
{
	struct errmsg err;

	(void)state;
	return page_region_map(&region, &page_layout_current, 0, &err);
}

static int unmap_region(void **state)
{
	(void)state;
	page_region_unmap(&region);
	return 0;
}

/* The row "6.15 and later" of the design's table. */
static void test_offsets(void **state)
{
	(void)state;
	assert_int_equal(offsetof(struct vdso_clock, seq), 0);
	assert_int_equal(offsetof(struct vdso_clock, clock_mode), 4);
	assert_int_equal(offsetof(struct vdso_clock, cycle_last), 8);
	assert_int_equal(offsetof(struct vdso_clock, max_cycles), 16);
	assert_int_equal(offsetof(struct vdso_clock, mask), 24);
	assert_int_equal(offsetof(struct vdso_clock, mult), 32);
	assert_int_equal(offsetof(struct vdso_clock, shift), 36);
	assert_int_equal(offsetof(struct vdso_clock, basetime), 40);
	assert_int_equal(offsetof(struct vdso_time_data, clock_data), 0);
	assert_int_equal(offsetof(struct vdso_time_data, clock_data[CS_HRES_COARSE]), 0);
	assert_int_equal(offsetof(struct vdso_time_data, clock_data[CS_RAW]), 232);
	/* With the eight auxiliary clocks that the kernel has and this page has not: 2320. */
	assert_int_equal(offsetof(struct vdso_time_data, tz_minuteswest), CS_BASES * 232);
	assert_int_equal((CS_BASES + 8) * sizeof(struct vdso_clock), 2320);
	assert_int_equal(offsetof(struct vdso_time_data, tz_dsttime), CS_BASES * 232 + 4);
	assert_int_equal(offsetof(struct vdso_time_data, hrtimer_res), CS_BASES * 232 + 8);
}

static void test_sizes(void **state)
{
	const struct vdso_clock *vc = NULL;

	(void)state;
	assert_int_equal(sizeof(vc->seq), 4);
	assert_int_equal(sizeof(vc->clock_mode), 4);
	assert_int_equal(sizeof(vc->cycle_last), 8);
	assert_int_equal(sizeof(vc->max_cycles), 8);
	assert_int_equal(sizeof(vc->mask), 8);
	assert_int_equal(sizeof(vc->mult), 4);
	assert_int_equal(sizeof(vc->shift), 4);
	assert_int_equal(ARRAY_SIZE(vc->basetime), 12);
	assert_int_equal(sizeof(vc->basetime[0]), 16);
	assert_int_equal(offsetof(struct vdso_timestamp, sec), 0);
	assert_int_equal(offsetof(struct vdso_timestamp, nsec), 8);
	assert_int_equal(sizeof(struct vdso_clock), 232);
	assert_int_equal(sizeof(struct vdso_time_data), 2 * 232 + 16);
	assert_true(sizeof(struct vdso_time_data) <= SIM_PAGE_BYTES);
}

/* In a time-namespace page the offsets lie where the bases lie in the other. */
static void test_offsets_lie_over_bases(void **state)
{
	(void)state;
	assert_int_equal(offsetof(struct vdso_clock, offset),
			 offsetof(struct vdso_clock, basetime));
	assert_int_equal(sizeof(((struct vdso_clock *)NULL)->offset),
			 sizeof(((struct vdso_clock *)NULL)->basetime));
	assert_int_equal(offsetof(struct timens_offset, sec), offsetof(struct vdso_timestamp, sec));
	assert_int_equal(offsetof(struct timens_offset, nsec),
			 offsetof(struct vdso_timestamp, nsec));
}

static void test_clock_ids_have_slots(void **state)
{
	(void)state;
	assert_int_equal(VDSO_BASES, 12);
	assert_int_equal(CLOCK_REALTIME, 0);
	assert_int_equal(CLOCK_MONOTONIC, 1);
	assert_int_equal(CLOCK_MONOTONIC_RAW, 4);
	assert_int_equal(CLOCK_REALTIME_COARSE, 5);
	assert_int_equal(CLOCK_MONOTONIC_COARSE, 6);
	assert_int_equal(CLOCK_BOOTTIME, 7);
	assert_int_equal(CLOCK_TAI, 11);
}

static void test_modes(void **state)
{
	(void)state;
	assert_int_equal(VDSO_CLOCKMODE_NONE, 0);
	assert_int_equal(VDSO_CLOCKMODE_TSC, 1);
	assert_int_equal(VDSO_CLOCKMODE_PVCLOCK, 2);
	assert_int_equal(VDSO_CLOCKMODE_HVCLOCK, 3);
	assert_int_equal(VDSO_CLOCKMODE_TIMENS, INT_MAX);
	/* Ours must not be taken for one of the kernel's. */
	assert_true(SIM_CLOCKMODE_TSC_LFENCE > VDSO_CLOCKMODE_HVCLOCK);
	assert_true(SIM_CLOCKMODE_VIRTUAL < VDSO_CLOCKMODE_TIMENS);
}

static void test_new_region_is_zero(void **state)
{
	static const u8 zeros[REGION_BYTES];

	(void)state;
	assert_memory_equal(region.writable, zeros, REGION_BYTES);
	assert_memory_equal(region.readonly, zeros, REGION_BYTES);
}

static void test_slots(void **state)
{
	const char *readonly = region.readonly;
	char *writable = region.writable;

	(void)state;
	assert_int_equal((uintptr_t)readonly % SIM_PAGE_BYTES, 0);
	assert_ptr_equal(page_for_writer(&region), writable + PAGE_DATA * SIM_PAGE_BYTES);
	assert_ptr_equal(page_for_readers(&region), readonly + PAGE_DATA * SIM_PAGE_BYTES);
	assert_ptr_equal(page_for_namespace(&region), readonly + PAGE_TIMENS * SIM_PAGE_BYTES);
	assert_ptr_equal(page_behind_namespace(page_for_namespace(&region)),
			 page_for_readers(&region));
	assert_ptr_equal(page_virtual_counter(page_for_readers(&region)),
			 readonly + PAGE_COUNTER * SIM_PAGE_BYTES);
}

/* Every byte of every page, each with a value that its neighbours have not. */
static void test_views_show_the_same(void **state)
{
	const u8 *readonly = region.readonly;
	u8 *writable = region.writable;

	(void)state;
	for (size_t i = 0; i < REGION_BYTES; i++)
		writable[i] = (u8)(i % 251);
	for (size_t i = 0; i < REGION_BYTES; i++)
		if (readonly[i] != (u8)(i % 251))
			fail_msg("byte %zu differs between the views", i);
}

static void test_regions_are_apart(void **state)
{
	struct page_region other;
	struct errmsg err;

	(void)state;
	assert_int_equal(page_region_map(&other, &page_layout_current, 0, &err), 0);
	page_for_writer(&region)->clock_data[CS_RAW].mult = 7;
	assert_int_equal(page_for_readers(&other)->clock_data[CS_RAW].mult, 0);
	page_for_writer(&other)->clock_data[CS_RAW].mult = 8;
	assert_int_equal(page_for_readers(&region)->clock_data[CS_RAW].mult, 7);
	page_region_unmap(&other);
	assert_null(other.writable);
	assert_null(other.readonly);
}

/* How a child ends that does this to a byte: the signal's number, or 0. */
static int signal_of_child(void (*touch)(volatile u8 *byte), const void *byte)
{
	const struct rlimit no_core = {0, 0};
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		/* Neither cmocka's handler nor a sanitizer's. */
		signal(SIGSEGV, SIG_DFL);
		setrlimit(RLIMIT_CORE, &no_core);
		touch((volatile u8 *)(uintptr_t)byte);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void write_byte(volatile u8 *byte)
{
	*byte = 1;
}

static void read_byte(volatile u8 *byte)
{
	(void)*byte;
}

static void test_readers_cannot_write(void **state)
{
	(void)state;
	if (CONTEND_TSAN) {
		/* There both views are one mapping. */
		assert_ptr_equal(region.readonly, region.writable);
		skip();
	}
	for (size_t i = 0; i < PAGE_SLOTS; i++) {
		size_t offset = i * SIM_PAGE_BYTES + 100;
		const char *readonly = (const char *)region.readonly + offset;

		assert_int_equal(signal_of_child(write_byte, readonly), SIGSEGV);
		assert_int_equal(signal_of_child(read_byte, readonly), 0);
		assert_int_equal(signal_of_child(write_byte, (char *)region.writable + offset), 0);
	}
}

static void test_unmap_leaves_nothing(void **state)
{
	struct page_region other;
	struct page_region copy;
	unsigned char resident;
	struct errmsg err;
	int lowest_fd = dup(0);

	(void)state;
	close(lowest_fd);
	assert_int_equal(page_region_map(&other, &page_layout_current, 0, &err), 0);
	copy = other;
	page_region_unmap(&other);
	for (size_t i = 0; i < PAGE_SLOTS; i++) {
		size_t offset = i * SIM_PAGE_BYTES;

		assert_int_equal(mincore((char *)copy.writable + offset, 1, &resident), -1);
		assert_int_equal(errno, ENOMEM);
		assert_int_equal(mincore((char *)(uintptr_t)copy.readonly + offset, 1, &resident),
				 -1);
		assert_int_equal(errno, ENOMEM);
	}
	assert_int_equal(dup(0), lowest_fd);
	close(lowest_fd);
}

static void test_no_file_to_be_had(void **state)
{
	struct rlimit before, none;
	struct page_region other;
	struct errmsg err;
	int result;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){0, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	result = page_region_map(&other, &page_layout_current, 0, &err);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(result, -1);
	assert_string_equal(err.text, "cannot map the page: Too many open files");
}

static void check_namespace_page(const struct timens_offset offset[VDSO_BASES])
{
	const struct vdso_time_data *page = page_for_namespace(&region);

	for (int i = 0; i < CS_BASES; i++) {
		const struct vdso_clock *vc = &page->clock_data[i];

		assert_int_equal(vc->seq, 1);
		assert_int_equal(vc->clock_mode, VDSO_CLOCKMODE_TIMENS);
		for (int clock = 0; clock < VDSO_BASES; clock++) {
			assert_int_equal(vc->offset[clock].sec, offset[clock].sec);
			assert_int_equal(vc->offset[clock].nsec, offset[clock].nsec);
		}
	}
}

/* Whatever is published in the page behind it. */
static void test_namespace_page_is_for_ever(void **state)
{
	const struct timekeeper tk = {.clock_mode = VDSO_CLOCKMODE_TSC, .realtime_sec = 77};
	struct timens_offset offset[VDSO_BASES];

	(void)state;
	for (int clock = 0; clock < VDSO_BASES; clock++)
		offset[clock] = (struct timens_offset){-5 - clock, (u64)clock * 1000003};
	page_set_namespace(&region, offset);
	check_namespace_page(offset);
	assert_int_equal(page_for_readers(&region)->clock_data[0].seq, 0);
	for (int i = 0; i < 1000; i++)
		update_vsyscall(page_for_writer(&region), &page_layout_current, &tk);
	page_set_virtual_counter(&region, UINT64_MAX);
	check_namespace_page(offset);
	assert_int_equal(page_for_readers(&region)->clock_data[0].seq, 2000);

	/* Offsets may be set anew; seq does not count that. */
	memset(offset, 0, sizeof(offset));
	offset[CLOCK_MONOTONIC] = (struct timens_offset){86400, 999999999};
	page_set_namespace(&region, offset);
	check_namespace_page(offset);
}

static void test_virtual_counter(void **state)
{
	static const u64 values[] = {1, 0x0123456789abcdef, UINT64_MAX, 0, 1ull << 63};
	const u64 *word = page_virtual_counter(page_for_readers(&region));
	static const u8 zeros[REGION_BYTES];

	(void)state;
	assert_int_equal(*word, 0);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		page_set_virtual_counter(&region, values[i]);
		assert_int_equal(READ_ONCE(*word), values[i]);
	}
	/* Nothing else of the region has moved. */
	page_set_virtual_counter(&region, 0);
	assert_memory_equal(region.readonly, zeros, REGION_BYTES);
	page_set_virtual_counter(&region, UINT64_MAX);
	assert_memory_equal(region.readonly, zeros, PAGE_COUNTER * SIM_PAGE_BYTES);
	assert_memory_equal(word + 1, zeros, SIM_PAGE_BYTES - sizeof(*word));
}

#define REGION_TEST(test) cmocka_unit_test_setup_teardown(test, map_region, unmap_region)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_offsets),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_offsets_lie_over_bases),
		cmocka_unit_test(test_clock_ids_have_slots),
		cmocka_unit_test(test_modes),
		REGION_TEST(test_new_region_is_zero),
		REGION_TEST(test_slots),
		REGION_TEST(test_views_show_the_same),
		REGION_TEST(test_regions_are_apart),
		REGION_TEST(test_readers_cannot_write),
		REGION_TEST(test_unmap_leaves_nothing),
		REGION_TEST(test_no_file_to_be_had),
		REGION_TEST(test_namespace_page_is_for_ever),
		REGION_TEST(test_virtual_counter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
