// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/diff_rows.h"

/* What instructions a path has the machine does not decide, but for what it is a machine of. */
static const struct diff_condition conditions[] = {
	{"version", DIFF_VERSION},
	{"compiler", DIFF_REFUSES},
	{"machine", DIFF_TOLD},
	{"machine.architecture", DIFF_REFUSES},
	{.path = NULL},
};

static const struct diff_condition reader_conditions[] = {
	{"compiler", DIFF_REFUSES},
	{.path = NULL},
};

/* clang-format off */
const struct diff_figure diff_inspect_reader[] = {
	EXACT("text", "text_bytes", "bytes", DIFF_MORE_IS_WORSE),
	EXACT("fast: instructions", "paths.fast.instructions", "", DIFF_MORE_IS_WORSE),
	EXACT("fast: branches taken", "paths.fast.branches_taken", "", DIFF_MORE_IS_WORSE),
	EXACT("fast: branches not taken", "paths.fast.branches_not_taken", "", DIFF_NEITHER),
	EXACT("fast: calls", "paths.fast.calls", "", DIFF_MORE_IS_WORSE),
	EXACT("fast: system calls", "paths.fast.system_calls", "", DIFF_MORE_IS_WORSE),
	EXACT("fast: code lines", "paths.fast.code_lines", "", DIFF_MORE_IS_WORSE),
	EXACT("fast: page lines", "paths.fast.page_lines_at_bytes", "", DIFF_MORE_IS_WORSE),
	EXACT("fast: loads of the page", "paths.fast.loads.page", "", DIFF_MORE_IS_WORSE),
	EXACT("fast: loads of the stack", "paths.fast.loads.stack", "", DIFF_MORE_IS_WORSE),
	EXACT("fast: stores to the stack", "paths.fast.stores.stack", "", DIFF_MORE_IS_WORSE),
	EXACT("retry: instructions", "paths.one_retry.instructions", "", DIFF_MORE_IS_WORSE),
	EXACT("retry: branches taken", "paths.one_retry.branches_taken", "", DIFF_NEITHER),
	EXACT("odd wait: instructions", "paths.odd_wait.instructions", "", DIFF_MORE_IS_WORSE),
	EXACT("odd wait: branches taken", "paths.odd_wait.branches_taken", "", DIFF_NEITHER),
	END_OF_ROWS,
};

const struct diff_figure diff_inspect_target[] = {
	EXACT("text", "text_bytes", "bytes", DIFF_MORE_IS_WORSE),
	EXACT("instructions", "instructions", "", DIFF_MORE_IS_WORSE),
	EXACT("branches", "branches", "", DIFF_MORE_IS_WORSE),
	EXACT("jumps", "jumps", "", DIFF_NEITHER),
	EXACT("calls", "calls", "", DIFF_MORE_IS_WORSE),
	EXACT("not decoded", "not_decoded", "", DIFF_NEITHER),
	END_OF_ROWS,
};
/* clang-format on */

static const struct diff_part parts[] = {
	{.list = "readers",
	 .noun = "reader",
	 .key = {{"reader", ","}, {"variation", ", layout"}, {"layout", NULL}},
	 .conditions = reader_conditions,
	 .figures = diff_inspect_reader},
	{.list = "targets",
	 .noun = "target",
	 .key = {{"target", ","}, {"reader", NULL}},
	 .conditions = reader_conditions,
	 .figures = diff_inspect_target},
	{.list = "refused", .noun = "refused", .key = {{"reader", NULL}}},
	{.list = NULL},
};

const struct diff_kind diff_inspect = {conditions, parts, NULL};
