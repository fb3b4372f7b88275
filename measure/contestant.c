// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/contestant.h"
#include "sim/clocksource.h"

/* What brings code, page and predictors back after another contestant's block. */
#define READS_BEFORE 32

/*
 * All loops begin a line of code, and count down, so that what they need stays in registers: one
 * that is kept in memory costs a cycle, which is more than some readers differ by.
 */
#define TIMED_LOOP static __attribute__((noinline, aligned(64)))

bool contestant_reads_our_page(const struct contestant *contestant)
{
	return contestant->kind == CONTESTANT_READER || contestant->kind == CONTESTANT_IMAGE;
}

void *contestant_code(const struct contestant *contestant)
{
	if (contestant->kind == CONTESTANT_SYSTEM)
		return NULL;
	return contestant->kind == CONTESTANT_READER ? (void *)contestant->read
						     : (void *)contestant->call;
}

int contestant_read(const struct contestant *contestant, clockid_t clock, struct timespec *ts)
{
	struct read_note note = {.on_cpu = NULL};

	switch (contestant->kind) {
	case CONTESTANT_READER:
		return contestant->read(contestant->page, clock, ts, &note);
	case CONTESTANT_SYSTEM:
		return (int)clock_gettime_syscall(clock, ts);
	default:
		return contestant->call(clock, ts);
	}
}

TIMED_LOOP void loop_reader(const struct contestant *contestant, clockid_t clock, u32 reads)
{
	const struct vdso_time_data *const page = contestant->page;
	reader_fn *const read = contestant->read;
	struct read_note note = {.on_cpu = NULL};
	struct timespec ts;

	for (; reads; reads--)
		read(page, clock, &ts, &note);
}

TIMED_LOOP void loop_call(const struct contestant *contestant, clockid_t clock, u32 reads)
{
	vdso_clock_gettime_fn *const call = contestant->call;
	struct timespec ts;

	for (; reads; reads--)
		call(clock, &ts);
}

TIMED_LOOP void loop_system(const struct contestant *contestant, clockid_t clock, u32 reads)
{
	struct timespec ts;

	(void)contestant;
	for (; reads; reads--)
		clock_gettime_syscall(clock, &ts);
}

double contestant_time(const struct contestant *contestant, clockid_t clock, u32 reads,
		       s32 clock_mode)
{
	void (*const loop)(const struct contestant *, clockid_t, u32) =
		contestant->kind == CONTESTANT_READER	? loop_reader
		: contestant->kind == CONTESTANT_SYSTEM ? loop_system
							: loop_call;
	u64 start;

	loop(contestant, clock, READS_BEFORE);
	start = clocksource_read(clock_mode, NULL);
	loop(contestant, clock, reads);
	return (double)(clocksource_read(clock_mode, NULL) - start) / reads;
}

struct trace_call contestant_trace_call(const struct contestant *contestant, clockid_t clock,
					struct timespec *ts, struct read_note *note)
{
	if (contestant->kind == CONTESTANT_READER)
		return (struct trace_call){(void *)contestant->read,
					   {(long)contestant->page, clock, (long)ts, (long)note}};
	return (struct trace_call){(void *)contestant->call, {clock, (long)ts}};
}
