/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An interval of a result: a JSON array of its lower and its upper end.
 */
#ifndef REPORT_PAIR_AT_H
#define REPORT_PAIR_AT_H

#include <jansson.h>
#include <stdbool.h>

/* False: nothing, null, or no two numbers are there, and `pair` is left alone. */
bool pair_at(const json_t *root, const char *path, double pair[2]);

#endif /* REPORT_PAIR_AT_H */
