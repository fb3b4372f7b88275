// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "readers/clock.h"
#include "sim/types.h"

static const struct {
	const char *name;
	clockid_t clock;
} clock_names[] = {
	{"realtime", CLOCK_REALTIME},
	{"monotonic", CLOCK_MONOTONIC},
	{"monotonic_raw", CLOCK_MONOTONIC_RAW},
	{"realtime_coarse", CLOCK_REALTIME_COARSE},
	{"monotonic_coarse", CLOCK_MONOTONIC_COARSE},
	{"boottime", CLOCK_BOOTTIME},
	{"tai", CLOCK_TAI},
};

const char *clock_name(clockid_t clock)
{
	for (size_t i = 0; i < ARRAY_SIZE(clock_names); i++)
		if (clock_names[i].clock == clock)
			return clock_names[i].name;
	return NULL;
}

clockid_t clock_by_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(clock_names); i++)
		if (strcmp(clock_names[i].name, name) == 0)
			return clock_names[i].clock;
	return -1;
}

bool clock_is_coarse(clockid_t clock)
{
	return clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE;
}
