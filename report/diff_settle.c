// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/diff_rows.h"

static const struct diff_condition conditions[] = {
	{"version", DIFF_VERSION},
	{"title", DIFF_TOLD},
	/* All comparisons are of one machine. */
	{"comparisons.0.comparison.compiler", DIFF_REFUSES},
	{"comparisons.0.comparison.machine", DIFF_REFUSES},
	{"comparisons.0.comparison.machine.kernel", DIFF_TOLD},
	{.path = NULL},
};

static const struct diff_condition comparison_conditions[] = {
	{"readers", DIFF_REFUSES},
	{"claimed_percent", DIFF_TOLD},
	{"comparison.config", DIFF_REFUSES},
	{"comparison.config.duration_ns", DIFF_LENGTH},
	{"comparison.config.precision_percent", DIFF_TOLD},
	{"comparison.config.resolution_percent", DIFF_TOLD},
	{"comparison.config.seed", DIFF_TOLD},
	{"comparison.baseline.compiler", DIFF_REFUSES},
	{.path = NULL},
};

static const struct diff_condition inspection_conditions[] = {
	{"readers", DIFF_REFUSES},
	{"targets", DIFF_REFUSES},
	{.path = NULL},
};

/* clang-format off */
static const struct diff_figure comparison_figures[] = {
	WORD("verdict", "verdict", NULL),
	BOUNDS("effect", "comparison.results.0.effect_percent", "%",
	       "comparison.results.0.ci95_percent", DIFF_MORE_IS_WORSE, DIFF_POINTS),
	END_OF_ROWS,
};
/* clang-format on */

static const struct diff_part inspected[] = {
	{.list = "inspection.readers",
	 .noun = "reader",
	 .key = {{"reader", ","}, {"variation", ", layout"}, {"layout", NULL}},
	 .figures = diff_inspect_reader},
	{.list = "inspection.targets",
	 .noun = "target",
	 .key = {{"target", ","}, {"reader", NULL}},
	 .figures = diff_inspect_target},
	{.list = NULL},
};

static const struct diff_part parts[] = {
	{.list = "comparisons",
	 .noun = "comparison",
	 .key = {{"name", NULL}},
	 .conditions = comparison_conditions,
	 .figures = comparison_figures},
	{.list = "inspections",
	 .noun = "inspection",
	 .key = {{"name", NULL}},
	 .conditions = inspection_conditions,
	 .parts = inspected},
	{.list = NULL},
};

const struct diff_kind diff_settle = {conditions, parts, NULL};
