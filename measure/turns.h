/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The turns of a calibration: blocks of reads, timed next to each other, and what came of them.
 */
#ifndef MEASURE_TURNS_H
#define MEASURE_TURNS_H

#include "measure/calibrate.h"

struct turns {
	const struct calibrate_config *config;
	struct field *field;
	struct calibrate_result *result; /* cells that are unavailable do not take part */
	s32 clock_mode;			 /* of the counter */
	u64 random;
	u32 reads[CALIBRATE_CLOCKS][FIELD_MAX]; /* in a block, at least */
	size_t max_rounds;
	float *cycles; /* of a read, by round, clock and contestant */
};

/*
 * Gets the memory, and finds out how many reads make a block of the length that suits the duration.
 * Returns 0, or -1 with a sentence in *err, also if nobody takes part. Ended by turns_release.
 */
int turns_prepare(struct turns *turns, struct errmsg *err);
void turns_release(struct turns *turns);

/* One round: a turn of each clock. Not after result->rounds has come to max_rounds. */
void turns_take(struct turns *turns);

/* All rounds of one contestant on one clock, into `cycles`; and of one against another. */
void turns_collect(const struct turns *turns, size_t clock, size_t contestant, double *cycles);
void turns_collect_ratios(const struct turns *turns, size_t clock, size_t contestant,
			  size_t against, double *ratios);

/*
 * About what `contestant` takes of the time of `against`, by the last rounds; NAN if there was none
 * yet or one of them does not take part.
 */
double turns_recent_ratio(const struct turns *turns, size_t clock, size_t contestant,
			  size_t against);

#endif /* MEASURE_TURNS_H */
