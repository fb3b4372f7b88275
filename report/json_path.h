/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands in a JSON value at a path, as in `readers.read_ns.p50` or `results.0.effect_percent`:
 * names of members and places in arrays, with dots between them. An empty path is the value itself.
 *
 * What is returned stays the root's. Safe in any thread, as long as none changes the root.
 */
#ifndef REPORT_JSON_PATH_H
#define REPORT_JSON_PATH_H

#include <jansson.h>
#include <stdbool.h>

/* NULL: nothing is there, or `root` is NULL. Of null it is JSON's null. */
const json_t *value_at(const json_t *root, const char *path);

enum number_at {
	NUMBER_ABSENT, /* nothing, or no number: of a result, it is older than the field */
	NUMBER_NULL,   /* it could not be measured */
	NUMBER_THERE,
};

/* Puts the number into *value if it is there; leaves *value alone if not. */
enum number_at number_at(const json_t *root, const char *path, double *value);

/* NULL: nothing, null, or no string. */
const char *text_at(const json_t *root, const char *path);

/* False also where nothing is, null, or no boolean. */
bool true_at(const json_t *root, const char *path);

#endif /* REPORT_JSON_PATH_H */
