/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The points of a sweep's result, for pictures of it.
 */
#ifndef REPORT_SWEPT_AT_H
#define REPORT_SWEPT_AT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define SWEPT_AXIS_MAX 64

struct swept_point {
	double hz, readers;	       /* of the grid */
	double rate_hz;		       /* that there was; hz where it is not known */
	double per_million, low, high; /* 0 where they are not known */
	double law;		       /* per million; 0: none */
};

/* False: it was not measured. */
bool swept_point_at(const json_t *points, size_t number, struct swept_point *point);

/* The values of an axis, "hz" or "readers", that are in the points, once each, upwards. */
struct swept_axis {
	double value[SWEPT_AXIS_MAX];
	size_t count;
};

struct swept_axis swept_axis_of(const json_t *points, const char *name);

#endif /* REPORT_SWEPT_AT_H */
