// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/diff_rows.h"

/* The kernel is what is looked at: another one is what there may be to see. */
static const struct diff_condition conditions[] = {
	{"version", DIFF_VERSION},
	{"compiler", DIFF_TOLD},
	{"machine", DIFF_REFUSES},
	{"machine.kernel", DIFF_TOLD},
	{"counter.name", DIFF_REFUSES},
	{"config.cpus", DIFF_REFUSES},
	{"config.duration_ns", DIFF_LENGTH},
	{"config.simulate_ns", DIFF_TOLD},
	{.path = NULL},
};

/* clang-format off */
static const struct diff_figure figures[] = {
	WORD("layout", "layout", NULL),
	WORD("clock mode", "clock_mode", NULL),
	NUMBER("update rate", "rate_hz", "Hz", DIFF_NEITHER),
	NUMBER("interval p50", "interval_ns.p50", "ns", DIFF_NEITHER),
	NUMBER("interval p99", "interval_ns.p99", "ns", DIFF_NEITHER),
	NUMBER("interval max", "interval_ns.max", "ns", DIFF_NEITHER),
	NUMBER("odd seen", "odd_seen", "", DIFF_NEITHER),
	NUMBER("odd p50", "odd_ns.p50", "ns", DIFF_NEITHER),
	NUMBER("odd p99", "odd_ns.p99", "ns", DIFF_NEITHER),
	NUMBER("odd max", "odd_ns.max", "ns", DIFF_NEITHER),
	EXACT("tick's CPU", "tick_cpu", "", DIFF_NEITHER),
	NUMBER("gaps", "gaps.count", "", DIFF_NEITHER),
	NUMBER("hazard", "hazard_per_million", "per million", DIFF_NEITHER),
	BOUNDS("hazard simulated", "simulated.per_million", "per million",
	       "simulated.ci95_per_million", DIFF_NEITHER, DIFF_SHARE),
	NUMBER("read simulated", "simulated.read_ns", "ns", DIFF_NEITHER),
	END_OF_ROWS,
};
/* clang-format on */

static const struct diff_part parts[] = {
	{.list = "", .figures = figures},
	{.list = NULL},
};

const struct diff_kind diff_observe = {
	conditions,
	parts,
	"what else ran on the machine, and how idle it was, decides how often the page is updated",
};
