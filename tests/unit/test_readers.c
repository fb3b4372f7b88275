// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The read paths, one thread at a time, over the virtual counter.
 *
 * What happens in the middle of a read is made to happen at a chosen place. A reader of the counter
 * touches the counter's page: it is closed beforehand, and the handler of the fault does what the
 * writer would have done just then. A reader that waits is interrupted by a timer, whose handler
 * ends the wait once it has seen it. And on x86 the processor itself stops after each instruction,
 * so that every place in a read gets its turn.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

#define READER_COUNTED 1
#include "readers/kinds.h"
#include "readers/readers.h"
#include "readers/variation.h"
#include "sim/clocksource.h"
#include "sim/oracle.h"
#include "sim/publish.h"
#include "tests/unit/big.h"
#include "tests/unit/updates.h"

#if (defined(__x86_64__) || defined(__i386__)) && !CONTEND_TSAN
#include <x86intrin.h>
#define CAN_STEP 1
#else
/* ThreadSanitizer's own instructions would be stepped through, and it puts signals off. */
#define CAN_STEP 0
#endif

#define UPDATES 40
/* On the page that all other tests use; those on other pages follow them in the table. */
#define CURRENT_VARIATIONS 54

static struct page_region region;
static struct timekeeper told[UPDATES + 1];
static struct oracle *oracles[ARRAY_SIZE(clocks)];

static void tell_oracles(void)
{
	struct errmsg err;

	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		if (oracles[i])
			oracle_destroy(oracles[i]);
		oracles[i] = oracle_create(clocks[i], UPDATES, true, &err);
		assert_non_null(oracles[i]);
		for (u64 number = 1; number <= UPDATES; number++)
			oracle_tell(oracles[i], number, &told[number]);
	}
}

static void prepare(enum payload_kind payload)
{
	if (payload == TIME)
		make_time(told, UPDATES, SIM_CLOCKMODE_VIRTUAL);
	else
		make_stamps(told, UPDATES, SIM_CLOCKMODE_VIRTUAL);
	tell_oracles();
}

/* The page as update `number` leaves it, sequence included. */
static void show(u64 number)
{
	vdso_set_sequences(page_for_writer(&region), &page_layout_current, (u32)(number - 1) * 2);
	update_vsyscall(page_for_writer(&region), &page_layout_current, &told[number]);
}

static const struct oracle *oracle_of(clockid_t clock)
{
	size_t i = 0;

	while (clocks[i] != clock)
		i++;
	return oracles[i];
}

static u64 right_value(u64 number, clockid_t clock, u64 cycles)
{
	struct oracle_update update;

	assert_true(oracle_recall(oracle_of(clock), number, &update));
	return oracle_nanoseconds(&update, cycles);
}

static int map_page(void **state)
{
	struct errmsg err;

	(void)state;
	return page_region_map(&region, &page_layout_current, 0, &err);
}

static int unmap_page(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
		if (oracles[i])
			oracle_destroy(oracles[i]);
	page_region_unmap(&region);
	return 0;
}

/* One path to be read through: a variation's or a mutant's, counted or bare. */
struct path {
	char name[64];
	reader_fn *read;
	bool counted;
};

static struct path path_of(const struct variation *v, bool counted)
{
	struct path path = {.read = counted ? v->counted : v->bare, .counted = counted};

	snprintf(path.name, sizeof(path.name), "%s,%s,%s,%s,%s", v->hint, v->retry, v->inlining,
		 v->callers, counted ? "counted" : "bare");
	return path;
}

static struct path path_of_spec(const char *spec, bool counted)
{
	struct path path = {.counted = counted};
	struct reader reader;
	struct errmsg err;

	if (reader_resolve(spec, &reader, &err))
		fail_msg("%s", err.text);
	path.read = counted ? reader.counted : reader.bare;
	snprintf(path.name, sizeof(path.name), "%s,%s", spec, counted ? "counted" : "bare");
	return path;
}

static void for_each_path(void (*check)(const struct path *path))
{
	for (int i = 0; i < CURRENT_VARIATIONS; i++) {
		struct path counted = path_of(&variations[i], true);
		struct path bare = path_of(&variations[i], false);

		check(&counted);
		check(&bare);
	}
}

static void for_each_counted_path(void (*check)(const struct path *path))
{
	for (int i = 0; i < CURRENT_VARIATIONS; i++) {
		struct path counted = path_of(&variations[i], true);

		check(&counted);
	}
}

/* A read, and what came of it. */
struct seen {
	int result;
	struct timespec ts;
	struct read_note note;
};

#define UNTOUCHED 0x5a5a5a5a5a5a5a5aull

static struct read_note clean_note(void)
{
	return (struct read_note){.cycles = UNTOUCHED, .seq = 0x5a5a5a5a};
}

static struct seen read_page(const struct path *path, const struct vdso_time_data *page,
			     clockid_t clock)
{
	struct seen seen = {.ts = {-1, -1}, .note = clean_note()};

	seen.result = path->read(page, clock, &seen.ts, &seen.note);
	return seen;
}

static struct seen read_data(const struct path *path, clockid_t clock)
{
	return read_page(path, page_for_readers(&region), clock);
}

static bool is_normal(const struct timespec *ts)
{
	return ts->tv_nsec >= 0 && ts->tv_nsec < (long)NSEC_PER_SEC;
}

static u64 nanoseconds(const struct timespec *ts)
{
	return (u64)ts->tv_sec * NSEC_PER_SEC + (u64)ts->tv_nsec;
}

static void check_value(const struct path *path, clockid_t clock, const struct seen *seen,
			u64 expected)
{
	if (seen->result != 0)
		fail_msg("%s: clock %d gives %d", path->name, (int)clock, seen->result);
	if (!is_normal(&seen->ts))
		fail_msg("%s: clock %d has %ld ns of a second", path->name, (int)clock,
			 seen->ts.tv_nsec);
	if (nanoseconds(&seen->ts) != expected)
		fail_msg("%s: clock %d reads %llu instead of %llu", path->name, (int)clock,
			 (unsigned long long)nanoseconds(&seen->ts), (unsigned long long)expected);
}

static void check_event_counts(const struct path *path, const struct read_note *note, u32 odd_waits,
			       u32 changed, u32 fallbacks)
{
	if (note->odd_waits != odd_waits || note->changed != changed ||
	    note->fallbacks != fallbacks)
		fail_msg("%s: %u odd waits, %u changed, %u fallbacks", path->name, note->odd_waits,
			 note->changed, note->fallbacks);
	assert_int_equal(note->events, odd_waits + changed + fallbacks);
	assert_int_equal(note->spins > 0, odd_waits > 0);
}

/* The note of a read that met nobody. A bare path has not touched it. */
static void check_quiet_note(const struct path *path, clockid_t clock, const struct read_note *note,
			     u64 number, u64 cycles)
{
	struct read_note expected = clean_note();

	if (path->counted) {
		expected.seq = (u32)number * 2;
		if (!is_coarse(clock))
			expected.cycles = cycles;
	}
	if (memcmp(note, &expected, sizeof(expected)) != 0)
		fail_msg("%s: the note of clock %d is not that of a quiet read", path->name,
			 (int)clock);
}

/* Which counter values are read, in cycles from the update's cycle_last. */
static const s64 *deltas;
static size_t delta_count;

#define USE_DELTAS(list) (deltas = (list), delta_count = ARRAY_SIZE(list))

static u64 shown;

static void check_quiet_reads(const struct path *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		u64 cycles = READ_ONCE(*page_virtual_counter(page_for_readers(&region)));
		struct seen seen = read_data(path, clocks[i]);

		check_value(path, clocks[i], &seen, right_value(shown, clocks[i], cycles));
		check_quiet_note(path, clocks[i], &seen.note, shown, cycles);
	}
}

static void check_reads_at(u64 number, u64 cycles)
{
	shown = number;
	page_set_virtual_counter(&region, cycles);
	for_each_path(check_quiet_reads);
}

static void check_reads_of(enum payload_kind payload, u64 step)
{
	prepare(payload);
	for (u64 number = 1; number <= UPDATES; number += step) {
		show(number);
		for (size_t i = 0; i < delta_count; i++)
			check_reads_at(number, told[number].cycle_last + (u64)deltas[i]);
	}
}

static void test_reads_are_exact(void **state)
{
	static const s64 ordinary[] = {0, 1, 2, 3, 999, PERIOD, PERIOD * 3 / 2, 20 * PERIOD};

	(void)state;
	USE_DELTAS(ordinary);
	check_reads_of(TIME, 1);
	check_reads_of(STAMP, 1);
}

/* The reader's CPU lags behind the writer's: no time has passed. */
static void test_counter_lags(void **state)
{
	static const s64 behind[] = {-1, -2, -1000, -(s64)PERIOD, -(s64)HZ};

	(void)state;
	USE_DELTAS(behind);
	check_reads_of(TIME, 7);
	check_reads_of(STAMP, 7);
}

static void test_several_seconds_are_carried(void **state)
{
	static const s64 late[] = {HZ, 2 * HZ - 1, 3 * HZ + 7, 100 * HZ};

	(void)state;
	USE_DELTAS(late);
	check_reads_of(TIME, 7);
	check_reads_of(STAMP, 7);
}

/* Around max_cycles, and where the product needs more than 64 bits. */
static void test_overflow(void **state)
{
	(void)state;
	for (enum payload_kind payload = 0; payload < PAYLOADS; payload++) {
		prepare(payload);
		for (u64 number = 1; number <= UPDATES; number += 13) {
			const struct timekeeper *tk = &told[number];
			u64 last = tk->cycle_last;

			assert_true(big_high(big_product(5 * tk->max_cycles, tk->mult)) != 0);
			show(number);
			check_reads_at(number, last + tk->max_cycles - 1);
			check_reads_at(number, last + tk->max_cycles);
			check_reads_at(number, last + tk->max_cycles + 1);
			check_reads_at(number, last + tk->max_cycles * 5);
		}
	}
}

/* The page belongs to the readers' view alone; the host's counters must do as well. */
static void check_running_counter(const struct clocksource *cs)
{
	const struct path path = path_of_spec("hres", true);
	const struct path raw = path_of_spec("raw", true);
	struct pvclock_host host;

	if (cs->has_record)
		pvclock_start(&host, pvclock_for_host(&region), NSEC_PER_SEC,
			      clocksource_read(VDSO_CLOCKMODE_TSC, NULL), told[1].cycle_last);
	for (u64 number = 1; number <= UPDATES; number++)
		told[number].clock_mode = cs->clock_mode;
	for (int i = 0; i < 100; i++) {
		u64 before = clocksource_read(cs->clock_mode, page_for_readers(&region));
		struct seen seen, seen_raw;
		u64 after;

		told[2].cycle_last = before;
		show(2);
		oracle_tell(oracles[1], UPDATES + (u64)i + 1, &told[2]);
		oracle_tell(oracles[2], UPDATES + (u64)i + 1, &told[2]);
		seen = read_data(&path, CLOCK_MONOTONIC);
		seen_raw = read_data(&raw, CLOCK_MONOTONIC_RAW);
		after = clocksource_read(cs->clock_mode, page_for_readers(&region));
		assert_in_range(seen.note.cycles, before, after);
		assert_in_range(seen_raw.note.cycles, seen.note.cycles, after);
		check_value(&path, CLOCK_MONOTONIC, &seen,
			    right_value(UPDATES + (u64)i + 1, CLOCK_MONOTONIC, seen.note.cycles));
		check_value(&raw, CLOCK_MONOTONIC_RAW, &seen_raw,
			    right_value(UPDATES + (u64)i + 1, CLOCK_MONOTONIC_RAW,
					seen_raw.note.cycles));
	}
}

static void test_running_counters(void **state)
{
	const char *why;

	(void)state;
	for (const struct clocksource *cs = clocksources; cs->name; cs++)
		if (cs->selectable && cs->usable(&why)) {
			prepare(TIME);
			check_running_counter(cs);
		}
}

/*
 * Offsets of a time namespace. The kernel takes nanoseconds of 0 to 999 999 999 and seconds of
 * either sign, as long as the clock itself stays positive: half a second back is -1 s and
 * 500 000 000 ns. It gives them to MONOTONIC (raw and coarse too) and BOOTTIME alone; here each
 * clock has its own, so that one slot taken for another shows.
 */
static struct timens_offset namespace_offset[VDSO_BASES];

static void check_namespace_reads(const struct path *path)
{
	u64 cycles = READ_ONCE(*page_virtual_counter(page_for_readers(&region)));

	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		const struct timens_offset *offset = &namespace_offset[clocks[i]];
		struct seen seen = read_page(path, page_for_namespace(&region), clocks[i]);
		u64 expected = right_value(shown, clocks[i], cycles);

		expected += (u64)offset->sec * NSEC_PER_SEC + offset->nsec;
		check_value(path, clocks[i], &seen, expected);
		check_quiet_note(path, clocks[i], &seen.note, shown, cycles);
	}
}

static void check_namespace_with(struct timens_offset offset, s64 apart)
{
	for (int clock = 0; clock < VDSO_BASES; clock++)
		namespace_offset[clock] =
			(struct timens_offset){offset.sec + apart * clock, offset.nsec};
	page_set_namespace(&region, namespace_offset);
	for (shown = 1; shown <= UPDATES; shown += 13) {
		show(shown);
		page_set_virtual_counter(&region, cycles_of(shown) + 12345);
		for_each_path(check_namespace_reads);
	}
}

static void test_namespace(void **state)
{
	(void)state;
	for (enum payload_kind payload = 0; payload < PAYLOADS; payload++) {
		prepare(payload);
		check_namespace_with((struct timens_offset){0, 0}, 0);
		check_namespace_with((struct timens_offset){86400, 0}, 1000);
		check_namespace_with((struct timens_offset){1, 999999999}, 7);
		check_namespace_with((struct timens_offset){-5, 0}, -3);
		check_namespace_with((struct timens_offset){-1, 500000000}, 0);
		check_namespace_with((struct timens_offset){-4000, 999999999}, -1);
	}
}

/* The system call, past the C library's vDSO. */
static long host_clock(clockid_t clock, struct timespec *ts)
{
#if __SIZEOF_POINTER__ < 8
	return syscall(SYS_clock_gettime64, clock, ts) == 0 ? 0 : -errno;
#else
	return syscall(SYS_clock_gettime, clock, ts) == 0 ? 0 : -errno;
#endif
}

/* A read that must be the host's: it lies between two of the host's own. */
static void check_falls_back(const struct path *path, const struct vdso_time_data *page,
			     clockid_t clock)
{
	struct timespec before = {0, 0}, after = {0, 0};
	long result = host_clock(clock, &before);
	struct seen seen = read_page(path, page, clock);

	host_clock(clock, &after);
	if (seen.result != result)
		fail_msg("%s: clock %d gives %d, the system %ld", path->name, (int)clock,
			 seen.result, result);
	if (result == 0) {
		assert_true(is_normal(&seen.ts));
		assert_in_range(nanoseconds(&seen.ts), nanoseconds(&before), nanoseconds(&after));
	}
	if (path->counted)
		check_event_counts(path, &seen.note, 0, 0, 1);
	else
		check_quiet_note(path, clock, &seen.note, 0, 0);
}

static void check_falls_back_from_both(const struct path *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
		if (!is_coarse(clocks[i])) {
			check_falls_back(path, page_for_readers(&region), clocks[i]);
			check_falls_back(path, page_for_namespace(&region), clocks[i]);
		}
}

static void check_coarse_does_not(const struct path *path)
{
	static const clockid_t coarse[] = {CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE};

	for (size_t i = 0; i < ARRAY_SIZE(coarse); i++) {
		struct seen seen = read_data(path, coarse[i]);

		check_value(path, coarse[i], &seen, right_value(3, coarse[i], 0));
		check_quiet_note(path, coarse[i], &seen.note, 3, 0);
	}
}

static void test_modes_that_cannot_be_read(void **state)
{
	static const s32 modes[] = {VDSO_CLOCKMODE_NONE, VDSO_CLOCKMODE_PVCLOCK,
				    VDSO_CLOCKMODE_HVCLOCK, 1000, -1};
	static const struct timens_offset none[VDSO_BASES];

	(void)state;
	page_set_namespace(&region, none);
	/* No record, so that it does not call itself stable. */
	memset(pvclock_for_host(&region), 0, sizeof(struct pvclock_vcpu_time_info));
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		prepare(TIME);
		told[3].clock_mode = modes[i];
		show(3);
		for_each_path(check_falls_back_from_both);
		for_each_path(check_coarse_does_not);
	}
}

/* The counter's own way to say so. */
static void test_counter_that_cannot_be_read(void **state)
{
	(void)state;
	prepare(TIME);
	show(3);
	page_set_virtual_counter(&region, 1ull << 63);
	for_each_path(check_falls_back_from_both);
	for_each_path(check_coarse_does_not);
	page_set_virtual_counter(&region, COUNTER_UNREADABLE);
	for_each_path(check_falls_back_from_both);
}

static void check_unknown_clocks(const struct path *path)
{
	static const clockid_t unknown[] = {CLOCK_PROCESS_CPUTIME_ID,
					    CLOCK_THREAD_CPUTIME_ID,
					    CLOCK_REALTIME_ALARM,
					    CLOCK_BOOTTIME_ALARM,
					    10,
					    12,
					    13,
					    31,
					    32,
					    33,
					    100,
					    -1,
					    -2,
					    INT_MAX,
					    INT_MIN};

	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++) {
		check_falls_back(path, page_for_readers(&region), unknown[i]);
		check_falls_back(path, page_for_namespace(&region), unknown[i]);
	}
}

static void test_unknown_clocks(void **state)
{
	struct timespec ts;

	(void)state;
	prepare(TIME);
	show(3);
	page_set_virtual_counter(&region, cycles_of(3));
	/* Lest the check below compares nothing but errors, or nothing but times. */
	assert_int_equal(host_clock(CLOCK_THREAD_CPUTIME_ID, &ts), 0);
	assert_int_equal(host_clock(100, &ts), -EINVAL);
	for_each_path(check_unknown_clocks);
}

/* What happens when the reader touches the counter's page. */
static void (*volatile intrusion)(void);

static void *counter_page(void)
{
	return (char *)(uintptr_t)region.readonly + PAGE_COUNTER * SIM_PAGE_BYTES;
}

static void open_counter_page(void)
{
	/* Under ThreadSanitizer it is the writer's, too. */
	mprotect(counter_page(), SIM_PAGE_BYTES, CONTEND_TSAN ? PROT_READ | PROT_WRITE : PROT_READ);
}

static void on_fault(int signal_number, siginfo_t *info, void *context)
{
	void (*intrude)(void) = intrusion;

	(void)context;
	/* Nothing of ours: fault again, and die of it. */
	if (!intrude || (char *)info->si_addr < (char *)counter_page() ||
	    (char *)info->si_addr >= (char *)counter_page() + SIM_PAGE_BYTES) {
		signal(signal_number, SIG_DFL);
		return;
	}
	intrusion = NULL;
	open_counter_page();
	intrude();
}

static struct sigaction handle(int signal_number, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	struct sigaction before;

	assert_int_equal(sigaction(signal_number, &action, &before), 0);
	return before;
}

static struct seen read_with_intrusion(const struct path *path, const struct vdso_time_data *page,
				       clockid_t clock, struct read_note note,
				       void (*intrude)(void))
{
	struct seen seen = {.ts = {-1, -1}, .note = note};
	struct sigaction before = handle(SIGSEGV, on_fault);

	intrusion = intrude;
	assert_int_equal(mprotect(counter_page(), SIM_PAGE_BYTES, PROT_NONE), 0);
	seen.result = path->read(page, clock, &seen.ts, &seen.note);
	open_counter_page();
	sigaction(SIGSEGV, &before, NULL);
	assert_null(intrusion);
	return seen;
}

#define CYCLES_BEFORE (cycles_of(5) + 1111111)
#define CYCLES_AFTER  (cycles_of(6) + 2222222)

static void start_before_update_6(void)
{
	show(5);
	page_set_virtual_counter(&region, CYCLES_BEFORE);
}

static void make_update_6(void)
{
	update_vsyscall(page_for_writer(&region), &page_layout_current, &told[6]);
	page_set_virtual_counter(&region, CYCLES_AFTER);
}

/*
 * What a reader of this clock may make of updates 5 and 6: the compiler may have loaded some fields
 * before the counter, so each bit of `mix` takes one field from the later update.
 */
static u64 mixed_value(clockid_t clock, u32 mix, u64 cycles)
{
	struct oracle_update a, b;

	assert_true(oracle_recall(oracle_of(clock), 5, &a));
	assert_true(oracle_recall(oracle_of(clock), 6, &b));
	if (mix & 1)
		a.cycle_last = b.cycle_last;
	if (mix & 2)
		a.sec = b.sec;
	if (mix & 4)
		a.nsec = b.nsec;
	if (mix & 8)
		a.mult = b.mult;
	if (mix & 16)
		a.shift = b.shift;
	return oracle_nanoseconds(&a, cycles);
}

static bool is_mixture(clockid_t clock, u64 value, u64 cycles)
{
	for (u32 mix = 0; mix < 32; mix++)
		if (mixed_value(clock, mix, cycles) == value)
			return true;
	return false;
}

static void check_lost_attempt(const struct path *path, clockid_t clock,
			       const struct lost_attempt *lost, u64 cycles)
{
	assert_int_equal(lost->seq, 10);
	assert_int_equal(lost->cycles, cycles);
	assert_int_equal(lost->end_seq, 12);
	if (!is_mixture(clock, lost->sec * NSEC_PER_SEC + lost->nsec, cycles))
		fail_msg("%s: the lost attempt at clock %d is made of neither update", path->name,
			 (int)clock);
}

static void check_changed_once(const struct path *path, const struct vdso_time_data *page,
			       clockid_t clock)
{
	struct seen seen;

	start_before_update_6();
	seen = read_with_intrusion(path, page, clock, clean_note(), make_update_6);
	check_value(path, clock, &seen, right_value(6, clock, CYCLES_AFTER));
	if (!path->counted) {
		check_quiet_note(path, clock, &seen.note, 0, 0);
		return;
	}
	check_event_counts(path, &seen.note, 0, 1, 0);
	assert_int_equal(seen.note.seq, 12);
	assert_int_equal(seen.note.cycles, CYCLES_AFTER);
	assert_int_equal(seen.note.off_cpu, 0);
	check_lost_attempt(path, clock, &seen.note.lost[0], CYCLES_AFTER);
	assert_int_equal(seen.note.lost[1].seq, 0);
}

static void check_changed(const struct path *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
		if (!is_coarse(clocks[i])) {
			check_changed_once(path, page_for_readers(&region), clocks[i]);
			check_changed_once(path, page_for_namespace(&region), clocks[i]);
		}
}

static void test_changed_while_reading(void **state)
{
	static const struct timens_offset none[VDSO_BASES];

	(void)state;
	page_set_namespace(&region, none);
	for (enum payload_kind payload = 0; payload < PAYLOADS; payload++) {
		prepare(payload);
		for_each_path(check_changed);
	}
}

/* The same while the sequence is about to wrap. */
static void check_changed_at_the_wrap(const struct path *path)
{
	struct seen seen;

	start_before_update_6();
	vdso_set_sequences(page_for_writer(&region), &page_layout_current, UINT32_MAX - 1);
	seen = read_with_intrusion(path, page_for_readers(&region), CLOCK_MONOTONIC, clean_note(),
				   make_update_6);
	check_value(path, CLOCK_MONOTONIC, &seen, right_value(6, CLOCK_MONOTONIC, CYCLES_AFTER));
	check_event_counts(path, &seen.note, 0, 1, 0);
	assert_int_equal(seen.note.seq, 0);
	assert_int_equal(seen.note.lost[0].seq, UINT32_MAX - 1);
}

static void test_changed_at_the_wrap(void **state)
{
	(void)state;
	prepare(STAMP);
	for_each_counted_path(check_changed_at_the_wrap);
}

/* The counter alone moves on: nothing to retry. */
static void move_counter_only(void)
{
	page_set_virtual_counter(&region, CYCLES_AFTER);
}

static void check_unchanged(const struct path *path)
{
	struct seen seen;

	start_before_update_6();
	seen = read_with_intrusion(path, page_for_readers(&region), CLOCK_TAI, clean_note(),
				   move_counter_only);
	check_value(path, CLOCK_TAI, &seen, right_value(5, CLOCK_TAI, CYCLES_AFTER));
	check_quiet_note(path, CLOCK_TAI, &seen.note, 5, CYCLES_AFTER);
}

static void test_unchanged_while_reading(void **state)
{
	(void)state;
	prepare(STAMP);
	for_each_path(check_unchanged);
}

/* The word that tells whether the thread was off its CPU. */
static u64 on_cpu_word;
#define ON_CPU_MARK 0x123456789abcdef0ull

static void make_update_6_off_cpu(void)
{
	on_cpu_word = 0;
	make_update_6();
}

static struct seen read_with_flag(const struct path *path, u64 word, void (*intrude)(void))
{
	struct read_note note = clean_note();

	note.on_cpu = &on_cpu_word;
	note.on_cpu_mark = ON_CPU_MARK;
	on_cpu_word = word;
	start_before_update_6();
	return read_with_intrusion(path, page_for_readers(&region), CLOCK_MONOTONIC, note, intrude);
}

static void check_off_cpu(const struct path *path)
{
	struct seen seen = read_with_flag(path, ON_CPU_MARK, make_update_6_off_cpu);

	check_event_counts(path, &seen.note, 0, 1, 0);
	assert_int_equal(seen.note.off_cpu, 1);
	assert_int_equal(on_cpu_word, ON_CPU_MARK);
	check_lost_attempt(path, CLOCK_MONOTONIC, &seen.note.lost[0], CYCLES_AFTER);

	seen = read_with_flag(path, ON_CPU_MARK, make_update_6);
	check_event_counts(path, &seen.note, 0, 1, 0);
	assert_int_equal(seen.note.off_cpu, 0);
	assert_int_equal(on_cpu_word, ON_CPU_MARK);
	check_lost_attempt(path, CLOCK_MONOTONIC, &seen.note.lost[0], CYCLES_AFTER);

	/* Whatever is not zero was left by the kernel: the thread has stayed where it was. */
	seen = read_with_flag(path, 1, make_update_6);
	assert_int_equal(seen.note.off_cpu, 0);
	assert_int_equal(on_cpu_word, 1);

	/* Off its CPU, but nothing has changed meanwhile: nobody asks. */
	seen = read_with_flag(path, 0, move_counter_only);
	check_event_counts(path, &seen.note, 0, 0, 0);
	assert_int_equal(seen.note.off_cpu, 0);
	assert_int_equal(on_cpu_word, 0);
}

static void test_off_cpu(void **state)
{
	(void)state;
	prepare(STAMP);
	for_each_counted_path(check_off_cpu);
}

/* Of more attempts than a note has room for, the first are kept and all are counted. */
static void test_note_keeps_the_first_attempts(void **state)
{
	struct {
		struct read_note note;
		u64 behind[16];
	} kept;

	(void)state;
	memset(&kept, 0, sizeof(kept));
	for (u32 i = 0; i < 2 * NOTE_LOST_ATTEMPTS; i++) {
		NOTE_USED_SEQ(&kept.note, i * 2);
		NOTE_USED_CYCLES(&kept.note, 1000 + i);
		NOTE_SPIN(&kept.note);
		NOTE_SPIN(&kept.note);
		NOTE_CHANGED(&kept.note, 50 + i, 70 + i, i * 2 + 2);
		assert_int_equal(kept.note.changed, i + 1);
		assert_int_equal(kept.note.odd_waits, i + 1);
		assert_int_equal(kept.note.spins, 2 * (i + 1));
	}
	for (u32 i = 0; i < NOTE_LOST_ATTEMPTS; i++) {
		assert_int_equal(kept.note.lost[i].seq, i * 2);
		assert_int_equal(kept.note.lost[i].end_seq, i * 2 + 2);
		assert_int_equal(kept.note.lost[i].cycles, 1000 + i);
		assert_int_equal(kept.note.lost[i].sec, 50 + i);
		assert_int_equal(kept.note.lost[i].nsec, 70 + i);
	}
	for (size_t i = 0; i < ARRAY_SIZE(kept.behind); i++)
		assert_int_equal(kept.behind[i], 0);
}

/*
 * An odd sequence, ended by a timer. Its handler leaves the update alone until the reader has told
 * of a pause; of a bare reader it cannot know, and ends it at once.
 */
static volatile u32 *pauses;
static volatile sig_atomic_t update_is_open;

static void on_timer(int signal_number, siginfo_t *info, void *context)
{
	(void)signal_number;
	(void)info;
	(void)context;
	if (!update_is_open || (pauses && *pauses == 0))
		return;
	update_is_open = 0;
	vdso_write_end(page_for_writer(&region), &page_layout_current);
}

static void open_update_6(void)
{
	struct vdso_time_data *page = page_for_writer(&region);

	vdso_write_begin(page, &page_layout_current);
	publish_coarse(page, &page_layout_current, &told[6]);
	publish_hres(page, &page_layout_current, &told[6]);
	page_set_virtual_counter(&region, CYCLES_AFTER);
	/* The handler may come at once, unknown to the compiler. */
	barrier();
	update_is_open = 1;
}

/*
 * ThreadSanitizer puts all signals off until the next call of something that it knows, but those
 * that an instruction may cause, as this one; and a bare path is unknown to it.
 */
#define TIMER_SIGNAL SIGSYS

static timer_t often_timer;

static struct sigaction start_timer(void)
{
	const struct itimerspec often = {{0, 100000}, {0, 100000}};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = TIMER_SIGNAL};
	struct sigaction before = handle(TIMER_SIGNAL, on_timer);

	assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &often_timer), 0);
	assert_int_equal(timer_settime(often_timer, 0, &often, NULL), 0);
	return before;
}

static void stop_timer(const struct sigaction *before)
{
	timer_delete(often_timer);
	sigaction(TIMER_SIGNAL, before, NULL);
}

static struct seen read_while_odd(const struct path *path, const struct vdso_time_data *page,
				  clockid_t clock)
{
	struct seen seen = {.ts = {-1, -1}, .note = clean_note()};
	struct sigaction before;

	start_before_update_6();
	pauses = path->counted ? &seen.note.spins : NULL;
	open_update_6();
	before = start_timer();
	seen.result = path->read(page, clock, &seen.ts, &seen.note);
	stop_timer(&before);
	assert_false(update_is_open);
	return seen;
}

static void check_odd_once(const struct path *path, const struct vdso_time_data *page,
			   clockid_t clock)
{
	struct seen seen = read_while_odd(path, page, clock);

	check_value(path, clock, &seen, right_value(6, clock, CYCLES_AFTER));
	if (!path->counted) {
		check_quiet_note(path, clock, &seen.note, 0, 0);
		return;
	}
	check_event_counts(path, &seen.note, 1, 0, 0);
	assert_int_equal(seen.note.seq, 12);
	assert_int_equal(seen.note.cycles, is_coarse(clock) ? UNTOUCHED : CYCLES_AFTER);
}

static void check_odd(const struct path *path)
{
	static const clockid_t three[] = {CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW,
					  CLOCK_REALTIME_COARSE};

	for (size_t i = 0; i < ARRAY_SIZE(three); i++) {
		check_odd_once(path, page_for_readers(&region), three[i]);
		check_odd_once(path, page_for_namespace(&region), three[i]);
	}
}

static void test_odd_wait(void **state)
{
	static const struct timens_offset none[VDSO_BASES];

	(void)state;
	page_set_namespace(&region, none);
	prepare(STAMP);
	for_each_path(check_odd);
}

/* Each clock structure has its own sequence, and a reader waits for the one it reads. */
static void test_other_sequence_is_odd(void **state)
{
	struct vdso_time_data *page = page_for_writer(&region);
	const struct path path = path_of_spec("hres", true);
	struct seen seen;

	(void)state;
	prepare(STAMP);
	show(5);
	page_set_virtual_counter(&region, CYCLES_BEFORE);
	WRITE_ONCE(page->clock_data[CS_RAW].seq, 11);
	seen = read_data(&path, CLOCK_MONOTONIC);
	check_value(&path, CLOCK_MONOTONIC, &seen, right_value(5, CLOCK_MONOTONIC, CYCLES_BEFORE));
	check_quiet_note(&path, CLOCK_MONOTONIC, &seen.note, 5, CYCLES_BEFORE);
	show(5);
	WRITE_ONCE(page->clock_data[CS_HRES_COARSE].seq, 11);
	seen = read_data(&path, CLOCK_MONOTONIC_RAW);
	check_value(&path, CLOCK_MONOTONIC_RAW, &seen,
		    right_value(5, CLOCK_MONOTONIC_RAW, CYCLES_BEFORE));
	check_quiet_note(&path, CLOCK_MONOTONIC_RAW, &seen.note, 5, CYCLES_BEFORE);
}

/*
 * Odd at first, ended; then an update begins in the middle of the attempt and is ended in turn: an
 * attempt thrown away between two odd waits.
 */
static u32 pauses_before;

static void open_update_7(void)
{
	struct vdso_time_data *page = page_for_writer(&region);

	vdso_write_begin(page, &page_layout_current);
	publish_coarse(page, &page_layout_current, &told[7]);
	publish_hres(page, &page_layout_current, &told[7]);
	/* The pauses so far are not those of the wait to come. */
	pauses_before = *pauses;
	barrier();
	update_is_open = 1;
}

static void on_second_timer(int signal_number, siginfo_t *info, void *context)
{
	if (update_is_open && *pauses > pauses_before)
		on_timer(signal_number, info, context);
}

static void check_odd_twice(const struct path *path)
{
	struct seen seen = {.note = clean_note()};
	struct sigaction timer, fault, unused;

	start_before_update_6();
	pauses = &seen.note.spins;
	pauses_before = 0;
	open_update_6();
	intrusion = open_update_7;
	fault = handle(SIGSEGV, on_fault);
	timer = start_timer();
	unused = handle(TIMER_SIGNAL, on_second_timer);
	(void)unused;
	mprotect(counter_page(), SIM_PAGE_BYTES, PROT_NONE);
	seen.result = path->read(page_for_readers(&region), CLOCK_BOOTTIME, &seen.ts, &seen.note);
	open_counter_page();
	stop_timer(&timer);
	sigaction(SIGSEGV, &fault, NULL);
	check_value(path, CLOCK_BOOTTIME, &seen, right_value(7, CLOCK_BOOTTIME, CYCLES_AFTER));
	check_event_counts(path, &seen.note, 2, 1, 0);
	assert_int_equal(seen.note.seq, 14);
	assert_int_equal(seen.note.lost[0].seq, 12);
	assert_int_equal(seen.note.lost[0].cycles, CYCLES_AFTER);
}

static void test_odd_twice(void **state)
{
	(void)state;
	prepare(STAMP);
	for_each_counted_path(check_odd_twice);
}

#if CAN_STEP

#define TRAP_FLAG 0x100u

/* One update in four pieces, each after so many instructions of the read. */
#define PIECES 4

static struct {
	u64 step;
	u64 after[PIECES];
	int piece;
} stepper;

static void make_piece(int piece)
{
	struct vdso_time_data *page = page_for_writer(&region);

	switch (piece) {
	case 0:
		vdso_write_begin(page, &page_layout_current);
		break;
	case 1:
		publish_coarse(page, &page_layout_current, &told[6]);
		break;
	case 2:
		publish_hres(page, &page_layout_current, &told[6]);
		break;
	default:
		vdso_write_end(page, &page_layout_current);
		break;
	}
}

static void on_step(int signal_number, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;

	(void)signal_number;
	(void)info;
	stepper.step++;
	while (stepper.piece < PIECES && stepper.step >= stepper.after[stepper.piece])
		make_piece(stepper.piece++);
	/* The rest of the read is of no interest, and a step costs many microseconds. */
	if (stepper.piece == PIECES)
		interrupted->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
}

/*
 * The sequence goes odd `apart` instructions before the `middle`, where the fields are written in
 * two pieces, and even as many after it. With apart 0 the whole update lies between two
 * instructions. The counter stands still, so that a right read is one of two values.
 */
static struct seen read_in_steps(const struct path *path, const struct vdso_time_data *page,
				 clockid_t clock, u64 middle, u64 apart)
{
	struct seen seen = {.ts = {-1, -1}, .note = clean_note()};

	show(5);
	page_set_virtual_counter(&region, CYCLES_AFTER);
	stepper.step = 0;
	stepper.after[0] = middle > apart ? middle - apart : 0;
	stepper.after[1] = middle;
	stepper.after[2] = middle + (apart > 0);
	stepper.after[3] = middle + apart;
	stepper.piece = 0;
	/* The handler runs from here on, unknown to the compiler. */
	barrier();
	__writeeflags(__readeflags() | TRAP_FLAG);
	seen.result = path->read(page, clock, &seen.ts, &seen.note);
	__writeeflags(__readeflags() & ~(__typeof__(__readeflags()))TRAP_FLAG);
	barrier();
	return seen;
}

static u64 steps_of_read(const struct path *path, const struct vdso_time_data *page,
			 clockid_t clock)
{
	read_in_steps(path, page, clock, UINT64_MAX / 2, 0);
	assert_int_equal(stepper.piece, 0);
	return stepper.step;
}

/* What came of all the places at which the update met the read. */
struct stepped {
	u64 reads;
	u64 torn;
	u64 before; /* reads of the update before */
	u64 after;
	u64 strange; /* whose note names the other update */
	u64 changed;
	u64 odd_waits;
	u64 caught; /* mixtures thrown away */
};

static void count_stepped(struct stepped *sum, clockid_t clock, const struct seen *seen)
{
	u64 value = nanoseconds(&seen->ts);
	bool before = value == right_value(5, clock, CYCLES_AFTER);
	bool after = value == right_value(6, clock, CYCLES_AFTER);

	assert_int_equal(seen->result, 0);
	sum->reads++;
	sum->before += before;
	sum->after += after;
	sum->torn += !before && !after;
	sum->strange += seen->note.seq != (after ? 12u : 10u);
	sum->changed += seen->note.changed;
	sum->odd_waits += seen->note.odd_waits;
	for (u32 i = 0; i < seen->note.changed && i < NOTE_LOST_ATTEMPTS; i++) {
		const struct lost_attempt *lost = &seen->note.lost[i];

		sum->caught += oracle_judge(oracle_of(clock), lost->seq, lost->cycles,
					    lost->sec * NSEC_PER_SEC + lost->nsec) == ORACLE_TORN;
	}
}

/* The middle is after each instruction in turn; half the update is `percent` of a read long. */
static void step_through(struct stepped *sum, const struct path *path,
			 const struct vdso_time_data *page, clockid_t clock, u64 percent)
{
	struct sigaction action = handle(SIGTRAP, on_step);
	u64 steps = steps_of_read(path, page, clock);
	u64 apart = (steps * percent + 99) / 100;

	/* A sanitizer makes a read so long that only some of its places can be tried. */
	for (u64 middle = 1; middle <= steps + apart; middle += steps < 150 ? 1 : steps / 40) {
		struct seen seen = read_in_steps(path, page, clock, middle, apart);

		count_stepped(sum, clock, &seen);
	}
	sigaction(SIGTRAP, &action, NULL);
}

static void check_stepped(const struct path *path, clockid_t clock, const struct stepped *sum)
{
	if (sum->torn)
		fail_msg("%s: %llu of %llu reads of clock %d are torn", path->name,
			 (unsigned long long)sum->torn, (unsigned long long)sum->reads, (int)clock);
	/* The update has been within the read, before it and after it. */
	assert_true(sum->before > 0);
	assert_true(sum->after > 0);
	assert_int_equal(sum->before + sum->after, sum->reads);
	if (path->counted) {
		assert_int_equal(sum->strange, 0);
		assert_true(sum->changed > 0);
		/* Both fields of a coarse clock may be loaded by one instruction. */
		assert_true(sum->caught > 0 || is_coarse(clock));
	}
}

/* An update between two instructions: nobody finds it half done, or the sequence odd. */
static void step_through_whole_updates(const struct path *path, clockid_t clock)
{
	struct stepped sum = {0};

	step_through(&sum, path, page_for_readers(&region), clock, 0);
	check_stepped(path, clock, &sum);
	assert_int_equal(sum.odd_waits, 0);
}

static void test_update_after_each_instruction(void **state)
{
	const struct path path = path_of_spec("hres", true);

	(void)state;
	prepare(STAMP);
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
		step_through_whole_updates(&path, clocks[i]);
	/* Five has no factor in common with what varies, so each value of each key is met. */
	for (int i = 0; i < CURRENT_VARIATIONS; i += 5) {
		const struct path bare = path_of(&variations[i], false);

		step_through_whole_updates(&bare, CLOCK_MONOTONIC);
	}
}

/* As if from another CPU: in step with the reader, and slower. */
static void step_through_slow_updates(struct stepped *sum, const struct path *path,
				      const struct vdso_time_data *page, clockid_t clock)
{
	static const u64 percents[] = {1, 7, 20, 50};

	for (size_t i = 0; i < ARRAY_SIZE(percents); i++)
		step_through(sum, path, page, clock, percents[i]);
}

static void check_slow_updates(const struct path *path, const struct vdso_time_data *page,
			       clockid_t clock)
{
	struct stepped sum = {0};

	step_through_slow_updates(&sum, path, page, clock);
	check_stepped(path, clock, &sum);
	assert_true(sum.odd_waits > 0);
}

static void test_update_beside_each_instruction(void **state)
{
	static const struct timens_offset none[VDSO_BASES];
	const struct path path = path_of_spec("hres", true);

	(void)state;
	prepare(STAMP);
	page_set_namespace(&region, none);
	check_slow_updates(&path, page_for_readers(&region), CLOCK_MONOTONIC);
	check_slow_updates(&path, page_for_readers(&region), CLOCK_REALTIME_COARSE);
	check_slow_updates(&path, page_for_namespace(&region), CLOCK_MONOTONIC_RAW);
}

/* The same must tear every reader that is broken. */
/* These lack what a machine needs that reorders loads: in x86's order they are right. */
static bool needs_other_machine(const char *name)
{
	static const char *const names[] = {"no-begin-rmb", "no-end-rmb", "acquire-recheck"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static void test_mutants_are_torn(void **state)
{
	int mutants = 0;

	(void)state;
	prepare(STAMP);
	for (const struct reader_kind *const *kind = reader_kinds; *kind; kind++) {
		struct stepped sum = {0};
		struct path path;

		/* One is torn by another writer than the page's: see test_pvclock.c. One would end
		 * the process: see test_verify.c. */
		if (!(*kind)->fault || strcmp((*kind)->name, "pvclock-version-ignored") == 0 ||
		    strcmp((*kind)->name, "acts-too-early") == 0)
			continue;
		mutants++;
		path = path_of_spec((*kind)->name, true);
		step_through(&sum, &path, page_for_readers(&region), CLOCK_MONOTONIC, 0);
		step_through_slow_updates(&sum, &path, page_for_readers(&region), CLOCK_MONOTONIC);
		if (!sum.torn != needs_other_machine((*kind)->name))
			fail_msg("%s is %s torn", path.name, sum.torn ? "" : "never");
	}
	assert_true(mutants >= 8);
}

#else

static void test_update_after_each_instruction(void **state)
{
	(void)state;
	skip();
}

static void test_update_beside_each_instruction(void **state)
{
	(void)state;
	skip();
}

static void test_mutants_are_torn(void **state)
{
	(void)state;
	skip();
}

#endif

/* With nobody writing, a mutant reads as a correct reader does. */
static void test_mutants_are_right_when_alone(void **state)
{
	(void)state;
	prepare(TIME);
	for (const struct reader_kind *const *kind = reader_kinds; *kind; kind++)
		for (int counted = 0; (*kind)->fault && counted < 2; counted++) {
			struct path path = path_of_spec((*kind)->name, counted);

			shown = 3;
			show(3);
			page_set_virtual_counter(&region, cycles_of(3) + 4711);
			check_quiet_reads(&path);
		}
}

/* Names. */
static struct reader reader;
static struct errmsg err;

static void resolve(const char *text)
{
	if (reader_resolve(text, &reader, &err))
		fail_msg("'%s' refused: %s", text, err.text);
}

static void check_resolved(const char *text, const char *kind, clockid_t clock, const char *path,
			   const char *variation)
{
	resolve(text);
	assert_string_equal(reader.kind->name, kind);
	assert_int_equal(reader.clock, clock);
	assert_string_equal(reader.path, path);
	assert_string_equal(reader.variation, variation);
	assert_int_equal(reader.uses_counter, !is_coarse(clock));
	assert_non_null(reader.counted);
	assert_non_null(reader.bare);
	assert_true(reader.counted != reader.bare);
}

static void test_resolve_defaults(void **state)
{
	(void)state;
	check_resolved("hres", "hres", CLOCK_MONOTONIC, "hres/monotonic", "unlikely, inlined");
	check_resolved("raw", "raw", CLOCK_MONOTONIC_RAW, "raw/monotonic_raw", "unlikely, inlined");
	check_resolved("coarse", "coarse", CLOCK_MONOTONIC_COARSE, "coarse/monotonic_coarse",
		       "unlikely, inlined");
	check_resolved("timens", "timens", CLOCK_MONOTONIC, "timens/monotonic",
		       "unlikely, inlined");
	check_resolved("no-retry", "no-retry", CLOCK_MONOTONIC, "no-retry/monotonic", "mutant");
}

static void test_resolve_clocks(void **state)
{
	static const struct {
		const char *text;
		clockid_t clock;
	} specs[] = {
		{"hres:clock=realtime", CLOCK_REALTIME},
		{"hres:clock=monotonic", CLOCK_MONOTONIC},
		{"hres:clock=boottime", CLOCK_BOOTTIME},
		{"hres:clock=tai", CLOCK_TAI},
		{"raw:clock=monotonic_raw", CLOCK_MONOTONIC_RAW},
		{"coarse:clock=realtime_coarse", CLOCK_REALTIME_COARSE},
		{"coarse:clock=monotonic_coarse", CLOCK_MONOTONIC_COARSE},
		{"timens:clock=realtime", CLOCK_REALTIME},
		{"timens:clock=monotonic_raw", CLOCK_MONOTONIC_RAW},
		{"timens:clock=monotonic_coarse", CLOCK_MONOTONIC_COARSE},
		{"half-outside:clock=tai", CLOCK_TAI},
		{"no-odd-check:clock=monotonic_raw", CLOCK_MONOTONIC_RAW},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
		resolve(specs[i].text);
		if (reader.clock != specs[i].clock)
			fail_msg("'%s' is clock %d", specs[i].text, (int)reader.clock);
		assert_int_equal(reader.uses_counter, !is_coarse(specs[i].clock));
		assert_int_equal(reader.in_namespace, strncmp(specs[i].text, "timens", 6) == 0);
	}
}

static void test_resolve_names_variations(void **state)
{
	(void)state;
	check_resolved("hres:hint=likely,inline=never", "hres", CLOCK_MONOTONIC, "hres/monotonic",
		       "likely, not inlined");
	check_resolved("hres:hint=none,inline=auto,callers=2,clock=tai", "hres", CLOCK_TAI,
		       "hres/tai", "no hint, inline=auto, 2 callers");
	check_resolved("raw:retry=likely", "raw", CLOCK_MONOTONIC_RAW, "raw/monotonic_raw",
		       "unlikely, retry likely, inlined");
	check_resolved("coarse:retry=none,hint=likely", "coarse", CLOCK_MONOTONIC_COARSE,
		       "coarse/monotonic_coarse", "likely, retry none, inlined");
}

/* All combinations of three, three, three and two, each once and each with code of its own. */
static void test_variations(void **state)
{
	char names[128][sizeof(reader.variation)];

	(void)state;
	assert_int_equal(variation_count, CURRENT_VARIATIONS + 6);
	for (int i = 0; i < variation_count; i++) {
		const struct variation *v = &variations[i];
		char text[SPEC_MAX_TEXT];

		snprintf(text, sizeof(text), "hres:layout=%s,hint=%s,retry=%s,inline=%s,callers=%s",
			 v->layout, v->hint, v->retry, v->inlining, v->callers);
		resolve(text);
		assert_string_equal(reader.layout->name, v->layout);
		assert_int_equal(i < CURRENT_VARIATIONS, reader.layout == &page_layout_current);
		assert_true(reader.counted == v->counted);
		assert_true(reader.bare == v->bare);
		strcpy(names[i], reader.variation);
		for (int j = 0; j < i; j++) {
			assert_string_not_equal(names[j], names[i]);
			assert_true(variations[j].counted != v->counted);
			assert_true(variations[j].bare != v->bare);
		}
	}
}

static void check_page_of(const struct variation *v, const struct page_region *page, u64 number)
{
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		const u64 cycles = told[number].cycle_last + 1000 * number;
		struct read_note note = {.on_cpu = NULL};
		struct timespec counted, bare;
		u64 right;

		if (clocks[i] == CLOCK_MONOTONIC_RAW && !page->layout->has_raw)
			continue;
		page_set_virtual_counter(page, cycles);
		right = right_value(number, clocks[i], cycles);
		assert_int_equal(v->counted(page_for_readers(page), clocks[i], &counted, &note), 0);
		assert_int_equal(v->bare(page_for_readers(page), clocks[i], &bare, NULL), 0);
		if (right != (u64)counted.tv_sec * NSEC_PER_SEC + (u64)counted.tv_nsec)
			fail_msg("%s: clock %d is wrong after update %llu", v->layout,
				 (int)clocks[i], (unsigned long long)number);
		assert_int_equal(counted.tv_sec, bare.tv_sec);
		assert_int_equal(counted.tv_nsec, bare.tv_nsec);
		assert_int_equal(note.seq, number * 2);
		assert_int_equal(note.events, 0);
	}
}

/* Every field comes from where the writer has put it: what its number makes is in each stamp. */
static void test_pages_of_other_layouts(void **state)
{
	(void)state;
	prepare(STAMP);
	for (int i = 0; i < variation_count; i++) {
		const struct page_layout *layout = page_layout_find(variations[i].layout);
		struct page_region page;

		assert_int_equal(page_region_map(&page, layout, layout->data_offset, &err), 0);
		for (u64 number = 1; number <= UPDATES; number++) {
			update_vsyscall(page_for_writer(&page), layout, &told[number]);
			check_page_of(&variations[i], &page, number);
		}
		page_region_unmap(&page);
	}
}

static void check_refused(const char *text, const char *culprit, const char *remedy)
{
	memset(&err, 0, sizeof(err));
	if (reader_resolve(text, &reader, &err) != -1)
		fail_msg("'%s' accepted", text);
	if (!strstr(err.text, culprit))
		fail_msg("\"%s\" does not name %s", err.text, culprit);
	if (!strstr(err.text, remedy))
		fail_msg("\"%s\" does not name %s", err.text, remedy);
	if (strchr(err.text, '\n'))
		fail_msg("\"%s\" is not one sentence", err.text);
}

static void test_resolve_refuses(void **state)
{
	static const struct {
		const char *text;
		const char *culprit;
		const char *remedy;
	} wrong[] = {
		{"", "''", "name[:key=value,...]"},
		{"hre", "no reader 'hre'", "hres, raw, coarse, timens"},
		{"hress", "no reader 'hress'", "hres, raw, coarse, timens"},
		{"Hres", "no reader 'Hres'", "hres, raw, coarse, timens"},
		{"tick", "no reader 'tick'", "hres, raw, coarse, timens"},
		{"hres:", "''", "key=value"},
		{"hres:clock", "'clock'", "key=value"},
		{"hres:clock=tai,clock=tai", "'clock'", "twice"},
		{"hres:speed=9", "reader 'hres' has no key 'speed'",
		 "it has clock, layout, hint, retry, inline, callers"},
		{"no-retry:hint=none", "reader 'no-retry' has no key 'hint'", "it has clock"},
		{"hres:clock=utc", "clock=utc", "realtime|monotonic|boottime|tai"},
		{"hres:clock=monotonic_raw", "clock=monotonic_raw",
		 "realtime|monotonic|boottime|tai"},
		{"raw:clock=monotonic", "clock=monotonic", "one of monotonic_raw"},
		{"coarse:clock=monotonic", "clock=monotonic", "realtime_coarse|monotonic_coarse"},
		{"timens:clock=", "'clock='", "key=value"},
		{"hres:hint=maybe", "hint=maybe", "none|unlikely|likely"},
		{"hres:retry=", "'retry='", "key=value"},
		{"hres:inline=yes", "inline=yes", "always|never|auto"},
		{"hres:callers=3", "callers=3", "1|2"},
		{"hres:layout=v9", "layout=v9", "current|v6.17"},
		{"raw:layout=gtod", "gtod", "monotonic_raw"},
		{"timens:layout=gtod-basemult", "gtod-basemult", "time namespaces"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		check_refused(wrong[i].text, wrong[i].culprit, wrong[i].remedy);
}

/* Mutants can be named, but nobody is pointed to them. */
static void test_mutants_are_not_suggested(void **state)
{
	struct errmsg suggestion;

	(void)state;
	check_refused("nobody", "'nobody'", "hres");
	suggestion = err;
	for (const struct reader_kind *const *kind = reader_kinds; *kind; kind++) {
		assert_int_equal(strstr(suggestion.text, (*kind)->name) == NULL,
				 (*kind)->fault != NULL);
		/* Those are of a file, which there is not. */
		if (strcmp((*kind)->name, "image") == 0 || strchr((*kind)->name, '/'))
			continue;
		resolve((*kind)->name);
		assert_ptr_equal(reader.kind, *kind);
	}
	check_refused("image", "of what?", "image:host or image:FILE");
}

static void test_clock_names(void **state)
{
	(void)state;
	assert_string_equal(clock_name(CLOCK_REALTIME), "realtime");
	assert_string_equal(clock_name(CLOCK_MONOTONIC), "monotonic");
	assert_string_equal(clock_name(CLOCK_MONOTONIC_RAW), "monotonic_raw");
	assert_string_equal(clock_name(CLOCK_REALTIME_COARSE), "realtime_coarse");
	assert_string_equal(clock_name(CLOCK_MONOTONIC_COARSE), "monotonic_coarse");
	assert_string_equal(clock_name(CLOCK_BOOTTIME), "boottime");
	assert_string_equal(clock_name(CLOCK_TAI), "tai");
	assert_null(clock_name(CLOCK_PROCESS_CPUTIME_ID));
	assert_null(clock_name(12));
	assert_null(clock_name(-1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_are_exact),
		cmocka_unit_test(test_counter_lags),
		cmocka_unit_test(test_several_seconds_are_carried),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_running_counters),
		cmocka_unit_test(test_namespace),
		cmocka_unit_test(test_modes_that_cannot_be_read),
		cmocka_unit_test(test_counter_that_cannot_be_read),
		cmocka_unit_test(test_unknown_clocks),
		cmocka_unit_test(test_changed_while_reading),
		cmocka_unit_test(test_changed_at_the_wrap),
		cmocka_unit_test(test_unchanged_while_reading),
		cmocka_unit_test(test_off_cpu),
		cmocka_unit_test(test_note_keeps_the_first_attempts),
		cmocka_unit_test(test_odd_wait),
		cmocka_unit_test(test_other_sequence_is_odd),
		cmocka_unit_test(test_odd_twice),
		cmocka_unit_test(test_update_after_each_instruction),
		cmocka_unit_test(test_update_beside_each_instruction),
		cmocka_unit_test(test_mutants_are_torn),
		cmocka_unit_test(test_mutants_are_right_when_alone),
		cmocka_unit_test(test_resolve_defaults),
		cmocka_unit_test(test_resolve_clocks),
		cmocka_unit_test(test_resolve_names_variations),
		cmocka_unit_test(test_variations),
		cmocka_unit_test(test_pages_of_other_layouts),
		cmocka_unit_test(test_resolve_refuses),
		cmocka_unit_test(test_mutants_are_not_suggested),
		cmocka_unit_test(test_clock_names),
	};

	return cmocka_run_group_tests(tests, map_page, unmap_page);
}
