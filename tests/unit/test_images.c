// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tests' own images, held against sim/layout.c and the oracle without the loader: what is
 * found out by their help is worth no more than they are.
 */
#include <cpuid.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "sim/counter.h"
#include "tests/unit/image_calls.h"
#include "tests/unit/image_page.h"

#define COARSE_RESOLUTION_NS 4000000

struct sound_image {
	const char *name;
	const char *layout_name;
	struct image_pages pages;
	size_t entry_bytes; /* of .altinstructions; 0: there is none */
	bool has_getres;
	bool fence_alone;
};

/* clang-format off */
/* Which pages kernels have before the image, and in which order; see tests/images/layouts.h. */
#define THREE {.data = -3, .pvclock = -2, .data_offset = 128}
#define FOUR  {.data = -4, .pvclock = -3, .behind = -1, .data_offset = 128}
#define SPLIT {.data = -4, .pvclock = -2, .behind = -3, .data_offset = 128}
#define SIX   {.data = -6, .pvclock = -2, .behind = -5, .data_offset = 0}

static const struct sound_image images[] = {
	{"gtod", "gtod", THREE, 13, false, false},
	{"gtod-fence", "gtod", THREE, 13, false, true},
	{"gtod-basemult", "gtod-basemult", THREE, 13, false, false},
	{"v5.3", "v5.3", FOUR, 13, true, false},
	{"v5.3-no-namespace", "v5.3", THREE, 13, true, false},
	{"v5.3-entries-12", "v5.3", FOUR, 12, true, false},
	{"v5.3-entries-14", "v5.3", FOUR, 14, true, false},
	{"v6.10", "v6.10", FOUR, 14, true, false},
	{"v6.10-split", "v6.10", SPLIT, 14, true, false},
	{"v6.15", "v6.15", SIX, 14, true, false},
	{"v6.17", "v6.17", SIX, 14, true, false},
	{"v6.15-rdtscp", "v6.15", SIX, 0, true, false},
};
/* clang-format on */

/* The image that is being tested. */
static const struct sound_image *sound;
static const struct page_layout *layout;
static struct image_here image;

static void load(const struct sound_image *which)
{
	sound = which;
	layout = page_layout_find(sound->layout_name);
	assert_non_null(layout);
	assert_int_equal(layout->data_offset, sound->pages.data_offset);
	image_load(&image, sound->name, &sound->pages);
}

/* One test is run with each image. */
static void with_each(void (*test)(void))
{
	for (size_t i = 0; i < ARRAY_SIZE(images); i++) {
		load(&images[i]);
		print_message("           %s\n", sound->name);
		test();
		image_unload(&image);
	}
}

#define WITH_EACH(test)                       \
	static void each_##test(void **state) \
	{                                     \
		(void)state;                  \
		with_each(test);              \
	}

static bool has_clock(clockid_t clock)
{
	return clock != CLOCK_MONOTONIC_RAW || layout->has_raw;
}

/* In any way that there is to ask for it. */
static void check_clock(clockid_t clock, u64 expected)
{
	if (image_clock(&image, clock) != expected)
		fail_msg("%s: clock %d is %llu, not %llu", sound->name, (int)clock,
			 (unsigned long long)image_clock(&image, clock),
			 (unsigned long long)expected);
#ifndef __x86_64__
	assert_int_equal(image_clock64(&image, clock), expected);
#endif
}

/* As the kernel's: nothing to relocate, nothing to write to, headers and code in one piece. */
static void shape(void)
{
	const ElfW(Phdr) *segments = image_segments(&image);
	const ElfW(Ehdr) *header = image_header(&image);
	const ElfW(Shdr) *section = image_section(&image, ".dynamic");
	const ElfW(Dyn) *dynamic = (const void *)(image.file + section->sh_offset);
	int loads = 0;

	assert_int_equal(header->e_type, ET_DYN);
	for (int i = 0; i < header->e_phnum; i++) {
		if (segments[i].p_type != PT_LOAD)
			continue;
		loads++;
		assert_int_equal(segments[i].p_flags, PF_R | PF_X);
		assert_int_equal(segments[i].p_offset, 0);
		assert_int_equal(segments[i].p_vaddr, 0);
		assert_int_equal(segments[i].p_memsz, segments[i].p_filesz);
	}
	assert_int_equal(loads, 1);
	for (; dynamic->d_tag != DT_NULL; dynamic++) {
		assert_int_not_equal(dynamic->d_tag, DT_REL);
		assert_int_not_equal(dynamic->d_tag, DT_RELA);
		assert_int_not_equal(dynamic->d_tag, DT_JMPREL);
		assert_int_not_equal(dynamic->d_tag, DT_NEEDED);
	}
}
WITH_EACH(shape)

static void check_symbol(const char *name, const char *alias, bool expected)
{
	void *function = image_function(&image, name);

	assert_int_equal(function != NULL, expected);
	if (alias)
		assert_ptr_equal(image_function(&image, alias), function);
}

static void symbols(void)
{
	check_symbol("__vdso_clock_gettime", "clock_gettime", true);
	check_symbol("__vdso_gettimeofday", "gettimeofday", true);
	check_symbol("__vdso_time", "time", true);
	check_symbol("__vdso_clock_getres", "clock_getres", sound->has_getres);
	check_symbol("__vdso_clock_gettime64", NULL, sizeof(long) == 4);
	check_symbol("read_clock", NULL, false);
}
WITH_EACH(symbols)

/* The counter is far behind cycle_last, so that time stands still at the base. */
static void counter_behind(void)
{
	const struct told told = {2, VDSO_CLOCKMODE_TSC, 1ull << 61, 1ull << 38, 2};

	tell(layout, image.data, &told);
	for (size_t i = 0; i < ARRAY_SIZE(page_clocks); i++)
		if (has_clock(page_clocks[i]))
			check_clock(page_clocks[i],
				    told_ns(layout, &told, page_clocks[i], told.cycle_last));
}
WITH_EACH(counter_behind)

static void check_at(const struct told *told, u64 cycles)
{
	tell_pvclock(image.pvclock, cycles);
	for (size_t i = 0; i < ARRAY_SIZE(page_clocks); i++)
		if (has_clock(page_clocks[i]))
			check_clock(page_clocks[i], told_ns(layout, told, page_clocks[i], cycles));
}

/* The hypervisor's counter says what it is told to, to the cycle. */
static void counter_at(void)
{
	const struct told told = {2, VDSO_CLOCKMODE_PVCLOCK, 1ull << 61, 1ull << 38, 4};

	tell(layout, image.data, &told);
	check_at(&told, told.cycle_last);
	check_at(&told, told.cycle_last + 1);
	check_at(&told, told.cycle_last + 987654321);
	check_at(&told, told.cycle_last + told.max_cycles);
	check_at(&told, told.cycle_last - 1);
	check_at(&told, told.cycle_last - 987654321);
	check_at(&told, 0);
	if (layout->max_cycles == LAYOUT_ABSENT)
		return;
	check_at(&told, told.cycle_last + told.max_cycles + 1);
	check_at(&told, told.cycle_last + (1ull << 50) + 12345);
	check_at(&told, told.cycle_last + (1ull << 54));
	/* So far ahead is as far behind. */
	check_at(&told, told.cycle_last + (1ull << 62));
}
WITH_EACH(counter_at)

/* With the counter read before and after, in units that `cycles_of` makes of it. */
static void check_between(const struct told *told, clockid_t clock, u64 (*cycles_of)(u64 tsc))
{
	u64 before, now, after;

	before = counter_lfence_rdtsc();
	/* The image's may be ordered by nothing. */
	__asm__ __volatile__("lfence" : : : "memory");
	now = image_clock(&image, clock);
	after = counter_lfence_rdtsc();
	assert_in_range(now, told_ns(layout, told, clock, cycles_of(before)),
			told_ns(layout, told, clock, cycles_of(after)));
}

static void check_all_between(const struct told *told, u64 (*cycles_of)(u64 tsc))
{
	tell(layout, image.data, told);
	for (size_t i = 0; i < ARRAY_SIZE(hres_clocks); i++)
		check_between(told, hres_clocks[i], cycles_of);
	if (layout->has_raw)
		check_between(told, CLOCK_MONOTONIC_RAW, cycles_of);
}

static u64 as_it_is(u64 tsc)
{
	return tsc;
}

static void check_tsc(void)
{
	const struct told told = {2, VDSO_CLOCKMODE_TSC, counter_lfence_rdtsc(), 1ull << 38, 6};

	check_all_between(&told, as_it_is);
}

/* As the file has it: rdtsc and its filling of NOPs, or rdtscp. */
static void counter_unpatched(void)
{
	check_tsc();
}
WITH_EACH(counter_unpatched)

/* What the record of pvclock_scaled makes of the TSC. */
static struct pvclock_record record;

static u64 by_record(u64 tsc)
{
	u64 delta = tsc - record.tsc_timestamp;

	delta = record.shift < 0 ? delta >> -record.shift : delta << record.shift;
	/* mult is a power of two. */
	return record.system_time + (record.mult == 1u << 31 ? delta >> 1 : delta >> 2);
}

static void check_record(u32 mult, signed char shift)
{
	struct told told = {2, VDSO_CLOCKMODE_PVCLOCK, 0, 1ull << 38, 8};

	record = (struct pvclock_record){
		.version = 4,
		.tsc_timestamp = counter_lfence_rdtsc() - 1000000,
		.system_time = 1ull << 50,
		.mult = mult,
		.shift = shift,
		.flags = PVCLOCK_STABLE,
	};
	memcpy(image.pvclock, &record, sizeof(record));
	told.cycle_last = record.system_time;
	check_all_between(&told, by_record);
}

static void pvclock_scaled(void)
{
	check_record(1u << 31, 0);
	check_record(1u << 30, 0);
	check_record(1u << 31, 3);
	check_record(1u << 30, -5);
}
WITH_EACH(pvclock_scaled)

static void check_getres(clockid_t clock, long expected)
{
	image_clock_fn *getres = (image_clock_fn *)image_must_have(&image, "__vdso_clock_getres");
	struct image_timespec res = {-1, -1};

	assert_int_equal(getres(clock, NULL), 0);
	assert_int_equal(getres(clock, &res), 0);
	assert_int_equal(res.sec, 0);
	assert_int_equal(res.nsec, expected);
}

static void check_resolutions(const struct told *told)
{
	if (!sound->has_getres)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(hres_clocks); i++)
		check_getres(hres_clocks[i], (long)HRTIMER_RES(told));
	check_getres(CLOCK_MONOTONIC_RAW, (long)HRTIMER_RES(told));
	for (size_t i = 0; i < ARRAY_SIZE(coarse_clocks); i++)
		check_getres(coarse_clocks[i], COARSE_RESOLUTION_NS);
}

static void check_timezone(const struct told *told, const struct image_timezone *tz)
{
	assert_int_equal(tz->minuteswest, TZ_MINUTESWEST(told));
	assert_int_equal(tz->dsttime, TZ_DSTTIME(told));
}

static void check_gettimeofday(const struct told *told, u64 ns)
{
	image_gettimeofday_fn *gettimeofday_fn =
		(image_gettimeofday_fn *)image_must_have(&image, "__vdso_gettimeofday");
	struct image_timeval tv = {-1, -1};
	struct image_timezone tz = {-1, -1};

	assert_int_equal(gettimeofday_fn(NULL, NULL), 0);
	assert_int_equal(gettimeofday_fn(&tv, NULL), 0);
	assert_int_equal(tv.sec, ns / NSEC_PER_SEC);
	assert_int_equal(tv.usec, ns % NSEC_PER_SEC / 1000);
	assert_int_equal(gettimeofday_fn(NULL, &tz), 0);
	check_timezone(told, &tz);
	tv = (struct image_timeval){-1, -1};
	tz = (struct image_timezone){-1, -1};
	assert_int_equal(gettimeofday_fn(&tv, &tz), 0);
	assert_int_equal(tv.sec, ns / NSEC_PER_SEC);
	assert_int_equal(tv.usec, ns % NSEC_PER_SEC / 1000);
	check_timezone(told, &tz);
}

/* The seconds of the update, whatever the counter says. */
static void check_time(const struct told *told)
{
	image_time_fn *time_fn = (image_time_fn *)image_must_have(&image, "__vdso_time");
	long expected = (long)update_of(layout, told, CLOCK_REALTIME).sec;
	long where = -1;

	assert_int_equal(time_fn(NULL), expected);
	assert_int_equal(time_fn(&where), expected);
	assert_int_equal(where, expected);
}

/* The counter is so far on that the carry into seconds shows, for who forgets it. */
static void other_calls(void)
{
	const struct told told = {2, VDSO_CLOCKMODE_PVCLOCK, 1ull << 61, 1ull << 38, 10};
	u64 cycles = told.cycle_last + 4000000000;
	u64 ns = told_ns(layout, &told, CLOCK_REALTIME, cycles);

	tell(layout, image.data, &told);
	tell_pvclock(image.pvclock, cycles);
	assert_true(ns / NSEC_PER_SEC > update_of(layout, &told, CLOCK_REALTIME).sec + 1);
	check_gettimeofday(&told, ns);
	check_time(&told);
	check_resolutions(&told);
}
WITH_EACH(other_calls)

static u64 in_namespace(clockid_t clock, u64 ns)
{
	struct timens_offset offset = offset_of(clock);

	return ns + (u64)offset.sec * NSEC_PER_SEC + offset.nsec;
}

/* The data is behind the namespace's page, and the counter where it always is. */
static void namespace_page(void)
{
	const struct told told = {2, VDSO_CLOCKMODE_PVCLOCK, 1ull << 61, 1ull << 38, 12};
	u64 cycles = told.cycle_last + 4000000000;

	if (!image.behind)
		return;
	tell_namespace(layout, image.data);
	tell(layout, image.behind, &told);
	tell_pvclock(image.pvclock, cycles);
	for (size_t i = 0; i < ARRAY_SIZE(page_clocks); i++)
		check_clock(page_clocks[i],
			    in_namespace(page_clocks[i],
					 told_ns(layout, &told, page_clocks[i], cycles)));
	check_gettimeofday(&told, told_ns(layout, &told, CLOCK_REALTIME, cycles));
	check_time(&told);
	check_resolutions(&told);
}
WITH_EACH(namespace_page)

static void images_with_namespaces(void **state)
{
	int with = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(images); i++)
		with += images[i].pages.behind != 0;
	assert_int_equal(with, 8);
}

static long system_clock(clockid_t clock, u64 *ns)
{
	struct image_timespec ts;

	if (syscall(SYS_clock_gettime, clock, &ts) != 0)
		return -errno;
	*ns = (u64)ts.sec * NSEC_PER_SEC + (u64)ts.nsec;
	return 0;
}

/* The same answer as the system's; but for clocks that may be set, at a time between two others. */
static void check_falls_back(clockid_t clock)
{
	u64 before = 0, now = 0, after = 0;
	long result = system_clock(clock, &before);

	assert_int_equal(image_try_clock(&image, clock, &now), result);
	if (result != 0)
		return;
	system_clock(clock, &after);
	if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI)
		assert_true(now > 1000000 * (u64)NSEC_PER_SEC);
	else
		assert_in_range(now, before, after);
}

static void check_hres_fall_back(const struct told *told)
{
	tell(layout, image.data, told);
	for (size_t i = 0; i < ARRAY_SIZE(hres_clocks); i++)
		check_falls_back(hres_clocks[i]);
	check_falls_back(CLOCK_MONOTONIC_RAW);
	for (size_t i = 0; i < ARRAY_SIZE(coarse_clocks); i++)
		check_clock(coarse_clocks[i], told_ns(layout, told, coarse_clocks[i], 0));
}

static void fallback_by_mode(void)
{
	static const s32 modes[] = {VDSO_CLOCKMODE_NONE, VDSO_CLOCKMODE_HVCLOCK, 4, 1000, -1};
	struct told told = {2, 0, 1ull << 61, 1ull << 38, 14};

	/* The counter is there, but of no use to these modes. */
	tell_pvclock(image.pvclock, told.cycle_last);
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		told.mode = modes[i];
		check_hres_fall_back(&told);
	}
	/* A hypervisor that does not vouch for its counter. */
	told.mode = VDSO_CLOCKMODE_PVCLOCK;
	tell_pvclock(image.pvclock, told.cycle_last);
	((struct pvclock_record *)(void *)image.pvclock)->flags = (u8)~PVCLOCK_STABLE;
	check_hres_fall_back(&told);
}
WITH_EACH(fallback_by_mode)

static void fallback_by_clock(void)
{
	static const clockid_t clocks[] = {CLOCK_PROCESS_CPUTIME_ID,
					   CLOCK_THREAD_CPUTIME_ID,
					   CLOCK_REALTIME_ALARM,
					   CLOCK_BOOTTIME_ALARM,
					   10,
					   12,
					   31,
					   32,
					   INT32_MAX,
					   -1,
					   INT32_MIN};
	const struct told told = {2, VDSO_CLOCKMODE_TSC, 1ull << 61, 1ull << 38, 16};

	tell(layout, image.data, &told);
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
		check_falls_back(clocks[i]);
	if (!layout->has_raw)
		check_falls_back(CLOCK_MONOTONIC_RAW);
}
WITH_EACH(fallback_by_clock)

static void getres_falls_back(void)
{
	static const clockid_t clocks[] = {CLOCK_PROCESS_CPUTIME_ID, 12, INT32_MAX, -1};
	const struct told told = {2, VDSO_CLOCKMODE_TSC, 1ull << 61, 1ull << 38, 18};
	image_clock_fn *getres;

	if (!sound->has_getres)
		return;
	getres = (image_clock_fn *)image_must_have(&image, "__vdso_clock_getres");
	tell(layout, image.data, &told);
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		struct image_timespec ours = {-1, -1}, systems = {-1, -1};
		long result = syscall(SYS_clock_getres, clocks[i], &systems) ? -errno : 0;

		assert_int_equal(getres(clocks[i], &ours), result);
		assert_int_equal(ours.sec, systems.sec);
		assert_int_equal(ours.nsec, systems.nsec);
	}
}
WITH_EACH(getres_falls_back)

static void gettimeofday_falls_back(void)
{
	const struct told told = {2, VDSO_CLOCKMODE_NONE, 1ull << 61, 1ull << 38, 20};
	image_gettimeofday_fn *gettimeofday_fn =
		(image_gettimeofday_fn *)image_must_have(&image, "__vdso_gettimeofday");
	struct image_timezone ours = {-1, -1}, systems = {-1, -1};
	struct image_timeval tv = {-1, -1};

	tell(layout, image.data, &told);
	assert_int_equal(syscall(SYS_gettimeofday, NULL, &systems), 0);
	assert_int_equal(gettimeofday_fn(&tv, &ours), 0);
	assert_true(tv.sec > 1000000);
	assert_in_range(tv.usec, 0, 999999);
	assert_int_equal(ours.minuteswest, systems.minuteswest);
	assert_int_equal(ours.dsttime, systems.dsttime);
}
WITH_EACH(gettimeofday_falls_back)

static void *read_in_thread(void *clock)
{
	static u64 ns;

	ns = image_clock(&image, *(const clockid_t *)clock);
	return &ns;
}

/* Whenever the reader comes, it must not return what it finds while the sequence is odd. */
static void waits_while_odd(void)
{
	const struct told during = {3, VDSO_CLOCKMODE_TSC, 1ull << 61, 1ull << 38, 22};
	const struct told after = {4, VDSO_CLOCKMODE_TSC, 1ull << 61, 1ull << 38, 24};

	for (size_t i = 0; i < ARRAY_SIZE(page_clocks); i++) {
		clockid_t clock = page_clocks[i];
		pthread_t reader;
		void *ns;

		if (!has_clock(clock))
			continue;
		tell(layout, image.data, &during);
		assert_int_equal(pthread_create(&reader, NULL, read_in_thread, &clock), 0);
		usleep(1000);
		/* The odd sequence and the mode stay until the rest is there. */
		for (size_t j = 0; j < ARRAY_SIZE(page_clocks); j++)
			if (has_clock(page_clocks[j]))
				tell_base(layout, image.data + layout->data_offset, page_clocks[j],
					  &after);
		smp_wmb();
		tell_structure(layout, image.data + layout->data_offset, CS_HRES_COARSE, &after);
		if (layout->clock_bytes != LAYOUT_ABSENT)
			tell_structure(layout, image.data + layout->data_offset, CS_RAW, &after);
		assert_int_equal(pthread_join(reader, &ns), 0);
		assert_int_equal(*(u64 *)ns, told_ns(layout, &after, clock, after.cycle_last));
	}
}
WITH_EACH(waits_while_odd)

/*
 * Of two layouts a page can show which one the code knows: there is something that comes out
 * otherwise. Without that nobody could settle the layout.
 */
static bool differs_under(const struct page_layout *other)
{
	const struct told told = {2, VDSO_CLOCKMODE_TSC, 1ull << 61, 1ull << 38, 26};
	image_gettimeofday_fn *gettimeofday_fn =
		(image_gettimeofday_fn *)image_must_have(&image, "__vdso_gettimeofday");
	struct image_timezone tz = {-1, -1};
	u64 ns = 0;

	tell(other, image.data, &told);
	for (size_t i = 0; i < ARRAY_SIZE(page_clocks); i++) {
		clockid_t clock = page_clocks[i];

		if (clock == CLOCK_MONOTONIC_RAW && !other->has_raw)
			continue;
		if (image_try_clock(&image, clock, &ns) != 0 ||
		    ns != told_ns(other, &told, clock, told.cycle_last))
			return true;
	}
	assert_int_equal(gettimeofday_fn(NULL, &tz), 0);
	return tz.minuteswest != TZ_MINUTESWEST(&told);
}

static void layouts_differ(void)
{
	for (const struct page_layout *const *other = page_layouts; *other; other++) {
		/* Code that knows RAW's structure agrees with all of a page that lacks it. */
		bool same = *other == layout || (strcmp((*other)->name, "gtod") == 0 &&
						 strcmp(layout->name, "v5.3") == 0);

		if (differs_under(*other) == same)
			fail_msg("%s on a page of %s", sound->name, (*other)->name);
	}
}
WITH_EACH(layouts_differ)

struct entry {
	const u8 *place;
	const u8 *replacement;
	u32 feature;
	u8 place_bytes;
	u8 replacement_bytes;
};

#define FEATURE(word, bit) ((word)*32u + (bit))
#define RDTSCP		   FEATURE(1, 27)
#define MFENCE_RDTSC	   FEATURE(3, 17)
#define LFENCE_RDTSC	   (sound->entry_bytes == 14 ? FEATURE(20, 2) : FEATURE(3, 18))
#define RDPID		   FEATURE(16, 22)

static size_t entries(void)
{
	const ElfW(Shdr) *section = image_section(&image, ".altinstructions");

	assert_int_equal(section != NULL, sound->entry_bytes != 0);
	if (!section)
		return 0;
	assert_int_equal(section->sh_size % sound->entry_bytes, 0);
	return section->sh_size / sound->entry_bytes;
}

static const u8 *follow(const u8 *field)
{
	s32 distance;

	memcpy(&distance, field, sizeof(distance));
	return field + distance;
}

static struct entry entry_at(size_t index)
{
	const ElfW(Shdr) *section = image_section(&image, ".altinstructions");
	const u8 *at = (const u8 *)image.start + section->sh_addr + index * sound->entry_bytes;
	const u8 *lengths = at + (sound->entry_bytes == 14 ? 12 : 10);

	return (struct entry){
		.place = follow(at),
		.replacement = follow(at + 4),
		.feature = at[8] | (u32)at[9] << 8,
		.place_bytes = lengths[0],
		.replacement_bytes = lengths[1],
	};
}

/* Within a section, all of it. */
static bool within(const char *name, const u8 *from, size_t bytes)
{
	const ElfW(Shdr) *section = image_section(&image, name);
	const u8 *start = (const u8 *)image.start + section->sh_addr;

	return from >= start && from + bytes <= start + section->sh_size;
}

struct instruction {
	u32 feature;
	size_t bytes;
	u8 place[5];
	u8 replacement[5];
	size_t replacement_bytes;
};

static void check_entry(const struct entry *entry)
{
	const struct instruction known[] = {
		{RDTSCP, 5, {0x0f, 0x31, 0x90, 0x90, 0x90}, {0x0f, 0x01, 0xf9}, 3},
		{LFENCE_RDTSC,
		 5,
		 {0x0f, 0x31, 0x90, 0x90, 0x90},
		 {0x0f, 0xae, 0xe8, 0x0f, 0x31},
		 5},
		{LFENCE_RDTSC, 3, {0x90, 0x90, 0x90}, {0x0f, 0xae, 0xe8}, 3},
		{MFENCE_RDTSC, 3, {0x90, 0x90, 0x90}, {0x0f, 0xae, 0xf0}, 3},
		{RDPID, 4, {0x0f, 0x03, 0xc0, 0x90}, {0xf3, 0x0f, 0xc7, 0xf8}, 4},
	};

	assert_true(within(".text", entry->place, entry->place_bytes));
	assert_true(within(".altinstr_replacement", entry->replacement, entry->replacement_bytes));
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		const struct instruction *one = &known[i];

		if (one->feature != entry->feature || one->bytes != entry->place_bytes)
			continue;
		assert_memory_equal(entry->place, one->place, one->bytes);
		assert_int_equal(entry->replacement_bytes, one->replacement_bytes);
		assert_memory_equal(entry->replacement, one->replacement, one->replacement_bytes);
		return;
	}
	fail_msg("%s: no such replacement: feature %u, %u bytes", sound->name, entry->feature,
		 entry->place_bytes);
}

static size_t count_places(const u8 *bytes, size_t length)
{
	const ElfW(Shdr) *text = image_section(&image, ".text");
	const u8 *start = (const u8 *)image.start + text->sh_addr;
	size_t found = 0;

	for (size_t i = 0; i + length <= text->sh_size; i++)
		found += memcmp(start + i, bytes, length) == 0;
	return found;
}

/* No read of the counter goes without its two entries. */
static void check_none_forgotten(void)
{
	const u8 rdtsc[] = {0x0f, 0x31}, rdtscp[] = {0x0f, 0x01, 0xf9};
	size_t of_counter = 0;

	for (size_t i = 0; i < entries(); i++)
		of_counter += entry_at(i).feature != RDPID;
	assert_int_equal(of_counter, 2 * count_places(rdtsc, sizeof(rdtsc)));
	assert_int_equal(count_places(rdtscp, sizeof(rdtscp)) > 0, of_counter == 0);
}

static void alternatives(void)
{
	for (size_t i = 0; i < entries(); i++) {
		struct entry entry = entry_at(i);

		check_entry(&entry);
		if (entry.feature != RDPID)
			assert_int_equal(entry.place_bytes, sound->fence_alone ? 3 : 5);
	}
	check_none_forgotten();
}
WITH_EACH(alternatives)

/* As the kernel would for a processor with this feature alone. */
static size_t patch(u32 feature)
{
	size_t patched = 0;

	mprotect(image.start, image.bytes, PROT_READ | PROT_WRITE);
	for (size_t i = 0; i < entries(); i++) {
		struct entry entry = entry_at(i);
		u8 *place = (u8 *)image.start + (entry.place - (const u8 *)image.start);

		if (entry.feature != feature)
			continue;
		memset(place, 0x90, entry.place_bytes);
		memcpy(place, entry.replacement, entry.replacement_bytes);
		patched++;
	}
	mprotect(image.start, image.bytes, PROT_READ | PROT_EXEC);
	return patched;
}

static bool processor_has(u32 leaf, bool in_ecx, int bit)
{
	u32 a, b, c, d;

	return __get_cpuid_count(leaf, 0, &a, &b, &c, &d) && ((in_ecx ? c : d) >> bit & 1);
}

/* The same with each replacement in its place; from the file anew for each. */
static void counter_patched(void)
{
	const u32 features[] = {LFENCE_RDTSC, RDTSCP, MFENCE_RDTSC};
	size_t patched = 0;

	for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
		if (features[i] == RDTSCP && !processor_has(0x80000001, false, 27))
			continue;
		image_unload(&image);
		load(sound);
		patched += patch(features[i]) > 0;
		check_tsc();
	}
	assert_true(patched > 0 || sound->entry_bytes == 0);
}
WITH_EACH(counter_patched)

#ifdef __x86_64__
static void check_cpu(void)
{
	image_getcpu_fn *getcpu_fn = (image_getcpu_fn *)image_must_have(&image, "__vdso_getcpu");
	u32 cpu = UINT32_MAX, node = UINT32_MAX, systems_cpu = 0, systems_node = 0;

	assert_int_equal(syscall(SYS_getcpu, &systems_cpu, &systems_node, NULL), 0);
	assert_int_equal(getcpu_fn(&cpu, &node, NULL), 0);
	assert_int_equal(cpu, systems_cpu);
	assert_int_equal(node, systems_node);
	assert_int_equal(getcpu_fn(NULL, NULL, NULL), 0);
}

static void cpu_and_node(void)
{
	check_cpu();
	if (sound->entry_bytes && processor_has(7, true, 22)) {
		assert_int_equal(patch(RDPID), 1);
		check_cpu();
	}
}
WITH_EACH(cpu_and_node)
#endif

/* Counters of different CPUs need not agree to the cycle, nor may the CPU change under getcpu. */
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
		cmocka_unit_test(each_shape),
		cmocka_unit_test(each_symbols),
		cmocka_unit_test(each_counter_behind),
		cmocka_unit_test(each_counter_at),
		cmocka_unit_test(each_counter_unpatched),
		cmocka_unit_test(each_pvclock_scaled),
		cmocka_unit_test(each_other_calls),
		cmocka_unit_test(images_with_namespaces),
		cmocka_unit_test(each_namespace_page),
		cmocka_unit_test(each_fallback_by_mode),
		cmocka_unit_test(each_fallback_by_clock),
		cmocka_unit_test(each_getres_falls_back),
		cmocka_unit_test(each_gettimeofday_falls_back),
		cmocka_unit_test(each_waits_while_odd),
		cmocka_unit_test(each_layouts_differ),
		cmocka_unit_test(each_alternatives),
		cmocka_unit_test(each_counter_patched),
#ifdef __x86_64__
		cmocka_unit_test(each_cpu_and_node),
#endif
	};

	return cmocka_run_group_tests(tests, stay_on_one_cpu, NULL);
}
