// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The vDSO's clock_gettime, from its entry point down, in every variation that is argued about.
 *
 * The build compiles this file once for each variation, with
 *   READER_NAME     name of the entry point
 *   READER_COUNTED  1: tells what it went through; 0: the bare path
 *   HINT_BEGIN      branch hint on the loop that waits while the sequence is odd: likely, unlikely
 *                   or nothing
 *   HINT_RETRY      branch hint on the recheck: the same
 *   READER_INLINE   what stands before each function that is called from one place or two
 *   READER_CALLERS  1, or 2: a second entry point calls the common function
 *   READER_LAYOUT   how the page is laid out: one of sim/layouts.h
 * A mutant defines one of the steps below for itself and includes this file.
 */
#include "readers/reader.h"
#include "sim/layouts.h"

#ifndef READER_NAME
#error "READER_NAME is the name of the entry point to compile"
#endif
#ifndef HINT_BEGIN
#define HINT_BEGIN unlikely
#endif
#ifndef HINT_RETRY
#define HINT_RETRY unlikely
#endif
#ifndef READER_INLINE
#define READER_INLINE static inline __attribute__((always_inline))
#endif
#ifndef READER_CALLERS
#define READER_CALLERS 1
#endif
#ifndef READER_LAYOUT
#define READER_LAYOUT PAGE_LAYOUT_V6_15
#endif

/* What the layout says, LAYOUT_mult for instance, and the structures that it makes. */
#define LAYOUT_CONSTANT(name, value) LAYOUT_##name = (value),
enum {
	READER_LAYOUT(LAYOUT_CONSTANT)
};

#define HAS(name) (LAYOUT_##name != LAYOUT_ABSENT)
#define AT(type, name)                                           \
	struct {                                                 \
		u8 before_##name[HAS(name) ? LAYOUT_##name : 0]; \
		type name;                                       \
	}

/* A base's seconds and nanoseconds begin it. */
struct base {
	union {
		struct vdso_timestamp time;
		AT(u32, base_mult);
		AT(u32, base_shift);
		u8 whole[LAYOUT_base_bytes];
	};
};

struct clock {
	union {
		struct {
			u32 seq;
			s32 clock_mode;
		};
		AT(u64, cycle_last);
		AT(u64, max_cycles);
		AT(u64, mask);
		AT(u32, mult);
		AT(u32, shift);
		struct {
			u8 before_basetime[LAYOUT_basetime];
			struct base basetime[VDSO_BASES];
		};
	};
};

/* The steps that mutants break. */
#ifndef SEQUENCE_IS_ODD
#define SEQUENCE_IS_ODD(seq) ((seq)&1)
#endif
#ifndef SEQUENCE_CHANGED
#define SEQUENCE_CHANGED(vc, seq) (READ_ONCE((vc)->seq) != (seq))
#endif
#ifndef SECTION_BASE
#define SECTION_BASE(base) (base)
#endif
#ifndef SECTION_BEGIN
#define SECTION_BEGIN() smp_rmb()
#endif
#ifndef SECTION_END
#define SECTION_END() smp_rmb()
#endif
#ifndef SECTION_LATE
#define SECTION_LATE(from, seconds) ((void)0)
#endif

#define CLOCK_BIT(clock) (1u << (clock))
#define HRES_CLOCKS                                                                           \
	(CLOCK_BIT(CLOCK_REALTIME) | CLOCK_BIT(CLOCK_MONOTONIC) | CLOCK_BIT(CLOCK_BOOTTIME) | \
	 CLOCK_BIT(CLOCK_TAI))
#define COARSE_CLOCKS (CLOCK_BIT(CLOCK_REALTIME_COARSE) | CLOCK_BIT(CLOCK_MONOTONIC_COARSE))
#define RAW_CLOCKS    CLOCK_BIT(CLOCK_MONOTONIC_RAW)

static inline __attribute__((always_inline)) const struct clock *clock_of(
	const struct vdso_time_data *page, enum vdso_clock_index index)
{
	const char *first = (const char *)page;

	return (const struct clock *)(index == CS_RAW && HAS(clock_bytes)
					      ? first + LAYOUT_clock_bytes
					      : first);
}

static inline __attribute__((always_inline)) u32 mult_of(const struct clock *vc,
							 const struct base *base)
{
	return HAS(mult) ? PLAIN_LOAD(vc->mult) : PLAIN_LOAD(base->base_mult);
}

static inline __attribute__((always_inline)) u32 shift_of(const struct clock *vc,
							  const struct base *base)
{
	return HAS(shift) ? PLAIN_LOAD(vc->shift) : PLAIN_LOAD(base->base_shift);
}

/* Nanoseconds << shift at the counter value, made plain. */
static inline __attribute__((always_inline)) u64 nanoseconds_at(const struct clock *vc,
								const struct base *base, u64 cycles,
								u64 nsec)
{
	u64 delta = cycles - PLAIN_LOAD(vc->cycle_last);
	u32 shift = shift_of(vc, base);

#if !defined(__x86_64__) && !defined(__i386__)
	delta &= PLAIN_LOAD(vc->mask);
#endif
	/*
	 * Another CPU's counter may lag behind the writer's: no time has passed. Where it is known
	 * when the product needs more than 64 bits, one comparison covers both.
	 */
	if (!HAS(max_cycles)) {
		if (unlikely(delta & (1ull << 62)))
			return nsec >> shift;
	} else if (unlikely(delta > PLAIN_LOAD(vc->max_cycles))) {
		if (delta & (1ull << 62))
			return nsec >> shift;
		return wide_mul_add_shift(delta & (UINT64_MAX >> 1), mult_of(vc, base), nsec,
					  shift);
	}
	return (delta * mult_of(vc, base) + nsec) >> shift;
}

/* The carry into seconds, outside the section. It is seldom more than one step. */
static inline __attribute__((always_inline)) void set_timespec(struct timespec *ts, u64 sec,
							       u64 nsec)
{
	while (nsec >= NSEC_PER_SEC) {
		/* Keeps the compiler from making a division of it. */
		__asm__("" : "+rm"(nsec));
		nsec -= NSEC_PER_SEC;
		sec++;
	}
	ts->tv_sec = (time_t)sec;
	ts->tv_nsec = (long)nsec;
}

/* What became of a section. */
enum outcome {
	READ_DONE,
	READ_FALLS_BACK, /* the counter cannot be read from user space */
	READ_NAMESPACE,	 /* the page at hand is a time namespace's: its sequence is odd for ever */
	READ_PVCLOCK,	 /* the counter is the paravirtual clock */
};

/*
 * Written once for every path: high-resolution time uses the counter, coarse time does not. On the
 * straight line namespaces and the paravirtual clock are only noticed, and left to others.
 */
static inline __attribute__((always_inline)) enum outcome read_section(
	const struct vdso_time_data *page, const struct clock *vc, clockid_t clock,
	bool uses_counter, bool straight, u64 *sec, u64 *nsec, struct read_note *note)
{
	const struct base *base = SECTION_BASE(&vc->basetime[clock]);
	u64 cycles;
	u32 seq;

	for (;;) {
		while (HINT_BEGIN(SEQUENCE_IS_ODD(seq = READ_ONCE(vc->seq)))) {
			if (straight && LAYOUT_has_namespace &&
			    PLAIN_LOAD(vc->clock_mode) == VDSO_CLOCKMODE_TIMENS)
				return READ_NAMESPACE;
			NOTE_SPIN(note);
			cpu_relax();
		}
		SECTION_BEGIN();
		if (uses_counter) {
			cycles = straight ? counter_read_but_pvclock(PLAIN_LOAD(vc->clock_mode),
								     page)
					  : counter_read(PLAIN_LOAD(vc->clock_mode), page);
			/* The mode is loaded anew, since no register is to be kept for this. */
			if (unlikely(!counter_is_readable(cycles)))
				return straight && READ_ONCE(vc->clock_mode) ==
							       VDSO_CLOCKMODE_PVCLOCK
					       ? READ_PVCLOCK
					       : READ_FALLS_BACK;
			NOTE_USED_CYCLES(note, cycles);
			*nsec = nanoseconds_at(vc, base, cycles, PLAIN_LOAD(base->time.nsec));
		} else {
			*nsec = PLAIN_LOAD(base->time.nsec);
		}
		*sec = PLAIN_LOAD(base->time.sec);
		NOTE_USED_SEQ(note, seq);
		SECTION_END();
		if (!HINT_RETRY(SEQUENCE_CHANGED(vc, seq)))
			break;
		NOTE_CHANGED(note, *sec, *nsec, READ_ONCE(vc->seq));
	}
	SECTION_LATE(base, *sec);
	return READ_DONE;
}

/* The read is done again on the page behind the namespace's, where time moves. */
static inline __attribute__((always_inline)) bool read_namespace(const struct vdso_time_data *page,
								 enum vdso_clock_index index,
								 clockid_t clock, bool uses_counter,
								 struct timespec *ts,
								 struct read_note *note)
{
	const struct vdso_time_data *data = page_behind_namespace(page);
	const struct timens_offset *offset =
		(const struct timens_offset *)&clock_of(page, index)->basetime[clock].time;
	u64 sec, nsec;

	if (read_section(data, clock_of(data, index), clock, uses_counter, false, &sec, &nsec,
			 note) != READ_DONE)
		return false;
	set_timespec(ts, sec + (u64)offset->sec, nsec + offset->nsec);
	return true;
}

static __attribute__((noinline)) bool do_hres_timens(const struct vdso_time_data *page,
						     enum vdso_clock_index index, clockid_t clock,
						     struct timespec *ts, struct read_note *note)
{
	return read_namespace(page, index, clock, true, ts, note);
}

static __attribute__((noinline)) bool do_coarse_timens(const struct vdso_time_data *page,
						       enum vdso_clock_index index, clockid_t clock,
						       struct timespec *ts, struct read_note *note)
{
	return read_namespace(page, index, clock, false, ts, note);
}

static __attribute__((noinline)) bool do_hres_pvclock(const struct vdso_time_data *page,
						      enum vdso_clock_index index, clockid_t clock,
						      struct timespec *ts, struct read_note *note)
{
	u64 sec, nsec;

	if (read_section(page, clock_of(page, index), clock, true, false, &sec, &nsec, note) !=
	    READ_DONE)
		return false;
	set_timespec(ts, sec, nsec);
	return true;
}

READER_INLINE bool do_hres(const struct vdso_time_data *page, enum vdso_clock_index index,
			   clockid_t clock, struct timespec *ts, struct read_note *note)
{
	u64 sec, nsec;

	switch (read_section(page, clock_of(page, index), clock, true, true, &sec, &nsec, note)) {
	case READ_DONE:
		set_timespec(ts, sec, nsec);
		return true;
	case READ_NAMESPACE:
		return do_hres_timens(page, index, clock, ts, note);
	case READ_PVCLOCK:
		return do_hres_pvclock(page, index, clock, ts, note);
	default:
		return false;
	}
}

READER_INLINE bool do_coarse(const struct vdso_time_data *page, enum vdso_clock_index index,
			     clockid_t clock, struct timespec *ts, struct read_note *note)
{
	u64 sec, nsec;

	if (read_section(page, clock_of(page, index), clock, false, true, &sec, &nsec, note) !=
	    READ_DONE)
		return do_coarse_timens(page, index, clock, ts, note);
	/* Coarse nanoseconds are plain and less than a second: nothing to carry. */
	ts->tv_sec = (time_t)sec;
	ts->tv_nsec = (long)nsec;
	return true;
}

/* Which path a clock takes; false where only the system call can answer. */
READER_INLINE bool clock_gettime_common(const struct vdso_time_data *page, clockid_t clock,
					struct timespec *ts, struct read_note *note)
{
	u32 bit;

	if (unlikely((u32)clock >= VDSO_BASES))
		return false;

	bit = CLOCK_BIT(clock);
	if (likely(bit & HRES_CLOCKS))
		return do_hres(page, CS_HRES_COARSE, clock, ts, note);
	if (bit & COARSE_CLOCKS)
		return do_coarse(page, CS_HRES_COARSE, clock, ts, note);
	if (LAYOUT_has_raw && (bit & RAW_CLOCKS))
		return do_hres(page, CS_RAW, clock, ts, note);
	return false;
}

CLOCK_READER(page, clock, ts, note)
{
	if (likely(clock_gettime_common(page, clock, ts, note)))
		return 0;
	NOTE_FALLBACK(note);
	return (int)clock_gettime_syscall(clock, ts);
}

#if READER_CALLERS == 2

#define SECOND_NAME_(name) name##_time32
#define SECOND_NAME(name)  SECOND_NAME_(name)

struct timespec32 {
	s32 tv_sec;
	s32 tv_nsec;
};

int SECOND_NAME(READER_NAME)(const struct vdso_time_data *page, clockid_t clock,
			     struct timespec32 *ts32, struct read_note *note);

/* What 32-bit kernels have beside the 64-bit entry, and why compilers stop inlining. */
int SECOND_NAME(READER_NAME)(const struct vdso_time_data *page, clockid_t clock,
			     struct timespec32 *ts32, struct read_note *note)
{
	struct timespec ts;
	int result = 0;

	if (unlikely(!clock_gettime_common(page, clock, &ts, note))) {
		NOTE_FALLBACK(note);
		result = (int)clock_gettime_syscall(clock, &ts);
	}
	if (result == 0)
		*ts32 = (struct timespec32){(s32)ts.tv_sec, (s32)ts.tv_nsec};
	return result;
}

#endif
