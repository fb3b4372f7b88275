/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the visits of a comparison come to.
 */
#ifndef MEASURE_COMPARE_FIGURES_H
#define MEASURE_COMPARE_FIGURES_H

#include "measure/compare_area.h"

/* The visits that were finished at one moment; more may be under way. */
struct compare_snapshot {
	const struct compare_config *config;
	const struct compare_area *area;
	u64 windows[COMPARE_MAX_THREADS];
	u64 all; /* of all threads */
};

void compare_take_snapshot(struct compare_snapshot *snapshot, const struct compare_config *config,
			   const struct compare_area *area);

/* Whether copies of a reader's code are put to several places in a line. */
bool compare_moves(const struct compare_config *config, size_t who);

/*
 * How a reader differs from the baseline. With work beside the reads, visits know differences
 * alone; percents are then of what the baseline's read takes without the work, and as wide as it
 * takes for that not to be known exactly. 0, or -1 with a sentence in *err: no visit, no memory, a
 * read that cannot be told from the work.
 */
int compare_effect(const struct compare_snapshot *snapshot, size_t who, struct effect *effect,
		   struct errmsg *err);

/*
 * Effects at single placements, in percent as compare_effect has it, in `percent`, of which there
 * is room for `most`: all, or so many of them, spread evenly. How many; 0 also if placement was
 * held still, or where compare_effect would fail.
 */
size_t compare_placement_effects(const struct compare_snapshot *snapshot, size_t who,
				 double *percent, size_t most);

/* Medians of the visits, in nanoseconds: a read without work, a piece of work; 0 without visits. */
double compare_read_ns(const struct compare_snapshot *snapshot, size_t who);
double compare_work_ns(const struct compare_snapshot *snapshot);

#endif /* MEASURE_COMPARE_FIGURES_H */
