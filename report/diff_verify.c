// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/diff_rows.h"

static const struct diff_condition conditions[] = {
	{"version", DIFF_VERSION}, {"machine", DIFF_REFUSES}, {"machine.kernel", DIFF_TOLD},
	{"counter", DIFF_REFUSES}, {"config", DIFF_TOLD},     {.path = NULL},
};

/* What is hidden, or absent, the machine decides: no better and no worse. */
static const struct diff_rank verdicts[] = {
	{"killed", 0, false},
	{"unknown", 1, false},
	{"survived", 2, true},
	{.word = NULL},
};

/* clang-format off */
static const struct diff_figure figures[] = {
	FAULT("accused", "accused"),
	NUMBER("took", "seconds", "s", DIFF_NEITHER),
	END_OF_ROWS,
};

/* When a mutant shows is chance, and no interval is known of a single time. */
static const struct diff_figure mutant_figures[] = {
	WORD("verdict", "verdict", verdicts),
	NUMBER("killed after", "seconds", "s", DIFF_NEITHER),
	END_OF_ROWS,
};
/* clang-format on */

static const struct diff_part parts[] = {
	{.list = "", .figures = figures},
	{.list = "mutants", .noun = "mutant", .key = {{"name", NULL}}, .figures = mutant_figures},
	{.list = "accused",
	 .noun = "accused",
	 .key = {{"reader", " under"},
		 {"writers", ", payload"},
		 {"payload", ","},
		 {"clocksource", NULL}},
	 .new_fails = true},
	{.list = NULL},
};

const struct diff_kind diff_verify = {conditions, parts, NULL};
