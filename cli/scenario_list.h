/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scenarios in words: their names, what they are about, and what they run. Nothing of it is run,
 * and no source compiled.
 */
#ifndef CLI_SCENARIO_LIST_H
#define CLI_SCENARIO_LIST_H

#include <limits.h>
#include <stdbool.h>

#include "sim/errmsg.h"

/*
 * Prints them to standard output: those in `files` files, or, if that is 0, those that were
 * installed with contend or stand in the tree that it was built from. One that is none is told on
 * standard error, and the others are listed all the same. 0, or -1 with a sentence in *err: there
 * are none, or the last of those that are none.
 */
int scenario_list(char *const *file, int files, struct errmsg *err);

/* Whether a file of that name is taken for one. */
bool scenario_is_name(const char *name);

/*
 * Where those are that were installed with contend, or stand in the tree that it was built from:
 * 0, or -1 if there are none.
 */
int scenario_folder(char folder[PATH_MAX]);

#endif /* CLI_SCENARIO_LIST_H */
