// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>

#include "report/compare_cells.h"

/* As many digits as the width of an interval leaves with a meaning: two of it. */
static int digits_of(const struct effect_figure *figure)
{
	const double half = (figure->ci95.high - figure->ci95.low) / 2;

	return half >= 10 ? 0 : half >= 1 ? 1 : half >= 0.1 ? 2 : half >= 0.01 ? 3 : 4;
}

struct cell compare_effect_cell(const struct comparison *comparison, size_t who)
{
	const struct effect_figure *percent = &comparison->result->reader[who].effect.percent;
	struct cell cell = {"n/a"};

	if (comparison_has_effect(comparison, who))
		snprintf(cell.text, sizeof(cell.text), "%+.*f %%",
			 comparison_has_interval(comparison, who) ? digits_of(percent) : 2,
			 percent->estimate);
	return cell;
}

struct cell compare_interval_cell(const struct comparison *comparison, size_t who, bool is_99)
{
	const struct effect_figure *percent = &comparison->result->reader[who].effect.percent;
	const struct mean_interval *interval = is_99 ? &percent->ci99 : &percent->ci95;
	const int digits = digits_of(percent);
	struct cell cell = {"n/a"};

	if (comparison_has_interval(comparison, who))
		snprintf(cell.text, sizeof(cell.text), "%+.*f to %+.*f", digits, interval->low,
			 digits, interval->high);
	return cell;
}

struct cell compare_read_cell(const struct comparison *comparison, size_t who)
{
	struct cell cell = {"n/a"};

	if (comparison->result->visits)
		snprintf(cell.text, sizeof(cell.text), "%.3f",
			 comparison->result->reader[who].read_ns);
	return cell;
}

static struct cell unclear_cell(const struct comparison *comparison, size_t who)
{
	const double more_s = comparison_seconds_more(comparison, who);
	struct cell cell = {"cannot tell yet"};

	if (!comparison_has_interval(comparison, who))
		return (struct cell){"cannot tell: no interval"};
	if (more_s < 120)
		snprintf(cell.text, sizeof(cell.text), "cannot tell yet: about %.0f s more",
			 more_s);
	else if (more_s < 48 * 3600)
		snprintf(cell.text, sizeof(cell.text), "cannot tell yet: about %.0f min more",
			 more_s / 60);
	return cell;
}

struct cell compare_verdict_cell(const struct comparison *comparison, size_t who)
{
	struct cell cell;

	switch (comparison_verdict(comparison, who)) {
	case EFFECT_FASTER:
		return (struct cell){"faster"};
	case EFFECT_SLOWER:
		return (struct cell){"slower"};
	case EFFECT_UNCLEAR:
		return unclear_cell(comparison, who);
	case EFFECT_SAME:
		break;
	}
	if (comparison_same_code(comparison, who))
		return (struct cell){"same: same code"};
	snprintf(cell.text, sizeof(cell.text), "no difference larger than %.2g %%",
		 comparison->result->reader[who].conclusion.no_larger_percent);
	return cell;
}

struct cell compare_retries_cell(const struct comparison *comparison, size_t who)
{
	const struct compare_reader *reader = &comparison->result->reader[who];
	struct cell cell = {"n/a"};

	if (!comparison_no_retries(reader))
		snprintf(cell.text, sizeof(cell.text), "%.1f",
			 comparison_retries_per_million(reader));
	return cell;
}

struct cell compare_text_cell(const struct comparison *comparison, size_t who)
{
	const u32 bytes = comparison_text_bytes(comparison, who);
	struct cell cell = {"n/a"};

	if (bytes)
		snprintf(cell.text, sizeof(cell.text), "%u", bytes);
	return cell;
}
