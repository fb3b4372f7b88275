// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The page of the kernel that runs this test, and its vDSO's image: what is found is held against
 * what the vDSO says of the time. Skipped where there is no vDSO, or none that is known.
 */
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#include <cmocka.h>

#include "sim/barrier.h"
#include "sim/clocksource.h"
#include "sim/host_page.h"
#include "sim/oracle.h"
#include "tests/unit/in_child.h"
#include "tests/unit/process_maps.h"

static const clockid_t hres[] = {CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_BOOTTIME, CLOCK_TAI,
				 CLOCK_MONOTONIC_RAW};
static const clockid_t coarse[] = {CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE};

static struct vdso_image image;

static bool has_host(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return getauxval(AT_SYSINFO_EHDR) != 0;
#else
	return false;
#endif
}

static void open_host(void)
{
	struct errmsg err;

	if (!has_host())
		skip();
	if (vdso_image_open(&image, "host", &err))
		fail_msg("%s", err.text);
}

static struct host_page find(void)
{
	struct host_page host;
	struct errmsg err;

	open_host();
	if (host_page_find(&image, &host, &err))
		fail_msg("%s", err.text);
	return host;
}

static int close_image(void **state)
{
	(void)state;
	vdso_image_close(&image);
	return 0;
}

static const void *address_in_host(const char *name)
{
	void *vdso = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);
	void *function;

	if (!vdso)
		skip();
	function = dlsym(vdso, name);
	dlclose(vdso);
	return function;
}

/* A copy of what the kernel has mapped, with the dynamic linker's opinion of where its functions
 * are. */
static void test_image_is_the_kernels(void **state)
{
	const char *start = (const char *)getauxval(AT_SYSINFO_EHDR);

	(void)state;
	open_host();
	assert_string_equal(image.name, "host");
	assert_true(image.patched_by_kernel);
	assert_int_equal(image.alternatives.count, 0);
	assert_memory_equal(image.bytes, start, image.size);
	for (int call = 0; call < VDSO_CALLS; call++) {
		const char *function = address_in_host(vdso_call_name((enum vdso_call)call));

		assert_int_equal(image.function[call], function ? function - start : -1);
	}
}

/* What the page says of a clock, as one update left it. */
struct snapshot {
	u32 seq;
	s32 mode;
	struct oracle_update update;
};

static struct snapshot take_snapshot(const struct host_page *host, clockid_t clock)
{
	const struct page_layout *layout = host->layout;
	void *data = (void *)(uintptr_t)host->data;
	void *vc = layout_clock_of(layout, data, clock);
	const u64 *base = layout_base(layout, data, clock);
	struct snapshot snapshot = {.seq = 0};

	do {
		while ((snapshot.seq = READ_ONCE(*layout_u32(vc, 0))) & 1)
			cpu_relax();
		smp_rmb();
		snapshot.mode = (s32)READ_ONCE(*layout_u32(vc, 4));
		snapshot.update = (struct oracle_update){
			.sec = READ_ONCE(base[0]),
			.nsec = READ_ONCE(base[1]),
			.cycle_last = READ_ONCE(*layout_u64(vc, layout->cycle_last)),
		};
		if (clock != CLOCK_REALTIME_COARSE && clock != CLOCK_MONOTONIC_COARSE) {
			snapshot.update.mult = READ_ONCE(*layout_u32(vc, layout->mult));
			snapshot.update.shift = READ_ONCE(*layout_u32(vc, layout->shift));
		}
		smp_rmb();
	} while (READ_ONCE(*layout_u32(vc, 0)) != snapshot.seq);
	return snapshot;
}

static bool is_tsc(const struct host_page *host)
{
	return take_snapshot(host, CLOCK_MONOTONIC).mode == VDSO_CLOCKMODE_TSC;
}

static u64 read_host(clockid_t clock)
{
	struct timespec ts = {-1, -1};

	clock_gettime(clock, &ts);
	return (u64)ts.tv_sec * NSEC_PER_SEC + (u64)ts.tv_nsec;
}

static u64 now(void)
{
	return clocksource_read(VDSO_CLOCKMODE_TSC, NULL);
}

/* What the namespace of this process adds. */
static u64 added_to(const struct host_page *host, clockid_t clock)
{
	const u64 *offset;

	if (!host->namespace_data)
		return 0;
	offset = layout_base(host->layout, (void *)(uintptr_t)host->namespace_data, clock);
	return offset[0] * NSEC_PER_SEC + offset[1];
}

enum verdict {
	WITHIN,
	WITHOUT,
	UPDATED_MEANWHILE,
};

static enum verdict hold_against_page(const struct host_page *host, clockid_t clock)
{
	struct snapshot before = take_snapshot(host, clock);
	u64 begin = now();
	u64 value = read_host(clock) - added_to(host, clock);
	u64 end = now();

	if (take_snapshot(host, clock).seq != before.seq)
		return UPDATED_MEANWHILE;
	return value >= oracle_nanoseconds(&before.update, begin) &&
			       value <= oracle_nanoseconds(&before.update, end)
		       ? WITHIN
		       : WITHOUT;
}

/* Returns how many of so many readings lie within bounds; -1 if one lies outside of them. */
static int readings_within(const struct host_page *host, clockid_t clock)
{
	int within = 0;

	for (int i = 0; i < 1000; i++) {
		enum verdict verdict = hold_against_page(host, clock);

		if (verdict == WITHOUT)
			return -1;
		within += verdict == WITHIN;
	}
	return within;
}

static void test_page_says_what_the_vdso_does(void **state)
{
	struct host_page host = find();

	(void)state;
	assert_ptr_equal(host.layout, image.wants.layout);
	for (size_t i = 0; i < ARRAY_SIZE(coarse); i++)
		assert_true(readings_within(&host, coarse[i]) > 0);
	if (!is_tsc(&host))
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(hres); i++)
		if (hres[i] != CLOCK_MONOTONIC_RAW || host.layout->has_raw)
			assert_true(readings_within(&host, hres[i]) > 0);
}

/* A page that somebody updates. This test keeps a CPU busy, so no tick is left out. */
static void test_page_moves_on(void **state)
{
	struct host_page host = find();
	struct snapshot first = take_snapshot(&host, CLOCK_MONOTONIC), next = first;

	(void)state;
	for (int updates = 0; updates < 3; updates++) {
		struct snapshot last = next;

		while (next.seq == last.seq)
			next = take_snapshot(&host, CLOCK_MONOTONIC);
		assert_true((s32)(next.seq - last.seq) > 0);
		assert_int_equal(next.mode, first.mode);
		assert_true(oracle_nanoseconds(&next.update, next.update.cycle_last) >=
			    oracle_nanoseconds(&last.update, last.update.cycle_last));
		if (first.mode == VDSO_CLOCKMODE_TSC)
			assert_true(next.update.cycle_last > last.update.cycle_last);
	}
}

/* The worth of a cycle is that of the counter that we read ourselves. */
static void test_mult_and_shift(void **state)
{
	struct host_page host = find();
	struct oracle_update update = take_snapshot(&host, CLOCK_MONOTONIC).update;
	double frequency_hz, measured_hz;

	(void)state;
	if (!is_tsc(&host))
		skip();
	assert_in_range(update.shift, 1, 32);
	assert_true(update.nsec >> update.shift < NSEC_PER_SEC);
	frequency_hz = (double)NSEC_PER_SEC * (double)(1ull << update.shift) / update.mult;
	measured_hz = (double)clocksource_find("tsc")->frequency_hz();
	assert_true(frequency_hz / measured_hz > 0.99 && frequency_hz / measured_hz < 1.01);
}

static void test_page_is_not_ours_to_write(void **state)
{
	static struct process_maps maps;
	struct host_page host = find();

	(void)state;
	assert_true(process_maps_read(&maps));
	assert_string_equal(process_maps_access(&maps, host.data), "r--p");
	if (host.pvclock)
		assert_string_equal(process_maps_access(&maps, host.pvclock), "r--p");
	if (host.namespace_data)
		assert_string_equal(process_maps_access(&maps, host.namespace_data), "r--p");
}

/* Pages that are not where the image is said to want them, and that none is looked for in vain. */
static void test_refuses(void **state)
{
	const s32 nowhere[] = {-100000, 100000, -1000000000};
	struct host_page host;
	struct errmsg err;
	int files;

	(void)state;
	open_host();
	files = process_open_files();
	for (size_t i = 0; i < ARRAY_SIZE(nowhere); i++) {
		image.wants.time_page = nowhere[i];
		assert_int_equal(host_page_find(&image, &host, &err), -1);
		assert_non_null(strstr(err.text, "cannot be read at page"));
	}
	assert_int_equal(process_open_files(), files);
}

static void test_pages_that_are_missing(void **state)
{
	struct host_page host = find();
	struct errmsg err;

	(void)state;
	image.wants.has_pvclock = true;
	image.wants.pvclock_page = -100000;
	assert_int_equal(host_page_find(&image, &host, &err), 0);
	assert_null(host.pvclock);
	image.wants.has_pvclock = false;
	image.wants.pvclock_page = 0;
	assert_int_equal(host_page_find(&image, &host, &err), 0);
	assert_null(host.pvclock);
}

#define SHIFTED_MONOTONIC 100000
#define SHIFTED_BOOTTIME  300000

/* In a namespace of its own: the page that the code is given, and the one behind it. */
static int look_from_namespace(void)
{
	struct vdso_image mine;
	struct host_page host;
	struct errmsg err;
	const struct vdso_clock *given;

	MUST(vdso_image_open(&mine, "host", &err) == 0);
	MUST(mine.wants.has_namespace);
	MUST(host_page_find(&mine, &host, &err) == 0);
	given = host.namespace_data;
	MUST(given && given->seq == 1 && given->clock_mode == VDSO_CLOCKMODE_TIMENS);
	MUST(host.data != host.namespace_data);
	MUST(added_to(&host, CLOCK_REALTIME) == 0);
	MUST(added_to(&host, CLOCK_MONOTONIC) == SHIFTED_MONOTONIC * (u64)NSEC_PER_SEC + 5);
	MUST(added_to(&host, CLOCK_BOOTTIME) == SHIFTED_BOOTTIME * (u64)NSEC_PER_SEC);
	MUST(readings_within(&host, CLOCK_MONOTONIC_COARSE) > 0);
	MUST(readings_within(&host, CLOCK_REALTIME_COARSE) > 0);
	if (is_tsc(&host)) {
		MUST(readings_within(&host, CLOCK_MONOTONIC) > 0);
		MUST(readings_within(&host, CLOCK_BOOTTIME) > 0);
		MUST(readings_within(&host, CLOCK_REALTIME) > 0);
	}
	/* Without knowing of namespaces it cannot be found, and that is said. */
	mine.wants.has_namespace = false;
	MUST(host_page_find(&mine, &host, &err) == -1);
	MUST(strstr(err.text, "in a time namespace"));
	vdso_image_close(&mine);
	return 0;
}

/* Only what is forked from here on lives in the new namespace. */
static int make_namespace(void *unused)
{
	char offsets[100];
	int fd, length, status;
	pid_t child;

	(void)unused;
#ifdef CLONE_NEWTIME
	if (unshare(CLONE_NEWTIME))
		return -1;
#else
	return -1;
#endif
	length = snprintf(offsets, sizeof(offsets), "monotonic %d 5\nboottime %d 0\n",
			  SHIFTED_MONOTONIC, SHIFTED_BOOTTIME);
	fd = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, offsets, (size_t)length) != length)
		return -1;
	close(fd);
	child = fork();
	if (child == 0) {
		int line = look_from_namespace();

		if (line)
			fprintf(stderr, "in the namespace line %d was not so\n", line);
		_exit(line != 0);
	}
	MUST(child > 0 && waitpid(child, &status, 0) == child);
	MUST(status == 0);
	return 0;
}

static void test_in_a_time_namespace(void **state)
{
	int line;

	(void)state;
	open_host();
	if (!image.wants.has_namespace)
		skip();
	line = in_child(make_namespace, NULL);
	if (line == -1)
		skip();
	if (line)
		fail_msg("in the child line %d was not so", line);
}

/* Counters of different CPUs need not agree to the cycle. */
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
		cmocka_unit_test_teardown(test_image_is_the_kernels, close_image),
		cmocka_unit_test_teardown(test_page_says_what_the_vdso_does, close_image),
		cmocka_unit_test_teardown(test_page_moves_on, close_image),
		cmocka_unit_test_teardown(test_mult_and_shift, close_image),
		cmocka_unit_test_teardown(test_page_is_not_ours_to_write, close_image),
		cmocka_unit_test_teardown(test_refuses, close_image),
		cmocka_unit_test_teardown(test_pages_that_are_missing, close_image),
		cmocka_unit_test_teardown(test_in_a_time_namespace, close_image),
	};

	return cmocka_run_group_tests(tests, stay_on_one_cpu, NULL);
}
