// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/diff_rows.h"

/* A proof is of what was explored, wherever that was. */
static const struct diff_condition conditions[] = {
	{"version", DIFF_VERSION},
	{"reader", DIFF_REFUSES},
	{"writer", DIFF_REFUSES},
	{"config", DIFF_REFUSES},
	{"config.weaken", DIFF_TOLD},
	{"config.limit_ns", DIFF_TOLD},
	{.path = NULL},
};

static const struct diff_rank verdicts[] = {
	{"holds", 0, false},
	{"incomplete", 1, false},
	{"broken", 2, true},
	{.word = NULL},
};

/* clang-format off */
static const struct diff_figure figures[] = {
	EXACT("races", "races", "", DIFF_NEITHER),
	END_OF_ROWS,
};

static const struct diff_figure model_figures[] = {
	WORD("verdict", "verdict", verdicts),
	WORD("fault", "fault", NULL),
	WORD("why incomplete", "why_incomplete", NULL),
	EXACT("executions", "executions", "", DIFF_NEITHER),
	NUMBER("took", "seconds", "s", DIFF_NEITHER),
	END_OF_ROWS,
};

static const struct diff_figure need_figures[] = {
	WORD("is", "verdict", NULL),
	END_OF_ROWS,
};
/* clang-format on */

static const struct diff_part needs[] = {
	{.list = "models", .noun = "under", .key = {{"model", NULL}}, .figures = need_figures},
	{.list = NULL},
};

/* By what the line says: where it stands changes with all that is above it. */
static const struct diff_part parts[] = {
	{.list = "", .figures = figures},
	{.list = "models", .noun = "model", .key = {{"model", NULL}}, .figures = model_figures},
	{.list = "weakenings",
	 .noun = "weakening",
	 .key = {{"at.file", ":"}, {"at.text", ","}, {"order", " to"}, {"weakened_to", NULL}},
	 .parts = needs},
	{.list = NULL},
};

const struct diff_kind diff_prove = {conditions, parts, NULL};
