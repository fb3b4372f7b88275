// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Copies of a page, and values held against each other: on a page of the tests' own in the kernel's
 * place, so that it is updated when the tests want it, and with copies that are wrong on purpose.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "measure/agreement.h"
#include "measure/mirror.h"
#include "sim/clocksource.h"
#include "sim/publish.h"
#include "tests/unit/updates.h"

#define TRIES	     200
#define SPOILT_TRIES 1000

static struct page_region kernel; /* in its place */
static struct pvclock_host hypervisor;
static s32 clock_mode;
static struct host_page host_page;
static struct timekeeper tk;
static struct mirror mirror;
static struct contestant host, reader;

static void update(void)
{
	timekeeper_advance(&tk, clocksource_read(clock_mode, page_for_readers(&kernel)));
	update_vsyscall(page_for_writer(&kernel), kernel.layout, &tk);
}

static void refresh(void)
{
	struct errmsg err;

	assert_int_equal(mirror_refresh(&mirror, &err), 0);
	assert_true(mirror_is_fresh(&mirror));
}

static void start_record(void)
{
	pvclock_start(&hypervisor, pvclock_for_host(&kernel), HZ,
		      clocksource_read(VDSO_CLOCKMODE_TSC, NULL), 1000ull * NSEC_PER_SEC);
}

static void start_time(void)
{
	const bool by_record = clock_mode == VDSO_CLOCKMODE_PVCLOCK;
	const struct timekeeper_start start = {
		.frequency_hz = by_record ? NSEC_PER_SEC : HZ,
		.mask = INT64_MAX,
		.clock_mode = clock_mode,
		.interval_hz = 1000000,
		.realtime = {1700000000, 990000000},
		.monotonic = {4321, 980000000},
		.boottime = {54321, 970000000},
		.tai_offset_sec = 37,
	};
	struct errmsg err;

	if (by_record)
		start_record();
	assert_int_equal(timekeeper_init(&tk, &start,
					 clocksource_read(clock_mode, page_for_readers(&kernel)),
					 &err),
			 0);
	update();
}

static void set_up_readers(const struct page_region *copy)
{
	struct reader hres;
	struct errmsg err;

	assert_int_equal(reader_resolve("hres", &hres, &err), 0);
	reader = (struct contestant){.kind = CONTESTANT_READER, .read = hres.bare};
	host = reader;
	reader.page = mirror_page(&mirror, copy);
	host.page = mirror_in_namespace(&mirror) ? page_for_namespace(&kernel)
						 : page_for_readers(&kernel);
	reader_release(&hres);
}

static int set_up_on(s32 mode, bool in_namespace)
{
	struct timens_offset offset[VDSO_BASES];
	const struct page_region *copy;
	struct errmsg err;

	clock_mode = mode;
	assert_int_equal(page_region_map(&kernel, &page_layout_current, 0, &err), 0);
	for (int i = 0; i < VDSO_BASES; i++)
		offset[i] = (struct timens_offset){1000 * (i + 1), 1000000000u / 13 * (u32)i};
	page_set_namespace(&kernel, offset);
	start_time();
	host_page = (struct host_page){
		.data = page_for_readers(&kernel),
		.layout = kernel.layout,
		.namespace_data = in_namespace ? page_for_namespace(&kernel) : NULL,
		.pvclock = mode == VDSO_CLOCKMODE_PVCLOCK ? page_pvclock(page_for_readers(&kernel))
							  : NULL,
	};
	assert_int_equal(mirror_open(&mirror, &host_page, &err), 0);
	assert_false(mirror_is_fresh(&mirror));
	copy = mirror_add(&mirror, &page_layout_current, 0, &err);
	assert_non_null(copy);
	set_up_readers(copy);
	refresh();
	return 0;
}

static int set_up(void **state)
{
	(void)state;
	return set_up_on(VDSO_CLOCKMODE_TSC, false);
}

static int set_up_namespace(void **state)
{
	(void)state;
	return set_up_on(VDSO_CLOCKMODE_TSC, true);
}

#if SIM_HAS_PVCLOCK
static int set_up_record(void **state)
{
	(void)state;
	return set_up_on(VDSO_CLOCKMODE_PVCLOCK, false);
}
#endif

static int tear_down(void **state)
{
	(void)state;
	mirror_close(&mirror);
	page_region_unmap(&kernel);
	return 0;
}

static enum agreement try(clockid_t clock)
{
	struct agreement_values values;

	return agreement_try(&mirror, &host, &reader, clock, &values);
}

static void test_a_copy_agrees(void **state)
{
	struct agreement_values values;

	(void)state;
	for (size_t c = 0; c < ARRAY_SIZE(clocks); c++)
		for (int i = 0; i < TRIES; i++) {
			if (i % 10 == 0) {
				update();
				refresh();
			}
			assert_int_equal(agreement_try(&mirror, &host, &reader, clocks[c], &values),
					 AGREEMENT_YES);
			assert_true(values.low <= values.value && values.value <= values.high);
			if (is_coarse(clocks[c]))
				assert_int_equal(values.low, values.high);
		}
}

static void test_an_update_voids_the_try(void **state)
{
	(void)state;
	assert_int_equal(try(CLOCK_MONOTONIC), AGREEMENT_YES);
	update();
	assert_false(mirror_is_fresh(&mirror));
	assert_int_equal(try(CLOCK_MONOTONIC), AGREEMENT_VOID);
	vdso_write_begin(page_for_writer(&kernel), kernel.layout);
	/* Odd is no copy's sequence; nobody may read now. */
	assert_false(mirror_is_fresh(&mirror));
	vdso_write_end(page_for_writer(&kernel), kernel.layout);
	refresh();
	assert_int_equal(try(CLOCK_MONOTONIC), AGREEMENT_YES);
}

static int read_and_update(clockid_t clock, struct timespec *ts)
{
	int result = contestant_read(&host, clock, ts);

	update();
	return result;
}

static void test_an_update_within_voids_it(void **state)
{
	(void)state;
	reader = (struct contestant){.kind = CONTESTANT_IMAGE, .call = read_and_update};
	assert_int_equal(try(CLOCK_TAI), AGREEMENT_VOID);
	refresh();
	assert_int_equal(try(CLOCK_TAI), AGREEMENT_VOID);
}

static int fail_to_read(clockid_t clock, struct timespec *ts)
{
	contestant_read(&host, clock, ts);
	return -1;
}

static int read_too_many_ns(clockid_t clock, struct timespec *ts)
{
	int result = contestant_read(&host, clock, ts);

	ts->tv_sec--;
	ts->tv_nsec += (long)NSEC_PER_SEC;
	return result;
}

static void test_what_is_no_time(void **state)
{
	(void)state;
	reader = (struct contestant){.kind = CONTESTANT_IMAGE, .call = fail_to_read};
	assert_int_equal(try(CLOCK_MONOTONIC), AGREEMENT_NO);
	reader.call = read_too_many_ns;
	assert_int_equal(try(CLOCK_MONOTONIC), AGREEMENT_NO);
}

/* Ways in which a copy can be wrong, made in the copy after each refresh. */
static void base_ahead(struct vdso_time_data *page, clockid_t clock)
{
	struct vdso_clock *vc = &page->clock_data[clock == CLOCK_MONOTONIC_RAW ? CS_RAW : 0];

	vc->basetime[clock].nsec += is_coarse(clock) ? 1 : 1000ull << vc->shift;
}

static void base_behind(struct vdso_time_data *page, clockid_t clock)
{
	struct vdso_clock *vc = &page->clock_data[clock == CLOCK_MONOTONIC_RAW ? CS_RAW : 0];

	vc->basetime[clock].nsec -= is_coarse(clock) ? 1 : 1000ull << vc->shift;
}

static void other_second(struct vdso_time_data *page, clockid_t clock)
{
	page->clock_data[clock == CLOCK_MONOTONIC_RAW ? CS_RAW : 0].basetime[clock].sec++;
}

static void faster(struct vdso_time_data *page, clockid_t clock)
{
	struct vdso_clock *vc = &page->clock_data[clock == CLOCK_MONOTONIC_RAW ? CS_RAW : 0];

	/* A thousandth of what is to come, ten milliseconds. */
	vc->cycle_last -= HZ / 100;
	vc->basetime[clock].nsec -= (u64)vc->mult * (HZ / 100);
	vc->mult += vc->mult / 1000;
}

static void counter_behind(struct vdso_time_data *page, clockid_t clock)
{
	page->clock_data[clock == CLOCK_MONOTONIC_RAW ? CS_RAW : 0].cycle_last += 10000;
}

static void check_found(void (*spoil)(struct vdso_time_data *, clockid_t), clockid_t clock,
			const char *what)
{
	struct vdso_time_data *page = page_for_writer(&mirror.region[0]);

	update();
	refresh();
	assert_int_equal(try(clock), AGREEMENT_YES);
	spoil(page, clock);
	/* One that was interrupted between two readings of the clock finds nothing. */
	for (int i = 0; i < SPOILT_TRIES; i++)
		if (try(clock) == AGREEMENT_NO)
			return;
	fail_msg("%s is not found for %s", what, clock_name(clock));
}

static void test_wrong_copies_are_found(void **state)
{
	(void)state;
	for (size_t c = 0; c < ARRAY_SIZE(clocks); c++) {
		check_found(base_ahead, clocks[c], "a base that is a microsecond ahead");
		check_found(other_second, clocks[c], "another second");
		check_found(base_behind, clocks[c], "a base that is a microsecond behind");
		if (is_coarse(clocks[c]))
			continue;
		check_found(faster, clocks[c], "a rate that is too fast");
		check_found(counter_behind, clocks[c], "another cycle_last");
	}
}

static void test_copied_only_when_it_moved(void **state)
{
	const void *copy = page_for_readers(&mirror.region[0]);
	u32 before = vdso_sequence(copy);

	(void)state;
	refresh();
	assert_int_equal(vdso_sequence(copy), before);
	update();
	refresh();
	assert_int_equal(vdso_sequence(copy), before + 2);
}

static void test_strange_time(void **state)
{
	struct agreement_values values;

	(void)state;
	for (size_t c = 0; c < ARRAY_SIZE(clocks); c++) {
		mirror_be_strange(&mirror);
		assert_false(mirror_is_fresh(&mirror));
		assert_int_equal(agreement_try(&mirror, &host, &reader, clocks[c], &values),
				 AGREEMENT_VOID);
		assert_in_range((values.value - values.low) / NSEC_PER_SEC,
				MIRROR_STRANGE_SEC - 100, MIRROR_STRANGE_SEC + 100);
		refresh();
		assert_int_equal(try(clocks[c]), AGREEMENT_YES);
	}
}

/* Whole seconds: nothing to carry for nearly one. */
static void test_quiet_time(void **state)
{
	struct vdso_time_data *page = page_for_writer(&kernel);

	(void)state;
	for (size_t c = 0; c < ARRAY_SIZE(clocks); c++) {
		struct vdso_clock *vc =
			&page->clock_data[clocks[c] == CLOCK_MONOTONIC_RAW ? CS_RAW : 0];
		u32 shift = is_coarse(clocks[c]) ? 0 : vc->shift;
		struct agreement_values values;

		update();
		vc->basetime[clocks[c]].nsec = 890000000ull << shift;
		refresh();
		assert_true(mirror_is_quiet(&mirror, clocks[c]));
		update();
		vc->basetime[clocks[c]].nsec = 910000000ull << shift;
		refresh();
		assert_false(mirror_is_quiet(&mirror, clocks[c]));
		mirror_be_quiet(&mirror);
		assert_int_equal(page_for_readers(&mirror.region[0])
					 ->clock_data[clocks[c] == CLOCK_MONOTONIC_RAW ? CS_RAW : 0]
					 .basetime[clocks[c]]
					 .nsec,
				 0);
		assert_int_equal(agreement_try(&mirror, &host, &reader, clocks[c], &values),
				 AGREEMENT_VOID);
		refresh();
		assert_int_equal(try(clocks[c]), AGREEMENT_YES);
	}
}

/* With a namespace's nanoseconds too, of which there may be nearly a second. */
static void test_quiet_time_in_a_namespace(void **state)
{
	struct vdso_time_data *page = page_for_writer(&kernel);

	(void)state;
	for (size_t c = 0; c < ARRAY_SIZE(clocks); c++) {
		const clockid_t clock = clocks[c];
		const int index = clock == CLOCK_MONOTONIC_RAW ? CS_RAW : CS_HRES_COARSE;
		struct vdso_clock *vc = &page->clock_data[index];
		const u64 offset = mirror.offset[clock].nsec;
		const u32 shift = is_coarse(clock) ? 0 : vc->shift;
		const u64 carried = offset < NSEC_PER_SEC / 2 ? 0 : 1;
		int quiet = 0;
		u64 told;

		for (u64 ns = 0; ns < NSEC_PER_SEC; ns += NSEC_PER_SEC / 20) {
			bool may_be = (ns + offset) / NSEC_PER_SEC == carried &&
				      (ns + offset + MIRROR_QUIET_NS) / NSEC_PER_SEC == carried;

			update();
			vc->basetime[clock].nsec = ns << shift;
			refresh();
			assert_int_equal(mirror_is_quiet(&mirror, clock), may_be);
			quiet += may_be;
		}
		/* Else one would wait for it in vain. */
		assert_true(quiet >= 7);
		mirror_be_quiet(&mirror);
		told = page_for_readers(&mirror.region[0])->clock_data[index].basetime[clock].nsec;
		if (carried)
			assert_int_equal((told >> shift) + offset, NSEC_PER_SEC);
		else
			assert_int_equal(told, 0);
	}
}

/* The kernel goes over to another counter, of which our pages have nothing. */
static void check_stops_at(s32 mode)
{
	struct vdso_clock *vc = page_for_writer(&kernel)->clock_data;
	const s32 before = vc->clock_mode;
	struct vdso_time_data copy;
	struct errmsg err;

	refresh();
	copy = *page_for_readers(&mirror.region[0]);
	update();
	vc->clock_mode = mode;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(mirror_refresh(&mirror, &err), -1);
		assert_non_null(strstr(err.text, "went from clock mode "));
		assert_string_equal(mirror.stopped.text, err.text);
		assert_false(mirror_is_fresh(&mirror));
		assert_int_equal(try(CLOCK_MONOTONIC), AGREEMENT_VOID);
		assert_memory_equal(page_for_readers(&mirror.region[0]), &copy, sizeof(copy));
	}
	/* Nor if it comes back: nobody knows what was between. */
	vc->clock_mode = before;
	update();
	assert_int_equal(mirror_refresh(&mirror, &err), -1);
	assert_false(mirror_is_fresh(&mirror));
	assert_memory_equal(page_for_readers(&mirror.region[0]), &copy, sizeof(copy));
}

static void test_stops_without_a_counter(void **state)
{
	(void)state;
	check_stops_at(VDSO_CLOCKMODE_NONE);
	assert_string_equal(mirror.stopped.text,
			    "the kernel went from clock mode 1 to 0 meanwhile");
}

/* A record that this kernel may have, or not: host_page.pvclock is NULL. */
static void test_stops_at_a_record(void **state)
{
	(void)state;
	check_stops_at(VDSO_CLOCKMODE_PVCLOCK);
}

static void test_namespace(void **state)
{
	struct agreement_values values;

	(void)state;
	assert_true(mirror_in_namespace(&mirror));
	for (size_t c = 0; c < ARRAY_SIZE(clocks); c++) {
		struct timespec outside;

		update();
		refresh();
		assert_int_equal(agreement_try(&mirror, &host, &reader, clocks[c], &values),
				 AGREEMENT_YES);
		reader.page = page_for_readers(&mirror.region[0]);
		contestant_read(&reader, clocks[c], &outside);
		reader.page = mirror_page(&mirror, &mirror.region[0]);
		assert_in_range(values.value / NSEC_PER_SEC - (u64)outside.tv_sec,
				1000 * ((u64)clocks[c] + 1) - 100,
				1000 * ((u64)clocks[c] + 1) + 100);
	}
}

#if SIM_HAS_PVCLOCK

/* The hypervisor's record is copied too, and what it says must be what the host's says. */
static void test_record(void **state)
{
	struct pvclock_vcpu_time_info *copy = pvclock_for_host(&mirror.region[0]);

	(void)state;
	for (int i = 0; i < 20; i++) {
		assert_int_equal(try(CLOCK_MONOTONIC), AGREEMENT_YES);
		pvclock_update(&hypervisor);
		assert_false(mirror_is_fresh(&mirror));
		assert_int_equal(try(CLOCK_MONOTONIC), AGREEMENT_VOID);
		refresh();
		assert_memory_equal((char *)copy + 4, (char *)hypervisor.record + 4,
				    sizeof(*copy) - 4);
	}
	copy->system_time += 1000;
	for (int i = 0; i < SPOILT_TRIES; i++)
		if (try(CLOCK_MONOTONIC) == AGREEMENT_NO)
			return;
	fail_msg("a record that is a microsecond ahead is not found");
}

/* Its counter is no record any more: the last copy of that stays. */
static void test_stops_when_the_record_is_left(void **state)
{
	struct pvclock_vcpu_time_info copy;

	(void)state;
	refresh();
	copy = *pvclock_for_host(&mirror.region[0]);
	check_stops_at(VDSO_CLOCKMODE_TSC);
	assert_memory_equal(pvclock_for_host(&mirror.region[0]), &copy, sizeof(copy));
}

static void test_record_that_is_always_written(void **state)
{
	struct errmsg err;

	(void)state;
	pvclock_write_begin(&hypervisor);
	assert_int_equal(mirror_refresh(&mirror, &err), -1);
	assert_non_null(strstr(err.text, "record was being written"));
	pvclock_write(&hypervisor, clocksource_read(VDSO_CLOCKMODE_TSC, NULL));
	pvclock_write_end(&hypervisor);
	refresh();
	assert_int_equal(try(CLOCK_TAI), AGREEMENT_YES);
}

#endif

static void test_room(void **state)
{
	struct errmsg err;

	(void)state;
	for (size_t i = 1; i < MIRROR_MAX_PAGES; i++)
		assert_non_null(mirror_add(&mirror, page_layouts[i % 6],
					   page_layouts[i % 6]->data_offset, &err));
	assert_null(mirror_add(&mirror, page_layouts[0], 0, &err));
	assert_non_null(strstr(err.text, "no more than"));
	/* All of them are copies. */
	refresh();
	for (size_t i = 1; i < MIRROR_MAX_PAGES; i++)
		assert_int_equal(vdso_sequence(page_for_readers(&mirror.region[i])), 2);
}

static void refuse(s32 mode, const char *why)
{
	struct vdso_time_data *page = page_for_writer(&kernel);
	struct mirror refused;
	struct errmsg err;

	page->clock_data[CS_HRES_COARSE].clock_mode = mode;
	assert_int_equal(mirror_open(&refused, &host_page, &err), -1);
	mirror_close(&refused);
	if (!strstr(err.text, why))
		fail_msg("'%s' says nothing of '%s'", err.text, why);
}

static void test_refusals(void **state)
{
	struct mirror refused;
	struct errmsg err;

	(void)state;
	refuse(VDSO_CLOCKMODE_NONE, "none, so that everybody calls the system (clock mode 0)");
	refuse(VDSO_CLOCKMODE_PVCLOCK, "record that cannot be read (clock mode 2)");
	refuse(VDSO_CLOCKMODE_HVCLOCK, "Hyper-V's (clock mode 3)");
	refuse(12345, "unknown (clock mode 12345)");
	vdso_write_begin(page_for_writer(&kernel), kernel.layout);
	assert_int_equal(mirror_open(&refused, &host_page, &err), -1);
	mirror_close(&refused);
	assert_non_null(strstr(err.text, "being updated"));
	assert_int_equal(mirror_refresh(&mirror, &err), -1);
	assert_int_equal(vdso_sequence(page_for_readers(&mirror.region[0])), 2);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_copy_agrees),
		TEST(test_an_update_voids_the_try),
		TEST(test_an_update_within_voids_it),
		TEST(test_what_is_no_time),
		TEST(test_wrong_copies_are_found),
		TEST(test_copied_only_when_it_moved),
		TEST(test_strange_time),
		TEST(test_quiet_time),
		TEST(test_stops_without_a_counter),
		TEST(test_stops_at_a_record),
		cmocka_unit_test_setup_teardown(test_namespace, set_up_namespace, tear_down),
		cmocka_unit_test_setup_teardown(test_quiet_time_in_a_namespace, set_up_namespace,
						tear_down),
#if SIM_HAS_PVCLOCK
		cmocka_unit_test_setup_teardown(test_a_copy_agrees, set_up_record, tear_down),
		cmocka_unit_test_setup_teardown(test_record, set_up_record, tear_down),
		cmocka_unit_test_setup_teardown(test_stops_when_the_record_is_left, set_up_record,
						tear_down),
		cmocka_unit_test_setup_teardown(test_record_that_is_always_written, set_up_record,
						tear_down),
#endif
		TEST(test_room),
		TEST(test_refusals),
	};

	if (!SIM_HAS_ARCH_COUNTER) {
		printf("no counter here that a copy of a page could be read with\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
