// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/fairness.h"

struct fairness report_fairness(const struct readers_result *readers)
{
	struct fairness fairness = {readers->each, readers->each, 0};

	for (u32 i = 1; i < readers->readers; i++) {
		const struct reader_result *reader = &readers->each[i];

		if (reader->counts.reads < fairness.slowest->counts.reads)
			fairness.slowest = reader;
		if (reader->counts.reads > fairness.fastest->counts.reads)
			fairness.fastest = reader;
	}
	if (fairness.fastest->counts.reads)
		fairness.ratio = (double)fairness.slowest->counts.reads /
				 (double)fairness.fastest->counts.reads;
	return fairness;
}
