/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much slower or faster a reader is than the baseline, how sure that is, and what to say of it.
 *
 * What is compared has two levels: a reader's time differs from placement to placement of its code,
 * and each visit of a placement is noisy. The units are the placements: each is the mean of its two
 * visits, and what the units differ by holds both, the spread between placements and half of that
 * within. So an interval of the mean of independent units (measure/mean_interval.h) is the
 * classical equivalent of a bootstrap of placements and of blocks within them: the analysis by
 * means of the nested random-effects model, in which the mean square between groups is what the
 * grand mean's variance is estimated by (H. Scheffe, The Analysis of Variance (1959), chapter 7).
 * More rounds cannot make it narrower than placement lets it be; more placements can.
 *
 * A disturbance that lasts as long as a visit makes an outlier of it, by chance on one side, which
 * an interval that allows for skewed placements takes for skewness: of 80 units of which one in
 * fifty has such a visit, 12 % of the 95 % intervals missed. It shows in that the two visits of a
 * placement disagree, whatever the placement does to the code; so placements whose visits differ by
 * more than five standard deviations of what is usual (by the median, which such visits do not
 * move) are left out: 4 to 7 % then missed, of visits spread normally, like Student's t with 2.5
 * degrees of freedom, or with one in a hundred or in twenty far off.
 *
 * What lasts longer makes successive placements alike, and they are not independent: where it was
 * as large as the noise of one visit and lasted 4, 16 or 64 visits, 67, 43 and 23 % of the 95 %
 * intervals held. So the units are batches of successive placements, 96 at most, halved for as long
 * as neighbouring ones hang together (measure/resemblance.h) and there are 5 or more. Then 91 to
 * 95 % hold of what lasts up to a thirtieth of all visits, from 128 placements on; of 64 placements
 * 94, 85, 77 and 49 % of what lasts 0.5, 4, 16 and 64 visits. Where nothing lasts, 95 to 96 % do,
 * of 5 to 8 % more width (17 % of 16 placements in 8 comparisons).
 * Drift that several threads share is seen only between visits that are neighbours in the array: if
 * it holds one thread's after the other's, 79 % of two threads' intervals hold and 53 % of four's
 * (of 512 placements in all, lasting 16 visits).
 *
 * Where placement is held still the units are batches of successive visits, 48 at most, in the same
 * way, and the interval says nothing of other placements. It is right about what lasts up to a
 * hundredth of all visits (94 % held in simulation); of what lasts a tenth of them it knows too
 * little (70 %).
 *
 * All is computed in logarithms of ratios; percents are 100 * (exp(x) - 1), positive if slower.
 */
#ifndef MEASURE_EFFECT_H
#define MEASURE_EFFECT_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/mean_interval.h"
#include "sim/errmsg.h"

/* What was measured of one reader. */
struct effect_visits {
	const double *log_ratio; /* of each visit, as in struct visit */
	const double *ns;
	/*
	 * How many. Those of placement j are 2 * j and 2 * j + 1: apart in time, the placements in
	 * random order within a window of time, or drift would be taken for them, and the windows
	 * in the order of time. Held still: in the order of time.
	 */
	size_t visits;
	bool placement_still;
};

struct effect_figure {
	double estimate;
	struct mean_interval ci95; /* if known */
	struct mean_interval ci99;
};

struct effect {
	size_t visits;
	bool placement_still; /* placement was not varied: true of this one only */
	size_t disturbed;     /* placements left out, since their visits disagree */
	size_t placements;    /* that were not; 0: placement was not varied */
	size_t units;	      /* that the intervals are of: placements, visits or batches of them */
	bool known;	      /* false: of too few units (MEAN_INTERVAL_MIN_VALUES) for intervals */
	struct effect_figure percent;
	struct effect_figure ns; /* per read */
	/*
	 * Standard deviation between placements without what the two visits show to be noise; 0 if
	 * that explains it all. NAN, n/a: placement was held still, or there was one placement.
	 */
	double placement_sd_percent;
	double visit_sd_percent; /* noise of one visit; NAN: nothing visited twice */
};

/*
 * The effect, by visits of one reader out of `comparisons` (1 or more) that are compared with the
 * same baseline: intervals are as wide as it takes for all of them to be right at once 95 or 99
 * times of 100 (Bonferroni). `scratch` has room for visits->visits values. 0, or -1 with a sentence
 * in *err: no visit, an odd number though placements are visited twice, a value not finite or out
 * of all proportion. Swapping reader and baseline changes signs, of ns and of the logarithms, and
 * nothing else (where registers are wider than memory, but for rounding). Safe in any thread.
 */
int effect_measure(const struct effect_visits *visits, size_t comparisons, double *scratch,
		   struct effect *effect, struct errmsg *err);

/* Half of the 95 % interval, in percent: its farther end from the estimate. NAN if not known. */
double effect_half_width_percent(const struct effect *effect);

enum effect_verdict {
	EFFECT_FASTER,	/* the 95 % interval lies below 0 */
	EFFECT_SLOWER,	/* it lies above 0 */
	EFFECT_SAME,	/* it holds 0 and nothing larger than the resolution */
	EFFECT_UNCLEAR, /* none of these, or not known */
};

struct effect_conclusion {
	enum effect_verdict verdict;
	/* EFFECT_SAME: there is no difference larger than this, the larger end of the interval. */
	double no_larger_percent;
	/*
	 * EFFECT_UNCLEAR: the whole time after which to expect another verdict; NAN: not known.
	 * Intervals shrink as the root of time grows. If the effect is what it seems to be, one
	 * narrower than it excludes 0, and one narrower than what it leaves of the resolution lies
	 * within that; but no narrower than the resolution is ever promised of a larger effect.
	 */
	double needed_s;
};

/*
 * What to say of it, if differences up to a resolution in percent (0 or more) do not matter and
 * `elapsed_s` seconds went by so far. That the same code is the same is for the caller to say.
 */
struct effect_conclusion effect_conclude(const struct effect *effect, double resolution_percent,
					 double elapsed_s);

/*
 * When to stop measuring: how many placements (held still: visits) there should be when the
 * intervals are looked at again, `now` of them being done. Stopping at the first narrow interval
 * prefers those that are narrow by chance, too early ones above all. So the first look is at 64
 * placements, and then each may be looked at; held still, at 96 visits, and then whenever they have
 * become a quarter more. By simulation 93 % or more of the 95 % intervals at which it stopped hold
 * the truth, of normal units and skewed ones; from 16 placements on it would be 84 to 95 %.
 */
size_t effect_next_look(size_t now, bool placement_still);

/* Whether each of n effects is known to +- percent at 95 %, and no sooner than the first look. */
bool effect_all_precise(const struct effect *effects, size_t n, double percent);

#endif /* MEASURE_EFFECT_H */
