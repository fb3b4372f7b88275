// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The paravirtual clock's record: what readers make of it, and how its host keeps it.
 *
 * Expected values are computed apart from the code under test: a reading from 32-bit halves, the
 * time from where it began.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

#include "readers/readers.h"
#include "sim/clocksource.h"
#include "sim/oracle.h"
#include "sim/publish.h"
#include "sim/pvclock.h"
#include "writers/hypervisor.h"
#include "tests/unit/beside.h"
#include "tests/unit/big.h"

#if SIM_HAS_PVCLOCK

#include <x86intrin.h>

#define NS_BEGIN 123456789012345ull

static struct page_region region;
static struct pvclock_vcpu_time_info *record;
static const struct vdso_time_data *page;
static u64 tsc_hz;

static int map_page(void **state)
{
	struct errmsg err;
	const char *why;

	(void)state;
	if (page_region_map(&region, &page_layout_current, 0, &err))
		return -1;
	record = pvclock_for_host(&region);
	page = page_for_readers(&region);
	tsc_hz = clocksource_find("tsc")->frequency_hz();
	return clocksource_find("pvclock")->usable(&why) ? 0 : -1;
}

static int unmap_page(void **state)
{
	(void)state;
	page_region_unmap(&region);
	return 0;
}

static u64 random_word(void)
{
	static u64 word = 1;

	word = word * 6364136223846793005u + 1442695040888963407u;
	return word ^ (word >> 29);
}

static u64 tsc(void)
{
	return counter_rdtscp();
}

/* delta * mul / 2^32 from halves of delta: no product needs more than 64 bits. */
static u64 scale_by_halves(u64 delta, u32 mul, int shift)
{
	delta = shift < 0 ? delta >> -shift : delta << shift;
	return (delta >> 32) * mul + ((delta & UINT32_MAX) * mul >> 32);
}

/* What a record, at rest, must give for a TSC value. */
static u64 value_at(const struct pvclock_vcpu_time_info *r, u64 cycles)
{
	return (r->system_time +
		scale_by_halves(cycles - r->tsc_timestamp, r->tsc_to_system_mul, r->tsc_shift)) &
	       INT64_MAX;
}

static u64 difference(u64 a, u64 b)
{
	return a > b ? a - b : b - a;
}

static void test_record_begins_the_counter_page(void **state)
{
	(void)state;
	assert_ptr_equal(record, (char *)region.writable + 2 * 4096);
	assert_ptr_equal(page_pvclock(page), (const char *)region.readonly + 2 * 4096);
	record->system_time = 4711;
	assert_int_equal(page_pvclock(page)->system_time, 4711);
}

static void test_scale_known_values(void **state)
{
	(void)state;
	assert_int_equal(pvclock_scale(1, 1u << 31, 0), 0);
	assert_int_equal(pvclock_scale(2, 1u << 31, 0), 1);
	assert_int_equal(pvclock_scale(2, 1u << 31, 1), 2);
	assert_int_equal(pvclock_scale(7, 1u << 31, -1), 1);
	assert_int_equal(pvclock_scale(8, 1u << 31, -1), 2);
	/* A second of 2.5 GHz. */
	assert_int_equal(pvclock_scale(2500000000, 3435973837, -1), 1000000000);
	/* A product of 96 bits. */
	assert_int_equal(pvclock_scale(UINT64_MAX, UINT32_MAX, 0), 0xfffffffeffffffff);
	assert_int_equal(pvclock_scale(UINT64_MAX, UINT32_MAX, -63), 0);
	assert_int_equal(pvclock_scale(1, UINT32_MAX, 63), 0x7fffffff80000000);
}

static void test_scale_against_halves(void **state)
{
	(void)state;
	for (int i = 0; i < 1000000; i++) {
		u64 delta = random_word() >> random_word() % 64;
		u32 mul = (u32)random_word();
		int shift = (int)(random_word() % 127) - 63;
		u64 scaled = pvclock_scale(delta, mul, (s8)shift);

		if (scaled != scale_by_halves(delta, mul, shift))
			fail_msg("%llu * %u, shift %d gives %llu", (unsigned long long)delta, mul,
				 shift, (unsigned long long)scaled);
	}
}

/* Records of all kinds, none of which the host would write. */
static void make_record(u64 now)
{
	*record = (struct pvclock_vcpu_time_info){
		.version = (u32)random_word() & ~1u,
		.tsc_timestamp = now - (random_word() >> (20 + random_word() % 40)),
		.system_time = random_word(),
		.tsc_to_system_mul = (u32)random_word() | 1u << 31,
		.tsc_shift = (s8)((int)(random_word() % 17) - 8),
		.flags = (u8)(random_word() | PVCLOCK_TSC_STABLE),
	};
}

static void test_reading_lies_between_two_of_the_tsc(void **state)
{
	(void)state;
	for (int i = 0; i < 100000; i++) {
		u64 before, value, after;

		make_record(tsc());
		before = value_at(record, tsc());
		value = pvclock_read(page_pvclock(page));
		after = value_at(record, tsc());
		assert_true(counter_is_readable(value));
		/* Differences, since 63 bits may have wrapped in between. */
		if (((value - before) & INT64_MAX) > ((after - before) & INT64_MAX))
			fail_msg("mul %u shift %d: %llu between %llu and %llu",
				 record->tsc_to_system_mul, record->tsc_shift,
				 (unsigned long long)value, (unsigned long long)before,
				 (unsigned long long)after);
	}
}

static void test_counter_read_takes_it(void **state)
{
	struct pvclock_host host;

	(void)state;
	pvclock_start(&host, record, tsc_hz, tsc(), NS_BEGIN);
	for (int i = 0; i < 1000; i++) {
		u64 before = pvclock_read(record);
		u64 value = counter_read(VDSO_CLOCKMODE_PVCLOCK, page);

		assert_in_range(value, before, pvclock_read(record));
		assert_true(value >= NS_BEGIN);
	}
}

static void test_unstable_cannot_be_read(void **state)
{
	struct pvclock_host host;

	(void)state;
	pvclock_start(&host, record, tsc_hz, tsc(), NS_BEGIN);
	record->flags = (u8)~PVCLOCK_TSC_STABLE;
	assert_true(counter_read(VDSO_CLOCKMODE_PVCLOCK, page) == COUNTER_UNREADABLE);
	record->flags = PVCLOCK_TSC_STABLE;
	assert_true(counter_read(VDSO_CLOCKMODE_PVCLOCK, page) != COUNTER_UNREADABLE);
}

/* Reads the page through a whole read path. */
struct seen {
	struct timespec ts;
	struct read_note note;
};

static struct seen read_by(const struct reader *reader)
{
	struct seen seen;

	memset(&seen, 0, sizeof(seen));
	assert_int_equal(reader->counted(page, reader->clock, &seen.ts, &seen.note), 0);
	return seen;
}

static u64 nanoseconds(const struct timespec *ts)
{
	return (u64)ts->tv_sec * NSEC_PER_SEC + (u64)ts->tv_nsec;
}

static struct reader resolve(const char *spec)
{
	struct reader reader;
	struct errmsg err;

	if (reader_resolve(spec, &reader, &err))
		fail_msg("%s", err.text);
	return reader;
}

/* A page whose time is made of the record: 1 GHz, so time is the counter and a constant. */
static void publish_page(struct timekeeper *tk)
{
	struct timekeeper_start start = {
		.frequency_hz = clocksource_find("pvclock")->frequency_hz(),
		.mask = clocksource_find("pvclock")->mask,
		.clock_mode = clocksource_find("pvclock")->clock_mode,
		.interval_hz = 1000,
		.monotonic = {1000, 0},
	};
	struct errmsg err;

	assert_int_equal(start.clock_mode, 2);
	assert_int_equal(start.frequency_hz, 1000000000);
	assert_int_equal(timekeeper_init(tk, &start, counter_read(2, page), &err), 0);
	update_vsyscall(page_for_writer(&region), &page_layout_current, tk);
}

static void test_page_tells_time_by_it(void **state)
{
	static const char *const specs[] = {"hres", "hres:inline=never",
					    "hres:hint=likely,callers=2",
					    "pvclock-version-ignored"};
	struct pvclock_host host;
	struct timekeeper tk;

	(void)state;
	pvclock_start(&host, record, tsc_hz, tsc(), NS_BEGIN);
	publish_page(&tk);
	for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
		const struct reader reader = resolve(specs[i]);
		u64 before = pvclock_read(record);
		struct seen seen = read_by(&reader);

		assert_int_equal(seen.note.fallbacks, 0);
		assert_in_range(seen.note.cycles, before, pvclock_read(record));
		assert_int_equal(nanoseconds(&seen.ts),
				 1000ull * NSEC_PER_SEC + seen.note.cycles - tk.cycle_last);
	}
}

static void test_reader_falls_back_where_unstable(void **state)
{
	const struct reader reader = resolve("hres");
	struct timespec before, after;
	struct pvclock_host host;
	struct timekeeper tk;
	struct seen seen;

	(void)state;
	pvclock_start(&host, record, tsc_hz, tsc(), NS_BEGIN);
	publish_page(&tk);
	record->flags = 0;
	clock_gettime(CLOCK_MONOTONIC, &before);
	seen = read_by(&reader);
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_int_equal(seen.note.fallbacks, 1);
	assert_in_range(nanoseconds(&seen.ts), nanoseconds(&before), nanoseconds(&after));
}

/* The virtual counter's word is the version: whoever is in use owns the page. */
static void test_the_virtual_counter_has_the_same_place(void **state)
{
	struct pvclock_host host;

	(void)state;
	for (u64 i = 0; i < 4; i++) {
		page_set_virtual_counter(&region, 1000 + i);
		assert_int_equal(counter_read(SIM_CLOCKMODE_VIRTUAL, page), 1000 + i);
		pvclock_start(&host, record, tsc_hz, tsc(), NS_BEGIN);
		assert_in_range(counter_read(VDSO_CLOCKMODE_PVCLOCK, page), NS_BEGIN,
				NS_BEGIN + 100ull * NSEC_PER_SEC);
	}
}

static const u64 frequencies[] = {PVCLOCK_MIN_HZ, 1193182,	 999999999,  1000000000,
				  1000000001,	  2000000000,	 2596124000, 3999999999,
				  4294967296,	  PVCLOCK_MAX_HZ};

static u64 frequency(size_t i)
{
	return i < ARRAY_SIZE(frequencies)
		       ? frequencies[i]
		       : PVCLOCK_MIN_HZ + random_word() % (PVCLOCK_MAX_HZ - PVCLOCK_MIN_HZ);
}

/* mul << shift is at most what a cycle is worth << 32, and mul + 1 more than that. */
static void test_mul_and_shift(void **state)
{
	(void)state;
	for (size_t i = 0; i < 10000; i++) {
		u64 hz = frequency(i);
		u32 mul;
		s8 shift;
		big second, up;

		pvclock_mul_shift(hz, &mul, &shift);
		assert_true(mul >> 31);
		assert_in_range(shift + 40, 40 - 8, 40 + 10);
		second = big_shift_left(big_of(NSEC_PER_SEC), (u32)(shift < 0 ? 32 - shift : 32));
		up = big_shift_left(big_of(hz), (u32)(shift < 0 ? 0 : shift));
		if (big_compare(big_mul(up, mul), second) > 0 ||
		    big_compare(big_mul(up, mul + 1ull), second) <= 0)
			fail_msg("%llu Hz: mul %u, shift %d", (unsigned long long)hz, mul, shift);
	}
}

/* An update of a record that stands at `host`, at a TSC value of the test's. */
static void update_at(struct pvclock_host *host, u64 cycles)
{
	pvclock_write_begin(host);
	assert_int_equal(record->version & 1, 1);
	pvclock_write(host, cycles);
	pvclock_write_end(host);
	assert_int_equal(record->version & 1, 0);
}

/*
 * The old record, up to the TSC value of the new one, must not be ahead of it; nor is the step on
 * large: what a division each has lost, and what the slope lacks.
 */
static void check_continuity(u64 hz, int updates)
{
	struct pvclock_host host;
	u64 cycles = random_word() >> 8;
	u64 lost = 3 + (u64)NSEC_PER_SEC / hz;

	pvclock_start(&host, record, hz, cycles, NS_BEGIN);
	for (int i = 0; i < updates; i++) {
		struct pvclock_vcpu_time_info old = *record;
		u64 passed = random_word() >> (30 + random_word() % 34);
		u64 last, first;

		cycles += passed;
		update_at(&host, cycles);
		last = value_at(&old, cycles);
		first = value_at(record, cycles);
		if (first < last || first - last > lost + (last - old.system_time) / (1u << 31))
			fail_msg("%llu Hz, %llu cycles on: from %llu to %llu",
				 (unsigned long long)hz, (unsigned long long)passed,
				 (unsigned long long)last, (unsigned long long)first);
		assert_int_equal(record->tsc_timestamp, cycles);
	}
}

static void test_time_never_steps_back_at_an_update(void **state)
{
	(void)state;
	for (size_t i = 0; i < 100; i++)
		check_continuity(frequency(i), 10000);
}

/* Nanoseconds since the start, from the start. */
static u64 passed_ns(u64 hz, u64 cycles)
{
	return big_low(big_div(big_product(cycles, NSEC_PER_SEC), hz));
}

static void check_drift(u64 hz, u64 most_apart, int updates)
{
	const u64 begin = random_word() >> 8;
	struct pvclock_host host;
	u64 passed = 0;

	pvclock_start(&host, record, hz, begin, NS_BEGIN);
	for (int i = 0; i < updates; i++) {
		passed += random_word() % most_apart + 1;
		update_at(&host, begin + passed);
		if (difference(record->system_time, NS_BEGIN + passed_ns(hz, passed)) > 1)
			fail_msg("%llu Hz: update %d, after %llu cycles, is %lld ns ahead",
				 (unsigned long long)hz, i + 1, (unsigned long long)passed,
				 (long long)(record->system_time - NS_BEGIN -
					     passed_ns(hz, passed)));
	}
}

/* Neither in decades nor by millions of updates. */
static void test_time_does_not_drift(void **state)
{
	const u64 hour = 3600;

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(frequencies); i++) {
		u64 hz = frequency(i);

		check_drift(hz, 2 * hour * (hz < 4000000000 ? hz : 100000000), 200000);
		check_drift(hz, 3, 300000);
		check_drift(hz, hz / 1000, 300000);
	}
}

static void test_a_tsc_that_lags_makes_no_time(void **state)
{
	struct pvclock_host host;
	struct pvclock_vcpu_time_info before;

	(void)state;
	pvclock_start(&host, record, 2500000000, 1000000, NS_BEGIN);
	update_at(&host, 2000001);
	assert_int_equal(record->system_time, NS_BEGIN + 400000);
	before = *record;
	update_at(&host, 2000000);
	assert_int_equal(record->version, before.version + 2);
	record->version = before.version;
	assert_memory_equal(record, &before, sizeof(before));
	update_at(&host, 2000026);
	assert_int_equal(record->system_time, NS_BEGIN + 400010);
}

static void test_update_is_of_this_moment(void **state)
{
	struct pvclock_host host;

	(void)state;
	pvclock_start(&host, record, tsc_hz, tsc(), NS_BEGIN);
	for (int i = 0; i < 1000; i++) {
		u64 before = tsc();
		u64 ns = pvclock_update(&host);

		assert_in_range(record->tsc_timestamp, before, tsc());
		assert_int_equal(ns, record->system_time);
		assert_int_equal(record->version & 1, 0);
	}
}

/* A reader that meets an odd version comes out with what stands there afterwards. */
static struct waiting {
	bool started;
	bool done;
	u64 value;
} waiting;

static void *read_once(void *argument)
{
	struct waiting *w = argument;

	smp_store_release(&w->started, true);
	w->value = counter_read(VDSO_CLOCKMODE_PVCLOCK, page);
	smp_store_release(&w->done, true);
	return NULL;
}

static void test_reader_waits_while_odd(void **state)
{
	struct pvclock_host host;
	pthread_t thread;

	(void)state;
	for (int i = 0; i < 5; i++) {
		waiting = (struct waiting){.value = 0};
		pvclock_start(&host, record, tsc_hz, tsc(), NS_BEGIN);
		pvclock_write_begin(&host);
		assert_int_equal(pthread_create(&thread, NULL, read_once, &waiting), 0);
		while (!smp_load_acquire(&waiting.started))
			sched_yield();
		usleep(20000);
		assert_false(smp_load_acquire(&waiting.done));
		WRITE_ONCE(record->system_time, NS_BEGIN * 2);
		pvclock_write_end(&host);
		pthread_join(thread, NULL);
		assert_in_range(waiting.value, NS_BEGIN * 2, NS_BEGIN * 3);
	}
}

/*
 * Two states of the record that lie so many seconds apart on the same line. Either gives the right
 * time, a mixture is as far off.
 */
#define STATES_APART 2

static struct pvclock_host states[2];
static u64 states_begin;

static void show_state(int i)
{
	pvclock_write_begin(&states[i]);
	pvclock_write(&states[i], states[i].tsc);
	pvclock_write_end(&states[i]);
}

static void make_states(void)
{
	struct timekeeper tk;
	struct wide passed;

	states_begin = tsc();
	pvclock_start(&states[0], record, tsc_hz, states_begin, NS_BEGIN);
	publish_page(&tk);
	states[1] = states[0];
	states[1].tsc -= STATES_APART * tsc_hz;
	passed = wide_mul(STATES_APART * tsc_hz, states[1].worth.low);
	passed.high += STATES_APART * tsc_hz * states[1].worth.high;
	states[1].time = wide_add(states[1].time, (struct wide){~passed.low, ~passed.high});
	states[1].time = wide_add(states[1].time, (struct wide){.low = 1});
}

static u64 states_now(void)
{
	return NS_BEGIN + passed_ns(tsc_hz, tsc() - states_begin);
}

/* However little is lost by rounding: a mixture is off by more than this. */
static bool is_mixture(u64 before, u64 cycles, u64 after)
{
	return cycles + NSEC_PER_SEC < before || cycles > after + NSEC_PER_SEC;
}

/* The record changes between the two as fast as it goes. */
static bool storm_ends;

static void *make_storm(void *unused)
{
	(void)unused;
	while (!smp_load_acquire(&storm_ends))
		for (int i = 0; i < 2; i++) {
			show_state(i);
			/* Readers must also find it at rest. */
			for (int pause = 0; pause < 10; pause++)
				cpu_relax();
		}
	return NULL;
}

static void survive_storm(const char *spec, u64 reads)
{
	const struct reader reader = resolve(spec);
	u64 mixtures = 0;
	pthread_t thread;

	make_states();
	storm_ends = false;
	assert_int_equal(pthread_create(&thread, NULL, make_storm, NULL), 0);
	for (u64 i = 0; i < reads; i++) {
		u64 before = states_now();
		struct seen seen = read_by(&reader);

		mixtures += is_mixture(before, seen.note.cycles, states_now());
	}
	smp_store_release(&storm_ends, true);
	pthread_join(thread, NULL);
	assert_int_equal(mixtures, 0);
	assert_true(record->version > 1000);
}

static void test_no_reader_returns_a_mixture(void **state)
{
	(void)state;
	survive_storm("hres", 1000000);
	survive_storm("raw", 300000);
}

#if defined(__x86_64__) && !CONTEND_TSAN

#define TRAP_FLAG 0x100ull
#define PIECES	  4

/* The processor stops after each instruction of a read; an update is made in pieces meanwhile. */
static struct {
	u64 step;
	u64 after[PIECES];
	int piece;
} stepper;

static void make_piece(int piece)
{
	switch (piece) {
	case 0:
		pvclock_write_begin(&states[1]);
		break;
	case 1:
		WRITE_ONCE(record->tsc_timestamp, states[1].tsc);
		break;
	case 2:
		WRITE_ONCE(record->system_time, states[1].time.high);
		break;
	default:
		pvclock_write_end(&states[1]);
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

/* The update begins `apart` steps before the middle and ends as many after it. */
static struct seen read_in_steps(const struct reader *reader, u64 middle, u64 apart)
{
	struct seen seen;

	memset(&seen, 0, sizeof(seen));
	show_state(0);
	stepper.step = 0;
	stepper.piece = 0;
	stepper.after[0] = middle > apart ? middle - apart : 0;
	stepper.after[1] = middle;
	stepper.after[2] = middle + (apart > 0);
	stepper.after[3] = middle + apart;
	barrier();
	__writeeflags(__readeflags() | TRAP_FLAG);
	reader->counted(page, reader->clock, &seen.ts, &seen.note);
	__writeeflags(__readeflags() & ~TRAP_FLAG);
	barrier();
	while (stepper.piece < PIECES)
		make_piece(stepper.piece++);
	return seen;
}

/* Whether a reader returns a mixture, with an update at every place of a read in turn. */
static bool tears(const char *spec)
{
	static const u64 aparts[] = {0, 10, 1, 3, 30};
	const struct reader reader = resolve(spec);
	const struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
	struct sigaction old;
	bool torn = false;
	size_t tried;
	u64 steps;

	make_states();
	sigaction(SIGTRAP, &action, &old);
	read_in_steps(&reader, UINT64_MAX / 2, 0);
	steps = stepper.step;
	/* A sanitizer makes a read so long that not all can be tried. */
	tried = steps < 150 ? ARRAY_SIZE(aparts) : 2;
	for (size_t i = 0; i < tried; i++)
		for (u64 middle = 1; middle <= steps && !torn; middle++) {
			u64 before = states_now();
			struct seen seen = read_in_steps(&reader, middle, aparts[i]);

			torn = is_mixture(before, seen.note.cycles, states_now());
		}
	sigaction(SIGTRAP, &old, NULL);
	return torn;
}

static void test_update_after_each_instruction(void **state)
{
	(void)state;
	assert_false(tears("hres"));
	assert_false(tears("raw"));
	assert_false(tears("hres:inline=never,callers=2"));
}

static void test_a_reader_that_ignores_the_version_is_torn(void **state)
{
	(void)state;
	assert_true(tears("pvclock-version-ignored"));
}

/* Whoever read the TSC up to here may have used the old record. */
static u64 last_even_tsc;
static u32 old_version;

static void on_update_step(int signal_number)
{
	(void)signal_number;
	if (READ_ONCE(record->version) == old_version)
		last_even_tsc = tsc();
}

static void test_update_reads_the_tsc_when_nobody_uses_the_old_record(void **state)
{
	const struct sigaction action = {.sa_handler = on_update_step};
	struct pvclock_host host;
	struct sigaction old;

	(void)state;
	pvclock_start(&host, record, tsc_hz, tsc(), NS_BEGIN);
	sigaction(SIGTRAP, &action, &old);
	for (int i = 0; i < 10; i++) {
		last_even_tsc = 0;
		old_version = record->version;
		barrier();
		__writeeflags(__readeflags() | TRAP_FLAG);
		pvclock_update(&host);
		__writeeflags(__readeflags() & ~TRAP_FLAG);
		barrier();
		assert_true(last_even_tsc > 0);
		assert_true(record->tsc_timestamp >= last_even_tsc);
	}
	sigaction(SIGTRAP, &old, NULL);
}

#else

static void test_update_reads_the_tsc_when_nobody_uses_the_old_record(void **state)
{
	(void)state;
	skip();
}

static void test_update_after_each_instruction(void **state)
{
	(void)state;
	skip();
}

static void test_a_reader_that_ignores_the_version_is_torn(void **state)
{
	(void)state;
	skip();
}

#endif

/* Real updates, one after the other, and time that no two threads may see run backwards. */
#define WATCHERS 2
#define WATCHES	 300000

static u64 latest, backwards;

static void *keep_updating(void *host)
{
	while (!smp_load_acquire(&storm_ends))
		pvclock_update(host);
	return NULL;
}

static void *watch_time(void *unused)
{
	(void)unused;
	for (int i = 0; i < WATCHES; i++) {
		u64 seen = __atomic_load_n(&latest, __ATOMIC_SEQ_CST);
		u64 now = pvclock_read(page_pvclock(page));

		if (now < seen)
			__atomic_add_fetch(&backwards, 1, __ATOMIC_RELAXED);
		while (now > seen &&
		       !__atomic_compare_exchange_n(&latest, &seen, now, false, __ATOMIC_SEQ_CST,
						    __ATOMIC_SEQ_CST))
			;
	}
	return NULL;
}

static void test_time_runs_forwards_for_all(void **state)
{
	pthread_t updater, watchers[WATCHERS];
	struct pvclock_host host;

	(void)state;
	pvclock_start(&host, record, tsc_hz, tsc(), NS_BEGIN);
	latest = backwards = 0;
	storm_ends = false;
	assert_int_equal(pthread_create(&updater, NULL, keep_updating, &host), 0);
	for (int i = 0; i < WATCHERS; i++)
		assert_int_equal(pthread_create(&watchers[i], NULL, watch_time, NULL), 0);
	for (int i = 0; i < WATCHERS; i++)
		pthread_join(watchers[i], NULL);
	smp_store_release(&storm_ends, true);
	pthread_join(updater, NULL);
	assert_int_equal(backwards, 0);
	assert_true(record->version > 1000);
}

static void test_hypervisor(void **state)
{
	struct hypervisor hypervisor;
	struct timespec raw;
	bool stop = false;
	u64 last;

	(void)state;
	memset(record, 0, sizeof(*record));
	clock_gettime(CLOCK_MONOTONIC_RAW, &raw);
	hypervisor_start(&hypervisor, &region, 1000, false, &stop);
	last = counter_read(VDSO_CLOCKMODE_PVCLOCK, page);
	assert_true(last >= nanoseconds(&raw));
	clock_gettime(CLOCK_MONOTONIC_RAW, &raw);
	/* The frequency may be off by some ppm. */
	assert_true(counter_read(VDSO_CLOCKMODE_PVCLOCK, page) <= nanoseconds(&raw) + NSEC_PER_SEC);

	hypervisor_begin(&hypervisor);
	for (u64 i = 1; i <= 20; i++) {
		u32 version = record->version;
		u64 now = hypervisor_step(&hypervisor);

		assert_int_equal(record->version, version + 2);
		assert_int_equal(record->system_time, now);
		/* As many periods have passed since the last one as lie between two deadlines. */
		assert_true(now >= last);
		last = now;
	}
	assert_true(tsc() >= pace_deadline(&hypervisor.pace, 20));
	stop = true;
	assert_int_equal(hypervisor_step(&hypervisor), 0);
	assert_int_equal(record->version & 1, 0);
}

int main(int count, char **arguments)
{
	const struct CMUnitTest beside[] = {
		cmocka_unit_test(test_record_begins_the_counter_page),
		cmocka_unit_test(test_scale_known_values),
		cmocka_unit_test(test_scale_against_halves),
		cmocka_unit_test(test_reading_lies_between_two_of_the_tsc),
		cmocka_unit_test(test_counter_read_takes_it),
		cmocka_unit_test(test_unstable_cannot_be_read),
		cmocka_unit_test(test_page_tells_time_by_it),
		cmocka_unit_test(test_reader_falls_back_where_unstable),
		cmocka_unit_test(test_the_virtual_counter_has_the_same_place),
		cmocka_unit_test(test_mul_and_shift),
		cmocka_unit_test(test_time_never_steps_back_at_an_update),
		cmocka_unit_test(test_time_does_not_drift),
		cmocka_unit_test(test_a_tsc_that_lags_makes_no_time),
		cmocka_unit_test(test_update_is_of_this_moment),
		cmocka_unit_test(test_update_after_each_instruction),
		cmocka_unit_test(test_a_reader_that_ignores_the_version_is_torn),
		cmocka_unit_test(test_update_reads_the_tsc_when_nobody_uses_the_old_record),
	};
	const struct CMUnitTest alone[] = {
		cmocka_unit_test(test_reader_waits_while_odd),
		cmocka_unit_test(test_no_reader_returns_a_mixture),
		cmocka_unit_test(test_time_runs_forwards_for_all),
		cmocka_unit_test(test_hypervisor),
	};
	int failed = 0;
	const char *why;

	/* Nothing to test where there is no TSC to read. */
	if (!clocksource_find("pvclock")->usable(&why)) {
		print_message("skipped: %s\n", why);
		return 0;
	}
	if (wants_tests(count, arguments, "--beside"))
		failed += cmocka_run_group_tests(beside, map_page, unmap_page);
	if (wants_tests(count, arguments, "--alone"))
		failed += cmocka_run_group_tests(alone, map_page, unmap_page);
	return failed;
}

#else

int main(void)
{
	return 0;
}

#endif
