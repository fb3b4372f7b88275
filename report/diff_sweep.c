// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/diff_rows.h"

static const struct diff_condition conditions[] = {
	{"version", DIFF_VERSION},
	{"compiler", DIFF_REFUSES},
	{"machine", DIFF_REFUSES},
	{"machine.kernel", DIFF_TOLD},
	{"config", DIFF_REFUSES},
	/* Points are taken by both; those of only one are told. */
	{"config.hz", DIFF_TOLD},
	{"config.readers", DIFF_TOLD},
	{"config.retries", DIFF_TOLD},
	{"config.max_time_ns", DIFF_TOLD},
	{"config.seed", DIFF_TOLD},
	/* Of the machine code: what may well be what changed. */
	{"config.reader.code", DIFF_TOLD},
	{.path = NULL},
};

static const struct diff_rank states[] = {
	{"done", 0, false},
	{"failed", 1, false},
	{"stalled", 2, true},
	{.word = NULL},
};

/* clang-format off */
static const struct diff_figure figures[] = {
	BOUNDS("law: hold", "law.hold_ns", "ns", "law.hold_ci95_ns", DIFF_NEITHER, DIFF_SHARE),
	BOUNDS("law: read", "law.read_ns", "ns", "law.read_ci95_ns", DIFF_MORE_IS_WORSE, DIFF_SHARE),
	NUMBER("law: residual", "law.residual", "", DIFF_NEITHER),
	END_OF_ROWS,
};

static const struct diff_figure point_figures[] = {
	WORD("state", "state", states),
	FAULT("torn", "torn"),
	FAULT("stale", "stale"),
	FAULT("backwards", "backwards"),
	/* They hang on the rate that the writer came to, the length that they tell does not. */
	ENDS("retries", "retries_per_million", "per million", "low", "high", DIFF_NEITHER),
	NUMBER("update rate", "rate_hz", "Hz", DIFF_NEITHER),
	SCATTERED("visible read", "visible_read_ns", "ns", "retries_per_million", "low", "high",
		  DIFF_MORE_IS_WORSE),
	NUMBER("read mean", "read_ns", "ns", DIFF_NEITHER),
	NUMBER("hold mean", "hold_ns", "ns", DIFF_NEITHER),
	WORD("law breaks down", "breaks_down", NULL),
	END_OF_ROWS,
};
/* clang-format on */

static const struct diff_part parts[] = {
	{.list = "", .figures = figures},
	{.list = "points",
	 .noun = "point",
	 .key = {{"hz", " Hz,"}, {"readers", " readers"}},
	 .figures = point_figures},
	{.list = NULL},
};

const struct diff_kind diff_sweep = {
	conditions,
	parts,
	"two sweeps one after the other: what the machine did differently in between is in no "
	"interval",
};
