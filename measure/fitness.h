/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a machine is fit to measure on, by a comparison of a reader with itself.
 */
#ifndef MEASURE_FITNESS_H
#define MEASURE_FITNESS_H

#include "measure/effect.h"

struct fitness {
	bool fit;	 /* at the resolution asked for */
	bool holds_zero; /* the 95 % interval holds the truth, 0: chance says no one time in 20 */
	bool holds_zero_99;
	double half_width_percent; /* of the 95 % interval; NAN: not known */
	/*
	 * The larger end of the 95 % interval, be it noise or a bias: the finest resolution that it
	 * is fit for. NAN: not known.
	 */
	double finest_percent;
	char text[256]; /* a sentence that says so, with its numbers */
};

/*
 * Fit if the comparison shows nothing larger than the resolution in percent where there is nothing.
 * An interval narrow enough that misses 0 by less than that is fit, and the text says what it
 * missed. It tells of the machine as it was then, and not why; noise of a visit and its normal
 * amount are not judged, for what a quiet machine shows is not known. Safe in any thread.
 */
struct fitness fitness_of(const struct effect *itself, double resolution_percent);

#endif /* MEASURE_FITNESS_H */
