// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/quiet.h"
#include "sim/lock_page.h"

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
	if (reader_map_page(reader, &quiet->region, err))
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

static void update(struct quiet *quiet)
{
	timekeeper_advance(&quiet->tk,
			   clocksource_read(quiet->clock_mode, page_for_readers(&quiet->region)));
	oracle_tell(quiet->oracle, ++quiet->number, &quiet->tk);
	page_region_publish(&quiet->region, &quiet->tk, quiet->number);
}

bool quiet_agrees(struct quiet *quiet, const struct reader *reader, reader_fn *read)
{
	const struct vdso_time_data *page = page_for_readers(&quiet->region);
	struct read_note note = {.on_cpu = NULL};
	struct oracle_span span;
	struct timespec ts;
	int result;

	update(quiet);
	span.begin_seq = span.end_seq = (u32)quiet->number * 2;
	span.begin_cycles = clocksource_read(quiet->clock_mode, page);
	result = read(reader_page(reader, &quiet->region), reader->clock, &ts, &note);
	span.end_cycles = clocksource_read(quiet->clock_mode, page);
	return result == 0 && (u64)ts.tv_nsec < NSEC_PER_SEC &&
	       oracle_judge_span(quiet->oracle, &span,
				 (u64)ts.tv_sec * NSEC_PER_SEC + (u64)ts.tv_nsec,
				 1) == ORACLE_RIGHT;
}
