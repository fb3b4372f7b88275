/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values of arguments, from text.
 *
 * Every parse_ function takes the whole text or nothing. It returns 0, or -1 with a sentence in
 * *err that quotes the text, says what is wrong and what would be right, and leaves its result
 * alone. None depends on the locale; all are safe in any thread.
 */
#ifndef CLI_PARSE_H
#define CLI_PARSE_H

#include <sched.h>

#include "measure/work.h"
#include "sim/errmsg.h"
#include "sim/types.h"
#include "sim/value.h"

/* Bytes, with an optional suffix K, M or G for powers of 1024; from `least` to `most`. */
int parse_size(const char *text, u64 least, u64 most, u64 *bytes, struct errmsg *err);

/* CPUs as taskset -c takes them: 0,2-3 or 0-14:2; below CPU_SETSIZE, whether they exist or not. */
int parse_cpu_list(const char *text, cpu_set_t *cpus, struct errmsg *err);

/*
 * none, alu:N, cache:SIZE or cold, in the ranges of struct work_spec; SIZE is a multiple of a line,
 * or so many times the first level, as in 0.5L1.
 */
int parse_work(const char *text, struct work_spec *work, struct errmsg *err);

#endif /* CLI_PARSE_H */
