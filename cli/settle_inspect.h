/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A section [inspect NAME] of an argument: the code of its readers is looked at.
 */
#ifndef CLI_SETTLE_INSPECT_H
#define CLI_SETTLE_INSPECT_H

#include <jansson.h>
#include <stdio.h>

#include "cli/argument.h"
#include "sim/errmsg.h"

/*
 * Prints what is seen to `out` (NULL: nowhere), and gives it as one JSON object, the caller's. 0,
 * or -1 with a sentence in *err: what keeps it from being done here. If it is some readers only
 * that cannot be looked at, 0, and a sentence in *err that is empty otherwise.
 */
int settle_inspect(const struct argument_section *section, FILE *out, json_t **result,
		   struct errmsg *err);

#endif /* CLI_SETTLE_INSPECT_H */
