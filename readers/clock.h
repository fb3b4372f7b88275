/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clocks that readers can be asked for, by name. Any thread may ask.
 */
#ifndef READERS_CLOCK_H
#define READERS_CLOCK_H

#include <stdbool.h>
#include <time.h>

/* A clock's name in lower case, as specs and output use it; NULL for an id without one. */
const char *clock_name(clockid_t clock);

/* The clock of that name, -1 if there is none. */
clockid_t clock_by_name(const char *name);

/* Whether the clock is read without a counter. */
bool clock_is_coarse(clockid_t clock);

#endif /* READERS_CLOCK_H */
