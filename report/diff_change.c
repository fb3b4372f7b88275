// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "report/diff_change.h"

#define PERCENT 100.0

static double squared(double value)
{
	return value * value;
}

/* Of values that may be taken from one another. */
static struct diff_change difference(const struct diff_estimate *from,
				     const struct diff_estimate *to)
{
	const double change = to->value - from->value;

	return (struct diff_change){
		.known = true,
		.change = change,
		.has_interval = from->has_interval && to->has_interval,
		.low = change -
		       sqrt(squared(to->value - to->low) + squared(from->high - from->value)),
		.high = change +
			sqrt(squared(to->high - to->value) + squared(from->value - from->low)),
	};
}

static struct diff_estimate logarithm(const struct diff_estimate *estimate)
{
	struct diff_estimate result = *estimate;

	result.value = log(estimate->value);
	result.low = log(estimate->low);
	result.high = log(estimate->high);
	return result;
}

static double percent_of_ratio(double to, double from)
{
	if (from > 0)
		return PERCENT * (to - from) / from;
	return to > 0 ? INFINITY : 0;
}

static struct diff_change worst_case(const struct diff_estimate *from,
				     const struct diff_estimate *to)
{
	return (struct diff_change){
		.known = true,
		.change = percent_of_ratio(to->value, from->value),
		.has_interval = from->has_interval && to->has_interval,
		.low = percent_of_ratio(fmax(to->low, 0), from->high),
		.high = from->low > 0 || to->high <= 0 ? percent_of_ratio(to->high, from->low)
						       : INFINITY,
	};
}

/* What is counted exactly may well be 0. */
static bool is_exact(const struct diff_estimate *estimate)
{
	return estimate->has_interval && estimate->high <= estimate->low;
}

static struct diff_change ratio(const struct diff_estimate *from, const struct diff_estimate *to)
{
	struct diff_estimate log_from, log_to;
	struct diff_change change;

	if (is_exact(from) && is_exact(to)) {
		const double percent = percent_of_ratio(to->value, from->value);

		return (struct diff_change){true, percent, true, percent, percent};
	}
	if (!(from->value > 0 && to->value > 0) ||
	    (from->has_interval && to->has_interval && !(from->low > 0 && to->low > 0)))
		return worst_case(from, to);
	log_from = logarithm(from);
	log_to = logarithm(to);
	change = difference(&log_from, &log_to);
	change.change = percent_of_ratio(to->value, from->value);
	change.low = PERCENT * expm1(change.low);
	change.high = PERCENT * expm1(change.high);
	return change;
}

struct diff_change diff_change_of(enum diff_scale scale, const struct diff_estimate *old_one,
				  const struct diff_estimate *new_one)
{
	if (old_one->at != NUMBER_THERE || new_one->at != NUMBER_THERE)
		return (struct diff_change){.known = false};
	return scale == DIFF_SHARE ? ratio(old_one, new_one) : difference(old_one, new_one);
}

double diff_change_worse(const struct diff_change *change, enum diff_worse worse)
{
	if (!change->known || !change->has_interval || worse == DIFF_NEITHER)
		return -INFINITY;
	return worse == DIFF_MORE_IS_WORSE ? change->low : -change->high;
}
