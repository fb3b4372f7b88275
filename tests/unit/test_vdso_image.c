// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Images in place: where their code wants its pages, and what it makes of pages of ours, held
 * against the oracle. Time stands still on most of them, so that every value is one value.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "sim/clocksource.h"
#include "sim/oracle.h"
#include "sim/publish.h"
#include "sim/stamp.h"
#include "tests/unit/in_child.h"
#include "tests/unit/process_maps.h"
#include "tests/unit/sound_images.h"

#define COARSE_RESOLUTION_NS 4000000
#define RESOLUTION_NS	     1
#define MINUTES_WEST	     (-90)
#define DST		     5

static const clockid_t clocks[] = {
	CLOCK_REALTIME,	       CLOCK_MONOTONIC,	       CLOCK_BOOTTIME,	   CLOCK_TAI,
	CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE, CLOCK_MONOTONIC_RAW};

static struct vdso_image image;
static struct page_region region;
static struct timekeeper tk; /* what the region's page says */
static struct process_maps maps;

static void with_open_image(void (*test)(const struct sound_image *sound),
			    const struct sound_image *sound)
{
	struct errmsg err;

	if (page_region_map(&region, image.wants.layout, image.wants.data_offset, &err))
		fail_msg("%s", err.text);
	test(sound);
	vdso_image_close(&image);
	page_region_unmap(&region);
}

/* What the host's image must be is not written down anywhere; it must be consistent. */
static void with_host(void (*test)(const struct sound_image *sound))
{
	const struct vdso_wants *wants = &image.wants;
	struct sound_image sound = {.name = "host"};
	struct errmsg err;

	if (!getauxval(AT_SYSINFO_EHDR))
		return;
	if (vdso_image_open(&image, "host", &err))
		fail_msg("%s", err.text);
	sound.layout = wants->layout->name;
	sound.data_offset = wants->data_offset;
	sound.time_page = wants->time_page;
	sound.namespace_page = wants->has_namespace ? wants->namespace_page : 0;
	sound.pvclock_page = wants->has_pvclock ? wants->pvclock_page : 0;
	sound.has_getres = image.function[VDSO_CLOCK_GETRES] >= 0;
	with_open_image(test, &sound);
}

/* One test is run with each image, which is open and has a region laid out for it. */
static void with_each(void (*test)(const struct sound_image *sound))
{
	for (size_t i = 0; i < ARRAY_SIZE(sound_images); i++) {
		open_sound(&image, &sound_images[i]);
		with_open_image(test, &sound_images[i]);
	}
}

#define WITH_EACH(test)                       \
	static void each_##test(void **state) \
	{                                     \
		(void)state;                  \
		with_each(test);              \
	}

#define WITH_EACH_AND_HOST(test)              \
	static void each_##test(void **state) \
	{                                     \
		(void)state;                  \
		with_each(test);              \
		with_host(test);              \
	}

static void attach(const struct page_region *to, bool in_namespace)
{
	struct errmsg err;

	if (vdso_image_attach(&image, to, in_namespace, &err))
		fail_msg("%s", err.text);
}

/* Stamp `number`, made for this counter value. */
static void publish(const struct page_region *to, u64 number, u64 cycles, s32 clock_mode)
{
	void *page = page_for_writer(to);

	tk = (struct timekeeper){.mask = INT64_MAX, .clock_mode = clock_mode};
	timekeeper_stamp(&tk, number, cycles);
	vdso_set_sequences(page, to->layout, (u32)(number - 1) * 2);
	update_vsyscall(page, to->layout, &tk);
	*layout_u32(page, to->layout->tz) = (u32)MINUTES_WEST;
	*layout_u32(page, (u16)(to->layout->tz + 4)) = DST;
}

static u64 now(void)
{
	return clocksource_read(VDSO_CLOCKMODE_TSC, NULL);
}

static void publish_still(const struct page_region *to, u64 number)
{
	publish(to, number, now() + STAMP_AHEAD, VDSO_CLOCKMODE_TSC);
}

static u64 value_at(clockid_t clock, u64 cycles)
{
	struct oracle_update update = oracle_describe(clock, 1, &tk);

	return oracle_nanoseconds(&update, cycles);
}

static bool has_clock(clockid_t clock)
{
	return clock != CLOCK_MONOTONIC_RAW || image.wants.layout->has_raw;
}

static u64 read_clock(clockid_t clock)
{
	vdso_clock_gettime_fn *function = vdso_image_function(&image, VDSO_CLOCK_GETTIME);
	struct timespec ts = {-1, -1};

	assert_int_equal(function(clock, &ts), 0);
	assert_in_range(ts.tv_nsec, 0, NSEC_PER_SEC - 1);
	return (u64)ts.tv_sec * NSEC_PER_SEC + (u64)ts.tv_nsec;
}

static void check_clock(clockid_t clock, u64 expected)
{
	u64 value = read_clock(clock);

	if (value != expected)
		fail_msg("%s: clock %d is %llu, not %llu", image.name, (int)clock,
			 (unsigned long long)value, (unsigned long long)expected);
}

/* time() is the same everywhere: it knows nothing of namespaces. */
static void check_day(u64 realtime_ns, u64 time_sec)
{
	vdso_gettimeofday_fn *gettimeofday_fn = vdso_image_function(&image, VDSO_GETTIMEOFDAY);
	vdso_time_fn *time_fn = vdso_image_function(&image, VDSO_TIME);
	struct vdso_old_timeval tv = {-1, -1};
	struct timezone tz = {0, 0};
	long seconds = -1;

	assert_int_equal(gettimeofday_fn(&tv, &tz), 0);
	assert_int_equal(tv.tv_sec, realtime_ns / NSEC_PER_SEC);
	assert_int_equal(tv.tv_usec, realtime_ns % NSEC_PER_SEC / 1000);
	assert_int_equal(tz.tz_minuteswest, MINUTES_WEST);
	assert_int_equal(tz.tz_dsttime, DST);
	assert_int_equal(time_fn(&seconds), time_sec);
	assert_int_equal(seconds, time_sec);
}

static void check_resolution(clockid_t clock, long expected)
{
	vdso_clock_getres_fn *function = vdso_image_function(&image, VDSO_CLOCK_GETRES);
	struct vdso_old_timespec resolution = {-1, -1};

	assert_int_equal(function(clock, &resolution), 0);
	assert_int_equal(resolution.tv_sec, 0);
	assert_int_equal(resolution.tv_nsec, expected);
}

/* All that the page says, as long as its counter is not reached. */
static void check_all(u64 cycles)
{
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
		if (has_clock(clocks[i]))
			check_clock(clocks[i], value_at(clocks[i], cycles));
	check_day(value_at(CLOCK_REALTIME, cycles), tk.realtime_sec);
}

static void finds(const struct sound_image *sound)
{
	const struct vdso_wants *wants = &image.wants;
	size_t applied = 0;

	assert_string_equal(image.name, image_path(sound->name));
	assert_false(image.patched_by_kernel);
	assert_int_equal(wants->data_offset, sound->data_offset);
	assert_int_equal(wants->time_page, sound->time_page);
	assert_int_equal(wants->has_namespace, sound->namespace_page != 0);
	if (wants->has_namespace)
		assert_int_equal(wants->namespace_page, sound->namespace_page);
	assert_true(wants->has_pvclock);
	assert_int_equal(wants->pvclock_page, sound->pvclock_page);
	for (size_t i = 0; i < image.alternatives.count; i++)
		applied += image.alternatives.list[i].applied;
	assert_int_equal(applied > 0, sound->has_alternatives);
	for (int call = 0; call < VDSO_CALLS; call++)
		assert_int_equal(image.function[call] >= 0,
				 call != VDSO_CLOCK_GETRES || sound->has_getres);
	/* What was found was found elsewhere. */
	assert_null(image.start);
	assert_null(image.reserved);
}
WITH_EACH(finds)

static void values_are_exact(const struct sound_image *sound)
{
	attach(&region, false);
	for (u64 number = 1; number <= 20; number++) {
		publish_still(&region, number);
		check_all(0);
	}
	if (!sound->has_getres) {
		assert_null(vdso_image_function(&image, VDSO_CLOCK_GETRES));
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		bool coarse =
			clocks[i] == CLOCK_REALTIME_COARSE || clocks[i] == CLOCK_MONOTONIC_COARSE;

		/* The tick of the host's kernel is its own affair. */
		if (!coarse || !image.patched_by_kernel)
			check_resolution(clocks[i], coarse ? COARSE_RESOLUTION_NS : RESOLUTION_NS);
	}
}
WITH_EACH_AND_HOST(values_are_exact)

/* By a counter that runs: between what it said before and after. */
static void values_move(const struct sound_image *sound)
{
	attach(&region, false);
	for (u64 number = 1; number <= 20; number++) {
		publish(&region, number, now() - (number << 20), VDSO_CLOCKMODE_TSC);
		for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
			u64 before, value;

			if (!has_clock(clocks[i]))
				continue;
			before = now();
			value = read_clock(clocks[i]);
			if (value < value_at(clocks[i], before) ||
			    value > value_at(clocks[i], now()))
				fail_msg("%s: clock %d is out of bounds", sound->name,
					 (int)clocks[i]);
		}
	}
}
WITH_EACH_AND_HOST(values_move)

static void set_namespace(const struct page_region *of, u64 salt)
{
	struct timens_offset offset[VDSO_BASES];

	for (int clock = 0; clock < VDSO_BASES; clock++)
		offset[clock] = (struct timens_offset){
			.sec = (s64)(salt * 100) + clock * 7,
			.nsec = 900000000 + (u32)clock * 1000 + salt,
		};
	page_set_namespace(of, offset);
}

static u64 namespace_value(clockid_t clock, u64 salt)
{
	return value_at(clock, 0) + (salt * 100 + (u64)clock * 7) * NSEC_PER_SEC + 900000000 +
	       (u64)clock * 1000 + salt;
}

static void refuses_namespace(void)
{
	struct errmsg err;

	assert_int_equal(vdso_image_attach(&image, &region, true, &err), -1);
	assert_non_null(strstr(err.text, image.name));
	assert_non_null(strstr(err.text, "knows no time namespaces"));
}

static void namespaces(const struct sound_image *sound)
{
	if (!sound->namespace_page) {
		refuses_namespace();
		return;
	}
	attach(&region, true);
	for (u64 salt = 1; salt < 5; salt++) {
		publish_still(&region, salt);
		set_namespace(&region, salt);
		for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
			check_clock(clocks[i], namespace_value(clocks[i], salt));
		check_day(namespace_value(CLOCK_REALTIME, salt), tk.realtime_sec);
	}
}
WITH_EACH_AND_HOST(namespaces)

/* A record of the hypervisor's that stands still at `cycles`. */
static void set_pvclock(const struct page_region *of, u64 cycles)
{
	struct {
		u32 version, pad;
		u64 tsc_timestamp, system_time;
		u32 mult;
		u8 shift, flags;
	} record = {.version = 2, .system_time = cycles, .flags = 1};

	memcpy((char *)of->writable + PAGE_COUNTER * SIM_PAGE_BYTES, &record, sizeof(record));
}

static void pvclock(const struct sound_image *sound)
{
	const u64 cycles = 1ull << 45;

	if (!sound->pvclock_page)
		return;
	attach(&region, false);
	for (u64 number = 1; number <= 5; number++) {
		publish(&region, number, cycles, VDSO_CLOCKMODE_PVCLOCK);
		for (u64 passed = 0; passed < 1000000; passed = passed * 9 + 1) {
			set_pvclock(&region, cycles + passed);
			check_all(cycles + passed);
		}
	}
}
WITH_EACH_AND_HOST(pvclock)

static void map_another(struct page_region *other)
{
	struct errmsg err;

	assert_int_equal(page_region_map(other, image.wants.layout, image.wants.data_offset, &err),
			 0);
}

/* What is attached last is what counts, and nothing stays of what was before. */
static void attached_anew(const struct sound_image *sound)
{
	struct page_region other;
	char *start;

	map_another(&other);
	attach(&region, false);
	start = image.start;
	publish_still(&region, 3);
	attach(&other, false);
	publish_still(&other, 4);
	assert_ptr_equal(image.start, start);
	check_all(0);
	/* The first is nobody's any more. */
	memset(region.writable, 0xff, PAGE_SLOTS * SIM_PAGE_BYTES);
	check_all(0);
	if (sound->namespace_page) {
		attach(&other, true);
		set_namespace(&other, 2);
		check_clock(CLOCK_TAI, namespace_value(CLOCK_TAI, 2));
		page_region_unmap(&region);
		map_another(&region);
		attach(&region, false);
		publish_still(&region, 6);
		check_all(0);
		assert_true(process_maps_read(&maps));
		assert_string_equal(
			process_maps_access(&maps, vdso_image_page(&image, sound->namespace_page)),
			"---p");
	}
	page_region_unmap(&other);
}
WITH_EACH_AND_HOST(attached_anew)

/* Pages are the caller's to unmap, or the image's to keep, in any order. */
static void outlives_its_region(const struct sound_image *sound)
{
	struct page_region other;

	(void)sound;
	map_another(&other);
	attach(&other, false);
	publish_still(&other, 5);
	page_region_unmap(&other);
	check_all(0);
}
WITH_EACH_AND_HOST(outlives_its_region)

enum stage {
	OPEN,
	PLACED,
	ATTACHED,
	IN_NAMESPACE,
	STAGES
};

static bool is_page_of_ours(const struct sound_image *sound, enum stage stage, s32 page)
{
	if (stage < ATTACHED)
		return false;
	return page == sound->time_page || page == sound->pvclock_page ||
	       (stage == IN_NAMESPACE && page == sound->namespace_page);
}

/* Every page of the place and of what is around it. */
static void check_place(const struct sound_image *sound, enum stage stage)
{
	s32 pages = 0, page;

	for (s32 i = -200; i < 200; i++) {
		const char *address = vdso_image_page(&image, i), *access, *expected = "---p";

		if (!vdso_image_page_of(&image, address, &page)) {
			assert_false(vdso_image_page_of(&image, address + 4095, &page));
			continue;
		}
		assert_int_equal(page, i);
		assert_true(vdso_image_page_of(&image, address + 4095, &page));
		assert_int_equal(page, i);
		pages++;
		if (i >= 0 && (size_t)i < image.size / SIM_PAGE_BYTES)
			expected = "r-xp";
		else if (is_page_of_ours(sound, stage, i))
			expected = "r--s";
		access = process_maps_access(&maps, address);
		if (strcmp(access, expected) != 0)
			fail_msg("%s: page %d is %s, not %s", sound->name, i, access, expected);
	}
	/* Enough for any kernel's pages, on both sides, and no page of others'. */
	assert_true(vdso_image_page_of(&image, vdso_image_page(&image, -8), &page));
	assert_true(
		vdso_image_page_of(&image, image.start + image.size + 4 * SIM_PAGE_BYTES, &page));
	assert_true(pages < 100);
}

static void memory_is_written_or_executed(const struct sound_image *sound)
{
	struct errmsg err;

	for (enum stage stage = OPEN; stage < STAGES; stage++) {
		if (stage == PLACED)
			assert_int_equal(vdso_image_place(&image, &err), 0);
		if (stage >= ATTACHED && (stage == ATTACHED || sound->namespace_page))
			attach(&region, stage == IN_NAMESPACE);
		assert_true(process_maps_read(&maps));
		assert_true(process_maps_none_writable_and_executable(&maps));
		if (stage != OPEN && (stage != IN_NAMESPACE || sound->namespace_page))
			check_place(sound, stage);
	}
}
WITH_EACH_AND_HOST(memory_is_written_or_executed)

/* A second place is not taken while there is one: its address space would be lost. */
static void placed_once(const struct sound_image *sound)
{
	struct errmsg err;
	char *start;

	(void)sound;
	assert_int_equal(vdso_image_place(&image, &err), 0);
	start = image.start;
	assert_int_equal(vdso_image_place(&image, &err), 0);
	assert_ptr_equal(image.start, start);
}
WITH_EACH_AND_HOST(placed_once)

/* The bytes at the place are the image's own. */
static void code_is_the_images(const struct sound_image *sound)
{
	(void)sound;
	attach(&region, false);
	assert_memory_equal(image.start, image.bytes, image.size);
	assert_int_equal(image.size % SIM_PAGE_BYTES, 0);
	for (int call = 0; call < VDSO_CALLS; call++)
		if (image.function[call] >= 0)
			assert_ptr_equal(vdso_image_function(&image, (enum vdso_call)call),
					 image.start + image.function[call]);
		else
			assert_null(vdso_image_function(&image, (enum vdso_call)call));
}
WITH_EACH_AND_HOST(code_is_the_images)

/* Code that looks for the page behind, and makes something else of it, is not to be trusted there.
 */
static void test_namespaces_must_agree(void **state)
{
	(void)state;
	open_image(&image, "no-offsets");
	assert_string_equal(image.wants.layout->name, "v6.15");
	assert_false(image.wants.has_namespace);
	refuses_namespace();
	vdso_image_close(&image);
}

static void test_page_of(void **state)
{
	struct errmsg err;
	s32 page = 77;

	(void)state;
	open_image(&image, "v6.15");
	assert_int_equal(vdso_image_place(&image, &err), 0);
	assert_false(vdso_image_page_of(&image, NULL, &page));
	assert_false(vdso_image_page_of(&image, (void *)UINTPTR_MAX, &page));
	assert_false(vdso_image_page_of(&image, image.reserved - 1, &page));
	assert_int_equal(page, 77);
	assert_true(vdso_image_page_of(&image, image.reserved, &page));
	assert_ptr_equal(vdso_image_page(&image, page), image.reserved);
	assert_true(vdso_image_page_of(&image, image.start, &page));
	assert_int_equal(page, 0);
	assert_true(vdso_image_page_of(&image, image.start - 1, &page));
	assert_int_equal(page, -1);
	assert_true(vdso_image_page_of(&image, image.start + image.size - 1, &page));
	assert_int_equal(page, image.size / SIM_PAGE_BYTES - 1);
	vdso_image_close(&image);
}

/* From here on, who asks for memory to write to and to execute at once is killed. */
static bool forbid_writable_and_executable(void)
{
#define NUMBER (u32) offsetof(struct seccomp_data, nr)
#define ACCESS (u32) offsetof(struct seccomp_data, args[2]) /* the low half, on x86 */
	struct sock_filter program[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NUMBER),
#ifdef SYS_mmap2
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap2, 3, 0),
#else
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 3, 0),
#endif
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pkey_mprotect, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ACCESS),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, PROT_WRITE | PROT_EXEC),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PROT_WRITE | PROT_EXEC, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	const struct sock_fprog filter = {ARRAY_SIZE(program), program};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

static int may_forbid(void *unused)
{
	(void)unused;
	return forbid_writable_and_executable();
}

static int ask_for_both(void *unused)
{
	(void)unused;
	forbid_writable_and_executable();
	return mmap(NULL, SIM_PAGE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}

/* All of it, in the child that tries the code, too. */
static int go_without_both(void *name)
{
	struct vdso_image mine;
	struct page_region pages;
	struct errmsg err;
	vdso_clock_gettime_fn *function;
	struct timespec ts;

	MUST(forbid_writable_and_executable());
	MUST(vdso_image_open(&mine, name, &err) == 0);
	MUST(page_region_map(&pages, mine.wants.layout, mine.wants.data_offset, &err) == 0);
	MUST(vdso_image_attach(&mine, &pages, false, &err) == 0);
	publish_still(&pages, 2);
	function = vdso_image_function(&mine, VDSO_CLOCK_GETTIME);
	MUST(function(CLOCK_MONOTONIC, &ts) == 0);
	MUST((u64)ts.tv_sec * NSEC_PER_SEC + (u64)ts.tv_nsec == value_at(CLOCK_MONOTONIC, 0));
	vdso_image_close(&mine);
	page_region_unmap(&pages);
	return 0;
}

static void test_never_writable_and_executable(void **state)
{
	pid_t child;
	int status;

	(void)state;
	if (!in_child(may_forbid, NULL))
		skip();
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		_exit(ask_for_both(NULL));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	for (size_t i = 0; i < ARRAY_SIZE(sound_images); i++)
		must_in_child(go_without_both, (void *)(uintptr_t)image_path(sound_images[i].name));
	must_in_child(go_without_both, (void *)(uintptr_t) "host");
}

static int stay_on_one_cpu(void **state)
{
	cpu_set_t one;

	(void)state;
	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	return sched_setaffinity(0, sizeof(one), &one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_finds),
		cmocka_unit_test(each_values_are_exact),
		cmocka_unit_test(each_values_move),
		cmocka_unit_test(each_namespaces),
		cmocka_unit_test(each_pvclock),
		cmocka_unit_test(each_attached_anew),
		cmocka_unit_test(each_outlives_its_region),
		cmocka_unit_test(each_memory_is_written_or_executed),
		cmocka_unit_test(each_placed_once),
		cmocka_unit_test(each_code_is_the_images),
		cmocka_unit_test(test_namespaces_must_agree),
		cmocka_unit_test(test_page_of),
		cmocka_unit_test(test_never_writable_and_executable),
	};

	return cmocka_run_group_tests(tests, stay_on_one_cpu, NULL);
}
