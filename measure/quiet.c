// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "measure/quiet.h"
#include "sim/publish.h"

#define REMEMBERED 16
/* Often enough that the time between two updates is never short of an interval. */
#define INTERVAL_HZ 1000

int quiet_open(struct quiet *quiet, const struct reader *reader, const struct clocksource *cs,
	       u64 frequency_hz, struct errmsg *err)
{
	struct timekeeper_start start = {
		.frequency_hz = frequency_hz,
		.mask = cs->mask,
		.clock_mode = cs->clock_mode,
		.interval_hz = INTERVAL_HZ < frequency_hz / 2 ? INTERVAL_HZ : 1,
		.realtime = {1700000000, 0},
		.monotonic = {100000, 0},
		.boottime = {200000, 0},
		.tai_offset_sec = 37,
	};
	const struct timens_offset none[VDSO_BASES] = {{.sec = 0}};

	*quiet = (struct quiet){.region = {.fd = -1}, .clock_mode = cs->clock_mode};
	if (page_region_map(&quiet->region, reader->layout, reader->data_offset, err))
		return -1;
	page_set_namespace(&quiet->region, none);
	quiet->oracle = oracle_create(reader->clock, REMEMBERED, false, err);
	if (quiet->oracle &&
	    !timekeeper_init(&quiet->tk, &start,
			     clocksource_read(cs->clock_mode, page_for_readers(&quiet->region)),
			     err))
		return 0;
	quiet_close(quiet);
	return -1;
}

void quiet_close(struct quiet *quiet)
{
	if (quiet->oracle)
		oracle_destroy(quiet->oracle);
	if (quiet->region.fd >= 0)
		page_region_unmap(&quiet->region);
	*quiet = (struct quiet){.region = {.fd = -1}};
}

static void publish(struct quiet *quiet, const struct timekeeper *tk)
{
	oracle_tell(quiet->oracle, ++quiet->number, tk);
	update_vsyscall(page_for_writer(&quiet->region), quiet->region.layout, tk);
}

static int say_wrong(struct errmsg *err, const char *what)
{
	return errmsg_set(
		err, "on a page that nobody updates it does not return what the page says%s", what);
}

/* What it returned, in nanoseconds. */
static int read_once(const struct quiet *quiet, const struct reader *reader, reader_fn *read,
		     u64 *nanoseconds, struct errmsg *err)
{
	const struct vdso_time_data *page = reader->in_namespace
						    ? page_for_namespace(&quiet->region)
						    : page_for_readers(&quiet->region);
	struct read_note note = {.on_cpu = NULL};
	struct timespec ts = {.tv_nsec = -1};

	if (read(page, reader->clock, &ts, &note))
		return say_wrong(err, ", but that it cannot");
	if ((u64)ts.tv_nsec >= NSEC_PER_SEC)
		return say_wrong(err, ", but nanoseconds that are no part of a second");
	*nanoseconds = (u64)ts.tv_sec * NSEC_PER_SEC + (u64)ts.tv_nsec;
	return 0;
}

static int check_passing(struct quiet *quiet, const struct reader *reader, reader_fn *read,
			 struct errmsg *err)
{
	const struct vdso_time_data *page = page_for_readers(&quiet->region);
	struct oracle_span span;
	u64 ns;

	timekeeper_advance(&quiet->tk, clocksource_read(quiet->clock_mode, page));
	publish(quiet, &quiet->tk);
	span.begin_seq = span.end_seq = (u32)quiet->number * 2;
	span.begin_cycles = clocksource_read(quiet->clock_mode, page);
	if (read_once(quiet, reader, read, &ns, err))
		return -1;
	span.end_cycles = clocksource_read(quiet->clock_mode, page);
	if (oracle_judge_span(quiet->oracle, &span, ns, 1) == ORACLE_RIGHT)
		return 0;
	return say_wrong(err, "");
}

/* Any nanosecond of a second, so that no digit of it goes unseen for long. */
static u64 some_nsec(u64 number)
{
	return (number * 0x9e3779b97f4a7c15u >> 33) % NSEC_PER_SEC;
}

/* Cycles that are worth nothing: whatever the counter says, there is one right value. */
static int check_still(struct quiet *quiet, const struct reader *reader, reader_fn *read,
		       struct errmsg *err)
{
	struct timekeeper still = quiet->tk;
	struct oracle_update update;
	char what[64];
	u64 ns, right;

	still.mult = still.nominal_mult = 0;
	still.coarse_nsec = (u32)some_nsec(quiet->number);
	still.realtime_nsec = some_nsec(quiet->number) << still.shift;
	still.raw_nsec = still.realtime_nsec;
	publish(quiet, &still);
	if (read_once(quiet, reader, read, &ns, err))
		return -1;
	if (!oracle_recall(quiet->oracle, quiet->number, &update))
		return say_wrong(err, "");
	right = oracle_nanoseconds(&update, update.cycle_last);
	if (ns == right)
		return 0;
	snprintf(what, sizeof(what), ", but %llu ns %s",
		 (unsigned long long)(ns > right ? ns - right : right - ns),
		 ns > right ? "more" : "less");
	return say_wrong(err, what);
}

int quiet_check(struct quiet *quiet, const struct reader *reader, reader_fn *read,
		struct errmsg *err)
{
	return check_passing(quiet, reader, read, err) || check_still(quiet, reader, read, err) ? -1
												: 0;
}
