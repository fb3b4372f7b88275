/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a writer's spec says. A key means the same, and has the same range, whichever kinds have it;
 * what it is if nothing is said, each kind says for itself.
 */
#ifndef WRITERS_CHOICE_H
#define WRITERS_CHOICE_H

#include "sim/errmsg.h"
#include "sim/spec.h"
#include "sim/types.h"

struct writer_kind;

enum writer_parameter {
	WRITER_HOLD,	 /* ns; least time that an update keeps the sequence odd */
	WRITER_JITTER,	 /* ns; a deadline is late by up to this */
	WRITER_ARRIVALS, /* enum pace_arrivals */
	WRITER_NOHZ,	 /* ns; stretches without ticks; 0: none */
	WRITER_PPM,	 /* frequency is steered by up to so much */
	WRITER_EVERY,	 /* ns; between two of what it does */
	WRITER_BY,	 /* ns; a step's length */
	WRITER_TOWARDS,	 /* enum writer_towards */
	WRITER_FOR,	 /* ns; how long it lasts, WRITER_FOREVER */
	WRITER_ASLEEP,	 /* ns; how long the clocks are told it was */
	WRITER_BURST,	 /* updates at once; 0: without end */
	WRITER_COUNTERS, /* enum writer_counters */
	WRITER_PARAMETERS
};

enum writer_towards {
	TOWARDS_BOTH, /* in turn */
	TOWARDS_FORWARDS,
	TOWARDS_BACKWARDS
};

enum writer_counters {
	COUNTERS_ALL, /* none and another, in turn */
	COUNTERS_NONE,
	COUNTERS_OTHER
};

#define WRITER_FOREVER UINT64_MAX

struct writer_choice {
	const struct writer_kind *kind;
	u64 hz; /* updates per second; 0: the spec does not say */
	u64 value[WRITER_PARAMETERS];
	char spec[SPEC_MAX_TEXT]; /* as it was given */
};

/*
 * Finds the writer that `text` names. Returns 0, or -1 with a sentence in *err: no such writer, no
 * such key, a value out of range, values that do not go together.
 */
int writer_resolve(const char *text, struct writer_choice *choice, struct errmsg *err);

/* Whether a kind has a rate, the key hz. */
bool writer_has_rate(const struct writer_kind *kind);

/* Whether it never waits, so that a rate would have no meaning. */
bool writer_is_endless(const struct writer_choice *choice);

/* Updates per second if the kind has a rate and it is `hz`; infinite if it never waits. */
double writer_rate_hz(const struct writer_choice *choice, u64 hz);

/* How often it waits in a second: once for all updates of a burst. Infinite, as above: never. */
double writer_wakes_hz(const struct writer_choice *choice, u64 hz);

/*
 * What share of the time a writer of that rate, on a CPU of its own, does not sleep; more than 1 if
 * there is not the time. Of an update's own length only bursts take account, with 100 ns for each.
 */
double writer_busy_share(const struct writer_choice *choice, u64 hz);

#endif /* WRITERS_CHOICE_H */
