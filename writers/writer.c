// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/stamp.h"
#include "sim/value.h"
#include "writers/kinds.h"
#include "writers/writer.h"

/*
 * The timekeeper's interval is a quarter of the tick, so that a tick which comes a little early
 * for its share of the counter still finds whole intervals to accumulate.
 */
#define INTERVALS_PER_TICK 4

#define POINT_TO(kind) &kind,
const struct writer_kind *const writer_kinds[] = {WRITER_KINDS(POINT_TO) NULL};

static const struct writer_kind *find_kind(const char *name, struct errmsg *err)
{
	char known[256] = "";
	size_t used = 0;

	for (const struct writer_kind *const *kind = writer_kinds; *kind; kind++) {
		if (strcmp((*kind)->name, name) == 0)
			return *kind;
		if (!(*kind)->fault && used < sizeof(known))
			used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
						 used ? ", " : "", (*kind)->name);
	}
	errmsg_set(err, "there is no writer '%s': there is %s", name, known);
	return NULL;
}

int writer_resolve(const char *text, struct writer_choice *choice, struct errmsg *err)
{
	const char *hz, *hold;
	struct errmsg why;
	struct spec spec;

	*choice = (struct writer_choice){.hz = 0};
	if (spec_parse(text, &spec, err))
		return -1;
	choice->kind = find_kind(spec.name, err);
	if (!choice->kind || spec_check(&spec, choice->kind->keys, "writer", err))
		return -1;
	hz = spec_given(&spec, "hz");
	if (hz && parse_count(hz, WRITER_MIN_HZ, WRITER_MAX_HZ, &choice->hz, &why))
		return errmsg_set(err, "writer '%s': hz: %s", spec.name, why.text);
	hold = spec_given(&spec, "hold");
	if (hold && parse_duration(hold, 0, WRITER_MAX_HOLD_NS, &choice->hold_ns, &why))
		return errmsg_set(err, "writer '%s': hold: %s", spec.name, why.text);
	return 0;
}

static struct timespec ahead_of_host(const struct writer_setup *setup, clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	now.tv_sec += (time_t)setup->ahead_sec;
	return now;
}

/* Fewer where the counter is too slow for that. */
static u64 choose_interval_hz(const struct writer_setup *setup)
{
	u64 wanted = setup->hz * INTERVALS_PER_TICK;

	return wanted < setup->frequency_hz / 2 ? wanted : setup->frequency_hz / 2;
}

static int start_timekeeper(struct writer *writer, const struct writer_setup *setup,
			    struct errmsg *err)
{
	const struct timekeeper_start start = {
		.frequency_hz = setup->frequency_hz,
		.mask = setup->clocksource->mask,
		.clock_mode = setup->clocksource->clock_mode,
		.interval_hz = choose_interval_hz(setup),
		.realtime = ahead_of_host(setup, CLOCK_REALTIME),
		.monotonic = ahead_of_host(setup, CLOCK_MONOTONIC),
		.boottime = ahead_of_host(setup, CLOCK_BOOTTIME),
		.tai_offset_sec = 37,
	};

	return timekeeper_init(&writer->tk, &start,
			       clocksource_read(start.clock_mode, writer->readers_page), err);
}

/* Moves the timekeeper on and tells the oracle what is going to be published. */
static void prepare_update(struct writer *writer, u64 cycles)
{
	u64 number = writer->number + 1;

	if (writer->payload == PAYLOAD_STAMP)
		timekeeper_stamp(&writer->tk, number, cycles + writer->stamp_ahead);
	else
		timekeeper_advance(&writer->tk, cycles);
	oracle_tell(writer->oracle, number, &writer->tk);
}

static void take_page(struct writer *writer, const struct page_region *region)
{
	writer->each[writer->pages++] = (struct writer_page){
		page_for_writer(region), region->layout, region->lock, region->lock_clock};
}

static void take_pages(struct writer *writer, const struct writer_setup *setup)
{
	take_page(writer, setup->region);
	for (size_t i = 0; i < setup->others; i++)
		take_page(writer, setup->other[i]);
}

static void choose_page(struct writer *writer, size_t page)
{
	writer->page = writer->each[page].page;
	writer->layout = writer->each[page].layout;
}

/* A lock takes the same of all kinds. */
static inline void publish(struct writer *writer, size_t page)
{
	const struct writer_page *to = &writer->each[page];

	if (to->lock)
		lock_page_publish(to->page, to->lock, to->clock, &writer->tk, writer->number + 1);
	else
		writer->kind->publish(writer);
}

static void publish_first(struct writer *writer)
{
	for (size_t i = writer->pages; i-- > 0;) {
		choose_page(writer, i);
		if (writer->each[i].lock)
			publish(writer, i);
		else
			update_vsyscall(writer->page, writer->layout, &writer->tk);
	}
}

/* The same update once more, for who reads other pages. */
static void publish_to_others(struct writer *writer)
{
	for (size_t i = 1; i < writer->pages; i++) {
		choose_page(writer, i);
		publish(writer, i);
	}
	choose_page(writer, 0);
}

/* What makes an update of the kernel's page longer lies within it; a lock must say where that is.
 */
static void hold(void *argument)
{
	const struct writer *writer = argument;
	const struct pace *pace = &writer->pace;
	const u64 start = clocksource_read(pace->clock_mode, pace->page);

	while (clocksource_read(pace->clock_mode, pace->page) - start < writer->hold_cycles)
		cpu_relax();
}

static int take_lock(struct writer *writer, const struct page_region *region, struct errmsg *err)
{
	if (!region->lock)
		return 0;
	if (writer->kind->fault)
		return errmsg_set(
			err,
			"--writer: '%s' is wrong about the kernel's sequence counter, and "
			"the reader has a lock of its own",
			writer->kind->name);
	if (!writer->hold_cycles || writer->pace.clock_mode == VDSO_CLOCKMODE_NONE)
		return 0;
	if (!lock_page_has_middle(region))
		return errmsg_set(err, "--writer: hold: the reader's lock does not say by "
				       "PUBLISH_MIDDLE where an update could be made longer");
	lock_page_set_middle(page_for_writer(region), hold, writer);
	return 0;
}

static int take_locks(struct writer *writer, const struct writer_setup *setup, struct errmsg *err)
{
	if (take_lock(writer, setup->region, err))
		return -1;
	for (size_t i = 0; i < setup->others; i++)
		if (take_lock(writer, setup->other[i], err))
			return -1;
	return 0;
}

int writer_start(struct writer *writer, const struct writer_setup *setup, struct errmsg *err)
{
	*writer = (struct writer){
		.kind = setup->kind,
		.payload = setup->payload,
		.readers_page = page_for_readers(setup->region),
		.oracle = setup->oracle,
		.stamp_ahead = setup->still ? STAMP_AHEAD : 0,
		.hold_cycles = wide_mul_div(setup->hold_ns, setup->frequency_hz, NSEC_PER_SEC),
		.pace =
			{
				.clock_mode = setup->clocksource->clock_mode,
				.page = page_for_readers(setup->region),
				.frequency_hz = setup->frequency_hz,
				.hz = setup->hz,
				.may_spin = setup->may_spin,
				.stop = setup->stop,
			},
	};
	take_pages(writer, setup);
	if (setup->hz > setup->frequency_hz / 2)
		return errmsg_set(err,
				  "--hz: a counter of %llu Hz allows %llu updates a second at "
				  "most",
				  (unsigned long long)setup->frequency_hz,
				  (unsigned long long)setup->frequency_hz / 2);
	if (start_timekeeper(writer, setup, err) || take_locks(writer, setup, err))
		return -1;
	prepare_update(writer, writer->tk.cycle_last);
	publish_first(writer);
	writer->number = 1;
	writer_begin(writer);
	return 0;
}

bool writer_never_sleeps(u64 hz, u64 hold_ns)
{
	return (PACE_WAKE_EARLY_NS + hold_ns) * hz > NSEC_PER_SEC / 5 * 4;
}

u64 writer_last_tick(const struct writer *writer)
{
	return writer->pace.tick - 1;
}

u64 writer_ticks_before(const struct writer *writer, u64 cycles)
{
	/* None before the first period has passed. */
	return cycles > writer->pace.start ? pace_last_passed(&writer->pace, cycles - 1) : 0;
}

/* Whether no page before it has the same lock. */
static bool is_first_of_lock(const struct writer *writer, size_t page)
{
	for (size_t i = 0; i < page; i++)
		if (writer->each[i].lock &&
		    writer->each[i].lock->enlist == writer->each[page].lock->enlist)
			return false;
	return true;
}

void writer_enlist(const struct writer *writer)
{
	for (size_t i = 0; i < writer->pages; i++)
		if (writer->each[i].lock && writer->each[i].lock->enlist &&
		    is_first_of_lock(writer, i))
			writer->each[i].lock->enlist();
}

void writer_leave(const struct writer *writer)
{
	for (size_t i = 0; i < writer->pages; i++)
		if (writer->each[i].lock && writer->each[i].lock->leave &&
		    is_first_of_lock(writer, i))
			writer->each[i].lock->leave();
}

void writer_begin(struct writer *writer)
{
	pace_start(&writer->pace, clocksource_read(writer->pace.clock_mode, writer->pace.page));
}

void writer_update(struct writer *writer)
{
	prepare_update(writer, clocksource_read(writer->pace.clock_mode, writer->pace.page));
	publish(writer, 0);
	publish_to_others(writer);
	writer->number++;
}

bool writer_step(struct writer *writer, struct update_times *times)
{
	times->begin = pace_wait(&writer->pace, &times->due, &times->ticks);
	if (!times->begin)
		return false;
	prepare_update(writer, times->begin);
	times->odd = clocksource_read(writer->pace.clock_mode, writer->pace.page);
	publish(writer, 0);
	times->even = clocksource_read(writer->pace.clock_mode, writer->pace.page);
	if (vdso_sequence(writer->page) & 1)
		return false;
	publish_to_others(writer);
	writer->number++;
	return true;
}
