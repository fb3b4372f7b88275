// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/json_path.h"
#include "report/pair_at.h"

bool pair_at(const json_t *root, const char *path, double pair[2])
{
	const json_t *array = value_at(root, path);
	double low, high;

	if (json_array_size(array) != 2 || number_at(array, "0", &low) != NUMBER_THERE ||
	    number_at(array, "1", &high) != NUMBER_THERE)
		return false;
	pair[0] = low;
	pair[1] = high;
	return true;
}
