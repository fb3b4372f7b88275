/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Doing what an inspection's options ask for, as a command of its own or as a part of an argument.
 */
#ifndef CLI_INSPECTION_H
#define CLI_INSPECTION_H

#include "cli/inspect_options.h"

/* All zero but for the options; too large for a stack. */
struct inspection {
	struct inspect_options options;
	struct reader reader[INSPECT_MAX_READERS];
	struct inspect_result result;
};

/*
 * Fills in the result; readers are compiled if need be, and their code is run. Those that cannot be
 * looked at are put aside as refused, for the caller to tell. 0, or -1 with a sentence in *err,
 * which is the last refusal's if nothing is left. To be released in either case.
 */
int inspection_execute(struct inspection *inspection, struct errmsg *err);
void inspection_release(struct inspection *inspection);

#endif /* CLI_INSPECTION_H */
