/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of an image's functions, as programs make them.
 */
#ifndef TESTS_UNIT_IMAGE_CALLS_H
#define TESTS_UNIT_IMAGE_CALLS_H

#include "tests/unit/image_here.h"

/* The ABI's older types, whatever the C library takes time_t for. */
struct image_timespec {
	long sec;
	long nsec;
};

struct image_timespec64 {
	s64 sec;
	s64 nsec;
};

struct image_timeval {
	long sec;
	long usec;
};

struct image_timezone {
	s32 minuteswest;
	s32 dsttime;
};

typedef int image_clock_fn(int clock, struct image_timespec *ts);
typedef int image_clock64_fn(int clock, struct image_timespec64 *ts);
typedef int image_gettimeofday_fn(struct image_timeval *tv, struct image_timezone *tz);
typedef long image_time_fn(long *where);
typedef long image_getcpu_fn(u32 *cpu, u32 *node, void *unused);

static inline void *image_must_have(const struct image_here *image, const char *name)
{
	void *function = image_function(image, name);

	if (!function)
		fail_msg("the image has no %s", name);
	return function;
}

/* Returns what the image returns; *ns is not touched when that is not 0. */
static inline int image_try_clock(const struct image_here *image, clockid_t clock, u64 *ns)
{
	image_clock_fn *function = (image_clock_fn *)image_must_have(image, "__vdso_clock_gettime");
	struct image_timespec ts = {-1, -1};
	int result = function(clock, &ts);

	if (result != 0)
		return result;
	assert_in_range(ts.nsec, 0, NSEC_PER_SEC - 1);
	*ns = (u64)ts.sec * NSEC_PER_SEC + (u64)ts.nsec;
	return 0;
}

static inline u64 image_clock(const struct image_here *image, clockid_t clock)
{
	u64 ns = 0;

	assert_int_equal(image_try_clock(image, clock, &ns), 0);
	return ns;
}

#ifndef __x86_64__
static inline u64 image_clock64(const struct image_here *image, clockid_t clock)
{
	image_clock64_fn *function =
		(image_clock64_fn *)image_must_have(image, "__vdso_clock_gettime64");
	struct image_timespec64 ts = {-1, -1};

	assert_int_equal(function(clock, &ts), 0);
	assert_in_range(ts.nsec, 0, NSEC_PER_SEC - 1);
	return (u64)ts.sec * NSEC_PER_SEC + (u64)ts.nsec;
}
#endif

#endif /* TESTS_UNIT_IMAGE_CALLS_H */
