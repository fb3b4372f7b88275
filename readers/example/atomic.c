// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A reader to begin one's own with: the high-resolution clocks of the usual page, in C11 atomics.
 *
 *	./contend --reader ./readers/example/atomic.c:clock=realtime
 */
#include <stdatomic.h>

#include "readers/reader.h"

/* The fields race by design, and the recheck throws away what raced. C11 wants them atomic. */
#define LOAD(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)

static inline u32 begin(const struct vdso_clock *vc, struct read_note *note)
{
	u32 seq;

	while ((seq = __atomic_load_n(&vc->seq, __ATOMIC_ACQUIRE)) & 1) {
		NOTE_SPIN(note);
		cpu_relax();
	}
	return seq;
}

static inline bool changed(const struct vdso_clock *vc, u32 seq)
{
	/* Holds the loads before it back from coming after the one that follows it. */
	atomic_thread_fence(memory_order_acquire);
	return LOAD(vc->seq) != seq;
}

CLOCK_READER(page, clock, ts, note)
{
	const struct vdso_clock *vc = &page->clock_data[CS_HRES_COARSE];
	u64 sec, nsec;
	u32 seq;

	for (;;) {
		u64 cycles, delta;

		seq = begin(vc, note);
		cycles = counter_read(LOAD(vc->clock_mode), page);
		if (!counter_is_readable(cycles)) {
			NOTE_FALLBACK(note);
			return (int)clock_gettime_syscall(clock, ts);
		}
		NOTE_USED_SEQ(note, seq);
		NOTE_USED_CYCLES(note, cycles);
		sec = LOAD(vc->basetime[clock].sec);
		delta = cycles - LOAD(vc->cycle_last);
		/* This CPU's counter may lag behind the writer's: then no time has passed. */
		if ((s64)delta < 0)
			delta = 0;
		nsec = LOAD(vc->basetime[clock].nsec) + delta * LOAD(vc->mult);
		nsec >>= LOAD(vc->shift);
		if (likely(!changed(vc, seq)))
			break;
		NOTE_CHANGED(note, sec, nsec, LOAD(vc->seq));
	}
	for (; nsec >= NSEC_PER_SEC; nsec -= NSEC_PER_SEC)
		sec++;
	ts->tv_sec = (time_t)sec;
	ts->tv_nsec = (long)nsec;
	return 0;
}
