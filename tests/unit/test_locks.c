// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each lock against somebody who publishes at once and always: no reader is ever given words of two
 * publications, nor older ones after newer. A mutant shows that this would be noticed.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "readers/readers.h"
#include "sim/monotonic.h"
#include "tests/unit/updates.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED CONTEND_TSAN
#endif

#define READERS 2
#define WORDS	LOCK_MAX_WORDS
/* Between two times that a reader is quiescent, and looks whether it is to stop. */
#define BLOCK 256
/* How long a correct lock is tried, and for how many tries a mutant may survive. */
#define TRY_NS (150 * 1000000ull)
#define TRIES  80
/* Of a publisher that is slow: in the middle, and how many times as much between publications. */
#define SLOW   20
#define PAUSES 4

typedef void fetch_fn(void *shared, u64 *words, u32 n, struct read_note *note);

/* The sources, compiled with LOCK_FETCHES. */
#define LOCKS(row)                                                                                \
	row(seqcount, "seqcount", true) row(latch, "latch", true) row(c11_fences, "c11", true)    \
		row(c11_rmw, "c11:form=rmw", true) row(c11_seqcst, "c11:form=seqcst", true) row(  \
			rcu_memb, "rcu", true) row(rcu_qsbr, "rcu:flavour=qsbr", true)            \
			row(rcu_bp, "rcu:flavour=bp", true) row(rwlock_readers, "rwlock", true)   \
				row(rwlock_writers, "rwlock:prefer=writers", true) row(           \
					mutex, "mutex", true) row(spinlock, "spinlock", true)     \
					row(mutant_latch_wrong_copy, "latch-wrong-copy",          \
					    false) row(mutant_sequence_halves, "sequence-halves", \
						       false) row(mutant_counter_8_bit,           \
								  "counter-8-bit", false)         \
						row(mutant_rcu_outside, "rcu-outside", false)     \
							row(mutant_rcu_early_free,                \
							    "rcu-early-free", false)

#define DECLARE_FETCH(name, spec, correct) fetch_fn fetch_##name;
LOCKS(DECLARE_FETCH)
fetch_fn fetch_example;
lock_publish_fn publish_example;

static const struct subject {
	const char *spec;
	fetch_fn *fetch;
	bool correct;
} subjects[] = {
#define SUBJECT(name, spec, correct) {spec, fetch_##name, correct},
	LOCKS(SUBJECT)};

/* A lock with its threads. */
struct contest {
	fetch_fn *fetch;
	struct lock_operations lock;
	struct lock_page *page;
	bool stop;
	bool slow; /* who publishes */
	u64 published;
};

struct contestant {
	struct contest *contest;
	pthread_t thread;
	u64 reads;
	u64 mixtures;
	u64 older;
	u64 changes; /* how often a newer publication was seen */
	u64 spins;
	u64 last;
};

/* No two words of neighbouring publications are the same. */
static u64 stamp(u64 number, u32 word)
{
	return word ? (number * 0x9e3779b97f4a7c15u) ^ (word * 0xbf58476d1ce4e5b9u) : number;
}

static void enlist(const struct contest *contest)
{
	if (contest->lock.enlist)
		contest->lock.enlist();
}

static void quiesce(const struct contest *contest)
{
	if (contest->lock.quiesce)
		contest->lock.quiesce();
}

static void leave(const struct contest *contest)
{
	if (contest->lock.leave)
		contest->lock.leave();
}

static void be_slow(void *argument)
{
	(void)argument;
	for (int i = 0; i < SLOW; i++)
		cpu_relax();
}

static void publish(struct contest *contest, u64 number)
{
	u64 words[WORDS];

	for (u32 i = 0; i < WORDS; i++)
		words[i] = stamp(number, i);
	contest->lock.publish(contest->page->shared, words, WORDS);
}

static void *write_until_stopped(void *argument)
{
	struct contest *contest = argument;

	enlist(contest);
	while (!READ_ONCE(contest->stop)) {
		publish(contest, ++contest->published);
		for (int i = 0; contest->slow && i < PAUSES; i++)
			be_slow(NULL);
	}
	leave(contest);
	return NULL;
}

static void check(struct contestant *reader, const u64 *words)
{
	bool mixed = false;

	for (u32 i = 1; i < WORDS; i++)
		mixed |= words[i] != stamp(words[0], i);
	reader->reads++;
	reader->mixtures += mixed;
	if (mixed)
		return;
	reader->older += words[0] < reader->last;
	reader->changes += words[0] > reader->last;
	reader->last = words[0];
}

static void *read_until_stopped(void *argument)
{
	struct contestant *reader = argument;
	struct contest *contest = reader->contest;
	struct read_note note = {.on_cpu = NULL};
	u64 words[WORDS];

	enlist(contest);
	while (!READ_ONCE(contest->stop)) {
		quiesce(contest);
		for (int i = 0; i < BLOCK; i++) {
			contest->fetch(contest->page->shared, words, WORDS, &note);
			check(reader, words);
		}
	}
	leave(contest);
	reader->spins = note.spins;
	return NULL;
}

static void begin(struct contest *contest, fetch_fn *fetch, const struct lock_operations *lock)
{
	*contest = (struct contest){.fetch = fetch, .lock = *lock};
	contest->page = aligned_alloc(CACHE_LINE, sizeof(*contest->page));
	assert_non_null(contest->page);
	memset(contest->page, 0, sizeof(*contest->page));
	assert_in_range(lock->publish(NULL, NULL, 0), 1, sizeof(contest->page->shared));
	lock->publish(contest->page->shared, NULL, 0);
	publish(contest, 0);
}

static void end(struct contest *contest)
{
	if (contest->lock.destroy)
		contest->lock.destroy(contest->page->shared);
	free(contest->page);
}

/* Fills in what the readers saw in that time. */
static void compete(struct contest *contest, struct contestant *readers, u64 ns)
{
	const struct timespec nap = {.tv_nsec = (long)ns};
	pthread_t writer;

	contest->stop = false;
	contest->page->middle = contest->slow ? be_slow : NULL;
	for (int i = 0; i < READERS; i++) {
		readers[i] = (struct contestant){.contest = contest};
		assert_int_equal(
			pthread_create(&readers[i].thread, NULL, read_until_stopped, &readers[i]),
			0);
	}
	assert_int_equal(pthread_create(&writer, NULL, write_until_stopped, contest), 0);
	nanosleep(&nap, NULL);
	WRITE_ONCE(contest->stop, true);
	pthread_join(writer, NULL);
	for (int i = 0; i < READERS; i++)
		pthread_join(readers[i].thread, NULL);
}

static void check_correct(const char *spec, fetch_fn *fetch, const struct lock_operations *lock)
{
	struct contestant readers[READERS];
	struct contest contest;
	u64 changes = 0;

	begin(&contest, fetch, lock);
	/* On a busy machine nobody may have met anybody. */
	for (int i = 0; i < TRIES && (i < 2 || !changes); i++) {
		contest.slow = i % 2;
		compete(&contest, readers, TRY_NS);
		for (int j = 0; j < READERS; j++) {
			if (readers[j].mixtures || readers[j].older)
				fail_msg("%s: %llu mixtures and %llu older in %llu reads", spec,
					 (unsigned long long)readers[j].mixtures,
					 (unsigned long long)readers[j].older,
					 (unsigned long long)readers[j].reads);
			changes += readers[j].changes;
		}
	}
	if (!changes)
		fail_msg("%s: nobody saw another publication", spec);
	end(&contest);
}

static struct lock_operations operations_of(const char *spec)
{
	struct lock_operations operations;
	struct reader reader;
	struct errmsg err;

	if (reader_resolve(spec, &reader, &err))
		fail_msg("%s: %s", spec, err.text);
	assert_true(reader_is_lock(&reader));
	operations = reader.lock;
	reader_release(&reader);
	return operations;
}

static void test_no_mixtures(void **state)
{
	const struct lock_operations example = {.publish = publish_example};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(subjects); i++) {
		const struct lock_operations lock = operations_of(subjects[i].spec);

		if (subjects[i].correct)
			check_correct(subjects[i].spec, subjects[i].fetch, &lock);
	}
	check_correct("the example", fetch_example, &example);
}

static u64 mixtures_of(const struct contestant *readers)
{
	u64 mixtures = 0;

	for (int i = 0; i < READERS; i++)
		mixtures += readers[i].mixtures;
	return mixtures;
}

static void test_mutants(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(subjects); i++) {
		const struct lock_operations lock = operations_of(subjects[i].spec);
		struct contestant readers[READERS];
		struct contest contest;
		u64 mixtures = 0;

		/* Sanitizers would end it where memory is used after it was freed. */
		if (subjects[i].correct || (SANITIZED && lock.enlist))
			continue;
		begin(&contest, subjects[i].fetch, &lock);
		for (int j = 0; j < TRIES && !mixtures; j++) {
			contest.slow = j % 2 == 0;
			compete(&contest, readers, TRY_NS);
			mixtures = mixtures_of(readers);
		}
		if (!mixtures)
			fail_msg("%s: no mixture was noticed", subjects[i].spec);
		end(&contest);
	}
}

/* What a reader finds whose writer is stopped in the middle. */
struct stopped {
	struct contest *contest;
	struct contestant reader;
	u32 times;
};

static void read_once(void *argument)
{
	struct stopped *stopped = argument;
	struct read_note note = {.on_cpu = NULL};
	u64 words[WORDS];

	stopped->contest->fetch(stopped->contest->page->shared, words, WORDS, &note);
	check(&stopped->reader, words);
	stopped->times++;
}

static void check_stopped(const char *spec, fetch_fn *fetch, const struct lock_operations *lock)
{
	struct stopped stopped;
	struct contest contest;

	begin(&contest, fetch, lock);
	enlist(&contest);
	quiesce(&contest);
	publish(&contest, 1);
	publish(&contest, 2);
	stopped = (struct stopped){.contest = &contest};
	contest.page->middle = read_once;
	contest.page->argument = &stopped;
	publish(&contest, 3);
	contest.page->middle = NULL;
	if (stopped.times != 1 || stopped.reader.mixtures || stopped.reader.last != 2)
		fail_msg("%s: in the middle of publication 3, met %u times, a reader is given %llu",
			 spec, stopped.times, (unsigned long long)stopped.reader.last);
	leave(&contest);
	end(&contest);
}

/* Those whose readers wait for nobody. */
static void test_stopped_in_the_middle(void **state)
{
	static const char *const waitless[] = {"latch", "rcu", "rcu:flavour=qsbr",
					       "rcu:flavour=bp"};
	const struct lock_operations example = {.publish = publish_example};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(subjects); i++)
		for (size_t j = 0; j < ARRAY_SIZE(waitless); j++) {
			const struct lock_operations lock = operations_of(subjects[i].spec);

			if (strcmp(subjects[i].spec, waitless[j]) == 0)
				check_stopped(waitless[j], subjects[i].fetch, &lock);
		}
	check_stopped("the example", fetch_example, &example);
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* A reader of a lock and one of the kernel's page, with a region each. */
struct pair {
	struct reader reader;
	struct reader wanted;
	struct page_region region;
	struct page_region wanted_region;
};

static void open_pair(struct pair *pair, const char *spec, const char *clock)
{
	char text[64];
	struct errmsg err;

	snprintf(text, sizeof(text), "%s%cclock=%s", spec, strchr(spec, ':') ? ',' : ':', clock);
	if (reader_resolve(text, &pair->reader, &err))
		fail_msg("%s: %s", text, err.text);
	snprintf(text, sizeof(text), "hres:clock=%s", clock);
	assert_int_equal(reader_resolve(text, &pair->wanted, &err), 0);
	assert_int_equal(reader_map_page(&pair->reader, &pair->region, &err), 0);
	assert_int_equal(reader_map_page(&pair->wanted, &pair->wanted_region, &err), 0);
	if (pair->reader.lock.enlist) {
		pair->reader.lock.enlist();
		pair->reader.lock.quiesce();
	}
}

static void close_pair(struct pair *pair)
{
	if (pair->reader.lock.leave)
		pair->reader.lock.leave();
	page_region_unmap(&pair->region);
	page_region_unmap(&pair->wanted_region);
	reader_release(&pair->reader);
	reader_release(&pair->wanted);
}

static void check_read(const struct pair *pair, u64 number, u64 cycles)
{
	const struct vdso_time_data *page = reader_page(&pair->reader, &pair->region);
	const clockid_t clock = pair->reader.clock;
	struct read_note note = {.on_cpu = NULL};
	struct timespec wanted, bare, counted;

	page_set_virtual_counter(&pair->region, cycles);
	page_set_virtual_counter(&pair->wanted_region, cycles);
	assert_int_equal(
		pair->wanted.bare(page_for_readers(&pair->wanted_region), clock, &wanted, NULL), 0);
	assert_int_equal(pair->reader.bare(page, clock, &bare, NULL), 0);
	assert_int_equal(pair->reader.counted(page, clock, &counted, &note), 0);
	if (!same_time(&wanted, &bare) || !same_time(&wanted, &counted))
		fail_msg("%s: %lld.%09ld and %lld.%09ld instead of %lld.%09ld", pair->reader.path,
			 (long long)bare.tv_sec, bare.tv_nsec, (long long)counted.tv_sec,
			 counted.tv_nsec, (long long)wanted.tv_sec, wanted.tv_nsec);
	assert_int_equal(note.seq, 2 * number);
	assert_true(note.cycles == cycles);
	assert_int_equal(note.events, 0);
}

#define UPDATES 9

/* Whatever the counter says, a lock makes of it what the kernel's page makes. */
static void test_same_as_the_page(void **state)
{
	static const s64 deltas[] = {
		0, 1, 12345, PERIOD, 40 * (s64)HZ, -1, -(s64)PERIOD, 4000 * (s64)HZ, -(1ll << 39)};
	static const char *const precise[] = {"realtime", "monotonic", "boottime", "tai"};
	struct timekeeper told[UPDATES + 1];

	(void)state;
	make_time(told, UPDATES, SIM_CLOCKMODE_VIRTUAL);
	for (size_t i = 0; i < ARRAY_SIZE(subjects) * ARRAY_SIZE(precise); i++) {
		const struct subject *subject = &subjects[i / ARRAY_SIZE(precise)];
		struct pair pair;

		/* Its reader is held at some numbers, not at these. */
		open_pair(&pair, subject->spec, precise[i % ARRAY_SIZE(precise)]);
		for (u64 number = 1; number <= UPDATES; number++) {
			page_region_publish(&pair.region, &told[number], number);
			page_region_publish(&pair.wanted_region, &told[number], number);
			for (size_t j = 0; subject->correct && j < ARRAY_SIZE(deltas); j++)
				check_read(&pair, number, told[number].cycle_last + (u64)deltas[j]);
		}
		close_pair(&pair);
	}
}

/* The hint says one counter, the lock another: the value is of the latter. */
static void test_mode_is_the_locks(void **state)
{
	struct timekeeper told[3];
	struct timespec ts, system;
	struct read_note note = {.on_cpu = NULL};
	struct lock_page *page;
	struct pair pair;

	(void)state;
	make_time(told, 2, SIM_CLOCKMODE_VIRTUAL);
	open_pair(&pair, "seqcount", "monotonic");
	page = (struct lock_page *)page_for_writer(&pair.region);
	page_region_publish(&pair.region, &told[1], 1);
	page_region_publish(&pair.wanted_region, &told[1], 1);
	page->clock_mode = VDSO_CLOCKMODE_NONE;
	check_read(&pair, 1, told[1].cycle_last + 7);
	page->clock_mode = SIM_CLOCKMODE_MONOTONIC_RAW;
	check_read(&pair, 1, told[1].cycle_last + 7);

	told[2].clock_mode = VDSO_CLOCKMODE_NONE;
	page_region_publish(&pair.region, &told[2], 2);
	assert_int_equal(page->clock_mode, VDSO_CLOCKMODE_NONE);
	page->clock_mode = SIM_CLOCKMODE_VIRTUAL;
	assert_int_equal(pair.reader.counted(reader_page(&pair.reader, &pair.region),
					     CLOCK_MONOTONIC, &ts, &note),
			 0);
	assert_int_equal(note.fallbacks, 1);
	clock_gettime(CLOCK_MONOTONIC, &system);
	assert_in_range(system.tv_sec - ts.tv_sec, 0, 60);
	close_pair(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_as_the_page),
		cmocka_unit_test(test_mode_is_the_locks),
		cmocka_unit_test(test_stopped_in_the_middle),
		cmocka_unit_test(test_no_mixtures),
		cmocka_unit_test(test_mutants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
