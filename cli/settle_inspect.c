// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/settle_inspect.h"

int settle_inspect(const struct argument_section *section, FILE *out, json_t **result,
		   struct errmsg *err)
{
	(void)section;
	(void)out;
	*result = NULL;
	return errmsg_set(err, "this build of contend cannot inspect code");
}
