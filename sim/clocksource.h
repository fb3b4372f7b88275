/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counters that time can be made of, in one table.
 */
#ifndef SIM_CLOCKSOURCE_H
#define SIM_CLOCKSOURCE_H

#include "sim/counter.h"
#include "sim/errmsg.h"
#include "sim/page.h"
#include "sim/spec.h"

struct clocksource {
	const char *name;
	const char *summary;
	const struct spec_key *keys; /* NULL: none */
	s32 clock_mode;
	u64 mask;
	bool selectable; /* false: moved by hand, of no use in a run */
	bool has_record; /* readers need a record in memory that somebody keeps: see pvclock.h */
	/* Whether this machine has it; if not, *why says what is missing. */
	bool (*usable)(const char **why);
	/* Frequency in Hz; measured, if nothing on the machine states it. Takes up to 0.1 s. */
	u64 (*frequency_hz)(void);
};

/* The table, best first, ended by an entry without a name. */
extern const struct clocksource clocksources[];

/* By name; NULL when there is none of that name. */
const struct clocksource *clocksource_find(const char *name);

/* Updates a second of a record in memory: what may be asked for, and what is if nothing is said. */
#define CLOCKSOURCE_MAX_HZ     1000000
#define CLOCKSOURCE_DEFAULT_HZ 10

/* What a spec says. */
struct clocksource_choice {
	const struct clocksource *clocksource; /* it need be neither selectable nor usable here */
	u64 hz;				       /* 0 too where there is no record */
};

/*
 * Finds the clock source that `text` names. Returns 0, or -1 with a sentence in *err: no such clock
 * source, no such key, a value out of range.
 */
int clocksource_resolve(const char *text, struct clocksource_choice *choice, struct errmsg *err);

/* The first of the table that is selectable and usable here. There always is one. */
const struct clocksource *clocksource_default(void);

/*
 * What a counter of this mode says now. `page` is the readers' view of the data page, used by
 * modes that have their counter in memory. The mode must be a usable clock source's.
 */
static inline u64 clocksource_read(s32 clock_mode, const struct vdso_time_data *page)
{
	return counter_read(clock_mode, page);
}

/*
 * The step in which the counter moves: the greatest common divisor of the differences between
 * many successive readings, in cycles, 1 or more. A counter that moves in large steps cannot
 * tell the length of a single short read. Takes about a millisecond. Of a record in memory it is
 * the step of the counter that moves it, rounded down.
 */
u64 clocksource_step(s32 clock_mode, const struct vdso_time_data *page);

/*
 * Cost of one reading in cycles: the mean over a run of back-to-back readings, the least of
 * several such runs. Takes about a millisecond.
 */
double clocksource_cost(s32 clock_mode, const struct vdso_time_data *page);

#endif /* SIM_CLOCKSOURCE_H */
