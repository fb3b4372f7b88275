// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/diff_rows.h"

static const struct diff_condition conditions[] = {
	{"version", DIFF_VERSION},
	{"compiler", DIFF_REFUSES},
	{"machine", DIFF_REFUSES},
	{"machine.kernel", DIFF_TOLD},
	{"counter.name", DIFF_REFUSES},
	{"config", DIFF_REFUSES},
	{"config.duration_ns", DIFF_LENGTH},
	{"config.precision_percent", DIFF_TOLD},
	{"config.resolution_percent", DIFF_TOLD},
	{"config.seed", DIFF_TOLD},
	{"baseline.reader", DIFF_REFUSES},
	{"baseline.compiler", DIFF_REFUSES},
	{"writer.priority", DIFF_TOLD},
	{.path = NULL},
};

static const struct diff_condition reader_conditions[] = {
	{"compiler", DIFF_REFUSES},
	{.path = NULL},
};

static const struct diff_rank outcomes[] = {
	{"complete", 0, false},
	{"broken", 1, true},
	{.word = NULL},
};

/* clang-format off */
static const struct diff_figure figures[] = {
	WORD("outcome", "outcome", outcomes),
	END_OF_ROWS,
};

/* The baseline's time is no more sure from one comparison to another than that of a run. */
static const struct diff_figure baseline_figures[] = {
	NUMBER("read", "read_ns", "ns", DIFF_NEITHER),
	RATE("retries", "retries.total", "retries.reads", NULL, DIFF_NEITHER),
	EXACT("instructions", "instructions", "", DIFF_MORE_IS_WORSE),
	EXACT("taken branches", "taken_branches", "", DIFF_MORE_IS_WORSE),
	EXACT("text", "text_bytes", "bytes", DIFF_NEITHER),
	END_OF_ROWS,
};

static const struct diff_figure reader_figures[] = {
	BOUNDS("effect", "effect_percent", "%", "ci95_percent", DIFF_MORE_IS_WORSE, DIFF_POINTS),
	WORD("verdict", "verdict", NULL),
	WORD("same code", "same_code", NULL),
	NUMBER("placement sd", "placement_sd_percent", "%", DIFF_NEITHER),
	NUMBER("read", "read_ns", "ns", DIFF_NEITHER),
	RATE("odd wait", "retries.odd_wait", "retries.reads", NULL, DIFF_NEITHER),
	RATE("changed", "retries.changed", "retries.reads", NULL, DIFF_NEITHER),
	EXACT("instructions", "instructions", "", DIFF_MORE_IS_WORSE),
	EXACT("taken branches", "taken_branches", "", DIFF_MORE_IS_WORSE),
	EXACT("text", "text_bytes", "bytes", DIFF_NEITHER),
	END_OF_ROWS,
};
/* clang-format on */

static const struct diff_part parts[] = {
	{.list = "", .figures = figures},
	{.list = "baseline",
	 .noun = "baseline",
	 .key = {{"reader", NULL}},
	 .figures = baseline_figures},
	{.list = "results",
	 .noun = "reader",
	 .key = {{"reader", NULL}},
	 .conditions = reader_conditions,
	 .figures = reader_figures},
	{.list = "refused", .noun = "refused", .key = {{"reader", NULL}}},
	{.list = NULL},
};

const struct diff_kind diff_compare = {conditions, parts, NULL};
