// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/intervals.h"

const json_t *intervals_of(const struct result_file *file, struct sketch *sketch)
{
	const json_t *intervals = value_at(file->root, "intervals");

	if (json_array_size(intervals))
		return intervals;
	errmsg_set(&sketch->none, "nothing is known of single intervals: contend run --interval "
				  "1s tells them");
	return NULL;
}

double interval_middle_s(const json_t *interval)
{
	double start = 0, length = 0;

	number_at(interval, "start_s", &start);
	number_at(interval, "seconds", &length);
	return start + length / 2;
}
