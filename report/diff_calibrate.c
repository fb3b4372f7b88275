// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/diff_rows.h"

/* The kernel brings the vDSO that all is held against. */
static const struct diff_condition conditions[] = {
	{"version", DIFF_VERSION},
	{"compiler", DIFF_REFUSES},
	{"machine", DIFF_REFUSES},
	{"machine.kernel", DIFF_TOLD},
	{"counter.name", DIFF_REFUSES},
	{"page", DIFF_TOLD},
	{"config.clocks", DIFF_TOLD},
	{"config.images", DIFF_TOLD},
	{"config.cpu", DIFF_TOLD},
	{"config.duration_ns", DIFF_LENGTH},
	{.path = NULL},
};

/* clang-format off */
static const struct diff_figure figures[] = {
	FAULT("disagreements", "values.disagreements"),
	END_OF_ROWS,
};

static const struct diff_figure contestant_figures[] = {
	FAULT("disagreements", "values.disagreements"),
	BOUNDS("read / host's", "ratio_to_host", "", "ratio_ci95", DIFF_MORE_IS_WORSE, DIFF_SHARE),
	NUMBER("read", "read_ns", "ns", DIFF_NEITHER),
	EXACT("instructions", "code.instructions", "", DIFF_MORE_IS_WORSE),
	WORD("same code as host's", "code.same_as_host", NULL),
	WORD("calls the system", "calls_system", NULL),
	END_OF_ROWS,
};
/* clang-format on */

static const struct diff_part contestants[] = {
	{.list = "contestants",
	 .noun = "contestant",
	 .key = {{"name", NULL}},
	 .figures = contestant_figures},
	{.list = NULL},
};

static const struct diff_part parts[] = {
	{.list = "", .figures = figures},
	{.list = "clocks", .noun = "clock", .key = {{"clock", NULL}}, .parts = contestants},
	{.list = NULL},
};

const struct diff_kind diff_calibrate = {conditions, parts, NULL};
