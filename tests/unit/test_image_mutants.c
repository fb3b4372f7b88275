// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The images that are broken on purpose: each does what it is there to be caught at, and a sound
 * one in its place does not.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "tests/unit/image_calls.h"
#include "tests/unit/image_page.h"

static const struct page_layout *layout;
static struct image_here image;

static void load(const char *name, const char *layout_name, struct image_pages pages)
{
	layout = page_layout_find(layout_name);
	assert_non_null(layout);
	image_load(&image, name, &pages);
}

static void load_v6_15(const char *name)
{
	load(name, "v6.15", (struct image_pages)PAGES_SIX);
}

/* Where an instruction of the image stopped. */
static struct {
	sigjmp_buf back;
	void *address;
} stopped;

static void jump_back(int number, siginfo_t *info, void *context)
{
	(void)context;
	stopped.address = info->si_addr;
	siglongjmp(stopped.back, number);
}

static void handle(int number, void (*handler)(int number, siginfo_t *info, void *context),
		   struct sigaction *before)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};

	assert_int_equal(sigaction(number, &action, before), 0);
}

/* The signal that MONOTONIC ends in, or 0. */
static int signal_of_call(void)
{
	struct sigaction segv, ill;
	int number;

	handle(SIGSEGV, jump_back, &segv);
	handle(SIGILL, jump_back, &ill);
	number = sigsetjmp(stopped.back, 1);
	if (number == 0)
		image_clock(&image, CLOCK_MONOTONIC);
	sigaction(SIGSEGV, &segv, NULL);
	sigaction(SIGILL, &ill, NULL);
	return number;
}

/* The counter is behind: time stands still at the base. */
static const struct told still = {2, VDSO_CLOCKMODE_TSC, 1ull << 61, 1ull << 38, 2};

static void call_with_page_readonly(const char *name)
{
	load_v6_15(name);
	tell(layout, image.data, &still);
	assert_int_equal(mprotect(image.data, IMAGE_PAGE_BYTES, PROT_READ), 0);
}

static void test_sound_image_is_not_stopped(void **state)
{
	(void)state;
	call_with_page_readonly("v6.15");
	assert_int_equal(signal_of_call(), 0);
	image_unload(&image);
}

static void test_crashes(void **state)
{
	(void)state;
	call_with_page_readonly("crashes");
	assert_int_equal(signal_of_call(), SIGILL);
	assert_in_range((char *)stopped.address - image.start, 0, image.bytes - 1);
	image_unload(&image);
}

static void test_writes(void **state)
{
	(void)state;
	call_with_page_readonly("writes");
	assert_int_equal(signal_of_call(), SIGSEGV);
	assert_in_range((char *)stopped.address - image.data, 0, IMAGE_PAGE_BYTES - 1);
	/* Who lets it has a page that is no more what it was. */
	assert_int_equal(mprotect(image.data, IMAGE_PAGE_BYTES, PROT_READ | PROT_WRITE), 0);
	assert_int_equal(signal_of_call(), 0);
	assert_int_equal(*layout_u32(image.data, layout->tz), 0);
	image_unload(&image);
}

static void test_reads_elsewhere(void **state)
{
	(void)state;
	call_with_page_readonly("reads-far");
	assert_int_equal(signal_of_call(), SIGSEGV);
	assert_true(image.start - (char *)stopped.address >= 1l << 29);
	image_unload(&image);

	call_with_page_readonly("reads-null");
	assert_int_equal(signal_of_call(), SIGSEGV);
	assert_true((uintptr_t)stopped.address < IMAGE_PAGE_BYTES);
	image_unload(&image);
}

/* How a child ends that calls; it is given no more than this much time of a CPU. */
static int status_of_child(void)
{
	const struct itimerval limit = {.it_value = {.tv_usec = 200000}};
	const struct rlimit no_core = {0, 0};
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		signal(SIGVTALRM, SIG_DFL);
		setrlimit(RLIMIT_CORE, &no_core);
		setitimer(ITIMER_VIRTUAL, &limit, NULL);
		_exit(image_clock(&image, CLOCK_MONOTONIC) == 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void test_hangs(void **state)
{
	int status;

	(void)state;
	call_with_page_readonly("hangs");
	status = status_of_child();
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGVTALRM);
	image_unload(&image);

	call_with_page_readonly("v6.15");
	status = status_of_child();
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	image_unload(&image);
}

static void test_always_falls_back(void **state)
{
	image_gettimeofday_fn *gettimeofday_fn;
	struct image_timeval tv = {-1, -1};

	(void)state;
	load_v6_15("always-falls-back");
	tell(layout, image.data, &still);
	for (size_t i = 0; i < ARRAY_SIZE(page_clocks); i++)
		assert_int_not_equal(image_clock(&image, page_clocks[i]),
				     told_ns(layout, &still, page_clocks[i], still.cycle_last));
	gettimeofday_fn = (image_gettimeofday_fn *)image_must_have(&image, "__vdso_gettimeofday");
	assert_int_equal(gettimeofday_fn(&tv, NULL), 0);
	assert_true(tv.sec > 1000000);
	image_unload(&image);
}

static void test_wrong_value(void **state)
{
	(void)state;
	load_v6_15("wrong-value");
	tell(layout, image.data, &still);
	for (size_t i = 0; i < ARRAY_SIZE(hres_clocks); i++)
		assert_int_equal(image_clock(&image, hres_clocks[i]),
				 told_ns(layout, &still, hres_clocks[i], still.cycle_last) + 1);
	image_unload(&image);
}

/* Right as long as the counter stands still, and by no more than half the time afterwards. */
static void test_wrong_mult(void **state)
{
	const struct told moving = {2, VDSO_CLOCKMODE_PVCLOCK, 1ull << 61, 1ull << 38, 4};
	const u64 passed = 1000000000;

	(void)state;
	load_v6_15("wrong-mult");
	tell(layout, image.data, &moving);
	for (size_t i = 0; i < ARRAY_SIZE(hres_clocks); i++) {
		clockid_t clock = hres_clocks[i];

		tell_pvclock(image.pvclock, moving.cycle_last);
		assert_int_equal(image_clock(&image, clock),
				 told_ns(layout, &moving, clock, moving.cycle_last));
		tell_pvclock(image.pvclock, moving.cycle_last + passed);
		assert_int_equal(image_clock(&image, clock),
				 told_ns(layout, &moving, clock, moving.cycle_last + passed / 2));
	}
	image_unload(&image);
}

static void test_no_symbol(void **state)
{
	(void)state;
	load_v6_15("no-symbol");
	assert_null(image_function(&image, "__vdso_clock_gettime"));
	assert_null(image_function(&image, "clock_gettime"));
	assert_non_null(image_function(&image, "__vdso_gettimeofday"));
	image_unload(&image);
}

/* No clock of it is where any layout has it. */
static void test_unknown_layout(void **state)
{
	struct image_pages pages = PAGES_SIX;

	(void)state;
	for (const struct page_layout *const *known = page_layouts; *known; known++) {
		pages.data_offset = (*known)->data_offset;
		load("unknown-layout", (*known)->name, pages);
		tell(layout, image.data, &still);
		for (size_t i = 0; i < ARRAY_SIZE(page_clocks); i++)
			if (page_clocks[i] != CLOCK_MONOTONIC_RAW || layout->has_raw)
				assert_int_not_equal(
					image_clock(&image, page_clocks[i]),
					told_ns(layout, &still, page_clocks[i], still.cycle_last));
		image_unload(&image);
	}
}

static size_t count_alternatives(const char *name)
{
	size_t bytes;

	load_v6_15(name);
	bytes = image_section(&image, ".altinstructions")
			? image_section(&image, ".altinstructions")->sh_size
			: 0;
	image_unload(&image);
	return bytes;
}

/* With nothing that a kernel would put an ordered read in its place for. */
static void test_bare_rdtsc(void **state)
{
	(void)state;
	assert_true(count_alternatives("v6.15") > 0);
	assert_int_equal(count_alternatives("bare-rdtsc"), 0);
	load_v6_15("bare-rdtsc");
	assert_non_null(memmem(image.start, image.bytes, "\x0f\x31", 2));
	assert_null(memmem(image.start, image.bytes, "\x0f\x01\xf9", 3));
	tell(layout, image.data, &still);
	assert_int_equal(image_clock(&image, CLOCK_MONOTONIC),
			 told_ns(layout, &still, CLOCK_MONOTONIC, still.cycle_last));
	image_unload(&image);
}

/* An odd sequence that stays: who does not look returns what he finds. */
static void test_no_odd_check(void **state)
{
	struct told odd = still;

	(void)state;
	odd.seq++;
	load_v6_15("no-odd-check");
	tell(layout, image.data, &odd);
	for (size_t i = 0; i < ARRAY_SIZE(page_clocks); i++)
		assert_int_equal(image_clock(&image, page_clocks[i]),
				 told_ns(layout, &odd, page_clocks[i], odd.cycle_last));
	image_unload(&image);
}

/*
 * One update in the midst of a read, always at the same place: the hypervisor's page, which is
 * read after the sequence and the nanoseconds and before all else, lets nobody in until the update
 * is done.
 */
static const struct told before = {2, VDSO_CLOCKMODE_PVCLOCK, 1ull << 61, 1ull << 38, 6};
static const struct told after = {4, VDSO_CLOCKMODE_PVCLOCK, (1ull << 61) - 54321, 1ull << 38, 8};
static volatile sig_atomic_t updates;

static void update_now(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	/* Anything else is a fault, and comes again with nobody to handle it. */
	if ((char *)info->si_addr - image.pvclock >= IMAGE_PAGE_BYTES || updates++)
		signal(SIGSEGV, SIG_DFL);
	tell(layout, image.data, &after);
	mprotect(image.pvclock, IMAGE_PAGE_BYTES, PROT_READ | PROT_WRITE);
}

static u64 read_across_update(clockid_t clock, u64 cycles)
{
	struct sigaction segv;
	u64 ns;

	tell(layout, image.data, &before);
	tell_pvclock(image.pvclock, cycles);
	mprotect(image.pvclock, IMAGE_PAGE_BYTES, PROT_NONE);
	updates = 0;
	handle(SIGSEGV, update_now, &segv);
	ns = image_clock(&image, clock);
	sigaction(SIGSEGV, &segv, NULL);
	assert_int_equal(updates, 1);
	return ns;
}

/* The nanoseconds of the update before, and all else of the one after. */
static u64 mixture_ns(clockid_t clock, u64 cycles)
{
	struct oracle_update mixture = update_of(layout, &after, clock);

	mixture.nsec = update_of(layout, &before, clock).nsec;
	return oracle_nanoseconds(&mixture, cycles);
}

static void check_across_update(const char *name, const char *layout_name, struct image_pages pages,
				bool is_torn)
{
	load(name, layout_name, pages);
	for (size_t i = 0; i < ARRAY_SIZE(hres_clocks); i++) {
		clockid_t clock = hres_clocks[i];
		u64 cycles = before.cycle_last + 1000000;
		u64 ns = read_across_update(clock, cycles);
		u64 whole = told_ns(layout, &after, clock, cycles);

		assert_int_not_equal(whole, mixture_ns(clock, cycles));
		if (ns != (is_torn ? mixture_ns(clock, cycles) : whole))
			fail_msg("%s: clock %d is %s", name, (int)clock,
				 ns == whole ? "whole" : "not");
	}
	image_unload(&image);
}

static void test_torn(void **state)
{
	const struct image_pages three = PAGES_THREE, four = PAGES_FOUR, six = PAGES_SIX;

	(void)state;
	check_across_update("no-recheck", "v6.15", six, true);
	check_across_update("half-outside", "v6.15", six, true);
	check_across_update("v5.3-no-recheck", "v5.3", four, true);
	check_across_update("gtod-no-recheck", "gtod", three, true);
	check_across_update("no-odd-check", "v6.15", six, false);
	check_across_update("v6.15", "v6.15", six, false);
	check_across_update("v6.10", "v6.10", four, false);
	check_across_update("v5.3", "v5.3", four, false);
	check_across_update("gtod", "gtod", three, false);
	check_across_update("gtod-basemult", "gtod-basemult", three, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sound_image_is_not_stopped),
		cmocka_unit_test(test_crashes),
		cmocka_unit_test(test_writes),
		cmocka_unit_test(test_reads_elsewhere),
		cmocka_unit_test(test_hangs),
		cmocka_unit_test(test_always_falls_back),
		cmocka_unit_test(test_wrong_value),
		cmocka_unit_test(test_wrong_mult),
		cmocka_unit_test(test_no_symbol),
		cmocka_unit_test(test_unknown_layout),
		cmocka_unit_test(test_bare_rdtsc),
		cmocka_unit_test(test_no_odd_check),
		cmocka_unit_test(test_torn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
