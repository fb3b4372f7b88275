// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/diff_rows.h"

static const struct diff_condition conditions[] = {
	{"version", DIFF_VERSION},
	{"compiler", DIFF_REFUSES},
	{"machine", DIFF_REFUSES},
	/* Reads do not enter it; it only has the threads run. */
	{"machine.kernel", DIFF_TOLD},
	{"counter.name", DIFF_REFUSES},
	{"config.groups", DIFF_REFUSES},
	{"config.writers", DIFF_REFUSES},
	{"config.hold_ns", DIFF_REFUSES},
	{"config.payload", DIFF_REFUSES},
	{"config.clocksource", DIFF_REFUSES},
	{"config.record_hz", DIFF_REFUSES},
	{"config.writer_cpu", DIFF_REFUSES},
	{"config.priority", DIFF_REFUSES},
	{"config.duration_ns", DIFF_LENGTH},
	{"config.warmup_ns", DIFF_TOLD},
	{"config.baseline", DIFF_TOLD},
	{"config.seed", DIFF_TOLD},
	{"writer.priority", DIFF_TOLD},
	{.path = NULL},
};

static const struct diff_rank outcomes[] = {
	{"complete", 0, false},
	{"stalled", 1, true},
	{.word = NULL},
};

static const struct diff_rank held[] = {
	{"true", 0, false},
	{"false", 1, true},
	{.word = NULL},
};

/* clang-format off */
static const struct diff_figure figures[] = {
	WORD("outcome", "outcome", outcomes),
	FAULT("torn", "readers.torn"),
	FAULT("stale", "readers.stale"),
	FAULT("backwards", "readers.backwards"),
	FAULT("forbidden jumps", "forbidden_jumps"),
	/* It hangs on the share of their CPUs that readers got. */
	BATCHES("reads", "readers.reads_per_second", "/s", "reads_per_second", DIFF_NEITHER),
	NUMBER("share of CPUs", "readers.cpu_share", "", DIFF_NEITHER),
	MEAN("read mean", "readers.read_ns.mean", "readers.read_ns.histogram", "readers.each",
	     DIFF_MORE_IS_WORSE),
	QUANTILE("read p50", "readers.read_ns.p50", 0.5, "readers.read_ns.histogram",
		 "read_ns.p50", DIFF_MORE_IS_WORSE),
	QUANTILE("read p99", "readers.read_ns.p99", 0.99, "readers.read_ns.histogram",
		 "read_ns.p99", DIFF_MORE_IS_WORSE),
	/* What others do to the machine decides it. */
	QUANTILE("read p99.99", "readers.read_ns.p99_99", 0.9999, "readers.read_ns.histogram",
		 NULL, DIFF_NEITHER),
	NUMBER("read max", "readers.read_ns.max", "ns", DIFF_NEITHER),
	RATE("retries", "readers.retries.total", "readers.reads", "retries.total", DIFF_NEITHER),
	/* They hang on the hold, which differs from process to process, and all on how often the
	 * writer came to its turn, which the visible read does not. */
	RATE("odd wait", "readers.retries.odd_wait", "readers.reads", "retries.odd_wait", DIFF_NEITHER),
	RATE("changed", "readers.retries.changed", "readers.reads", "retries.changed", DIFF_NEITHER),
	VISIBLE("visible read", "readers.retries.changed", "readers.reads", "retries.changed",
		"writer.rate_hz", DIFF_MORE_IS_WORSE),
	RATE("off-CPU", "readers.retries.off_cpu", "readers.reads", "retries.off_cpu", DIFF_NEITHER),
	NUMBER("longest run", "readers.retries.longest_run", "", DIFF_NEITHER),
	NUMBER("update rate", "writer.rate_hz", "Hz", DIFF_NEITHER),
	/* The stand-in for the kernel's update, and not what is measured. */
	QUANTILE("hold p50", "writer.hold_ns.p50", 0.5, "writer.hold_ns.histogram", NULL,
		 DIFF_NEITHER),
	QUANTILE("hold p99", "writer.hold_ns.p99", 0.99, "writer.hold_ns.histogram", NULL,
		 DIFF_NEITHER),
	NUMBER("hold max", "writer.hold_ns.max", "ns", DIFF_NEITHER),
	NUMBER("late p99", "writer.late_ns.p99", "ns", DIFF_NEITHER),
	NUMBER("late max", "writer.late_ns.max", "ns", DIFF_NEITHER),
	NUMBER("stalls of the writer", "writer.stalls", "", DIFF_NEITHER),
	NUMBER("bare read", "baseline.bare_ns", "ns", DIFF_NEITHER),
	NUMBER("bare / host", "baseline.bare_to_host", "", DIFF_NEITHER),
	END_OF_ROWS,
};

static const struct diff_figure group_figures[] = {
	FAULT("torn", "torn"),
	FAULT("stale", "stale"),
	FAULT("backwards", "backwards"),
	NUMBER("reads", "reads_per_second", "/s", DIFF_NEITHER),
	MEAN("read mean", "read_ns.mean", "read_ns.histogram", NULL, DIFF_MORE_IS_WORSE),
	QUANTILE("read p50", "read_ns.p50", 0.5, "read_ns.histogram", NULL, DIFF_MORE_IS_WORSE),
	QUANTILE("read p99", "read_ns.p99", 0.99, "read_ns.histogram", NULL, DIFF_MORE_IS_WORSE),
	RATE("odd wait", "retries.odd_wait", "reads", NULL, DIFF_NEITHER),
	RATE("changed", "retries.changed", "reads", NULL, DIFF_NEITHER),
	RATE("off-CPU", "retries.off_cpu", "reads", NULL, DIFF_NEITHER),
	END_OF_ROWS,
};

static const struct diff_figure expected[] = {
	WORD("held", "held", held),
	NUMBER("found", "found", "", DIFF_NEITHER),
	END_OF_ROWS,
};
/* clang-format on */

static const struct diff_part parts[] = {
	{.list = "", .figures = figures},
	{.list = "groups",
	 .noun = "group",
	 .key = {{"name", NULL}},
	 .least = 2,
	 .figures = group_figures},
	{.list = "expect", .noun = "expect", .key = {{"condition", NULL}}, .figures = expected},
	{.list = NULL},
};

const struct diff_kind diff_run = {
	conditions,
	parts,
	"two runs one after the other are no comparison: what the machine did differently in "
	"between is in no interval; contend compare has readers take turns",
};
