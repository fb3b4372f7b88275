// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>

#include "report/settle_verdict.h"

static bool holds_zero(double low, double high)
{
	return low <= 0 && high >= 0;
}

static double nearer_end(double low, double high)
{
	return fmin(fabs(low), fabs(high));
}

static double farther_end(double low, double high)
{
	return fmax(fabs(low), fabs(high));
}

static bool is_definite(const struct claim *claim)
{
	return claim->has_percent && !holds_zero(claim->low_percent, claim->high_percent);
}

/* Of an interval that does not hold 0, and a claim. */
static enum settle_verdict weigh(const struct claim *claim, const struct settle_measured *measured)
{
	const double low = claim->low_percent, high = claim->high_percent;

	if (measured->low <= high && measured->high >= low)
		return SETTLE_AS_LARGE;
	if (is_definite(claim) && (measured->low > 0) != (low > 0))
		return SETTLE_OTHER_WAY;
	return farther_end(measured->low, measured->high) < nearer_end(low, high) ? SETTLE_SMALLER
										  : SETTLE_LARGER;
}

enum settle_verdict settle_verdict(const struct claim *claim,
				   const struct settle_measured *measured)
{
	const double farther = farther_end(measured->low, measured->high);
	const double claimed =
		is_definite(claim) ? nearer_end(claim->low_percent, claim->high_percent) : INFINITY;

	if (measured->same_code)
		return SETTLE_SAME_CODE;
	if (!measured->known)
		return SETTLE_CANNOT_TELL;
	if (farther <= measured->resolution && claimed > measured->resolution)
		return SETTLE_NOT_SEEN;
	if (holds_zero(measured->low, measured->high))
		return is_definite(claim) && farther < claimed ? SETTLE_NOT_SEEN
							       : SETTLE_CANNOT_TELL;
	return claim->has_percent ? weigh(claim, measured) : SETTLE_SEEN;
}

struct settle_measured settle_measured_of(const struct comparison *comparison)
{
	const struct mean_interval *ci95 = &comparison->result->reader[1].effect.percent.ci95;
	const bool known = comparison->result->outcome == COMPARE_COMPLETE &&
			   comparison_has_interval(comparison, 1);

	return (struct settle_measured){
		.same_code = comparison_same_code(comparison, 1),
		.known = known,
		.low = known ? ci95->low : NAN,
		.high = known ? ci95->high : NAN,
		.resolution = comparison->config->resolution_percent,
	};
}

const char *settle_verdict_name(enum settle_verdict verdict)
{
	switch (verdict) {
	case SETTLE_SAME_CODE:
		return "same_code";
	case SETTLE_NOT_SEEN:
		return "not_seen";
	case SETTLE_AS_LARGE:
		return "as_large";
	case SETTLE_SMALLER:
		return "smaller";
	case SETTLE_LARGER:
		return "larger";
	case SETTLE_OTHER_WAY:
		return "other_way";
	case SETTLE_SEEN:
		return "seen";
	case SETTLE_CANNOT_TELL:
		break;
	}
	return "cannot_tell";
}

static struct cell not_told(const struct comparison *comparison)
{
	switch (comparison->result->outcome) {
	case COMPARE_INTERRUPTED:
		return (struct cell){"cannot tell: interrupted"};
	case COMPARE_BROKEN:
		return (struct cell){"cannot tell: a reader's code broke"};
	case COMPARE_COMPLETE:
		break;
	}
	return comparison_has_interval(comparison, 1)
		       ? (struct cell){"cannot tell: the interval is too wide"}
		       : (struct cell){"cannot tell: no interval, give it more time"};
}

struct cell settle_verdict_cell(const struct claim *claim, const struct comparison *comparison)
{
	const struct settle_measured measured = settle_measured_of(comparison);
	struct cell cell;

	switch (settle_verdict(claim, &measured)) {
	case SETTLE_SAME_CODE:
		return (struct cell){"not seen: same code"};
	case SETTLE_NOT_SEEN:
		snprintf(cell.text, sizeof(cell.text),
			 "not seen: no difference larger than %.2g %%",
			 farther_end(measured.low, measured.high));
		return cell;
	case SETTLE_AS_LARGE:
		return is_definite(claim) ? (struct cell){"seen and as large"}
					  : (struct cell){"seen, within what was claimed"};
	case SETTLE_SMALLER:
		return (struct cell){"seen, but smaller"};
	case SETTLE_LARGER:
		return claim->low_percent == 0 && claim->high_percent == 0
			       ? (struct cell){"seen, though none was claimed"}
			       : (struct cell){"seen, but larger"};
	case SETTLE_OTHER_WAY:
		return (struct cell){"the other way round"};
	case SETTLE_SEEN:
		return measured.low > 0 ? (struct cell){"seen: slower; no percent was claimed"}
					: (struct cell){"seen: faster; no percent was claimed"};
	case SETTLE_CANNOT_TELL:
		break;
	}
	return not_told(comparison);
}
