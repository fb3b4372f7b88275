// SPDX-License-Identifier: GPL-2.0-or-later
#include <gsl/gsl_statistics_double.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "measure/compare_thread.h"
#include "measure/offcpu.h"
#include "measure/opaque.h"
#include "sim/monotonic.h"
#include "sim/random.h"

/*
 * A block is long against a reading of the counter and its steps, short against a time slice and
 * against what disturbs.
 */
#define BLOCK_NS  25000
#define MIN_READS 1u
#define MAX_READS (1u << 20)
/* What brings code, page and predictors back after another reader's block. */
#define READS_BEFORE 32
/* Rounds at a new placement that do not count. */
#define ROUNDS_BEFORE 2
/* Trials that tell how long a read takes; the least of them was not disturbed. */
#define TRIALS 5
/* For every so many rounds, a block of the counted path. */
#define ROUNDS_TO_COUNTED 8
/* One placement in so many lies across two pages. */
#define ONE_CROSSES   8
#define LINES_IN_PAGE (SIM_PAGE_BYTES / CACHE_LINE)
/* Instructions are placed at multiples of this. */
#define PLACES_IN_LINE 16

/*
 * All loops begin a line of code and count down. A source's and an image's differ in what they hand
 * over, as their callers do.
 */
#define TIMED_LOOP static __attribute__((noinline, aligned(64)))

TIMED_LOOP void loop_reader(const struct compare_contestant *contestant, clockid_t clock, u32 reads)
{
	const struct vdso_time_data *const page = contestant->page;
	reader_fn *const read = contestant->read;
	struct read_note note = {.on_cpu = NULL};
	struct timespec ts;

	for (; reads; reads--)
		read(page, clock, &ts, &note);
}

TIMED_LOOP void loop_working_reader(const struct compare_contestant *contestant, clockid_t clock,
				    struct work *work, u32 reads)
{
	const struct vdso_time_data *const page = contestant->page;
	reader_fn *const read = contestant->read;
	struct read_note note = {.on_cpu = NULL};
	struct timespec ts;

	for (; reads; reads--) {
		work_once(work);
		read(page, clock, &ts, &note);
	}
}

TIMED_LOOP void loop_image(vdso_clock_gettime_fn *call, clockid_t clock, u32 reads)
{
	struct timespec ts;

	for (; reads; reads--)
		call(clock, &ts);
}

TIMED_LOOP void loop_working_image(vdso_clock_gettime_fn *call, clockid_t clock, struct work *work,
				   u32 reads)
{
	struct timespec ts;

	for (; reads; reads--) {
		work_once(work);
		call(clock, &ts);
	}
}

TIMED_LOOP void loop_work(struct work *work, u32 reads)
{
	for (; reads; reads--)
		work_once(work);
}

static bool works(const struct compare_thread *thread)
{
	return thread->work.spec.kind != WORK_NONE;
}

static struct compare_lane *lane_of(const struct compare_thread *thread)
{
	return &thread->area->lane[thread->index];
}

static void run_image(struct compare_thread *thread, const struct reader *reader, u32 reads)
{
	vdso_clock_gettime_fn *const call =
		(vdso_clock_gettime_fn *)vdso_image_function(reader->image, reader->call);

	if (reader->call != VDSO_CLOCK_GETTIME)
		opaque_calls(reader, reads, works(thread) ? &thread->work : NULL);
	else if (works(thread))
		loop_working_image(call, reader->clock, &thread->work, reads);
	else
		loop_image(call, reader->clock, reads);
}

/* So many reads of a reader; or, beyond the readers, so many pieces of work. */
static void run_block(struct compare_thread *thread, size_t who, u32 reads)
{
	struct compare_contestant *contestant = &thread->contestant[who];

	if (who == thread->config->readers) {
		loop_work(&thread->work, reads);
		return;
	}
	thread->work.page = contestant->page;
	thread->work.behind =
		contestant->reader->in_namespace ? page_behind_namespace(contestant->page) : NULL;
	if (!contestant->read)
		run_image(thread, contestant->reader, reads);
	else if (works(thread))
		loop_working_reader(contestant, contestant->reader->clock, &thread->work, reads);
	else
		loop_reader(contestant, contestant->reader->clock, reads);
}

/* Which reader it is in, for the parent, should it not come back. */
static void enter(struct compare_thread *thread, size_t who, bool counted)
{
	struct compare_lane *lane = lane_of(thread);

	WRITE_ONCE(lane->reader, who == thread->config->readers ? -1 : (s32)who);
	WRITE_ONCE(lane->counted, counted);
	WRITE_ONCE(lane->steps, lane->steps + 1);
}

/* Whether no reader before it has a lock of the same library. */
static bool is_first_of_library(const struct compare_config *config, size_t who)
{
	for (size_t i = 0; i < who; i++)
		if (config->reader[i]->lock.enlist == config->reader[who]->lock.enlist)
			return false;
	return true;
}

static void enlist(const struct compare_config *config)
{
	for (size_t who = 0; who < config->readers; who++)
		if (config->reader[who]->lock.enlist && is_first_of_library(config, who))
			config->reader[who]->lock.enlist();
}

static void leave(const struct compare_config *config)
{
	for (size_t who = 0; who < config->readers; who++)
		if (config->reader[who]->lock.leave && is_first_of_library(config, who))
			config->reader[who]->lock.leave();
}

/* Of all: a library waits for each thread that it knows, whatever that does. */
static void quiesce(const struct compare_config *config)
{
	for (size_t who = 0; who < config->readers; who++)
		if (config->reader[who]->lock.quiesce)
			config->reader[who]->lock.quiesce();
}

/* Nanoseconds of a read. */
static double time_block(struct compare_thread *thread, size_t who, u32 reads)
{
	u64 start;

	enter(thread, who, false);
	quiesce(thread->config);
	run_block(thread, who, reads < READS_BEFORE ? reads : READS_BEFORE);
	start = shared_counter(thread->shared);
	run_block(thread, who, reads);
	return shared_nanoseconds(thread->shared,
				  (double)(shared_counter(thread->shared) - start)) /
	       reads;
}

/* A number below `limit`. */
static u32 draw(struct compare_thread *thread, u32 limit)
{
	return (u32)random_below(&thread->random, limit);
}

static void shuffle(struct compare_thread *thread, u8 *order, u32 count)
{
	for (u32 i = 0; i < count; i++) {
		u32 at = draw(thread, i + 1);

		order[i] = order[at];
		order[at] = (u8)i;
	}
}

static void find_block_reads(struct compare_thread *thread)
{
	u32 reads = MIN_READS;
	double least = 0;

	while (reads < MAX_READS && time_block(thread, 0, reads) * reads < BLOCK_NS / 4)
		reads *= 2;
	for (int i = 0; i < TRIALS; i++) {
		double ns = time_block(thread, 0, reads);

		least = i == 0 || ns < least ? ns : least;
	}
	reads = least > 0 ? (u32)(BLOCK_NS / least) : reads;
	thread->block_reads = reads < MIN_READS ? MIN_READS : reads > MAX_READS ? MAX_READS : reads;
	lane_of(thread)->block_ns = least * thread->block_reads;
}

/* Where code and data lie during a visit. */
struct place {
	u32 offset;		       /* of a reader's first instruction in its page */
	u32 page[COMPARE_MAX_READERS]; /* by layout: which of its pages */
};

/*
 * Every place in a line as often as any other, in a line at random, and now and then so near to the
 * end of a page that the code crosses it. Where a page of data lies in memory may matter as well,
 * if readers read different ones.
 */
static struct place draw_place(struct compare_thread *thread, u32 place_in_line)
{
	u32 line = draw(thread, LINES_IN_PAGE);
	struct place place;

	if (draw(thread, ONE_CROSSES) == 0)
		line = LINES_IN_PAGE - 1 - draw(thread, 2);
	place.offset = line * CACHE_LINE + place_in_line * (CACHE_LINE / PLACES_IN_LINE);
	for (size_t i = 0; i < COMPARE_MAX_READERS; i++)
		place.page[i] = draw(thread, thread->pages);
	return place;
}

static void tell_wrong(struct compare_thread *thread, const struct compare_contestant *contestant,
		       const char *what)
{
	struct compare_area *area = thread->area;

	if (__atomic_exchange_n(&area->wrong, true, __ATOMIC_ACQ_REL))
		return;
	snprintf(area->wrong_text, sizeof(area->wrong_text), "%.100s: %.140s",
		 contestant->reader->path, what);
}

static int move_code(struct compare_contestant *contestant, u32 offset, struct errmsg *err)
{
	struct placement placement;

	if (placement_make(&placement, &contestant->reader->code, offset, err))
		return -1;
	placement_release(&contestant->placement);
	contestant->placement = placement;
	contestant->read = placement.entry;
	return 0;
}

static bool move_to(struct compare_thread *thread, size_t who, const struct place *place)
{
	struct compare_contestant *contestant = &thread->contestant[who];
	struct errmsg err;

	enter(thread, who, false);
	if (!contestant->reader->image)
		contestant->page = reader_page(
			contestant->reader, &contestant->regions[place->page[contestant->layout]]);
	if (contestant->moves && move_code(contestant, place->offset, &err)) {
		tell_wrong(thread, contestant, err.text);
		return false;
	}
	if (!contestant->has_quiet ||
	    !quiet_check(&contestant->quiet, contestant->reader, contestant->read, &err))
		return true;
	tell_wrong(thread, contestant, err.text);
	return false;
}

static void time_round(struct compare_thread *thread, size_t round)
{
	const u32 count = (u32)thread->config->readers + works(thread);
	const u32 reads = thread->block_reads + draw(thread, thread->block_reads / 8 + 1);
	u8 order[COMPARE_MAX_READERS + 1];

	shuffle(thread, order, count);
	for (u32 i = 0; i < count; i++)
		thread->ns[order[i]][round] = time_block(thread, order[i], reads);
}

/* Not timed: what the counted path tells of its retries, under the same writer. */
static void count_retries(struct compare_thread *thread)
{
	struct compare_lane *lane = lane_of(thread);

	for (size_t who = 0; who < thread->config->readers; who++) {
		const struct compare_contestant *contestant = &thread->contestant[who];
		struct read_note note = {.on_cpu = thread->on_cpu,
					 .on_cpu_mark = thread->on_cpu_mark};
		struct timespec ts;

		if (!contestant->reader->tells)
			continue;
		enter(thread, who, true);
		note_was_off_cpu(&note);
		for (u32 i = 0; i < thread->block_reads; i++) {
			if (works(thread))
				work_once(&thread->work);
			/* A wait that ended well is over; the next one is another. */
			note.waiting = 0;
			contestant->reader->counted(contestant->page, contestant->reader->clock,
						    &ts, &note);
		}
		lane->counts[who].reads += thread->block_reads;
		lane->counts[who].odd_waits += note.odd_waits;
		lane->counts[who].changed += note.changed - note.off_cpu;
		lane->counts[who].off_cpu += note.off_cpu;
	}
	if (thread->on_cpu)
		WRITE_ONCE(*thread->on_cpu, 0);
}

/* Not timed either: what hardware counts of a block of each reader, and of work alone. */
static void count_hardware(struct compare_thread *thread)
{
	const size_t blocks = thread->config->readers + works(thread);
	struct compare_lane *lane = lane_of(thread);
	u64 values[HW_COUNTERS];

	if (thread->hw.fd[0] < 0)
		return;
	for (size_t who = 0; who < blocks; who++) {
		enter(thread, who, false);
		run_block(thread, who, READS_BEFORE);
		hw_counters_begin(&thread->hw);
		run_block(thread, who, thread->block_reads);
		if (!hw_counters_end(&thread->hw, values))
			continue;
		lane->hw[who].reads += thread->block_reads;
		for (size_t i = 0; i < HW_COUNTERS; i++)
			lane->hw[who].value[i] += values[i];
	}
}

static double median(double *values, size_t n)
{
	gsl_sort(values, 1, n);
	return gsl_stats_median_from_sorted_data(values, 1, n);
}

/*
 * Both had the same work beside them, which goes away in the difference. What is left of a block
 * without it may be less than nothing, and has no logarithm: see compare.c.
 */
static int compare_working(struct compare_thread *thread, size_t who, size_t rounds,
			   struct visit *visit, struct errmsg *err)
{
	double *difference = thread->scratch + 2 * rounds;

	for (size_t i = 0; i < rounds; i++)
		difference[i] = thread->ns[who][i] - thread->ns[0][i];
	visit->log_ratio = NAN;
	return visit_location(difference, rounds, thread->scratch, &visit->ns, err);
}

static int conclude_visit(struct compare_thread *thread, size_t rounds, struct compare_visit *visit)
{
	const size_t readers = thread->config->readers;
	struct errmsg err;

	for (size_t who = 1; who < readers; who++) {
		struct visit *against = &visit->against[who];

		if (works(thread) ? compare_working(thread, who, rounds, against, &err)
				  : visit_compare(thread->ns[who], thread->ns[0], rounds,
						  thread->scratch, against, &err)) {
			tell_wrong(thread, &thread->contestant[who], err.text);
			return -1;
		}
	}
	visit->work_ns = works(thread) ? median(thread->ns[readers], rounds) : 0;
	for (size_t who = 0; who < readers; who++)
		visit->read_ns[who] = median(thread->ns[who], rounds) - visit->work_ns;
	return 0;
}

static bool is_stopped(const struct compare_thread *thread)
{
	return READ_ONCE(thread->area->stop) || READ_ONCE(thread->area->wrong);
}

/* Goes to a place and compares there, for as long as a visit lasts. False: it came to an end. */
static bool visit(struct compare_thread *thread, const struct place *place,
		  struct compare_visit *visit)
{
	const u64 end = shared_counter(thread->shared) +
			shared_cycles(thread->shared, thread->area->visit_ns);
	size_t rounds = 0;

	/* Time that nobody carries into seconds makes each read longer. */
	if (thread->writer) {
		WRITE_ONCE(lane_of(thread)->reader, -1);
		writer_update(thread->writer);
	}
	for (size_t who = 0; who < thread->config->readers; who++)
		if (!move_to(thread, who, place))
			return false;
	for (int i = 0; i < ROUNDS_BEFORE; i++)
		time_round(thread, 0);
	do {
		time_round(thread, rounds++);
		if (rounds % ROUNDS_TO_COUNTED == 0)
			count_retries(thread);
		if (is_stopped(thread))
			return false;
	} while (rounds < COMPARE_MAX_ROUNDS &&
		 (rounds < ROUNDS_TO_COUNTED || shared_counter(thread->shared) < end));
	count_hardware(thread);
	return !conclude_visit(thread, rounds, visit);
}

/* The first visit of each placement, in random order, then the second, in another. */
static bool visit_window(struct compare_thread *thread, u64 window, const u8 *places)
{
	struct compare_visit *visits = compare_window(thread->area, thread->index, window);
	struct place place[COMPARE_WINDOW];

	for (u32 i = 0; i < COMPARE_WINDOW; i++)
		place[i] = draw_place(thread, places[i]);
	for (u32 turn = 0; turn < 2; turn++) {
		u8 order[COMPARE_WINDOW];

		shuffle(thread, order, COMPARE_WINDOW);
		for (u32 i = 0; i < COMPARE_WINDOW; i++) {
			struct compare_visit *slot = &visits[2u * order[i] + turn];

			slot->turn = turn * COMPARE_WINDOW + i;
			if (!visit(thread, &place[order[i]], slot))
				return false;
		}
	}
	return true;
}

const struct vdso_time_data *compare_publishing(const struct compare_thread *thread, u32 *reader)
{
	for (u32 who = 0; who < thread->config->readers; who++) {
		const struct compare_contestant *contestant = &thread->contestant[who];

		for (u32 i = 0; i < thread->pages && reader_is_lock(contestant->reader); i++) {
			*reader = who;
			if (vdso_sequence(page_for_readers(&contestant->regions[i])) & 1)
				return page_for_readers(&contestant->regions[i]);
		}
	}
	return NULL;
}

static const struct compare_thread *crash_witness;
static __thread u32 own_number; /* from 1; 0: a thread that calls no reader */

/* Threads may crash at once: the default must not come back before one of them has told. */
static void tell_crash(int number)
{
	struct compare_area *area = crash_witness->area;
	u32 none = 0, reader;

	if (own_number)
		__atomic_compare_exchange_n(&area->crashed, &none, own_number, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	if ((!own_number || area->lane[own_number - 1].reader < 0) &&
	    compare_publishing(crash_witness, &reader))
		WRITE_ONCE(area->publisher, reader + 1);
	signal(number, SIG_DFL);
	/* What did not come of an instruction would not come again. */
	raise(number);
}

void compare_tell_crashes(const struct compare_thread *thread)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGABRT};
	const struct sigaction action = {.sa_handler = tell_crash};

	crash_witness = thread;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &action, NULL);
}

void *compare_thread_main(void *argument)
{
	struct compare_thread *thread = argument;
	struct compare_lane *lane = lane_of(thread);
	u8 places[PLACES_IN_LINE];
	struct errmsg err;
	const char *why;

	own_number = thread->index + 1;
	lane->tid = gettid();
	enlist(thread->config);
	gate_wait(&thread->shared->gate);
	hw_counters_open(&thread->hw, hw_events, HW_COUNTERS, &err);
	memcpy(lane->hw_cause, thread->hw.cause, sizeof(lane->hw_cause));
	thread->on_cpu = offcpu_flag(&thread->on_cpu_mark, &why);
	lane->off_cpu_unavailable = thread->on_cpu ? NULL : why;
	find_block_reads(thread);
	for (u64 window = 0; window < thread->area->max_windows; window++) {
		const u32 half = (u32)(window % (PLACES_IN_LINE / COMPARE_WINDOW)) * COMPARE_WINDOW;

		if (half == 0)
			shuffle(thread, places, PLACES_IN_LINE);
		if (is_stopped(thread) || !visit_window(thread, window, places + half))
			break;
		lane->last_ns = monotonic_ns();
		smp_store_release(&lane->windows, window + 1);
	}
	WRITE_ONCE(lane->reader, -1);
	leave(thread->config);
	hw_counters_close(&thread->hw);
	return NULL;
}
