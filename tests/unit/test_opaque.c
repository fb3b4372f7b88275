// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is made of reads by code that tells nothing. The code is the test's own: it does what a good
 * image does, and at a chosen call what a bad one would, while the counter is moved by hand; so
 * that every figure is known beforehand. At the end real images meet a real writer.
 */
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/opaque.h"
#include "readers/kinds.h"
#include "sim/publish.h"
#include "tests/unit/beside.h"
#include "tests/unit/updates.h"
#ifdef CONTEND_TEST_IMAGES
#include "tests/unit/sound_images.h"
#endif

#define UPDATES 200
/* What the oracle remembers, at the least. */
#define RING 64
#define MOST 100
/* How far the counter moves in a call. */
#define STEP 50
/* Far from the host's time, as a run's page is; some calls have the seconds of a long. */
#define AHEAD (sizeof(long) > 4 ? 100000000000ull : 400000000ull)

static struct page_region region;
/* Another group's: the counter is read by it, and its sequence is none of this reader's. */
static struct page_region elsewhere;
static struct run_config config;
static struct run_shared shared;
static struct reader_thread *thread;
static struct vdso_image image;
static struct timekeeper told[UPDATES + 1];

/* The state of the code under test. */
static struct {
	u64 calls;
	u64 number; /* of the update that it returns */
	u64 counter;
	u64 special;			    /* at this call, and up to last_special: */
	u64 last_special;		    /* 0: only that */
	void (*during)(void);		    /* before it looks at anything */
	void (*spoil)(struct timespec *ts); /* what it returns */
	int result;
	u64 offset_ns; /* what its namespace adds */
} code;

static bool is_special(void)
{
	u64 last = code.last_special ? code.last_special : code.special;

	return code.calls >= code.special && code.calls <= last;
}

static void pass(u64 cycles)
{
	code.counter += cycles;
	page_set_virtual_counter(&region, code.counter);
	page_set_virtual_counter(&elsewhere, code.counter);
}

static u64 right_value(clockid_t clock)
{
	struct oracle_update update = oracle_describe(clock, code.number, &told[code.number]);

	return oracle_nanoseconds(&update, code.counter);
}

/* What all the functions do: 0, or what the function is to fail with. */
static int read_page(clockid_t clock, struct timespec *ts)
{
	u64 value;

	code.calls++;
	if (is_special() && code.during)
		code.during();
	pass(STEP);
	if (is_special() && code.result)
		return code.result;
	value = right_value(clock) + code.offset_ns;
	ts->tv_sec = (time_t)(value / NSEC_PER_SEC);
	ts->tv_nsec = (long)(value % NSEC_PER_SEC);
	if (is_special() && code.spoil)
		code.spoil(ts);
	return 0;
}

static int code_clock_gettime(clockid_t clock, struct timespec *ts)
{
	assert_int_equal(clock, config.group[0].reader.clock);
	return read_page(clock, ts);
}

static int code_gettimeofday(struct vdso_old_timeval *tv, struct timezone *tz)
{
	struct timespec ts;

	assert_null(tz);
	if (read_page(CLOCK_REALTIME, &ts))
		return -1;
	*tv = (struct vdso_old_timeval){(long)ts.tv_sec, ts.tv_nsec / 1000};
	return 0;
}

static long code_time(long *seconds)
{
	struct timespec ts;

	assert_null(seconds);
	read_page(CLOCK_REALTIME_COARSE, &ts);
	return (long)ts.tv_sec;
}

static struct vdso_old_timespec resolution;

static int code_clock_getres(clockid_t clock, struct vdso_old_timespec *res)
{
	assert_int_equal(clock, config.group[0].reader.clock);
	code.calls++;
	pass(STEP);
	*res = resolution;
	return is_special() ? code.result : 0;
}

/* Where the loader would have put it. */
static void use_code(enum vdso_call call)
{
	static void *const functions[VDSO_CALLS] = {
		[VDSO_CLOCK_GETTIME] = (void *)code_clock_gettime,
		[VDSO_GETTIMEOFDAY] = (void *)code_gettimeofday,
		[VDSO_TIME] = (void *)code_time,
		[VDSO_CLOCK_GETRES] = (void *)code_clock_getres,
	};

	image = (struct vdso_image){.name = "mine", .start = functions[call]};
	for (int i = 0; i < VDSO_CALLS; i++)
		image.function[i] = i == (int)call ? 0 : -1;
	config.group[0].reader.image = &image;
	config.group[0].reader.call = call;
}

static void publish_quietly(u64 number)
{
	vdso_set_sequences(page_for_writer(&region), region.layout, (u32)(number - 1) * 2);
	update_vsyscall(page_for_writer(&region), region.layout, &told[number]);
	code.number = number;
	if (code.counter < cycles_of(number))
		pass(cycles_of(number) - code.counter);
}

static void publish(u64 number)
{
	oracle_tell(shared.group[0].oracle, number, &told[number]);
	publish_quietly(number);
}

static clockid_t watched_clock(enum vdso_call call, clockid_t clock)
{
	return call == VDSO_TIME ? CLOCK_REALTIME_COARSE : clock;
}

static void prepare_updates(enum payload payload)
{
	if (payload == PAYLOAD_STAMP) {
		make_stamps(told, UPDATES, SIM_CLOCKMODE_VIRTUAL);
		return;
	}
	make_time(told, UPDATES, SIM_CLOCKMODE_VIRTUAL);
	for (u64 number = 1; number <= UPDATES; number++) {
		told[number].realtime_sec += AHEAD;
		told[number].raw_sec += AHEAD;
	}
}

/* A reader that has read nothing yet, of a page that shows the first update. */
static void begin(enum payload payload, enum vdso_call call, clockid_t clock)
{
	struct errmsg err;

	if (shared.group[0].oracle)
		oracle_destroy(shared.group[0].oracle);
	memset(&code, 0, sizeof(code));
	memset(thread, 0, sizeof(*thread));
	prepare_updates(payload);
	config = (struct run_config){
		.groups = 1,
		.group = {{.readers = 1, .reader = {.kind = &reader_image, .clock = clock}}},
		.payload = payload,
		.clocksource = clocksource_find("virtual"),
	};
	config.group[0].reader.uses_counter =
		!is_coarse(clock) && call != VDSO_TIME && call != VDSO_CLOCK_GETRES;
	use_code(call);
	shared = (struct run_shared){
		.config = &config,
		.page = page_for_readers(&elsewhere),
		.stands_still = payload == PAYLOAD_STAMP,
		.counter_hz = NSEC_PER_SEC,
	};
	shared.group[0] = (struct group_shared){
		.config = &config.group[0],
		.page = page_for_readers(&region),
		.view = {{.page = page_for_readers(&region)}},
		.oracle = oracle_create(watched_clock(call, clock), RING, payload == PAYLOAD_TIME,
					&err),
	};
	assert_non_null(shared.group[0].oracle);
	thread->shared = &shared;
	thread->group = &shared.group[0];
	thread->view = &shared.group[0].view[TK_VIEW_HOST];
	thread->reader = &config.group[0].reader;
	thread->switch_cycles = 500;
	publish(1);
}

static void begin_monotonic(enum payload payload)
{
	begin(payload, VDSO_CLOCK_GETTIME, CLOCK_MONOTONIC);
}

/* As the reader's thread does it: what a read was not is taken back within the block. */
static void read_block(u64 most, bool timed)
{
	u64 before = code.calls;

	opaque_read_block(thread, most, timed);
	thread->counts.reads += most;
	thread->counts.checked += most;
	assert_int_equal(code.calls, before + most);
}

/* Whatever is not mentioned is zero. */
static void check_counts(struct reader_counts expected)
{
	const struct reader_counts *counts = &thread->counts;

	assert_int_equal(counts->reads, expected.reads);
	assert_int_equal(counts->checked, expected.checked);
	assert_int_equal(counts->unchecked, expected.unchecked);
	assert_int_equal(counts->torn, expected.torn);
	assert_int_equal(counts->backwards, expected.backwards);
	assert_int_equal(counts->fallbacks, expected.fallbacks);
	assert_int_equal(counts->began_odd, expected.began_odd);
	assert_int_equal(counts->sequence_changed, expected.sequence_changed);
	assert_int_equal(counts->off_cpu_gaps, expected.off_cpu_gaps);
	assert_memory_equal(counts, &expected, sizeof(expected));
}

#define COUNTS(...) check_counts((struct reader_counts){__VA_ARGS__})

static void check_lengths(u64 count, u64 each)
{
	assert_int_equal(histogram_total(&thread->lengths), count);
	if (each < HISTOGRAM_LINEAR)
		assert_int_equal(thread->lengths.counts[each], count);
	assert_int_equal(histogram_max(&thread->lengths), count ? each : 0);
}

static void with_each_clock(void (*test)(enum payload payload, clockid_t clock))
{
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		test(PAYLOAD_TIME, clocks[i]);
		test(PAYLOAD_STAMP, clocks[i]);
	}
}

static void right_reads(enum payload payload, clockid_t clock)
{
	begin(payload, VDSO_CLOCK_GETTIME, clock);
	read_block(MOST, true);
	COUNTS(.reads = MOST, .checked = MOST);
	check_lengths(MOST, STEP);
	read_block(MOST, false);
	COUNTS(.reads = 2 * MOST, .checked = 2 * MOST);
	check_lengths(MOST, STEP);
	assert_int_equal(thread->fault_cycles, 0);
	assert_int_equal(thread->last_ns, right_value(clock));
	read_block(1, true);
	read_block(0, true);
	COUNTS(.reads = 2 * MOST + 1, .checked = 2 * MOST + 1);
}

static void test_right_reads(void **state)
{
	(void)state;
	with_each_clock(right_reads);
}

/* Between blocks nobody sees it. */
static void updates_between_blocks(enum payload payload, clockid_t clock)
{
	begin(payload, VDSO_CLOCK_GETTIME, clock);
	for (u64 number = 2; number <= UPDATES; number++) {
		read_block(3, number % 2);
		publish(number);
	}
	COUNTS(.reads = 3 * (UPDATES - 1), .checked = 3 * (UPDATES - 1));
}

static void test_updates_between_blocks(void **state)
{
	(void)state;
	with_each_clock(updates_between_blocks);
}

static void publish_next(void)
{
	publish(code.number + 1);
}

/* A good image has read it again, and returns what is new. */
static void updates_during_reads(enum payload payload, clockid_t clock)
{
	begin(payload, VDSO_CLOCK_GETTIME, clock);
	code.during = publish_next;
	code.special = 20;
	code.last_special = 29;
	read_block(MOST, true);
	COUNTS(.reads = MOST, .checked = MOST, .sequence_changed = 10);
	assert_int_equal(histogram_total(&thread->lengths), MOST);
}

static void test_updates_during_reads(void **state)
{
	(void)state;
	with_each_clock(updates_during_reads);
}

static void begin_update(void)
{
	u64 next = code.number + 1;

	oracle_tell(shared.group[0].oracle, next, &told[next]);
	vdso_write_begin(page_for_writer(&region), region.layout);
}

static void end_update(void)
{
	publish_quietly(code.number + 1);
}

static void test_begins_odd(void **state)
{
	(void)state;
	begin_monotonic(PAYLOAD_TIME);
	read_block(3, true);
	begin_update();
	code.during = end_update;
	code.special = 4;
	read_block(3, true);
	COUNTS(.reads = 6, .checked = 6, .began_odd = 1, .sequence_changed = 1);
	/* What ends the read is odd, and is what the next begins with. */
	code.during = begin_update;
	code.special = 7;
	read_block(1, true);
	COUNTS(.reads = 7, .checked = 7, .began_odd = 1, .sequence_changed = 2);
	code.special = 0;
	read_block(5, true);
	COUNTS(.reads = 12, .checked = 12, .began_odd = 6, .sequence_changed = 2);
}

/*
 * Which update a read is under is known only if it saw one, and whole: others must not be bound by
 * what is not known.
 */
static void test_update_that_is_known(void **state)
{
	(void)state;
	begin_monotonic(PAYLOAD_TIME);
	assert_false(thread->have_last);
	read_block(1, true);
	assert_true(thread->have_last);
	assert_int_equal(thread->update.number, 1);
	code.during = publish_next;
	code.special = 2;
	read_block(1, true);
	assert_false(thread->have_last);
	read_block(1, true);
	assert_true(thread->have_last);
	assert_int_equal(thread->update.number, 2);
	begin_update();
	read_block(1, true);
	assert_false(thread->have_last);
	end_update();
	read_block(1, true);
	assert_true(thread->have_last);
	assert_int_equal(thread->update.number, 3);
}

/* What the first read under an update has settled the others need not ask the oracle for. */
static void straight_line(enum payload payload, clockid_t clock)
{
	begin(payload, VDSO_CLOCK_GETTIME, clock);
	if (payload == PAYLOAD_STAMP) {
		timekeeper_stamp(&told[2], 2, cycles_of(2) + STAMP_AHEAD);
		publish(2);
	}
	read_block(1, true);
	for (u64 number = code.number + 1; number < code.number + 3 * RING; number++)
		oracle_tell(shared.group[0].oracle, number, &told[number % UPDATES + 1]);
	read_block(MOST, true);
	COUNTS(.reads = MOST + 1, .checked = MOST + 1);
}

static void test_straight_line(void **state)
{
	(void)state;
	with_each_clock(straight_line);
}

static void add_second(struct timespec *ts)
{
	ts->tv_sec++;
}

static void take_second(struct timespec *ts)
{
	ts->tv_sec--;
}

static void take_nanosecond(struct timespec *ts)
{
	ts->tv_nsec--;
}

static void take_step(struct timespec *ts)
{
	ts->tv_nsec -= STEP;
}

static void add_nanosecond(struct timespec *ts)
{
	ts->tv_nsec++;
}

/* Neither the page's nor any host's. */
static void say_nonsense(struct timespec *ts)
{
	*ts = (struct timespec){300000000, 123456789};
}

static void say_least(struct timespec *ts)
{
	*ts = (struct timespec){(time_t)(UINT64_C(1) << (8 * sizeof(time_t) - 1)), LONG_MIN};
}

static void say_most(struct timespec *ts)
{
	*ts = (struct timespec){(time_t)((UINT64_C(1) << (8 * sizeof(time_t) - 1)) - 1), LONG_MAX};
}

/* The seconds of the update that is next. */
static void mix_seconds(struct timespec *ts)
{
	struct oracle_update next =
		oracle_describe(config.group[0].reader.clock, 2, &told[code.number + 1]);

	ts->tv_sec = (time_t)next.sec;
}

/* Seven torn reads, one of them alone. The others are right, and known to be. */
static void check_torn(void (*spoil)(struct timespec *ts), u64 first)
{
	code.spoil = spoil;
	code.special = first;
	read_block(MOST, true);
	code.special = first + MOST;
	code.last_special = code.special + 5;
	read_block(MOST, true);
	COUNTS(.reads = 2 * MOST, .checked = 2 * MOST, .torn = 7);
	check_lengths(2 * MOST, STEP);
}

static void torn(enum payload payload, clockid_t clock)
{
	begin(payload, VDSO_CLOCK_GETTIME, clock);
	check_torn(say_nonsense, 17);
	assert_int_equal(thread->fault_cycles, cycles_of(1) + 17 * STEP);
	begin(payload, VDSO_CLOCK_GETTIME, clock);
	check_torn(say_least, 17);
	begin(payload, VDSO_CLOCK_GETTIME, clock);
	check_torn(say_most, 17);
	/* The first of a thread, of which nothing is known before. */
	begin(payload, VDSO_CLOCK_GETTIME, clock);
	check_torn(say_nonsense, 1);
	if (payload == PAYLOAD_TIME)
		return;
	begin(payload, VDSO_CLOCK_GETTIME, clock);
	check_torn(add_second, 17);
	begin(payload, VDSO_CLOCK_GETTIME, clock);
	check_torn(mix_seconds, 17);
}

static void test_torn(void **state)
{
	(void)state;
	with_each_clock(torn);
}

/* Time that the counter has not reached, or that it had left. */
static void test_out_of_bounds(void **state)
{
	(void)state;
	begin_monotonic(PAYLOAD_TIME);
	check_torn(add_nanosecond, 17);
	begin(PAYLOAD_TIME, VDSO_CLOCK_GETTIME, CLOCK_REALTIME_COARSE);
	check_torn(add_nanosecond, 17);
	begin(PAYLOAD_STAMP, VDSO_CLOCK_GETTIME, CLOCK_REALTIME_COARSE);
	check_torn(take_nanosecond, 17);
	/* Anywhere between the two readings of the counter it is right. */
	begin(PAYLOAD_STAMP, VDSO_CLOCK_GETTIME, CLOCK_REALTIME);
	code.spoil = take_nanosecond;
	code.special = 17;
	read_block(MOST, true);
	COUNTS(.reads = MOST, .checked = MOST);
	begin(PAYLOAD_STAMP, VDSO_CLOCK_GETTIME, CLOCK_REALTIME);
	check_torn(take_step, 17);
}

/* An update that the oracle was not told of. */
static void test_update_behind_the_oracles_back(void **state)
{
	(void)state;
	begin_monotonic(PAYLOAD_STAMP);
	read_block(5, true);
	publish_quietly(2);
	read_block(5, true);
	COUNTS(.reads = 10, .checked = 10, .torn = 5);
	publish(3);
	read_block(5, true);
	COUNTS(.reads = 15, .checked = 15, .torn = 5);
}

/* Each is as right as the other, but the later one is the earlier. */
static void put_time_back(u64 number, u64 seconds)
{
	told[number].realtime_sec -= seconds;
	told[number].raw_sec -= seconds;
}

static void publish_tens(void)
{
	publish(10);
}

static void backwards(enum payload payload, clockid_t clock)
{
	u64 once = payload == PAYLOAD_TIME;

	begin(payload, VDSO_CLOCK_GETTIME, clock);
	publish(2);
	put_time_back(3, 1);
	read_block(MOST, true);
	publish(3);
	read_block(MOST, true);
	COUNTS(.reads = 2 * MOST, .checked = 2 * MOST, .backwards = once);
	assert_int_equal(thread->fault_cycles != 0, once);
	/* Forwards again. */
	publish(4);
	read_block(MOST, true);
	COUNTS(.reads = 3 * MOST, .checked = 3 * MOST, .backwards = once);
	/* Within a read, so that its update is not known. */
	for (u64 number = 5; number < 10; number++)
		oracle_tell(shared.group[0].oracle, number, &told[number]);
	put_time_back(10, 2);
	code.during = publish_tens;
	code.special = 3 * MOST + 10;
	read_block(MOST, true);
	COUNTS(.reads = 4 * MOST, .checked = 4 * MOST, .backwards = 2 * once,
	       .sequence_changed = 1);
}

static void test_backwards(void **state)
{
	(void)state;
	with_each_clock(backwards);
}

/* Update 3 is as early as this after 1, and 2 and 4 are five and six seconds after it. */
static void jump_across_threads(u64 third_sec, u64 expected)
{
	struct reader_thread *first = thread;
	struct reader_thread *second = aligned_alloc(CACHE_LINE, sizeof(*second));

	assert_non_null(second);
	begin(PAYLOAD_TIME, VDSO_CLOCK_GETTIME, CLOCK_REALTIME_COARSE);
	*second = *first;
	put_time_back(2, (u64)-5);
	put_time_back(3, -third_sec);
	put_time_back(4, (u64)-6);
	read_block(1, false);
	thread = second;
	publish(2);
	read_block(1, false);
	publish(3);
	publish(4);
	read_block(1, false);
	COUNTS(.reads = 2, .checked = 2);
	/* What one has read before an update binds what the other reads after it. */
	thread = first;
	publish_quietly(3);
	read_block(1, false);
	COUNTS(.reads = 2, .checked = 2, .backwards = expected);
	free(second);
}

static void publish_two(void)
{
	publish_next();
	publish_next();
}

/* The first reads 3 while it knows only of 1. That is no word on how late one could read 1. */
static void test_unknown_updates_bind_nobody(void **state)
{
	struct reader_thread *first = thread;
	struct reader_thread *second = aligned_alloc(CACHE_LINE, sizeof(*second));

	(void)state;
	assert_non_null(second);
	begin(PAYLOAD_TIME, VDSO_CLOCK_GETTIME, CLOCK_REALTIME_COARSE);
	*second = *first;
	read_block(1, false);
	code.during = publish_two;
	code.special = 2;
	read_block(1, false);
	publish(4);
	read_block(1, false);
	COUNTS(.reads = 3, .checked = 3, .sequence_changed = 1);
	thread = second;
	publish_quietly(1);
	read_block(1, false);
	publish_quietly(2);
	read_block(1, false);
	COUNTS(.reads = 2, .checked = 2);
	thread = first;
	free(second);
}

static void test_backwards_across_threads(void **state)
{
	(void)state;
	jump_across_threads(4, 1);
	jump_across_threads(5, 0);
}

static void return_host_time(struct timespec *ts)
{
	assert_int_equal(clock_gettime_syscall(config.group[0].reader.clock, ts), 0);
}

static void leave_carry_undone(struct timespec *ts)
{
	ts->tv_sec--;
	ts->tv_nsec += (long)NSEC_PER_SEC;
}

/* As no system call would. */
static void return_host_time_uncarried(struct timespec *ts)
{
	return_host_time(ts);
	leave_carry_undone(ts);
}

/* Not the system call's time, but near it. */
static void return_old_host_time(struct timespec *ts)
{
	return_host_time(ts);
	ts->tv_sec -= 5000;
}

/* Not reads, not timed, and nothing that a read is counted for. */
static void fallbacks(enum payload payload, clockid_t clock)
{
	begin(payload, VDSO_CLOCK_GETTIME, clock);
	code.spoil = return_host_time;
	code.special = 1;
	code.last_special = MOST;
	read_block(MOST, true);
	COUNTS(.fallbacks = MOST);
	check_lengths(0, 0);
	code.special = MOST + 50;
	code.last_special = 0;
	read_block(MOST, true);
	COUNTS(.reads = MOST - 1, .checked = MOST - 1, .fallbacks = MOST + 1);
	check_lengths(MOST - 1, STEP);
	assert_int_equal(thread->fault_cycles, 0);
	begin(payload, VDSO_CLOCK_GETTIME, clock);
	check_torn(return_old_host_time, 17);
	begin(payload, VDSO_CLOCK_GETTIME, clock);
	check_torn(return_host_time_uncarried, 17);
}

static void test_fallbacks(void **state)
{
	(void)state;
	with_each_clock(fallbacks);
}

static void test_host_that_was_started_just_now(void **state)
{
	static const u64 nows[] = {1,
				   2,
				   1000,
				   NSEC_PER_SEC,
				   999 * NSEC_PER_SEC,
				   1000 * NSEC_PER_SEC,
				   1000000000 * NSEC_PER_SEC};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(nows); i++) {
		assert_false(opaque_is_near_host(0, nows[i]));
		assert_false(opaque_is_near_host(nows[i] / 3, nows[i]));
		assert_false(opaque_is_near_host(2 * nows[i] + 1, nows[i]));
	}
	for (size_t i = 2; i < ARRAY_SIZE(nows); i++) {
		assert_true(opaque_is_near_host(nows[i], nows[i]));
		assert_true(opaque_is_near_host(nows[i] - nows[i] / 1000000 - 1, nows[i]));
	}
}

static void test_fallbacks_during_updates(void **state)
{
	(void)state;
	begin_monotonic(PAYLOAD_TIME);
	code.spoil = return_host_time;
	code.during = publish_next;
	code.special = 1;
	code.last_special = 20;
	read_block(20, true);
	COUNTS(.fallbacks = 20);
	begin_update();
	code.during = end_update;
	code.special = code.last_special = 21;
	read_block(1, true);
	COUNTS(.fallbacks = 21);
}

/* Stamps that stand still do not make it right that nothing was returned. */
static void failing_calls(enum payload payload, clockid_t clock)
{
	begin(payload, VDSO_CLOCK_GETTIME, clock);
	code.result = -22;
	check_torn(NULL, 17);
	begin(payload, VDSO_CLOCK_GETTIME, clock);
	code.result = -22;
	check_torn(NULL, 1);
}

static void test_failing_calls(void **state)
{
	(void)state;
	with_each_clock(failing_calls);
	begin(PAYLOAD_STAMP, VDSO_GETTIMEOFDAY, CLOCK_REALTIME);
	code.result = -14;
	check_torn(NULL, 17);
}

static void carry_too_much(struct timespec *ts)
{
	ts->tv_sec++;
	ts->tv_nsec -= (long)NSEC_PER_SEC;
}

/* The sum is right, but no program expects it like that. */
static void carries(enum payload payload, clockid_t clock)
{
	begin(payload, VDSO_CLOCK_GETTIME, clock);
	check_torn(leave_carry_undone, 17);
	begin(payload, VDSO_CLOCK_GETTIME, clock);
	check_torn(carry_too_much, 17);
}

static void test_carry(void **state)
{
	(void)state;
	with_each_clock(carries);
}

/* What readers find on a page that was opened by force means nothing. */
static void test_released(void **state)
{
	(void)state;
	begin_monotonic(PAYLOAD_TIME);
	read_block(10, true);
	begin_update();
	code.spoil = say_nonsense;
	code.special = 11;
	code.last_special = 20;
	WRITE_ONCE(shared.released, true);
	read_block(10, true);
	COUNTS(.reads = 10, .checked = 10);
	check_lengths(10, STEP);
	assert_int_equal(thread->fault_cycles, 0);
}

static void test_unchecked(void **state)
{
	(void)state;
	begin_monotonic(PAYLOAD_STAMP);
	read_block(10, true);
	publish_quietly(2);
	for (u64 number = 2; number <= 2 + RING + 2; number++)
		oracle_tell(shared.group[0].oracle, number, &told[number]);
	read_block(10, true);
	COUNTS(.reads = 20, .checked = 10, .unchecked = 10);
	check_lengths(20, STEP);
	code.spoil = return_host_time;
	code.special = 25;
	read_block(10, true);
	COUNTS(.reads = 29, .checked = 10, .unchecked = 19, .fallbacks = 1);
	check_lengths(29, STEP);
}

static void take_microseconds(struct timespec *ts)
{
	ts->tv_nsec -= 1000;
}

static void add_microseconds(struct timespec *ts)
{
	ts->tv_nsec += 1000;
}

/* Calls that round: by what they round nothing is said, by more it is torn. */
static void rounds(enum payload payload, enum vdso_call call)
{
	begin(payload, call, CLOCK_REALTIME);
	code.during = publish_next;
	code.special = 20;
	code.last_special = 29;
	read_block(MOST, true);
	read_block(MOST, false);
	COUNTS(.reads = 2 * MOST, .checked = 2 * MOST, .sequence_changed = 10);
	begin(payload, call, CLOCK_REALTIME);
	check_torn(say_nonsense, 17);
	begin(payload, call, CLOCK_REALTIME);
	check_torn(add_second, 17);
	begin(payload, call, CLOCK_REALTIME);
	check_torn(take_second, 17);
}

static void test_calls_that_round(void **state)
{
	(void)state;
	for (enum payload payload = PAYLOAD_TIME; payload <= PAYLOAD_STAMP; payload++) {
		rounds(payload, VDSO_GETTIMEOFDAY);
		rounds(payload, VDSO_TIME);
		begin(payload, VDSO_GETTIMEOFDAY, CLOCK_REALTIME);
		check_torn(add_microseconds, 17);
	}
	begin(PAYLOAD_STAMP, VDSO_GETTIMEOFDAY, CLOCK_REALTIME);
	check_torn(take_microseconds, 17);
	begin(PAYLOAD_TIME, VDSO_GETTIMEOFDAY, CLOCK_REALTIME);
	code.spoil = return_host_time;
	code.special = 5;
	read_block(MOST, true);
	COUNTS(.reads = MOST - 1, .checked = MOST - 1, .fallbacks = 1);
}

static void check_resolutions(clockid_t clock, long nsec, u64 torn_reads)
{
	begin(PAYLOAD_TIME, VDSO_CLOCK_GETRES, clock);
	resolution = (struct vdso_old_timespec){0, nsec};
	read_block(MOST, true);
	COUNTS(.reads = MOST, .checked = MOST, .torn = torn_reads);
	check_lengths(MOST, STEP);
	read_block(MOST, false);
	COUNTS(.reads = 2 * MOST, .checked = 2 * MOST, .torn = 2 * torn_reads);
	check_lengths(MOST, STEP);
	assert_int_equal(thread->fault_cycles, torn_reads ? cycles_of(1) + STEP : 0);
}

static void test_resolutions(void **state)
{
	static const long ticks[] = {10000000, 4000000, 3333333, 1000000};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		bool coarse = is_coarse(clocks[i]);

		check_resolutions(clocks[i], 1, coarse ? MOST : 0);
		check_resolutions(clocks[i], 2, MOST);
		check_resolutions(clocks[i], 0, MOST);
		for (size_t j = 0; j < ARRAY_SIZE(ticks); j++)
			check_resolutions(clocks[i], ticks[j], coarse ? 0 : MOST);
	}
	begin(PAYLOAD_TIME, VDSO_CLOCK_GETRES, CLOCK_MONOTONIC);
	resolution = (struct vdso_old_timespec){1, 1};
	read_block(MOST, true);
	COUNTS(.reads = MOST, .checked = MOST, .torn = MOST);
	/* A call that fails tells nothing, whatever is left from the one before. */
	begin(PAYLOAD_TIME, VDSO_CLOCK_GETRES, CLOCK_MONOTONIC);
	resolution = (struct vdso_old_timespec){0, 1};
	code.result = -22;
	code.special = 5;
	read_block(MOST, true);
	COUNTS(.reads = MOST, .checked = MOST, .torn = 1);
}

/* The namespace's offset is in what is returned, and in nothing that the oracle knows. */
static void in_namespace(enum payload payload, clockid_t clock)
{
	for (int right = 0; right < 2; right++) {
		begin(payload, VDSO_CLOCK_GETTIME, clock);
		config.group[0].reader.in_namespace = true;
		shared.group[0].view[TK_VIEW_HOST].offset = (struct timespec){86400, 123456789};
		code.offset_ns = 86400ull * NSEC_PER_SEC + 123456789 - !right;
		code.during = publish_next;
		code.special = 20;
		code.last_special = 29;
		read_block(MOST, true);
		assert_int_equal(thread->counts.reads, MOST);
		assert_int_equal(thread->counts.backwards, 0);
		if (right || is_coarse(clock))
			assert_int_equal(thread->counts.torn, right ? 0 : MOST);
		if (right)
			assert_int_equal(thread->last_ns, right_value(clock));
	}
}

static void test_in_namespace(void **state)
{
	(void)state;
	with_each_clock(in_namespace);
}

/* Reads with work between them are timed without it. */
static void test_beside_work(void **state)
{
	const struct work_spec alu = {WORK_ALU, 10};
	struct errmsg err;

	(void)state;
	begin_monotonic(PAYLOAD_TIME);
	assert_int_equal(work_begin(&thread->work, &alu, 1, &err), 0);
	read_block(MOST, true);
	COUNTS(.reads = MOST, .checked = MOST);
	check_lengths(MOST, STEP);
	code.during = publish_next;
	code.special = MOST + 20;
	read_block(MOST, true);
	COUNTS(.reads = 2 * MOST, .checked = 2 * MOST, .sequence_changed = 1);
	work_end(&thread->work);
}

/* The memory that the work is done on is closed, and what happens in the work is done here. */
static void happen_in_work(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	if ((u8 *)info->si_addr != thread->work.memory)
		abort();
	mprotect(thread->work.memory, SIM_PAGE_BYTES, PROT_READ | PROT_WRITE);
	publish_next();
	pass(100000);
}

static void close_work(void)
{
	mprotect(thread->work.memory, SIM_PAGE_BYTES, PROT_NONE);
}

/* An update, and the time that work takes, are not the read's that follows. */
static void test_work_is_not_in_a_read(void **state)
{
	const struct sigaction action = {.sa_sigaction = happen_in_work, .sa_flags = SA_SIGINFO};
	void *memory = mmap(NULL, SIM_PAGE_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sigaction before;

	(void)state;
	assert_ptr_not_equal(memory, MAP_FAILED);
	begin_monotonic(PAYLOAD_TIME);
	thread->work =
		(struct work){.spec = {WORK_CACHE, CACHE_LINE}, .lines = 1, .memory = memory};
	sigaction(SIGSEGV, &action, &before);
	code.during = close_work;
	code.special = 1;
	code.last_special = 30;
	close_work();
	read_block(30, true);
	sigaction(SIGSEGV, &before, NULL);
	assert_int_equal(code.number, 31);
	COUNTS(.reads = 30, .checked = 30);
	check_lengths(30, STEP);
	munmap(memory, SIM_PAGE_BYTES);
}

/* The kernel's word on whether the thread was put aside. */
static u64 on_cpu;

static void be_put_aside(void)
{
	on_cpu = 0;
	pass(100000);
}

static void take_long(void)
{
	pass(100000);
}

static void be_signalled(void)
{
	on_cpu = 0;
}

static void begin_with_word(void)
{
	begin_monotonic(PAYLOAD_TIME);
	thread->slot[0].note.on_cpu = &on_cpu;
	thread->slot[0].note.on_cpu_mark = 1;
	on_cpu = 1;
	code.special = 20;
}

static void test_put_aside(void **state)
{
	(void)state;
	begin_with_word();
	code.during = be_put_aside;
	read_block(MOST, true);
	COUNTS(.reads = MOST, .checked = MOST, .off_cpu_gaps = 1);
	check_lengths(MOST - 1, STEP);
	/* Between blocks it is nobody's. */
	on_cpu = 0;
	code.during = take_long;
	code.special = MOST + 1;
	read_block(MOST, true);
	COUNTS(.reads = 2 * MOST, .checked = 2 * MOST, .off_cpu_gaps = 1);
	assert_int_equal(histogram_max(&thread->lengths), 100000 + STEP);
}

/* A long read is a read as long as the thread was there. */
static void test_long_reads(void **state)
{
	(void)state;
	begin_with_word();
	code.during = take_long;
	code.last_special = 22;
	read_block(MOST, true);
	COUNTS(.reads = MOST, .checked = MOST);
	assert_int_equal(histogram_total(&thread->lengths), MOST);
	assert_int_equal(thread->lengths.counts[STEP], MOST - 3);
	assert_int_equal(histogram_max(&thread->lengths), 100000 + STEP);
	begin_with_word();
	code.during = be_put_aside;
	read_block(MOST, false);
	COUNTS(.reads = MOST, .checked = MOST);
	check_lengths(0, 0);
}

/* One that was too short to have been put aside in must not be held against a later one. */
static void test_short_reads_are_never_gaps(void **state)
{
	(void)state;
	begin_with_word();
	code.during = be_signalled;
	code.special = 1;
	read_block(1, true);
	code.during = take_long;
	code.special = 20;
	read_block(MOST, true);
	COUNTS(.reads = MOST + 1, .checked = MOST + 1);
	assert_int_equal(histogram_max(&thread->lengths), 100000 + STEP);
}

static void test_calls_alone(void **state)
{
	(void)state;
	for (int call = 0; call < VDSO_CALLS; call++) {
		begin(PAYLOAD_TIME, (enum vdso_call)call, CLOCK_REALTIME);
		opaque_calls(&config.group[0].reader, 0, NULL);
		assert_int_equal(code.calls, 0);
		opaque_calls(&config.group[0].reader, 1, NULL);
		assert_int_equal(code.calls, 1);
		opaque_calls(&config.group[0].reader, 1000, NULL);
		assert_int_equal(code.calls, 1001);
	}
	COUNTS(.reads = 0);
}

#ifdef CONTEND_TEST_IMAGES
/*
 * Real images on a page whose stamps stand still, so that whatever the counter says a mixture is
 * one.
 */
static struct page_region real_region;
static u64 real_number;

static void tell_still(u64 number)
{
	told[0] = (struct timekeeper){.mask = INT64_MAX, .clock_mode = VDSO_CLOCKMODE_TSC};
	timekeeper_stamp(&told[0], number, counter_arch() + STAMP_AHEAD);
	oracle_tell(shared.group[0].oracle, number, &told[0]);
}

static void publish_still(void)
{
	tell_still(++real_number);
	update_vsyscall(page_for_writer(&real_region), real_region.layout, &told[0]);
}

/* Of "image:keys", one of the tests' own. */
static void begin_real(const char *name, const char *keys)
{
	const char *why;
	char spec[5000];
	struct errmsg err;

	begin(PAYLOAD_STAMP, VDSO_CLOCK_GETTIME, CLOCK_MONOTONIC);
	config.clocksource = clocksource_find("tsc");
	if (!config.clocksource->usable(&why))
		skip();
	snprintf(spec, sizeof(spec), "image:%s%s", image_path(name), keys);
	if (reader_resolve(spec, &config.group[0].reader, &err) ||
	    page_region_map(&real_region, config.group[0].reader.image->wants.layout,
			    config.group[0].reader.image->wants.data_offset, &err) ||
	    vdso_image_attach(config.group[0].reader.image, &real_region,
			      config.group[0].reader.in_namespace, &err))
		fail_msg("%s", err.text);
	oracle_destroy(shared.group[0].oracle);
	shared.group[0].oracle = oracle_create(
		watched_clock(config.group[0].reader.call, config.group[0].reader.clock), 1 << 16,
		false, &err);
	assert_non_null(shared.group[0].oracle);
	shared.page = shared.group[0].page = page_for_readers(&real_region);
	real_number = 0;
	publish_still();
}

static void end_real(void)
{
	reader_release(&config.group[0].reader);
	page_region_unmap(&real_region);
}

static void read_real(u64 most)
{
	opaque_read_block(thread, most, true);
	thread->counts.reads += most;
	thread->counts.checked += most;
}

static const char *const real_images[] = {"gtod",  "gtod-basemult", "v5.3",
					  "v6.10", "v6.15",	    "v6.17"};
static const char *const real_keys[] = {
	":clock=monotonic", ":clock=realtime",	      ":clock=boottime",
	":clock=tai",	    ":clock=realtime_coarse", ":clock=monotonic_coarse",
	":call=time",	    ":call=gettimeofday"};

static void test_real_images(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(real_images); i++)
		for (size_t j = 0; j < ARRAY_SIZE(real_keys); j++) {
			begin_real(real_images[i], real_keys[j]);
			for (int updates = 0; updates < 30; updates++) {
				read_real(MOST);
				publish_still();
			}
			COUNTS(.reads = 30 * MOST, .checked = 30 * MOST);
			assert_int_equal(histogram_total(&thread->lengths), 30 * MOST);
			end_real();
		}
}

static void test_real_fallbacks(void **state)
{
	(void)state;
	/* A page whose counter cannot be read. */
	begin_real("v6.15", "");
	*layout_u32(page_for_writer(&real_region), 4) = VDSO_CLOCKMODE_NONE;
	read_real(MOST);
	COUNTS(.fallbacks = MOST);
	check_lengths(0, 0);
	*layout_u32(page_for_writer(&real_region), 4) = VDSO_CLOCKMODE_TSC;
	read_real(MOST);
	COUNTS(.reads = MOST, .checked = MOST, .fallbacks = MOST);
	end_real();
	/* A clock that the code does not know. */
	begin_real("gtod", ":clock=monotonic_raw");
	read_real(MOST);
	COUNTS(.fallbacks = MOST);
	end_real();
}

static void *end_update_late(void *unused)
{
	(void)unused;
	usleep(1000);
	publish_hres(page_for_writer(&real_region), real_region.layout, &told[0]);
	publish_coarse(page_for_writer(&real_region), real_region.layout, &told[0]);
	vdso_write_end(page_for_writer(&real_region), real_region.layout);
	return NULL;
}

/* The reader waits for the update that was in progress when it came, as a rule. */
static void test_real_odd_wait(void **state)
{
	u64 rounds = 0;

	(void)state;
	begin_real("v6.10", "");
	while (thread->counts.began_odd == 0 && rounds < 10000) {
		pthread_t writer;

		tell_still(++real_number);
		vdso_write_begin(page_for_writer(&real_region), real_region.layout);
		assert_int_equal(pthread_create(&writer, NULL, end_update_late, NULL), 0);
		read_real(1);
		assert_int_equal(pthread_join(writer, NULL), 0);
		rounds++;
	}
	COUNTS(.reads = rounds, .checked = rounds, .began_odd = 1, .sequence_changed = 1);
	end_real();
}

static bool stop_writing;

static void *write_on(void *unused)
{
	(void)unused;
	while (!READ_ONCE(stop_writing)) {
		publish_still();
		for (int i = 0; i < 100; i++)
			cpu_relax();
	}
	return NULL;
}

/* Reads until it is torn, or has met this many updates. */
static void read_while_written(u64 updates)
{
	pthread_t writer;

	stop_writing = false;
	assert_int_equal(pthread_create(&writer, NULL, write_on, NULL), 0);
	for (u64 blocks = 0; blocks < 10000000; blocks++) {
		read_real(10);
		if (thread->counts.torn || thread->counts.sequence_changed >= updates)
			break;
	}
	WRITE_ONCE(stop_writing, true);
	assert_int_equal(pthread_join(writer, NULL), 0);
}

static void test_real_images_while_written(void **state)
{
	static const char *const mutants[] = {"no-recheck", "v5.3-no-recheck", "gtod-no-recheck"};
	cpu_set_t cpus;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
	if (CPU_COUNT(&cpus) < 2)
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(real_images); i++) {
		begin_real(real_images[i], ":clock=realtime");
		read_while_written(1000);
		assert_int_equal(thread->counts.torn, 0);
		assert_int_equal(thread->counts.fallbacks, 0);
		assert_true(thread->counts.sequence_changed > 0);
		end_real();
	}
	for (size_t i = 0; i < ARRAY_SIZE(mutants); i++) {
		begin_real(mutants[i], ":clock=realtime");
		read_while_written(UINT64_MAX);
		if (thread->counts.torn == 0)
			fail_msg("%s was never torn", mutants[i]);
		end_real();
	}
}
#endif

static int set_up(void **state)
{
	struct errmsg err;

	(void)state;
	thread = aligned_alloc(CACHE_LINE, sizeof(*thread));
	if (!thread || page_region_map(&region, &page_layout_current, 0, &err))
		return -1;
	return page_region_map(&elsewhere, &page_layout_current, 0, &err);
}

static int tear_down(void **state)
{
	(void)state;
	oracle_destroy(shared.group[0].oracle);
	page_region_unmap(&region);
	page_region_unmap(&elsewhere);
	free(thread);
	return 0;
}

int main(int count, char **arguments)
{
	const struct CMUnitTest beside[] = {
		cmocka_unit_test(test_right_reads),
		cmocka_unit_test(test_updates_between_blocks),
		cmocka_unit_test(test_updates_during_reads),
		cmocka_unit_test(test_begins_odd),
		cmocka_unit_test(test_update_that_is_known),
		cmocka_unit_test(test_straight_line),
		cmocka_unit_test(test_torn),
		cmocka_unit_test(test_out_of_bounds),
		cmocka_unit_test(test_update_behind_the_oracles_back),
		cmocka_unit_test(test_backwards),
		cmocka_unit_test(test_backwards_across_threads),
		cmocka_unit_test(test_unknown_updates_bind_nobody),
		cmocka_unit_test(test_fallbacks),
		cmocka_unit_test(test_fallbacks_during_updates),
		cmocka_unit_test(test_host_that_was_started_just_now),
		cmocka_unit_test(test_failing_calls),
		cmocka_unit_test(test_carry),
		cmocka_unit_test(test_released),
		cmocka_unit_test(test_unchecked),
		cmocka_unit_test(test_calls_that_round),
		cmocka_unit_test(test_resolutions),
		cmocka_unit_test(test_in_namespace),
		cmocka_unit_test(test_beside_work),
		cmocka_unit_test(test_work_is_not_in_a_read),
		cmocka_unit_test(test_put_aside),
		cmocka_unit_test(test_long_reads),
		cmocka_unit_test(test_short_reads_are_never_gaps),
		cmocka_unit_test(test_calls_alone),
#ifdef CONTEND_TEST_IMAGES
		cmocka_unit_test(test_real_images),
		cmocka_unit_test(test_real_fallbacks),
#endif
	};
#ifdef CONTEND_TEST_IMAGES
	const struct CMUnitTest alone[] = {
		cmocka_unit_test(test_real_odd_wait),
		cmocka_unit_test(test_real_images_while_written),
	};
#endif
	int failed = 0;

	if (wants_tests(count, arguments, "--beside"))
		failed += cmocka_run_group_tests(beside, set_up, tear_down);
#ifdef CONTEND_TEST_IMAGES
	if (wants_tests(count, arguments, "--alone"))
		failed += cmocka_run_group_tests(alone, set_up, tear_down);
#endif
	return failed;
}
