// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "report/json_path.h"
#include "report/swept_at.h"

bool swept_point_at(const json_t *points, size_t number, struct swept_point *point)
{
	const json_t *one = json_array_get(points, number);

	*point = (struct swept_point){.hz = 0};
	number_at(one, "low", &point->low);
	number_at(one, "high", &point->high);
	number_at(one, "law_per_million", &point->law);
	if (number_at(one, "hz", &point->hz) != NUMBER_THERE)
		return false;
	point->rate_hz = point->hz;
	number_at(one, "rate_hz", &point->rate_hz);
	return number_at(one, "readers", &point->readers) == NUMBER_THERE &&
	       number_at(one, "retries_per_million", &point->per_million) == NUMBER_THERE;
}

static void insert(struct swept_axis *axis, double value)
{
	size_t at = 0;

	while (at < axis->count && axis->value[at] < value)
		at++;
	if (axis->count == SWEPT_AXIS_MAX ||
	    (at < axis->count && fabs(axis->value[at] - value) < 0.5))
		return;
	memmove(&axis->value[at + 1], &axis->value[at], (axis->count - at) * sizeof(value));
	axis->value[at] = value;
	axis->count++;
}

struct swept_axis swept_axis_of(const json_t *points, const char *name)
{
	struct swept_axis axis = {.count = 0};
	double value;

	for (size_t i = 0; i < json_array_size(points); i++)
		if (number_at(json_array_get(points, i), name, &value) == NUMBER_THERE)
			insert(&axis, value);
	return axis;
}
