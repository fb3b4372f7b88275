/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How and when this process was started, which every result in JSON says of itself.
 *
 * One thread only.
 */
#ifndef REPORT_INVOCATION_H
#define REPORT_INVOCATION_H

#include <stdbool.h>
#include <time.h>

/* `argv`, which stays the caller's, has `argc` strings. Seconds since 1970, UTC. */
void invocation_note(int argc, char **argv, time_t began);

/* Whether it was noted; if not, what follows is not known. */
bool invocation_is_known(void);

int invocation_arguments(void);

/* The first is the program itself. */
const char *invocation_argument(int index);

/* As ISO 8601 has it, in UTC: 2026-01-31T23:59:59Z. Lives until the next call. */
const char *invocation_date(void);

#endif /* REPORT_INVOCATION_H */
