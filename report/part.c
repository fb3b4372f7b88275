// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/part.h"

struct report_part report_part_all(const struct run_config *config, const struct run_result *result)
{
	struct report_part part = {result, &result->all, NULL, true};

	for (u32 i = 0; i < config->groups; i++)
		part.opaque &= config->group[i].reader.image != NULL;
	if (config->groups == 1)
		part.group = &config->group[0];
	return part;
}

struct report_part report_part_group(const struct run_config *config,
				     const struct run_result *result, u32 number)
{
	const struct run_group *group = &config->group[number];

	return (struct report_part){result, &result->group[number], group,
				    group->reader.image != NULL};
}
