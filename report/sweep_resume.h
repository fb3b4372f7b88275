/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an interrupted sweep has left in its file, for another to go on with; and what is in a file
 * that a sweep may not write over.
 */
#ifndef REPORT_SWEEP_RESUME_H
#define REPORT_SWEEP_RESUME_H

#include "measure/sweep.h"
#include "sim/errmsg.h"

/*
 * Takes the points that are in the file at `path` into *result, all of whose points are open, and
 * its remarks. Points that failed are left open, to be tried again. Returns how many it took: 0
 * where the file is not there, is empty or no regular one, or holds a complete sweep of the same
 * grid, which is to be made anew; -1, with a sentence in *err and nothing taken, if it holds
 * anything else: an interrupted sweep of another configuration, machine or build, which the
 * sentence names, or one whose points cannot be right; a complete one of another grid; what is no
 * sweep.
 */
int report_sweep_resume(const char *path, const struct sweep_config *config,
			struct sweep_result *result, struct errmsg *err);

#endif /* REPORT_SWEEP_RESUME_H */
