// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A vDSO image for the tests: what the kernel's own does, in whichever layout and with whichever
 * fault.
 *
 * The build compiles this file once for each image, with
 *   LAYOUT           a layout of layouts.h
 *   PAGES            where the pages lie, of layouts.h
 *   ALTERNATIVES, FENCE_ALONE, BARE_RDTSC   how the counter is read; see alternatives.h
 *   NO_CLOCK_GETTIME, NO_CLOCK_GETRES       if defined, the image has no such symbol
 *   READS_FIRST      if defined, what of the data is read before all else: an offset in bytes
 *   FAULT            what else is wrong with the image, of the list below
 *
 * It is freestanding and is held together by image.lds. Everything is inlined into the functions
 * that callers see, and everything that does not depend on the page is folded.
 */
#include "sim/types.h"
#include "tests/images/alternatives.h"
#include "tests/images/layouts.h"

enum fault {
	NONE,
	NO_RECHECK,	      /* returns without a second look at the sequence */
	NO_ODD_CHECK,	      /* reads while an update is in progress */
	HALF_OUTSIDE,	      /* nanoseconds are read before the section begins */
	HANGS,		      /* never returns */
	CRASHES,	      /* stops on an invalid instruction */
	WRITES,		      /* writes to its page */
	READS_FAR,	      /* reads where nothing of the image's can be */
	READS_NULL,	      /* reads near address 0 */
	ALWAYS_FALLS_BACK,    /* asks the system, whatever the page says */
	WRONG_MULT,	      /* counts time at half its rate */
	WRONG_VALUE,	      /* is a nanosecond ahead */
	NO_OFFSETS,	      /* in a time namespace it tells the time outside of it */
	HANGS_ON_ODD,	      /* never returns once it has found the sequence odd */
	CRASHES_ON_ODD,	      /* executes an invalid instruction then */
	RAW_HANGS_ON_ODD,     /* never returns then, of MONOTONIC_RAW alone */
	FALLS_BACK_ON_ODD,    /* asks the system then */
	HANGS_ON_RETRY,	      /* never returns once the sequence has changed */
	CRASHES_ON_RETRY,     /* executes an invalid instruction then */
	LOSES_STACK_ON_RETRY, /* has no stack any more then */
	WRONG_LATER,   /* is a millisecond ahead, once the page has been updated a few times */
	CRASHES_TODAY, /* executes an invalid instruction if the page tells the real time */
	HANGS_TODAY,   /* never returns then */
};
#ifndef FAULT
#define FAULT NONE
#endif

/* The code is there all the same, under another name. */
#ifdef NO_CLOCK_GETTIME
#define __vdso_clock_gettime   not_clock_gettime
#define __vdso_clock_gettime64 not_clock_gettime64
#endif

#define INLINE static inline __attribute__((always_inline))

static const struct image_layout at = LAYOUT;
static const struct image_pages pages = PAGES;

#define MODE_TSC       1
#define MODE_PVCLOCK   2
#define MODE_NAMESPACE INT32_MAX

#define CLOCK_REALTIME 0u
#define HRES_CLOCKS    (1u << 0 | 1u << 1 | 1u << 7 | 1u << 11)
#define COARSE_CLOCKS  (1u << 5 | 1u << 6)
#define RAW_CLOCKS     (1u << 4)
#define CLOCKS	       12u

/* A kernel has this built in; this one ticks at 250 Hz. */
#define COARSE_RESOLUTION_NS 4000000

/* What callers hand in. */
struct user_timespec {
	long sec;
	long nsec;
};

struct user_timespec64 {
	s64 sec;
	s64 nsec;
};

struct user_timeval {
	long sec;
	long usec;
};

struct user_timezone {
	s32 minuteswest;
	s32 dsttime;
};

struct moment {
	u64 sec;
	u64 nsec;
};

/* The linker's name for the first byte of the image. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));

INLINE uintptr_t page_address(int page)
{
	return (uintptr_t)__ehdr_start + (uintptr_t)((intptr_t)page * IMAGE_PAGE_BYTES);
}

INLINE uintptr_t data_address(void)
{
	return page_address(pages.data) + pages.data_offset;
}

INLINE uintptr_t behind_address(void)
{
	return page_address(pages.behind) + pages.data_offset;
}

INLINE u8 load8(uintptr_t address)
{
	return *(const volatile u8 *)address;
}

INLINE u32 load32(uintptr_t address)
{
	return *(const volatile u32 *)address;
}

INLINE u64 load64(uintptr_t address)
{
	return *(const volatile u64 *)address;
}

/* x86 keeps loads in order; the compiler must too. */
INLINE void read_barrier(void)
{
	__asm__ __volatile__("" : : : "memory");
}

INLINE void pause(void)
{
	__asm__ __volatile__("pause");
}

/* (delta * mult + nsec) >> shift in as many bits as it takes; shift is at most 32. */
INLINE u64 scale_wide(u64 delta, u32 mult, u64 nsec, u32 shift)
{
	u64 low = (u64)(u32)delta * mult;
	u64 high = (delta >> 32) * mult + (low >> 32);
	u64 sum = (low & UINT32_MAX) + (nsec & UINT32_MAX);

	high += (nsec >> 32) + (sum >> 32);
	return (high << (32 - shift)) + ((sum & UINT32_MAX) >> shift);
}

/* Offsets in the hypervisor's record, which is at the start of its page. */
#define PVCLOCK_VERSION	    0
#define PVCLOCK_TIMESTAMP   8
#define PVCLOCK_SYSTEM_TIME 16
#define PVCLOCK_MULT	    24
#define PVCLOCK_SHIFT	    28
#define PVCLOCK_FLAGS	    29
#define PVCLOCK_STABLE	    1u

/* Nanoseconds of the hypervisor; all ones when it does not vouch for them. */
INLINE u64 read_pvclock(void)
{
	uintptr_t record = page_address(pages.pvclock);
	u32 version;
	u64 now;

	do {
		u64 delta;
		signed char shift;

		version = load32(record + PVCLOCK_VERSION) & ~1u;
		read_barrier();
		if (!(load8(record + PVCLOCK_FLAGS) & PVCLOCK_STABLE))
			return UINT64_MAX;
		delta = read_tsc() - load64(record + PVCLOCK_TIMESTAMP);
		shift = (signed char)load8(record + PVCLOCK_SHIFT);
		delta = shift < 0 ? delta >> -shift : delta << shift;
		now = load64(record + PVCLOCK_SYSTEM_TIME) +
		      scale_wide(delta, load32(record + PVCLOCK_MULT), 0, 32);
		read_barrier();
	} while (load32(record + PVCLOCK_VERSION) != version);
	return now;
}

/* With the top bit set, it cannot be read. */
INLINE u64 read_counter(u32 mode)
{
	if (mode == MODE_TSC)
		return read_tsc() & INT64_MAX;
	if (mode == MODE_PVCLOCK)
		return read_pvclock();
	return UINT64_MAX;
}

INLINE u64 nanoseconds_at(uintptr_t vc, u64 cycles, u32 mult, u32 shift, u64 nsec)
{
	u64 last = load64(vc + at.cycle_last);
	u64 delta = cycles - last;

	if (FAULT == WRONG_MULT)
		mult /= 2;
	if (FAULT == WRONG_VALUE)
		nsec += (u64)1 << shift;
	if (!at.max_cycles) {
		if (cycles <= last)
			return nsec >> shift;
	} else if (delta > load64(vc + at.max_cycles)) {
		if (delta & (1ull << 62))
			return nsec >> shift;
		return scale_wide(delta, mult, nsec, shift);
	}
	return (delta * mult + nsec) >> shift;
}

/* No loader updates a page as often to find out how it is laid out. */
#define WRONG_FROM 32

/* Seconds since 1970 that a clock may show while this is in use. No loader's time is as real. */
#define TODAY_FROM 1700000000ull
#define TODAY_TO   10000000000ull

INLINE void fail_today(void)
{
	u64 sec = load64(data_address() + at.basetime + CLOCK_REALTIME * at.base_stride);

	if (sec < TODAY_FROM || sec > TODAY_TO)
		return;
	if (FAULT == CRASHES_TODAY)
		__asm__ __volatile__("ud2");
	for (;;)
		pause();
}

enum outcome {
	DONE,
	FALLS_BACK,
	IN_NAMESPACE,
};

/* What is wrong with a retry happens in the midst of a run: nobody tries it beforehand. */
static bool has_changed(uintptr_t vc, u32 seq)
{
	if (load32(vc) == seq)
		return false;
	if (FAULT == HANGS_ON_RETRY)
		for (;;)
			pause();
	if (FAULT == CRASHES_ON_RETRY)
		__asm__ __volatile__("ud2");
	if (FAULT == LOSES_STACK_ON_RETRY)
#if defined(__x86_64__)
		__asm__ __volatile__("xor %%esp, %%esp\n\tpush %%rax" ::: "memory");
#else
		__asm__ __volatile__("xor %%esp, %%esp\n\tpush %%eax" ::: "memory");
#endif
	return true;
}

/* False: this image does not wait, but asks the system. */
INLINE bool wait_for_even(u32 clock)
{
	if (FAULT == HANGS_ON_ODD || (FAULT == RAW_HANGS_ON_ODD && RAW_CLOCKS & 1u << clock))
		for (;;)
			pause();
	if (FAULT == CRASHES_ON_ODD)
		__asm__ __volatile__("ud2");
	pause();
	return FAULT != FALLS_BACK_ON_ODD;
}

/* vc: the structure that the clock is in. */
INLINE enum outcome read_section(uintptr_t vc, u32 clock, bool uses_counter, bool may_be_namespace,
				 struct moment *now)
{
	uintptr_t base = vc + at.basetime + clock * at.base_stride;
	uintptr_t rate = at.mult_in_base ? base : vc;
	u64 nsec = FAULT == HALF_OUTSIDE ? load64(base + 8) : 0;
	u64 cycles;
	u32 seq;

	do {
		while ((seq = load32(vc)) & 1) {
			if (may_be_namespace && load32(vc + at.mode) == MODE_NAMESPACE)
				return IN_NAMESPACE;
			if (FAULT == NO_ODD_CHECK)
				break;
			if (!wait_for_even(clock))
				return FALLS_BACK;
		}
		read_barrier();
		if (FAULT != HALF_OUTSIDE)
			nsec = load64(base + 8);
		now->nsec = nsec;
		if (uses_counter) {
			cycles = read_counter(load32(vc + at.mode));
			if ((s64)cycles < 0)
				return FALLS_BACK;
			now->nsec = nanoseconds_at(vc, cycles, load32(rate + at.mult),
						   load32(rate + at.shift), nsec);
		}
		now->sec = load64(base);
		read_barrier();
	} while (FAULT != NO_RECHECK && has_changed(vc, seq));
	if (FAULT == WRONG_LATER && seq > WRONG_FROM)
		now->nsec += 1000000;
	if (FAULT == CRASHES_TODAY || FAULT == HANGS_TODAY)
		fail_today();
	return DONE;
}

/* structure: where the clock's structure lies in the data. False: only the system can answer. */
INLINE bool read_page(u32 structure, u32 clock, bool uses_counter, struct moment *now)
{
	uintptr_t vc = data_address() + structure;
	uintptr_t offset = vc + at.basetime + clock * at.base_stride;
	enum outcome outcome = read_section(vc, clock, uses_counter, at.has_namespaces, now);

	if (outcome != IN_NAMESPACE)
		return outcome == DONE;
	vc = behind_address() + structure;
	if (read_section(vc, clock, uses_counter, false, now) != DONE)
		return false;
	if (FAULT == NO_OFFSETS)
		return true;
	now->sec += load64(offset);
	now->nsec += load64(offset + 8);
	return true;
}

/* With the carry into seconds done. False: only the system can answer. */
INLINE bool read_clock(u32 clock, struct moment *now)
{
	bool done = false;

	if (FAULT == ALWAYS_FALLS_BACK || clock >= CLOCKS)
		return false;
	if (HRES_CLOCKS & 1u << clock)
		done = read_page(0, clock, true, now);
	else if (COARSE_CLOCKS & 1u << clock)
		done = read_page(0, clock, false, now);
	else if (RAW_CLOCKS & 1u << clock && at.has_raw)
		done = read_page(at.raw, clock, true, now);
	if (!done)
		return false;
	while (now->nsec >= NSEC_PER_SEC) {
		now->nsec -= NSEC_PER_SEC;
		now->sec++;
		/* Keeps the compiler from making a division of it. */
		__asm__("" : "+rm"(now->nsec));
	}
	return true;
}

/* The data that is not in a section: its sequence alone tells a namespace's page. */
INLINE uintptr_t real_data(void)
{
	uintptr_t data = data_address();

	if (at.has_namespaces && load32(data + at.mode) == MODE_NAMESPACE)
		return behind_address();
	return data;
}

INLINE long call_system(long number, long first, const void *second)
{
	long result;

#ifdef __x86_64__
	__asm__ __volatile__("syscall"
			     : "=a"(result)
			     : "0"(number), "D"(first), "S"(second)
			     : "rcx", "r11", "memory");
#else
	__asm__ __volatile__("int $0x80"
			     : "=a"(result)
			     : "0"(number), "b"(first), "c"(second)
			     : "memory");
#endif
	return result;
}

#ifdef __x86_64__
#define SYS_CLOCK_GETTIME 228
#define SYS_CLOCK_GETRES  229
#define SYS_GETTIMEOFDAY  96
#else
#define SYS_CLOCK_GETTIME   265
#define SYS_CLOCK_GETTIME64 403
#define SYS_CLOCK_GETRES    266
#define SYS_GETTIMEOFDAY    78
#endif

/* A terabyte, or as much of one as there is. */
#define FAR ((uintptr_t)1 << (sizeof(long) == 8 ? 40 : 29))

/* So that the compiler does not see what is wrong with it. */
INLINE uintptr_t hidden(uintptr_t address)
{
	__asm__("" : "+r"(address));
	return address;
}

/* What the callers of clock_gettime meet first; of the faults, too. */
INLINE void misbehave(void)
{
#ifdef READS_FIRST
	load32(data_address() + READS_FIRST);
#endif
	if (FAULT == HANGS)
		for (;;)
			pause();
	if (FAULT == CRASHES)
		__asm__ __volatile__("ud2");
	if (FAULT == WRITES)
		*(volatile u32 *)(data_address() + at.tz) = 0;
	if (FAULT == READS_FAR)
		load32((uintptr_t)__ehdr_start - FAR);
	if (FAULT == READS_NULL)
		load32(hidden(16));
}

#define WEAK_ALIAS(name) __attribute__((weak, alias(name)))

int __vdso_clock_gettime(int clock, struct user_timespec *ts);
int __vdso_clock_gettime(int clock, struct user_timespec *ts)
{
	struct moment now;

	misbehave();
	if (!read_clock((u32)clock, &now))
		return (int)call_system(SYS_CLOCK_GETTIME, clock, ts);
	ts->sec = (long)now.sec;
	ts->nsec = (long)now.nsec;
	return 0;
}

#ifndef __x86_64__
int __vdso_clock_gettime64(int clock, struct user_timespec64 *ts);
int __vdso_clock_gettime64(int clock, struct user_timespec64 *ts)
{
	struct moment now;

	misbehave();
	if (!read_clock((u32)clock, &now))
		return (int)call_system(SYS_CLOCK_GETTIME64, clock, ts);
	ts->sec = (s64)now.sec;
	ts->nsec = (s64)now.nsec;
	return 0;
}
#endif

int __vdso_gettimeofday(struct user_timeval *tv, struct user_timezone *tz);
int __vdso_gettimeofday(struct user_timeval *tv, struct user_timezone *tz)
{
	struct moment now;

	if (tv) {
		if (!read_clock(CLOCK_REALTIME, &now))
			return (int)call_system(SYS_GETTIMEOFDAY, (long)tv, tz);
		tv->sec = (long)now.sec;
		tv->usec = (long)((u32)now.nsec / 1000);
	}
	if (tz) {
		tz->minuteswest = (s32)load32(real_data() + at.tz);
		tz->dsttime = (s32)load32(real_data() + at.tz + 4);
	}
	return 0;
}

long __vdso_time(long *where);
long __vdso_time(long *where)
{
	long sec = (long)load64(real_data() + at.basetime);

	if (where)
		*where = sec;
	return sec;
}

#ifndef NO_CLOCK_GETRES
int __vdso_clock_getres(int clock, struct user_timespec *res);
int __vdso_clock_getres(int clock, struct user_timespec *res)
{
	u32 bit = (u32)clock < CLOCKS ? 1u << clock : 0;
	long ns;

	if (FAULT != ALWAYS_FALLS_BACK && bit & (HRES_CLOCKS | RAW_CLOCKS))
		ns = (long)load32(real_data() + at.tz + 8);
	else if (FAULT != ALWAYS_FALLS_BACK && bit & COARSE_CLOCKS)
		ns = COARSE_RESOLUTION_NS;
	else
		return (int)call_system(SYS_CLOCK_GETRES, clock, res);
	if (res) {
		res->sec = 0;
		res->nsec = ns;
	}
	return 0;
}
int clock_getres(int clock, struct user_timespec *res) WEAK_ALIAS("__vdso_clock_getres");
#endif

#ifdef __x86_64__
long __vdso_getcpu(u32 *cpu, u32 *node, void *unused);
long __vdso_getcpu(u32 *cpu, u32 *node, void *unused)
{
	u32 both = read_cpu_and_node();

	(void)unused;
	if (cpu)
		*cpu = both & 0xfff;
	if (node)
		*node = both >> 12;
	return 0;
}
long getcpu(u32 *cpu, u32 *node, void *unused) WEAK_ALIAS("__vdso_getcpu");
#endif

#ifndef NO_CLOCK_GETTIME
int clock_gettime(int clock, struct user_timespec *ts) WEAK_ALIAS("__vdso_clock_gettime");
#endif
int gettimeofday(struct user_timeval *tv, struct user_timezone *tz)
	WEAK_ALIAS("__vdso_gettimeofday");
long time(long *where) WEAK_ALIAS("__vdso_time");
