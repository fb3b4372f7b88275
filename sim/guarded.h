/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calling code that may fault, crash or never return, to see what it does.
 *
 * Only for a process of its own: the handlers of the signals become this module's and stay
 * so, and code that was cut short may leave anything behind.
 */
#ifndef SIM_GUARDED_H
#define SIM_GUARDED_H

#include <stdbool.h>

enum guarded_outcome {
	GUARDED_RETURNED,
	GUARDED_FAULTED, /* touched memory that it may not, at `address` */
	GUARDED_CRASHED, /* was ended by another signal */
	GUARDED_HUNG,	 /* did not return in time */
};

struct guarded_result {
	enum guarded_outcome outcome;
	int signal;    /* if it faulted or crashed */
	void *address; /* if it faulted: what it touched */
	bool wrote;    /* and that it wanted to write; known on x86 only */
};

/* Sets up the handlers; once in a process, before the first call. */
void guarded_begin(void);

/*
 * Calls function(argument), for at most `ms` milliseconds of CPU time, so that a busy machine
 * changes nothing. Code that sleeps is not cut short. One thread only.
 */
struct guarded_result guarded_call(void (*function)(void *argument), void *argument,
				   unsigned int ms);

#endif /* SIM_GUARDED_H */
