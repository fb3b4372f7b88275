/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Readers of a run of which a report says the same things: one group of them, or all.
 */
#ifndef REPORT_PART_H
#define REPORT_PART_H

#include "measure/run.h"

/* What is pointed to belongs to the configuration and the result. */
struct report_part {
	const struct run_result *result;
	const struct readers_result *readers;
	const struct run_group *group; /* NULL: of several groups */
	bool opaque;		       /* all of them are images' code, which tells nothing */
};

struct report_part report_part_all(const struct run_config *config,
				   const struct run_result *result);
struct report_part report_part_group(const struct run_config *config,
				     const struct run_result *result, u32 number);

#endif /* REPORT_PART_H */
