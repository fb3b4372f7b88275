// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the writers of a run share: how it starts, and several writers' threads at it at once. The
 * oracle is this file's own, and keeps what it is told; nothing here depends on how long anything
 * takes.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/publish.h"
#include "sim/stamp.h"
#include "tests/unit/choice_of.h"
#include "writers/writer.h"

#define HZ 2596122000ull

#define WRITERS	    4
#define MANY_EACH   3000
#define FEW_EACH    100
#define MOST_NUMBER (1 + WRITERS * MANY_EACH)

/* One call at a time is the caller's duty, so nothing here is atomic: ThreadSanitizer looks on. */
struct oracle {
	u8 told[MOST_NUMBER + 2];
	u64 calls;
	u64 latest;
	u64 finished;
	bool finished_early; /* before it was told, or within it */
	bool went_back;	     /* the counter of an update was before that of the one before */
	struct timekeeper tk;
};

static struct page_region region;
static struct oracle told[TK_CORE_MAX_ORACLES];
static struct oracle *const oracle[TK_CORE_MAX_ORACLES] = {&told[0], &told[1], &told[2]};
static struct tk_core core;
static struct errmsg err;
static bool stop;

/* The linker takes this one. */
void oracle_tell(struct oracle *me, u64 number, const struct timekeeper *tk)
{
	me->calls++;
	if (number <= MOST_NUMBER)
		me->told[number]++;
	me->went_back |= me->latest && (s64)(tk->cycle_last - me->tk.cycle_last) < 0;
	me->latest = number;
	me->tk = *tk;
}

void oracle_finish(struct oracle *me, u64 number)
{
	me->finished_early |= number > me->latest || vdso_sequence(core.page[0].page) & 1;
	me->finished = number;
}

static int set_up(void **state)
{
	(void)state;
	memset(told, 0, sizeof(told));
	stop = false;
	return page_region_map(&region, &page_layout_current, 0, &err);
}

static int tear_down(void **state)
{
	(void)state;
	page_region_unmap(&region);
	return 0;
}

static struct tk_core_setup setup_of(enum payload payload, u64 update_hz)
{
	return (struct tk_core_setup){
		.payload = payload,
		.clocksource = clocksource_find("virtual"),
		.frequency_hz = HZ,
		.update_hz = update_hz,
		.region = &region,
		.oracles = 1,
		.oracle = oracle,
	};
}

static void start(const struct tk_core_setup *setup, u64 cycles)
{
	page_set_virtual_counter(&region, cycles);
	if (tk_core_start(&core, setup, &err))
		fail_msg("%s", err.text);
}

/* The region has just what one update makes of the core's time. */
static void check_first_page(const struct page_region *of, const struct page_layout *layout)
{
	static u8 expected[SIM_PAGE_BYTES] __attribute__((aligned(SIM_PAGE_BYTES)));

	memset(expected, 0, sizeof(expected));
	update_vsyscall(expected, layout, &core.tk);
	assert_memory_equal(page_for_readers(of), expected, sizeof(expected));
}

static const enum payload payloads[] = {PAYLOAD_TIME, PAYLOAD_STAMP};

static void test_start_publishes_update_1(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(payloads); i++) {
		const struct tk_core_setup setup = setup_of(payloads[i], 1000);

		tear_down(NULL);
		assert_int_equal(set_up(NULL), 0);
		start(&setup, 123456789);
		check_first_page(&region, &page_layout_current);
		assert_int_equal(vdso_sequence(page_for_readers(&region)), 2);
		assert_int_equal(page_for_readers(&region)->clock_data[0].clock_mode,
				 SIM_CLOCKMODE_VIRTUAL);
		assert_int_equal(core.number, 1);
		assert_int_equal(core.payload, payloads[i]);
		assert_int_equal(tk_core_counter(&core), 123456789);
		assert_int_equal(told[0].calls, 1);
		assert_int_equal(told[0].told[1], 1);
		assert_memory_equal(&told[0].tk, &core.tk, sizeof(core.tk));
		tk_core_end(&core);
	}
}

static u64 host_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (u64)now.tv_sec * NSEC_PER_SEC + (u64)now.tv_nsec;
}

static u64 base_ns(clockid_t clock)
{
	struct vdso_timestamp base;

	timekeeper_base(&core.tk, clock, &base);
	return base.sec * NSEC_PER_SEC + (base.nsec >> core.tk.shift);
}

static void check_clocks(u64 ahead_sec)
{
	const u64 ahead = ahead_sec * NSEC_PER_SEC;
	struct tk_core_setup setup = setup_of(PAYLOAD_TIME, 1000);
	u64 monotonic = host_ns(CLOCK_MONOTONIC) + ahead;
	u64 boottime = host_ns(CLOCK_BOOTTIME) + ahead;
	u64 realtime = host_ns(CLOCK_REALTIME) + ahead;

	setup.ahead_sec = (s64)ahead_sec;
	start(&setup, 1ull << 50);
	assert_in_range(base_ns(CLOCK_MONOTONIC), monotonic, host_ns(CLOCK_MONOTONIC) + ahead);
	assert_in_range(base_ns(CLOCK_BOOTTIME), boottime, host_ns(CLOCK_BOOTTIME) + ahead);
	assert_in_range(base_ns(CLOCK_REALTIME), realtime, host_ns(CLOCK_REALTIME) + ahead);
	assert_int_equal(base_ns(CLOCK_MONOTONIC_RAW), base_ns(CLOCK_MONOTONIC));
	assert_int_equal(base_ns(CLOCK_TAI), base_ns(CLOCK_REALTIME) + 37ull * NSEC_PER_SEC);
	assert_int_equal(core.tk.cycle_last, 1ull << 50);
	assert_int_equal(core.tk.frequency_hz, HZ);
	tk_core_end(&core);
}

static void test_start_from_the_hosts_clocks(void **state)
{
	(void)state;
	check_clocks(0);
	check_clocks(86400);
}

/* What the timekeeper refuses is told, and nobody is told of an update. */
static void test_start_refuses(void **state)
{
	static const u8 zeros[SIM_PAGE_BYTES];
	struct tk_core_setup setup = setup_of(PAYLOAD_TIME, 100);

	(void)state;
	setup.frequency_hz = 999;
	memset(&err, 0, sizeof(err));
	assert_int_equal(tk_core_start(&core, &setup, &err), -1);
	assert_non_null(strstr(err.text, "999 Hz"));
	/* A rate that the counter cannot follow is refused by its own name. */
	setup = setup_of(PAYLOAD_TIME, HZ / 2 + 1);
	memset(&err, 0, sizeof(err));
	assert_int_equal(tk_core_start(&core, &setup, &err), -1);
	assert_non_null(strstr(err.text, "--hz"));
	assert_int_equal(told[0].calls, 0);
	assert_memory_equal(page_for_readers(&region), zeros, sizeof(zeros));
}

/* All regions have the first update, each in its layout, and all oracles know it. */
static void test_start_with_several(void **state)
{
	struct page_region others[2];
	const struct page_region *const other[] = {&others[0], &others[1]};
	struct tk_core_setup setup = setup_of(PAYLOAD_STAMP, 1000);

	(void)state;
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(page_region_map(&others[i], page_layouts[2 * i], 0, &err), 0);
	setup.others = 2;
	setup.other = other;
	setup.oracles = 3;
	start(&setup, 1000);
	assert_int_equal(core.pages, 3);
	check_first_page(&region, &page_layout_current);
	for (size_t i = 0; i < 2; i++) {
		check_first_page(&others[i], page_layouts[2 * i]);
		page_region_unmap(&others[i]);
	}
	for (size_t i = 0; i < TK_CORE_MAX_ORACLES; i++)
		assert_int_equal(told[i].told[1], i < 3);
	tk_core_advance(&core, 2000);
	tk_core_tell(&core);
	for (size_t i = 0; i < TK_CORE_MAX_ORACLES; i++)
		assert_int_equal(told[i].told[2], i < 3);
	tk_core_end(&core);
}

static u64 stamped_cycles(bool still)
{
	struct tk_core_setup setup = setup_of(PAYLOAD_STAMP, 1000);

	setup.still = still;
	start(&setup, 1000);
	tk_core_end(&core);
	return core.tk.cycle_last;
}

/* Their counter lies so far ahead that a reader sees no time pass between two. */
static void test_still_stamps(void **state)
{
	(void)state;
	assert_true(stamped_cycles(true) - stamped_cycles(false) == STAMP_AHEAD);
}

static void test_lock(void **state)
{
	struct tk_core_setup setup = setup_of(PAYLOAD_TIME, 1000);

	(void)state;
	/* Of no use where there is but one, and so it is not taken. */
	start(&setup, 1000);
	tk_core_lock(&core);
	tk_core_lock(&core);
	tk_core_unlock(&core);
	tk_core_unlock(&core);
	tk_core_end(&core);
	setup.locked = true;
	start(&setup, 1000);
	tk_core_lock(&core);
	assert_int_not_equal(pthread_mutex_trylock(&core.lock), 0);
	tk_core_unlock(&core);
	assert_int_equal(pthread_mutex_trylock(&core.lock), 0);
	pthread_mutex_unlock(&core.lock);
	tk_core_end(&core);
}

struct worker {
	pthread_t thread;
	struct writer writer;
	u64 updates; /* to be made */
};

static pthread_barrier_t gate;

static void *write_updates(void *argument)
{
	struct worker *worker = argument;
	struct update_times times;

	pthread_barrier_wait(&gate);
	writer_begin(&worker->writer);
	for (u64 i = 0; i < worker->updates; i++)
		if (!writer_wait(&worker->writer, &times) || !writer_act(&worker->writer, &times))
			break;
	return NULL;
}

/* What is wrong after so many updates by each; NULL: nothing. */
static const char *find_fault(u64 each)
{
	const struct vdso_clock *clock = page_for_readers(&region)->clock_data;
	const u64 all = 1 + WRITERS * each;

	if (clock[CS_HRES_COARSE].seq != 2 * all || clock[CS_RAW].seq != 2 * all)
		return "the sequence";
	if (core.number != all)
		return "the number";
	if (told[0].calls != all || told[0].latest != all)
		return "how much the oracle was told";
	for (u64 number = 1; number <= all; number++)
		if (told[0].told[number] != 1)
			return "what the oracle was told";
	if (told[0].finished_early || told[0].finished != all)
		return "what the oracle was told to be finished";
	/* Those of stamps follow from the number. */
	if (told[0].went_back && core.payload == PAYLOAD_TIME)
		return "the counter";
	return NULL;
}

static void begin_worker(struct worker *worker, const struct writer_choice *choice, u64 seed,
			 u64 updates)
{
	const struct writer_setup setup = {
		.choice = choice, .hz = choice->hz, .seed = seed, .stop = &stop, .core = &core};

	worker->updates = updates;
	writer_start(&worker->writer, &setup);
	/* Without it the others would wait for it for ever. */
	if (pthread_create(&worker->thread, NULL, write_updates, worker))
		abort();
}

/*
 * Several writers' threads, each of which makes so many updates of the one core. Returns what is
 * wrong then; no assertion is made, as this is for children, too.
 */
static const char *write_together(const struct writer_choice *choice, enum payload payload,
				  u64 each)
{
	static struct worker worker[WRITERS];
	struct tk_core_setup setup = setup_of(payload, WRITERS * 1000000);

	setup.clocksource = clocksource_default();
	setup.frequency_hz = setup.clocksource->frequency_hz();
	setup.locked = true;
	if (tk_core_start(&core, &setup, &err))
		return err.text;
	pthread_barrier_init(&gate, NULL, WRITERS);
	for (u64 i = 0; i < WRITERS; i++)
		begin_worker(&worker[i], choice, i, each);
	for (u64 i = 0; i < WRITERS; i++)
		pthread_join(worker[i].thread, NULL);
	pthread_barrier_destroy(&gate);
	tk_core_end(&core);
	return find_fault(each);
}

static void check_together(const char *spec, enum payload payload)
{
	const struct writer_choice choice = choice_of(spec);
	const char *fault;

	tear_down(NULL);
	assert_int_equal(set_up(NULL), 0);
	fault = write_together(&choice, payload, MANY_EACH);
	if (fault)
		fail_msg("wrong: %s", fault);
}

static void test_several_writers(void **state)
{
	(void)state;
	check_together("tick:hz=1000000", PAYLOAD_TIME);
	check_together("tick:hz=1000000", PAYLOAD_STAMP);
	check_together("tick:hz=100000,arrivals=poisson", PAYLOAD_TIME);
}

/*
 * In the middle of its update it gives way until another one is in its own, if there ever is one.
 * That only looks at the sequence: with one writer inside it is odd once.
 */
static void publish_and_give_way(struct writer *writer, const struct tk_page *page)
{
	vdso_write_begin(page->page, page->layout);
	for (int looks = 0; looks < 200 && (vdso_sequence(page->page) & 1); looks++)
		sched_yield();
	publish_coarse(page->page, page->layout, &writer->core->tk);
	publish_hres(page->page, page->layout, &writer->core->tk);
	vdso_write_end(page->page, page->layout);
}

static const struct spec_key no_keys[] = {{.name = NULL}};
static const struct writer_kind polite_kind = {
	.name = "polite", .keys = no_keys, .publish = publish_and_give_way};
/* The mutant: it lets itself in. */
static const struct writer_kind lockless_kind = {.name = "lockless",
						 .keys = no_keys,
						 .takes_no_lock = true,
						 .publish = publish_and_give_way};

/*
 * Whether such writers get along; in a child, since those that do not are a data race, for which
 * ThreadSanitizer ends a process. Of that it is to say nothing.
 */
static bool get_along(const struct writer_kind *kind)
{
	const struct writer_choice choice = {.kind = kind, .value = {[WRITER_EVERY] = 1000}};
	pid_t child;
	int status;

	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		_exit(write_together(&choice, PAYLOAD_TIME, FEW_EACH) != NULL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status) == 0;
}

static void test_lock_is_missed(void **state)
{
	(void)state;
	assert_true(get_along(&polite_kind));
	assert_false(get_along(&lockless_kind));
}

#define WITH_PAGE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_PAGE(test_start_publishes_update_1),
		WITH_PAGE(test_start_from_the_hosts_clocks),
		WITH_PAGE(test_start_refuses),
		WITH_PAGE(test_start_with_several),
		WITH_PAGE(test_still_stamps),
		WITH_PAGE(test_lock),
		WITH_PAGE(test_several_writers),
		WITH_PAGE(test_lock_is_missed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
