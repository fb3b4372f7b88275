/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calling code that may fault, crash or never return, to see what it does.
 *
 * Only for a process of its own: the handlers of the signals and the alternate stack become this
 * module's and stay so, and code that was cut short may leave anything behind. Outside of a call
 * the signals end the process as ever.
 */
#ifndef SIM_GUARDED_H
#define SIM_GUARDED_H

#include <stdbool.h>

#include "sim/errmsg.h"

enum guarded_outcome {
	GUARDED_RETURNED,
	GUARDED_FAULTED, /* touched memory that it may not, at `address` */
	GUARDED_CRASHED, /* was ended by another signal */
	GUARDED_HUNG,	 /* did not return in time */
};

struct guarded_result {
	enum guarded_outcome outcome;
	int signal;    /* if it did not return: which ended it */
	void *address; /* if it faulted: what it touched; NULL also if that is no address at all */
	bool wrote;    /* and that it wanted to write; known on x86 only */
};

/*
 * Sets up handlers and a timer; once in a process, before the first call. Returns 0, or -1 with a
 * sentence in *err when there is no timer to be had.
 */
int guarded_begin(struct errmsg *err);

/*
 * Calls function(argument), for at most `ms` milliseconds of CPU time, 1 or more, so that a busy
 * machine changes nothing. Code that sleeps is not cut short. One thread only.
 */
struct guarded_result guarded_call(void (*function)(void *argument), void *argument,
				   unsigned int ms);

/* What happens to code that has run for `after_ms` of CPU time, 1 or more, and not returned. */
struct guarded_act {
	void (*function)(void *argument); /* called in a signal's handler; returns */
	void *argument;
	unsigned int after_ms;
};

/* The same, but `act` happens in the midst of the call, and `ms` are counted from then on. */
struct guarded_result guarded_call_with(void (*function)(void *argument), void *argument,
					const struct guarded_act *act, unsigned int ms);

#endif /* SIM_GUARDED_H */
