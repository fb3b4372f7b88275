/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers and times from text, for specs and options alike.
 *
 * Every parse_ function takes the whole text or nothing. It returns 0, or -1 with a sentence in
 * *err that quotes the text, says what is wrong and what would be right, and leaves its result
 * alone. None depends on the locale; all are safe in any thread.
 */
#ifndef SIM_VALUE_H
#define SIM_VALUE_H

#include "sim/errmsg.h"
#include "sim/types.h"

/* Longest stretch of the user's text that a sentence quotes, so that the rest of it has room. */
#define VALUE_QUOTE_MAX 60

struct value_quote {
	char text[VALUE_QUOTE_MAX + 8];
};

/* The user's text in quotes, cut short if it is long. */
struct value_quote value_quote(const char *text);

/*
 * Takes digits at *text and moves it past them. False without any, or when 64 bits are too few.
 */
bool value_take_number(const char **text, u64 *number);

/* A whole number in decimal digits, from `least` to `most`. */
int parse_count(const char *text, u64 least, u64 most, u64 *count, struct errmsg *err);

/*
 * A length of time in nanoseconds, from `least` to `most`: 10s, 1.5s, 500ms, 250us, 100ns, 2m,
 * 1h. The unit is required, save with a plain 0. What is not a whole number of
 * nanoseconds is an error.
 */
int parse_duration(const char *text, u64 least, u64 most, u64 *ns, struct errmsg *err);

#endif /* SIM_VALUE_H */
