// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/fairness.h"

struct fairness report_fairness(const struct run_result *result)
{
	struct fairness fairness = {result->each, result->each, 0};

	for (u32 i = 1; i < result->readers; i++) {
		const struct reader_result *reader = &result->each[i];

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
